"""The Facebook100 collection: who was friends with whom at a school, and who lived where."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

import numpy as np
import scipy.sparse as sp

from fastge.datasets.dataset import FACEBOOK, Dataset
from fastge.errors import FileFormatError, GraphError, MissingExtraError
from fastge.graph import IntArray, as_graph

School: TypeAlias = tuple[Any, IntArray]
"""Adjacency, and the dormitory of every person, negative where it is unknown."""

_DORMITORY = 4  # its column in local_info, after student/faculty, gender and two majors
_COLUMNS = 7


def facebook100(path: str | Path, school: str | None = None) -> Dataset:
    """Friendships at one school in 2005; the truth is the dormitory.

    `path` is the file of a school, or the folder of the collection in which `school` names one,
    with or without the number at its end. Read are .mat files as published, .gml files whose nodes
    have an attribute `dorm`, and .npz files of indptr, indices and truth. Kept are people whose
    dormitory is known, and of those the largest connected component.
    """
    file = _find(Path(path), school)
    adjacency, dormitory = _READERS[file.suffix.lower()](file)
    known = np.flatnonzero(dormitory >= 0)
    if len(known) == 0:
        _refuse(file, "nobody's dormitory is known; choose another school")
    try:
        among = as_graph(adjacency).subgraph(known)
    except GraphError as cause:
        raise type(cause)(f"{file}: {cause}") from cause
    _, component = among.components
    kept = np.flatnonzero(component == np.bincount(component).argmax())
    dormitories, truth = np.unique(dormitory[known[kept]], return_inverse=True)
    return Dataset(
        name=school or file.stem,
        adjacency=among.subgraph(kept).to_scipy(),
        truth=truth.astype(np.int64),
        k=len(dormitories),
        seed=None,
        citation=FACEBOOK,
    )


def _find(path: Path, school: str | None) -> Path:
    if path.is_file():
        if path.suffix.lower() not in _READERS:
            _refuse(path, f"unknown extension {path.suffix!r}; pass one of {', '.join(_READERS)}")
        return path
    if not path.is_dir():
        _refuse(path, "no such file or folder; check the path")
    files = [file for file in sorted(path.iterdir()) if file.suffix.lower() in _READERS]
    names = sorted({file.stem for file in files})
    if school is None:
        _refuse(path, f"say which school of the folder: {', '.join(names) or 'there is none'}")
    wanted = school.lower()
    same = [name for name in names if name.lower() == wanted]
    alike = same or [name for name in names if name.lower().rstrip("0123456789") == wanted]
    if len(alike) != 1:
        found = alike or names
        _refuse(path, f"{len(alike)} schools are called {school!r}; there are {', '.join(found)}")
    matching = {file.suffix.lower(): file for file in files if file.stem == alike[0]}
    return next(matching[suffix] for suffix in _READERS if suffix in matching)


def _read_mat(path: Path) -> School:
    from scipy.io import loadmat

    try:
        content = loadmat(path, variable_names=["A", "local_info"])
    except Exception as cause:  # the parser raises whatever it stumbles over
        _refuse(path, f"not a MATLAB file of version 5: {cause}; download it again", cause)
    if not {"A", "local_info"} <= set(content):
        _refuse(path, "there is no A and local_info in it; use a school of Facebook100")
    adjacency, people = sp.csr_array(content["A"]), np.asarray(content["local_info"])
    if people.shape != (adjacency.shape[0], _COLUMNS):
        _refuse(
            path,
            f"local_info is {' × '.join(map(str, people.shape))} for {adjacency.shape[0]} people; "
            f"it must have a row for each of them and {_COLUMNS} columns",
        )
    return adjacency, _known(people[:, _DORMITORY])


def _read_gml(path: Path) -> School:
    try:
        import networkx
    except ImportError as cause:
        raise MissingExtraError("networkx", "networkx", "reading .gml files") from cause
    try:
        graph = networkx.read_gml(path, label="id")
        houses = [float(person.get("dorm", 0)) for _, person in graph.nodes(data=True)]
        adjacency = networkx.to_scipy_sparse_array(graph, weight=None, format="csr")
    except Exception as cause:
        _refuse(path, f"not a GML file of people: {cause}; download it again", cause)
    if not any("dorm" in person for _, person in graph.nodes(data=True)):
        _refuse(path, "no node has an attribute 'dorm'; use a school of Facebook100")
    return adjacency, _known(np.array(houses))


def _read_npz(path: Path) -> School:
    try:
        with np.load(path, allow_pickle=False) as archive:
            indptr, indices, truth = (archive[name] for name in ("indptr", "indices", "truth"))
        n = len(truth)
        adjacency = sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(n, n))
    except Exception as cause:
        _refuse(path, f"not an archive of indptr, indices and truth: {cause}", cause)
    return adjacency, truth.astype(np.int64)


def _known(dormitory: Any) -> IntArray:
    """The collection says 0 where a dormitory is unknown."""
    numbers = np.asarray(dormitory).astype(np.int64)  # from bytes, which have no −1
    return np.where(numbers > 0, numbers, -1)


def _refuse(path: Path, reason: str, cause: Exception | None = None) -> NoReturn:
    raise FileFormatError(f"{path}: {reason}") from cause


_READERS: dict[str, Callable[[Path], School]] = {
    ".mat": _read_mat,
    ".gml": _read_gml,
    ".npz": _read_npz,
}
