"""One line of a terminal that says how far something is, and is written again and again."""

from typing import TextIO


class Line:
    """The line of a stream, which is not that of the results; where it is no terminal, nothing is written."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.shown = stream.isatty()

    def write(self, text: str) -> None:
        """Put a text in the place of what stands there."""
        if self.shown:
            self._stream.write(f"\r{text}\x1b[K")
            self._stream.flush()

    def clear(self) -> None:
        """Take the line away."""
        self.write("")
