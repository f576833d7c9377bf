"""Log the addresses to which a program connects or sends, by process; imported at the start of every process.

`ESPALIER_TEST_CONNECTIONS` names the file; each process begins with its own line.
"""

from __future__ import annotations

import json
import os
import sys


def _begin() -> None:
    place, number, dumps, write = os.environ["ESPALIER_TEST_CONNECTIONS"], os.getpid, json.dumps, os.write
    file = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def note(event: str, arguments: tuple) -> None:
        """Log an address; names are bound above, for the end of the process."""
        if event in ("socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"):
            aim = arguments[1] if event in ("socket.connect", "socket.sendto") else arguments[0]
            host = aim[0] if isinstance(aim, tuple) else aim
            write(file, f"{dumps([number(), event, str(host)])}\n".encode())

    write(file, f"{dumps([number(), 'start', ' '.join(sys.orig_argv)])}\n".encode())
    sys.addaudithook(note)


_begin()
