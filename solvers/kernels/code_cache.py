"""Where numba keeps the machine code of the kernels.

numba stamps cached code with the file in which a function stands, and does not notice that a function which it calls in
another file has changed. So the code of each kernel lies in a folder named after its own source and the sources of all
kernels that it imports: whatever changes, exactly what depends on it is compiled anew, and code that does not fit its
source is never run.

The level at which LLVM optimises is no part of that name, nor of the key under which numba keeps a function (types of
the arguments, processor, bytecode): it changes how long a compilation takes, not what the code computes. So a host
program, which compiles at numba's own level, and workers and the command line, which compile at the first, share one
cache, and nothing is compiled twice; whoever needs a kernel first compiles it for all.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from functools import cache
from pathlib import Path
from types import FunctionType

import numba
from numba.core.caching import CacheImpl, UserProvidedCacheLocator

KEPT_VERSIONS = 3

_HERE = Path(__file__).parent
_IMPORT = re.compile(rf"^from {re.escape(__package__)}(?:\.(\w+))? import (\([^)]*\)|[^\n]*)", re.MULTILINE)


@cache
def _imports(kernel: str) -> tuple[bytes, frozenset[str]]:
    """The source of a kernel, and the kernels that it imports."""
    source = (_HERE / f"{kernel}.py").read_text("utf-8")
    found: set[str] = set()
    for module, names in _IMPORT.findall(source):
        found |= {module} if module else set(re.findall(r"\w+", names))
    return source.encode(), frozenset(name for name in found if (_HERE / f"{name}.py").exists())


@cache
def stamp(kernel: str) -> str:
    """What the machine code of a kernel depends on, as 16 hexadecimal digits."""
    needed, todo = set(), {kernel}
    while todo:
        name = todo.pop()
        needed.add(name)
        todo |= _imports(name)[1] - needed
    digest = hashlib.sha256(numba.__version__.encode())
    for name in sorted(needed):
        digest.update(name.encode() + b"\0" + _imports(name)[0])
    return digest.hexdigest()[:16]


@cache
def folder(kernel: str) -> Path:
    """The folder of a kernel's machine code, made if need be; older versions are removed then."""
    home = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    path = Path(home) / "espalier" / "kernels" / f"{kernel}-{stamp(kernel)}"
    try:
        if not path.exists():
            path.mkdir(parents=True, exist_ok=True)
            _remove_outdated(kernel, path.parent)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError:
        return Path(tempfile.gettempdir()) / f"espalier-{os.getuid()}" / path.name
    return path


def _remove_outdated(kernel: str, home: Path) -> None:
    versions = [path for path in home.glob(f"{kernel}-*") if re.fullmatch(rf"{kernel}-[0-9a-f]{{16}}", path.name)]
    for outdated in sorted(versions, key=lambda path: path.stat().st_mtime, reverse=True)[KEPT_VERSIONS:]:
        shutil.rmtree(outdated, ignore_errors=True)


class KernelLocator(UserProvidedCacheLocator):
    """Tells numba the folder of a kernel; functions of other packages are left to numba's own locators."""

    def __init__(self, py_func: FunctionType, py_file: str) -> None:
        self._py_file = py_file
        self._lineno = py_func.__code__.co_firstlineno
        self._cache_path = str(folder(Path(py_file).stem))

    @classmethod
    def from_function(cls, py_func: FunctionType, py_file: str) -> KernelLocator | None:
        """The locator of a kernel; `None` for any other function."""
        if Path(py_file).parent != _HERE:
            return None
        made = cls(py_func, py_file)
        made.ensure_cache_path()  # type: ignore[no-untyped-call]  # of numba
        return made


def register() -> None:
    """Have numba ask `KernelLocator` first where the code of a function is kept.

    It stands in the list of locators and not in `numba.config`, which belongs to the host program. Where that, or the
    variable NUMBA_CACHE_LOCATOR_CLASSES, names locators of its own, they hold for the kernels, too.
    """
    locators = CacheImpl._locator_classes
    if KernelLocator not in locators:
        locators.insert(0, KernelLocator)
