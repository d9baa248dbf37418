"""Combinatorial multigrid: build once, apply many times.

`grouping` finds the groups, `hierarchy` stacks the levels, `cycle` runs over them, `solver` wraps
all three into a Laplacian solver in its own right.
"""

from fastge.multigrid.solver import Hierarchy, Solution, build, build_sdd

__all__ = ["Hierarchy", "Solution", "build", "build_sdd"]
