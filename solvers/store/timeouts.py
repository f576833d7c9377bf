"""Timeouts of connections to PostgreSQL: a server that does not answer is given up.

A server that is frozen, or whose disk hangs, closes no connection, and the system below it goes on to acknowledge what
is sent: neither a time limit of the server's own nor one of TCP ends the wait. So the time is taken here.
"""

import time
from collections.abc import Generator
from functools import cache
from typing import Any

SERVER_TIMEOUT = 5.0
"""Seconds within which a server must answer: when it is connected to, and in the middle of a statement."""


def connect(*args: Any, **kwargs: Any) -> Any:
    """A connection as psycopg makes it; its attribute `server_timeout`, in seconds, may be changed."""
    kind: Any = _connection_class()
    connection = kind.connect(*args, **kwargs)
    connection.server_timeout = SERVER_TIMEOUT
    return connection


@cache
def _connection_class() -> type:
    import psycopg

    class TimedConnection(psycopg.Connection):
        """A connection that is closed, with an error, once its server has not answered for too long."""

        server_timeout: float

        def wait(self, gen: Generator[Any, Any, Any], *args: Any, **kwargs: Any) -> Any:
            """Wait for what a statement brings, as long as something comes."""
            return super().wait(self._timed(gen), *args, **kwargs)

        def _timed(self, gen: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
            last, ready = time.monotonic(), None
            while True:
                try:
                    wanted = gen.send(ready)
                except StopIteration as end:
                    return end.value
                ready = yield wanted
                if ready:
                    last = time.monotonic()
                elif time.monotonic() - last > self.server_timeout:
                    # nothing that arrives later may be taken for the answer to another statement
                    self.close()
                    raise psycopg.OperationalError(f"the server has not answered for {self.server_timeout:g} s")

    return TimedConnection
