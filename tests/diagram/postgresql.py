"""A PostgreSQL server for the tests of exported SQL."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def programs() -> Path | None:
    """The folder of PostgreSQL's programs; `None` if it is not installed."""
    if found := shutil.which("pg_ctl"):
        return Path(found).parent
    known = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    return known[-1].parent if known else None


@contextmanager
def running() -> Iterator[PostgreSQL]:
    """A server until the block ends; if PostgreSQL is not installed the test is skipped."""
    if programs() is None:
        pytest.skip("PostgreSQL is not installed")
    server = PostgreSQL()
    try:
        yield server
    finally:
        server.end()


class PostgreSQL:
    """A server on a free port, with its data in a folder that is deleted at the end."""

    def __init__(self) -> None:
        self._bin = programs()
        self._home = Path(tempfile.mkdtemp(prefix="espalier-postgresql-"))
        self._user = {"user": "postgres"} if os.geteuid() == 0 else {}
        if self._user:
            # the server refuses to run as root
            os.chown(self._home, pwd.getpwnam("postgres").pw_uid, -1)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._call("initdb", "-D", "data", "-U", "espalier", "--auth=trust", "--no-sync", "-E", "UTF8")
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c fsync=off -k {self._home}"
        self._call("pg_ctl", "-D", "data", "-w", "-t", "60", "-l", "log", "-o", options, "start")

    @property
    def url(self) -> str:
        """Its URL, as an administrator would write it."""
        return f"postgresql://espalier@127.0.0.1:{self.port}/postgres"

    def end(self) -> None:
        """Stop the server, and delete its data."""
        subprocess.run([self._bin / "pg_ctl", "-D", "data", "-m", "immediate", "stop"], cwd=self._home,
                       capture_output=True, **self._user)  # fmt: skip
        shutil.rmtree(self._home, ignore_errors=True)

    def _call(self, name: str, *words: str) -> None:
        subprocess.run([self._bin / name, *words], cwd=self._home, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, **self._user)  # fmt: skip
