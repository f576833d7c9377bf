"""A file system that takes nothing but in some places, as Python sees it; imported at the start of every process.

A container whose root is read-only is the example: what is written elsewhere fails as it would there. The places stand
in `ESPALIER_TEST_WRITABLE`.
"""

from __future__ import annotations

import errno
import os
import sys

_PATHS = {"os.mkdir": 1, "os.rename": 2, "os.remove": 1, "os.rmdir": 1, "os.link": 2, "os.truncate": 1, "os.chmod": 1}
"""How many paths the events have that change what is on a disk."""


def _begin() -> None:
    places = (*map(os.path.realpath, os.environ["ESPALIER_TEST_WRITABLE"].split(os.pathsep)), "/dev", "/proc")
    writes = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    real, decode, join, refusal = os.path.realpath, os.fsdecode, os.path.join, os.strerror(errno.EROFS)

    def refuse(event: str, arguments: tuple) -> None:
        """Refuse what would be refused there; names are bound above, for the end of the process."""
        if event == "open":
            paths = arguments[:1] if isinstance(arguments[2], int) and arguments[2] & writes else ()
        else:
            # what is told with the number of an open folder is a name in it, and that folder was refused or not
            paths = (
                arguments[: _PATHS.get(event, 0)]
                if not any(isinstance(n, int) and n > 0 for n in arguments[1:])
                else ()
            )
        for path in paths:
            if isinstance(path, str | bytes | os.PathLike):
                whole = real(decode(path))
                if not any(whole == place or whole.startswith(join(place, "")) for place in places):
                    raise OSError(errno.EROFS, refusal, path)

    sys.addaudithook(refuse)


_begin()
