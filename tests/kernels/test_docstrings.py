"""Each parameter of each kernel is explained: by its class, in the kernel's docstring, or in a glossary of its family.

A glossary is the list of names in the docstring of a module, for its own kernels and those of modules that import it.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "solvers" / "kernels"
MODULES = {path.stem: ast.parse(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.py"))}
CLASSES = {
    (module, part.name): part
    for module, tree in MODULES.items()
    for part in tree.body
    if isinstance(part, ast.ClassDef) and any(ast.unparse(base) == "NamedTuple" for base in part.bases)
}


def entries(text: str) -> set[str]:
    """The names in front of colons, as in `rows, weight : int64 (m,)`."""
    return {name for names in re.findall(r"((?:\w+, )*\w+) :\s", text) for name in names.split(", ")}


def named(part: ast.FunctionDef | ast.ClassDef) -> set[str]:
    """What a docstring explains: entries, and names in backticks."""
    text = ast.get_docstring(part) or ""
    return entries(text) | set(re.findall(r"`(\w+)`", text))


def imported(module: str) -> Iterator[str]:
    """The modules of kernels that one imports, itself among them."""
    yield module
    for part in ast.walk(MODULES[module]):
        if isinstance(part, ast.ImportFrom) and (part.module or "").startswith("solvers.kernels"):
            yield from (name for name in [(part.module or "").rpartition(".")[2]] if name in MODULES)
            yield from (alias.name for alias in part.names if alias.name in MODULES)


def kernels() -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions that are compiled, with their modules."""
    for module, tree in MODULES.items():
        for part in ast.walk(tree):
            if isinstance(part, ast.FunctionDef) and any("njit" in ast.unparse(d) for d in part.decorator_list):
                yield module, part


def test_every_parameter_of_a_kernel_is_explained() -> None:
    """Shape, unit and meaning stand in words, types in the annotations."""
    glossaries = {module: entries(ast.get_docstring(tree) or "") for module, tree in MODULES.items()}
    classes = {name for _, name in CLASSES}
    missing, kinds = [], defaultdict(set)
    for module, kernel in kernels():
        known = named(kernel)
        for parameter in kernel.args.args:
            kind = ast.unparse(parameter.annotation) if parameter.annotation else ""
            if kind in classes or parameter.arg in known:
                continue
            sources = {source for source in imported(module) if parameter.arg in glossaries[source]}
            if not sources:
                missing.append(f"{module}.{kernel.name}: {parameter.arg} ({kind}) is not explained")
            for source in sources:
                kinds[source, parameter.arg].add(kind)
    assert not missing, "\n".join(missing)
    assert not {entry: found for entry, found in kinds.items() if len(found) > 1}, "a glossary means one type by a name"


@pytest.mark.parametrize("place", CLASSES, ids=".".join)
def test_every_array_of_a_kernel_is_explained(place: tuple[str, str]) -> None:
    """The docstring of a named tuple tells of all its fields."""
    fields = {part.target.id for part in CLASSES[place].body if isinstance(part, ast.AnnAssign)}  # type: ignore[union-attr]
    assert fields <= named(CLASSES[place]), sorted(fields - named(CLASSES[place]))


def test_every_kernel_has_a_docstring() -> None:
    """Also the small ones."""
    assert [f"{module}.{kernel.name}" for module, kernel in kernels() if not ast.get_docstring(kernel)] == []
