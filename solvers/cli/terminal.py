"""The terminal during a search: a progress line that is rewritten, and Ctrl-C."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from ..problem import Problem
from ..run import StopFlag
from ..run.notebook_progress import progress_text
from ..run.record import JobState, Record
from ..solution import Event


class Line:
    """A line on a stream other than that of the results; nothing is written if it is not a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.shown = stream.isatty()

    def write(self, text: str) -> None:
        """Replace the text of the line."""
        if self.shown:
            self._stream.write(f"\r{text}\x1b[K")
            self._stream.flush()

    def clear(self) -> None:
        """Clear the line."""
        self.write("")


class ProgressLine(Line):
    """Rewrites one line of a terminal with cost, bound, gap and time; silent without a terminal."""

    def __init__(self, stream: TextIO, problem: Problem) -> None:
        super().__init__(stream)
        self._problem = problem
        self._record = Record()
        self._next = 0.0

    def __call__(self, event: Event) -> None:
        """Process an event."""
        self._record.apply(event)
        if self.shown and time.monotonic() >= self._next:
            self._next = time.monotonic() + 0.1
            self.write(self.text())

    def text(self) -> str:
        """The line."""
        if self._record.state is JobState.STARTING:
            return self._record.text
        return progress_text(self._record, self._problem.shape.kind.noun, 1 / self._problem.scale)


@contextmanager
def stopped_by_interrupt() -> Iterator[StopFlag]:
    """A flag that the first Ctrl-C sets, so that the best model is kept; the second ends the program."""
    stop = StopFlag()
    before = signal.getsignal(signal.SIGINT)

    def interrupt(*_: object) -> None:
        stop.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
