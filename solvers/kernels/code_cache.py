"""Folders for the machine code that numba compiles from the kernels.

numba stamps cached code with the source file of the function. It does not notice changes in a called function of
another file. The code of each kernel is therefore kept in a folder named after the hash of its source and the sources
of all kernels that it imports. A change recompiles exactly the kernels that depend on it, and outdated code never runs.

LLVM's optimisation level is part neither of that name nor of numba's key for a function (argument types, processor,
bytecode): it changes the compilation time, not what the code computes. A host program, which compiles at numba's own
level, shares one cache with workers and the command line, which compile at level 1. Nothing is compiled twice.

Processes that start together also compile each function only once. A process that finds no code for a function and its
argument types locks this pair, looks again, compiles, saves the code and unlocks; the others then find the code. A
kernel is compiled before its caller is complete, so locks are taken from callers to callees and cannot deadlock.
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
"""Seconds to wait while another process compiles a function; after that, each process compiles for itself."""

_HERE = Path(__file__).parent
_IMPORT = re.compile(r"^from \.(\w+)? import (\([^)]*\)|[^\n]*)", re.MULTILINE)


@cache
def _imports(kernel: str) -> tuple[bytes, frozenset[str]]:
    """The source of a kernel, and the kernels it imports."""
    source = (_HERE / f"{kernel}.py").read_text("utf-8")
    found: set[str] = set()
    for module, names in _IMPORT.findall(source):
        found |= {module} if module else set(re.findall(r"\w+", names))
    return source.encode(), frozenset(name for name in found if (_HERE / f"{name}.py").exists())


@cache
def stamp(kernel: str) -> str:
    """Hash of everything that a kernel's machine code depends on, package name included: 16 hexadecimal digits."""
    needed, todo = set(), {kernel}
    while todo:
        name = todo.pop()
        needed.add(name)
        todo |= _imports(name)[1] - needed
    # cached types contain their module's name, and the package is called `espalier` in the wheel
    digest = hashlib.sha256(f"{numba.__version__} {WITHOUT} {__package__}".encode())
    for name in sorted(needed):
        digest.update(name.encode() + b"\0" + _imports(name)[0])
    return digest.hexdigest()[:16]


@cache
def folder(kernel: str) -> Path:
    """The folder of a kernel's machine code. If it is new, it is created and old versions are deleted."""
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
    """Gives numba the folder of a kernel."""

    def __init__(self, py_func: FunctionType, py_file: str) -> None:
        self._py_file = py_file
        self._lineno = py_func.__code__.co_firstlineno
        self._cache_path = str(folder(Path(py_file).stem))

    @classmethod
    def from_function(cls, py_func: FunctionType, py_file: str) -> KernelLocator:
        """Make the locator of a kernel."""
        made = cls(py_func, py_file)
        made.ensure_cache_path()  # type: ignore[no-untyped-call]  # numba is untyped
        return made


class _KernelFiles(CompileResultCacheImpl):
    """Kernels use this locator even if the variable NUMBA_CACHE_LOCATOR_CLASSES names others."""

    _locator_classes = [KernelLocator]  # noqa: RUF012 - numba declares it in the same form


class KernelCache(FunctionCache):
    """numba's cache of one function; only one process at a time compiles a given function.

    numba holds a lock shared by all threads while it loads code, compiles, and saves the code, so the held locks of a
    process form a stack.
    """

    _impl_class = _KernelFiles

    _held: ClassVar[list[tuple[KernelCache, FileLock]]] = []
    """The functions that this process is compiling, newest last, each with the lock held for it."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for these argument types, or `None` if this process must compile it."""
        found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]  # numba is untyped
        if found is None and isinstance(self._impl.locator, KernelLocator):
            self._held.append((self, _lock(self._cache_path, f"{self._impl.filename_base} {sig}")))
            found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]  # numba is untyped
            if found is not None:
                self.release()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save the code for these argument types and unlock the function."""
        try:
            # saving reads and rewrites an index file, so one process at a time; it waits for no other lock here
            index = _lock(self._cache_path, "index")
            try:
                super().save_overload(sig, data)  # type: ignore[no-untyped-call]  # numba is untyped
            finally:
                index.release()
        finally:
            self.release()

    def release(self) -> None:
        """Release the newest lock if it belongs to this function."""
        if self._held and self._held[-1][0] is self:
            self._held.pop()[1].release()


class _FailedCompilation(Listener):
    """Releases the lock of a function that fails to compile, since no code is saved for it."""

    def on_start(self, event: Event) -> None:
        """A compilation begins."""

    def on_end(self, event: Event) -> None:
        """A compilation ends, with or without an exception (numba 0.68 has `is_failed` the wrong way round)."""
        # an exception here would keep other listeners from being called
        code = getattr((event.data or {}).get("dispatcher"), "_cache", None)
        if event._exc_details is not None and isinstance(code, KernelCache):
            code.release()


def _lock(folder: str, name: str) -> FileLock:
    """Acquire the lock of a name in a folder; waiting for it counts as compilation time.

    If the folder does not support locks, or another process holds this one for more than `LONGEST_WAIT`, the lock is
    not held and releasing it has no effect: each process then compiles for itself.
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
listen("numba:compile", _FailedCompilation())  # type: ignore[no-untyped-call]  # numba is untyped
