"""Native kernels of fastge (native/module.cpp).

Positions (`indptr`, `start`) are int64, node numbers int32, everything C-contiguous; the floating
arrays of one call share one dtype, float32 or float64, where nothing else is said. Blocks are
n × width or flat. Nothing is checked, results are written into `out` and its like.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

_Floats: TypeAlias = np.ndarray[Any, np.dtype[np.floating[Any]]]
_Doubles: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
_Nodes: TypeAlias = np.ndarray[Any, np.dtype[np.int32]]
_Integers: TypeAlias = np.ndarray[Any, np.dtype[np.integer[Any]]]

# The hot kernels exist once per instruction set. Results differ in rounding only.
def instruction_sets() -> list[str]:
    """Those that this processor runs, the best one, which is used, first"""

def use_instruction_set(name: str) -> None:
    """Another of them, for tests and measurements"""

# Products and smoothing steps of a Laplacian.
def laplacian(
    indptr: _Integers, indices: _Integers, weights: _Floats, x: _Floats, out: _Floats
) -> None:
    """out = L x"""

def relax(
    indptr: _Integers,
    indices: _Integers,
    weights: _Floats,
    scale: _Floats,
    b: _Floats,
    x: _Floats,
    out: _Floats,
) -> None:
    """out = x + scale ∘ (b − L x)"""

def restrict_residual(
    indptr: _Integers,
    indices: _Integers,
    weights: _Floats,
    start: _Integers,
    members: _Integers,
    b: _Floats,
    x: _Floats,
    residual: _Floats,
    coarse: _Floats,
) -> None:
    """coarse = Pᵀ (b − L x); the members of coarse node I are members[start[I]:start[I + 1]]"""

def prolong_relax(
    indptr: _Integers,
    indices: _Integers,
    weights: _Floats,
    group: _Integers,
    scale: _Floats,
    b: _Floats,
    z: _Floats,
    x: _Floats,
    out: _Floats,
) -> None:
    """x += P z; out = x + scale ∘ (b − L x)"""

# Blocks of vectors.
def scale_rows(scale: _Floats, x: _Floats, out: _Floats) -> None:
    """out = scale ∘ x, row by row"""

def scale_shift(diagonal: _Floats, mass: _Floats, shift: _Floats, x: _Floats, out: _Floats) -> None:
    """out = diagonal ∘ x − mass shiftᵀ; shift is float64"""

def gram(left: Sequence[_Floats], right: _Floats, result: _Floats) -> None:
    """result = [left₀ left₁ …]ᵀ right, in float64"""

def combine(inputs: Sequence[_Floats], outputs: Sequence[_Floats], coefficients: _Floats) -> None:
    """[outputs₀ outputs₁ …] = [inputs₀ inputs₁ …] coefficients; outputs may be inputs"""

def column_dots(x: _Floats, y: _Floats, result: _Floats) -> None:
    """result_c = xᵀ_c y_c, in float64"""

def centre(x: _Floats) -> None:
    """x −= its column means"""

def axpby(alpha: _Floats, x: _Floats, beta: _Floats, y: _Floats) -> None:
    """y = alpha ∘ x + beta ∘ y, column by column; alpha and beta are float64"""

# Elimination of nodes of degree one and two.
def eliminate(indptr: _Integers, indices: _Integers, weights: _Floats) -> tuple[Any, ...]:
    """Pivots (node, first, second, first_share, second_share, inverse), new edges (i, j, w)"""

def eliminate_forward(
    node: _Integers,
    first: _Integers,
    second: _Integers,
    first_share: _Floats,
    second_share: _Floats,
    inverse: _Floats,
    b: _Floats,
) -> None:
    """b += the shares of the eliminated right-hand sides"""

def eliminate_backward(
    node: _Integers,
    first: _Integers,
    second: _Integers,
    first_share: _Floats,
    second_share: _Floats,
    inverse: _Floats,
    b: _Floats | None,
    x: _Floats,
) -> None:
    """x_v = b_v / pivot + the weighted mean of its neighbours; b None means zero"""

# Graphs.
def row_sums(indptr: _Integers, weights: _Floats) -> _Doubles:
    """Degrees of an adjacency"""

def asymmetric_pair(
    indptr: _Integers, indices: _Integers, weights: _Floats, tolerance: float
) -> tuple[int, int] | None:
    """The first entry (i, j) that differs from (j, i)"""

def group_nodes(indptr: _Integers, indices: _Integers, weights: _Floats) -> tuple[int, _Nodes]:
    """Number of groups, and the group of every node"""

def contract(
    indptr: _Integers, indices: _Integers, weights: _Floats, group: _Integers, n_groups: int
) -> tuple[Any, ...]:
    """Members of every group (start, members), contracted graph (indptr, indices, weights)"""

# Cuts.
def prefix_cuts(
    indptr: _Integers,
    indices: _Integers,
    weights: _Floats,
    demand: float,
    within: float,
    across: float,
    mass: _Floats,
    start: _Integers,
    classes: _Integers,
    strength: _Floats,
    n_classes: int,
    order: _Integers,
) -> _Doubles:
    """Weight that leaves the first 1, 2, …, n nodes of `order`, dense terms included"""

def cluster_cuts(
    indptr: _Integers, indices: _Integers, weights: _Floats, cluster: _Integers, n_clusters: int
) -> _Doubles:
    """Weight that leaves each cluster; a negative cluster is nobody's"""

# Images. Pixels lie in a volume (depth × height × width); `number` is the node of each, −1 for
# none; steps (z, y, x) lead to later pixels and are sorted.
def pixel_squares(
    number: _Nodes, steps: _Integers, channels: _Floats, squares: _Floats
) -> tuple[float, int]:
    """squares_si = ‖f_i − f_j‖² with j a step s further, NaN for none; their sum and number"""

def pixel_adjacency(
    number: _Nodes, steps: _Integers, weights: _Floats, n_nodes: int
) -> tuple[_Integers, _Nodes, _Doubles]:
    """Graph (indptr, indices, weights) of weights_si between pixels i and those a step s further"""

def follow_image(
    side: int,
    shares: _Floats,
    means: _Floats,
    block_label: np.ndarray[Any, np.dtype[np.int8]],
    undecided: np.ndarray[Any, np.dtype[np.uint8]],
    inside: np.ndarray[Any, np.dtype[np.uint8]],
    channels: _Floats,
    scale: float,
    label: np.ndarray[Any, np.dtype[np.int8]],
) -> None:
    """Class of every pixel of a volume: its block's, or where that is undecided what the blocks
    around vote for, weighed by exp(−δ²/scale − d²) with the distances of channels and places
    """

def add_ground(
    indptr: _Integers, indices: _Integers, weights: _Floats, tie: _Floats
) -> tuple[_Integers, _Nodes, _Doubles]:
    """The graph with one node more, joined to node i with weight tie_i where that is positive"""
