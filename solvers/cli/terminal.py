"""The terminal during a search: a line that is rewritten, and Ctrl-C."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from ..run import StopFlag


class Line:
    """A line on a stream other than that of the results; nothing is written if it is not a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._shown = stream.isatty()

    def write(self, text: str) -> None:
        """Replace the text of the line."""
        if self._shown:
            self._stream.write(f"\r{text}\x1b[K")
            self._stream.flush()

    def clear(self) -> None:
        """Clear the line."""
        self.write("")


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
