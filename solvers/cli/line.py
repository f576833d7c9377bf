"""A progress line of a terminal, which is rewritten repeatedly."""

from typing import TextIO


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
