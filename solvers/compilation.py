"""When numba compiles: clocks stand still meanwhile, so that no search spends its time limit on it.

Numba compiles one kernel at a time, with those that it calls, in whatever thread asks for it first.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class CompilationRefusedError(Exception):
    """A kernel would have to be compiled where there is no time for it."""


class Compilation:
    """The compilation in this process, from the moment it is first watched."""

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
        """Wall seconds until now, which `time.perf_counter` tells."""
        return self._seconds + (now - self._began if self._depth else 0.0)

    @contextmanager
    def reported_to(self, hook: Callable[[bool], object]) -> Iterator[None]:
        """Call a hook whenever compilation begins (with True) and ends."""
        self._hooks.append(hook)
        try:
            yield
        finally:
            self._hooks.remove(hook)

    @contextmanager
    def refused(self) -> Iterator[None]:
        """Raise `CompilationRefusedError` where this thread would compile a kernel; its cache may be used."""
        self.watch()
        self._refusing.add(threading.get_ident())
        try:
            yield
        finally:
            self._refusing.discard(threading.get_ident())

    def watch(self) -> None:
        """Count what is compiled from now on, as the kernels have it; what comes from a cache does not."""
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
        # numba tells the end of what is refused, too
        if threading.get_ident() in self._refusing:
            raise CompilationRefusedError

    def _end(self) -> None:
        if self._depth == 1:
            # in this order, so that a clock that is read meanwhile is never ahead
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
