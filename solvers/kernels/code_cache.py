"""Where numba keeps the machine code of the kernels.

numba stamps cached code with the file in which a function stands, and does not notice that a function which it calls in
another file has changed. So the code of each kernel lies in a folder named after its own source and the sources of all
kernels that it imports: whatever changes, exactly what depends on it is compiled anew, and code that does not fit its
source is never run.

The level at which LLVM optimises is no part of that name, nor of the key under which numba keeps a function (types of
the arguments, processor, bytecode): it changes how long a compilation takes, not what the code computes. So a host
program, which compiles at numba's own level, and workers and the command line, which compile at the first, share one
cache, and nothing is compiled twice; whoever needs a kernel first compiles it for all.

That holds for processes that start together, too: who finds no code for a function and types of arguments locks just
these, looks again, compiles and keeps the code, and only then lets the others go on, who find it. A kernel is compiled
before the one that calls it has been, so locks are taken from callers to what they call and nobody waits in a circle.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, ClassVar

import numba
from filelock import FileLock, Timeout
from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator
from numba.core.event import Event, Listener, trigger_event
from numba.core.event import register as listen

from ..platforms import cache_folder, call_after_fork, user_name
from .techniques import WITHOUT

KEPT_VERSIONS = 3

LONGEST_WAIT = 300
"""Seconds for which another process may compile a function. It has been stopped then, and each compiles for itself."""

_HERE = Path(__file__).parent
_IMPORT = re.compile(r"^from \.(\w+)? import (\([^)]*\)|[^\n]*)", re.MULTILINE)


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
    """What the machine code of a kernel depends on, as 16 hexadecimal digits; the name of the package is part of it."""
    needed, todo = set(), {kernel}
    while todo:
        name = todo.pop()
        needed.add(name)
        todo |= _imports(name)[1] - needed
    # cached types name their modules, which the wheel calls `espalier`
    digest = hashlib.sha256(f"{numba.__version__} {WITHOUT} {__package__}".encode())
    for name in sorted(needed):
        digest.update(name.encode() + b"\0" + _imports(name)[0])
    return digest.hexdigest()[:16]


@cache
def folder(kernel: str) -> Path:
    """The folder of a kernel's machine code, made if need be; older versions are removed then."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    home = Path(chosen) / "espalier" if chosen else cache_folder()
    path = home / "kernels" / f"{kernel}-{stamp(kernel)}"
    try:
        if not path.exists():
            path.mkdir(parents=True, exist_ok=True)
            _remove_outdated(kernel, path.parent)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError:
        return Path(tempfile.gettempdir()) / f"espalier-{user_name()}" / path.name
    return path


def _remove_outdated(kernel: str, home: Path) -> None:
    versions = [path for path in home.glob(f"{kernel}-*") if re.fullmatch(rf"{kernel}-[0-9a-f]{{16}}", path.name)]
    for outdated in sorted(versions, key=lambda path: path.stat().st_mtime, reverse=True)[KEPT_VERSIONS:]:
        shutil.rmtree(outdated, ignore_errors=True)


class KernelLocator(UserProvidedCacheLocator):
    """Tells numba the folder of a kernel."""

    def __init__(self, py_func: FunctionType, py_file: str) -> None:
        self._py_file = py_file
        self._lineno = py_func.__code__.co_firstlineno
        self._cache_path = str(folder(Path(py_file).stem))

    @classmethod
    def from_function(cls, py_func: FunctionType, py_file: str) -> KernelLocator:
        """The locator of a kernel."""
        made = cls(py_func, py_file)
        made.ensure_cache_path()  # type: ignore[no-untyped-call]  # of numba
        return made


class _KernelFiles(CompileResultCacheImpl):
    """Where the variable NUMBA_CACHE_LOCATOR_CLASSES names locators of its own, they hold for the kernels, too."""

    _locator_classes = [KernelLocator]  # noqa: RUF012 - numba sets it like this


class KernelCache(FunctionCache):
    """numba's cache of a function, of which only one process at a time compiles what none has compiled.

    numba asks it for code under a lock of its own that all threads share, then compiles, then hands it the code, so
    that what is held is a stack in each process.
    """

    _impl_class = _KernelFiles

    _held: ClassVar[list[tuple[KernelCache, FileLock]]] = []
    """What this process compiles now, the latest last, and the lock that it holds for that."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code for these types of arguments; `None` where there is none, and this process is to compile it."""
        found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]  # of numba
        if found is None and isinstance(self._impl.locator, KernelLocator):
            self._held.append((self, _lock(self._cache_path, f"{self._impl.filename_base} {sig}")))
            found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]  # of numba
            if found is not None:
                self.release()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the code for these types of arguments, and let others have it."""
        try:
            # one process at a time adds to an index, which it reads and writes anew; it waits for nothing else then
            index = _lock(self._cache_path, "index")
            try:
                super().save_overload(sig, data)  # type: ignore[no-untyped-call]  # of numba
            finally:
                index.release()
        finally:
            self.release()

    def release(self) -> None:
        """Unlock what was locked last, if it is this function's."""
        if self._held and self._held[-1][0] is self:
            self._held.pop()[1].release()


class _FailedCompilation(Listener):
    """Releases a function that cannot be compiled, of which there is no code to keep."""

    def on_start(self, event: Event) -> None:
        """A compilation begins."""

    def on_end(self, event: Event) -> None:
        """A compilation ends, with an exception or without (of which `is_failed` says the contrary in numba 0.68)."""
        # others listen, too, and would not be told if this raised
        code = getattr((event.data or {}).get("dispatcher"), "_cache", None)
        if event._exc_details is not None and isinstance(code, KernelCache):
            code.release()


def _lock(folder: str, name: str) -> FileLock:
    """The lock of a name in a folder, held by this process; waiting for it counts as compiling.

    If the folder takes no locks, or another process has held this one for `LONGEST_WAIT`, it is not held and releasing
    it does nothing: each process then compiles for itself.
    """
    file = Path(folder) / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.lock"
    lock = FileLock(file, poll_interval=0.02, thread_local=False)
    with suppress(OSError, NotImplementedError):
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            with trigger_event("numba:compile"), suppress(Timeout):
                lock.acquire(timeout=LONGEST_WAIT)
    return lock


call_after_fork(KernelCache._held.clear)
listen("numba:compile", _FailedCompilation())  # type: ignore[no-untyped-call]  # of numba
