"""Timeouts for connections to PostgreSQL, so that an unresponsive server is abandoned.

A server that is frozen, or whose disk hangs, closes no connection, and its operating system still acknowledges packets:
neither the server's own timeouts nor those of TCP end the wait. So the time is measured here.
"""

import time
from collections.abc import Generator
from functools import cache
from typing import Any

SERVER_TIMEOUT = 5.0
"""Seconds within which a server must answer, both on connection and during a statement."""


def connect(*args: Any, **kwargs: Any) -> Any:
    """A psycopg connection; its attribute `server_timeout`, in seconds, may be changed."""
    kind: Any = _connection_class()
    connection = kind.connect(*args, **kwargs)
    connection.server_timeout = SERVER_TIMEOUT
    return connection


@cache
def _connection_class() -> type:
    import psycopg

    class TimedConnection(psycopg.Connection):
        """A connection that is closed, with an error, if its server has not answered for too long."""

        server_timeout: float

        def wait(self, gen: Generator[Any, Any, Any], *args: Any, **kwargs: Any) -> Any:
            """Wait for the results of a statement, as long as data arrive."""
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
                    # a late reply must not be taken for the result of another statement
                    self.close()
                    raise psycopg.OperationalError(f"the server has not answered for {self.server_timeout:g} s")

    return TimedConnection
