"""C++ files beside the experiments, compiled when first needed and loaded with ctypes."""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from fastge.errors import FastgeError

FLAGS = (
    *("-std=c++17", "-O3", "-fno-math-errno", "-fno-trapping-math"),
    *("-shared", "-fPIC", "-fopenmp", "-Wall", "-Wextra"),
)


class CompilerError(FastgeError, RuntimeError):
    """A C++ file that cannot be compiled on this machine."""


@cache
def library(source: Path) -> ctypes.CDLL:
    """The shared library of one C++17 file of `extern "C"` functions.

    It is kept in the user's cache folder under a hash of source, machine, compiler and flags.
    """
    command = [*_compiler(), *FLAGS]
    about = "\0".join([platform.machine(), *command]).encode()
    key = hashlib.sha256(source.read_bytes() + about).hexdigest()[:16]
    target = cache_folder() / f"{source.stem}-{key}.so"
    if not target.exists():
        _compile(command, source, target)
    try:
        return ctypes.CDLL(str(target))
    except OSError as cause:
        raise CompilerError(
            f"{target} cannot be loaded ({cause}); remove it to build it anew"
        ) from cause


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "fastge-experiments"


def _compiler() -> list[str]:
    """What CXX says, or the first of the usual names that is there."""
    told = shlex.split(os.environ.get("CXX", ""))
    for command in [told] if told else [["g++"], ["c++"]]:
        if shutil.which(command[0]):
            return command
    raise CompilerError(
        f"there is no C++ compiler named {(told or ['g++'])[0]!r}, and this baseline has a native "
        "inner loop; install one (Debian: apt-get install g++) or name yours in CXX"
    )


def _compile(command: list[str], source: Path, target: Path) -> None:
    """Compiled under another name and moved: two processes may do so at once."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as cause:
        raise CompilerError(
            f"compiled files cannot be kept in {target.parent} ({cause}); name a folder that can "
            "be written to in XDG_CACHE_HOME"
        ) from cause
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        built = Path(folder) / target.name
        run = subprocess.run(
            [*command, str(source), "-o", str(built)], capture_output=True, text=True, check=False
        )
        if run.returncode:
            raise CompilerError(
                f"{shlex.join(command)} cannot compile {source.name}; a C++17 compiler with OpenMP "
                f"is needed (set CXX to choose another):\n{run.stderr}"
            )
        built.replace(target)
