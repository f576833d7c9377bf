"""Numba compilation, during which clocks are paused, so that no search spends its time limit on it.

Numba compiles one kernel at a time, with the kernels it calls, in the thread that first needs it.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class CompilationRefusedError(Exception):
    """A kernel would have to be compiled at a time when compilation is not allowed."""


class Compilation:
    """The compilation in this process, from the first call of `watch`."""

    def __init__(self) -> None:
        self._depth, self._began, self._seconds = 0, 0.0, 0.0
        self._hooks: list[Callable[[bool], object]] = []
        self._refusing: set[int] = set()
        self._listens = False

    @property
    def ongoing(self) -> bool:
        """Whether a kernel is being compiled now."""
        return self._depth > 0

    def seconds(self, now: float) -> float:
        """Wall seconds spent compiling up to `now`, a reading of `time.perf_counter`."""
        return self._seconds + (now - self._began if self._depth else 0.0)

    @contextmanager
    def reported_to(self, hook: Callable[[bool], object]) -> Iterator[None]:
        """Call a hook when compilation begins (with True) and ends (with False)."""
        self._hooks.append(hook)
        try:
            yield
        finally:
            self._hooks.remove(hook)

    @contextmanager
    def refused(self) -> Iterator[None]:
        """Raise `CompilationRefusedError` if this thread would compile a kernel; cached kernels may be used."""
        self.watch()
        self._refusing.add(threading.get_ident())
        try:
            yield
        finally:
            self._refusing.discard(threading.get_ident())

    def watch(self) -> None:
        """Count compilations from now on, as reported by the kernels; loading from a cache does not count."""
        if self._listens:
            return
        from numba.core import event

        compilation, self._listens = self, True

        class Listener(event.Listener):
            def on_start(self, _: event.Event) -> None:
                compilation._begin()

            def on_end(self, _: event.Event) -> None:
                compilation._end()

        register: Callable[[str, event.Listener], None] = event.register
        register("numba:compile", Listener())

    def _begin(self) -> None:
        self._depth += 1
        if self._depth == 1:
            self._began = time.perf_counter()
            self._tell(True)
        # numba also reports the end of a refused compilation
        if threading.get_ident() in self._refusing:
            raise CompilationRefusedError

    def _end(self) -> None:
        if self._depth == 1:
            # in this order, so that a clock read between the two statements is never ahead
            now = time.perf_counter()
            self._seconds += now - self._began
            self._began = now
        self._depth -= 1
        if self._depth == 0:
            self._tell(False)

    def _tell(self, ongoing: bool) -> None:
        for hook in tuple(self._hooks):
            hook(ongoing)


COMPILATION = Compilation()
