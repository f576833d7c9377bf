"""Connections to PostgreSQL that give up a server that says nothing.

A server that is frozen, or whose disk hangs, closes no connection, and the system below it goes on to acknowledge what
is sent: neither a time limit of the server's own nor one of TCP ends the wait. So the time is taken here.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from functools import cache
from typing import Any

SILENCE = 5.0
"""Seconds for which a server may say nothing: when it is connected to, and in the middle of a statement."""


def connect(*told: Any, **named: Any) -> Any:
    """A connection as psycopg makes it; its attribute `silence`, in seconds, may be changed."""
    made = _listening().connect(*told, **named)
    made.silence = SILENCE
    return made


@cache
def _listening() -> type:
    import psycopg

    class Listening(psycopg.Connection):
        """A connection that is closed, with an error, once its server has been silent for too long."""

        silence: float

        def wait(self, gen: Generator[Any, Any, Any], *told: Any, **named: Any) -> Any:
            """Wait for what a statement brings, as long as something comes."""
            return super().wait(self._heard(gen), *told, **named)

        def _heard(self, gen: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
            last, ready = time.monotonic(), None
            while True:
                try:
                    wanted = gen.send(ready)
                except StopIteration as end:
                    return end.value
                ready = yield wanted
                if ready:
                    last = time.monotonic()
                elif time.monotonic() - last > self.silence:
                    # nothing that is said later may be taken for the answer to another statement
                    self.close()
                    raise psycopg.OperationalError(f"the server has said nothing for {self.silence:g} s")

    return Listening
