"""What import-linter cannot see of the dependency rule, and that its description is up to date."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import fastge
from fastge import _native

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "fastge"
MODULES = sorted(p for p in PACKAGE.rglob("*.py") if p != PACKAGE / "__init__.py")
FREE_TO_SEE = {"_native", "__version__"}
ONE_FILE_ONLY = {"matplotlib": "plot", "typer": "cli", "fastapi": "app", "uvicorn": "app"}
"""Heavy or optional packages, and the one module that may import each."""


def layer_of_modules() -> dict[str, int]:
    """The layer of every module in the contract of import-linter, 0 for the lowest."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lowest_first = config["tool"]["importlinter"]["contracts"][0]["layers"][::-1]
    return {name: at for at, layer in enumerate(lowest_first) for name in re.findall(r"\w+", layer)}


def is_typing_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def imports(path: Path) -> list[str]:
    """Dotted names that a file imports when it runs, at its top or inside a function."""
    found: list[str] = []
    nodes = [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    typing_only = {inner for node in nodes if is_typing_only(node) for inner in ast.walk(node)}
    for node in nodes:
        if node in typing_only:
            continue
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_no_file_imports_the_public_names(path: Path) -> None:
    names = {name.split(".")[1] for name in imports(path) if re.fullmatch(r"fastge\.\w+", name)}
    modules = {p.relative_to(PACKAGE).parts[0].removesuffix(".py") for p in MODULES}
    assert names <= modules | FREE_TO_SEE
    assert "fastge" not in imports(path)


@pytest.mark.parametrize("package", sorted(ONE_FILE_ONLY))
def test_heavy_packages_stay_in_one_place(package: str) -> None:
    users = {
        path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for path in MODULES
        if any(name.split(".")[0] == package for name in imports(path))
    }
    assert users <= {ONE_FILE_ONLY[package]}


def test_the_page_lists_every_module_in_the_order_of_the_layers() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| (`[^|]*) \|", page.partition("## Native code")[0], re.MULTILINE)
    listed = [re.findall(r"`(\w+)", cell) for cell in cells]
    layer = layer_of_modules()
    assert {p.relative_to(PACKAGE).parts[0].removesuffix(".py") for p in MODULES} == {
        name for row in listed for name in row
    }
    assert [layer[name] for row in listed for name in row] == sorted(
        layer[name] for row in listed for name in row
    )


def test_the_page_names_every_native_file() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert not [p.name for p in (ROOT / "native").iterdir() if f"`{p.name}`" not in page]


def test_the_stub_declares_every_native_function() -> None:
    declared = ast.parse((PACKAGE / "_native.pyi").read_text(encoding="utf-8")).body
    functions = {node.name for node in declared if isinstance(node, ast.FunctionDef)}
    assert functions == {name for name in dir(_native) if callable(getattr(_native, name))}


def test_import_leaves_the_heavy_packages_alone() -> None:
    code = "import sys, fastge; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()
    assert "fastge" in loaded
    assert not {"matplotlib", "networkx", "typer", "rich", "sklearn.cluster"} & set(loaded)


def test_every_public_name_is_there() -> None:
    for name in fastge.__all__:
        assert getattr(fastge, name) is not None
    assert set(fastge.__all__) <= set(dir(fastge))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = fastge.nonsense
