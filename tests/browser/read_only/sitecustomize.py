"""A file system that is writable in some places only, from Python's view; imported at the start of every process.

It imitates a container with a read-only root: writing elsewhere fails as it would there. `ESPALIER_TEST_WRITABLE` lists
the writable places.
"""

from __future__ import annotations

import errno
import os
import sys

_PATHS = {"os.mkdir": 1, "os.rename": 2, "os.remove": 1, "os.rmdir": 1, "os.link": 2, "os.truncate": 1, "os.chmod": 1}
"""Number of paths in the arguments of events that change the disk."""


def _begin() -> None:
    places = (*map(os.path.realpath, os.environ["ESPALIER_TEST_WRITABLE"].split(os.pathsep)), "/dev", "/proc")
    writes = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    real, decode, join, refusal = os.path.realpath, os.fsdecode, os.path.join, os.strerror(errno.EROFS)

    def refuse(event: str, arguments: tuple) -> None:
        """Refuse a write outside the writable places; names are bound above, for the end of the process."""
        if event == "open":
            paths = arguments[:1] if isinstance(arguments[2], int) and arguments[2] & writes else ()
        else:
            # a path relative to an open folder needs no check: the folder was checked when it was opened
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
