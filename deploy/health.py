"""Whether a dashboard is well: `python -m deploy.health [URL]` ends with 0, or with 1 and the reason on stderr.

It asks whether the dashboard answers, and whether a run could be written.
"""

from __future__ import annotations

import sys
import tempfile
import urllib.request

from solvers.errors import EspalierError
from solvers.settings import settings

DASHBOARD = "http://127.0.0.1:8501"


def trouble(address: str = DASHBOARD) -> str:
    """What is wrong, in a sentence; '' where nothing is."""
    try:
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=4) as answer:
            if answer.status != 200:
                return f"The dashboard at {address} answers with the status {answer.status}."
    except OSError as error:
        return f"The dashboard at {address} does not answer ({error})."
    try:
        chosen = settings()
        chosen.runs.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=chosen.runs) as file:
            file.write(b"x" * 65536)
    except OSError as error:
        return f"The folder of the runs cannot be written ({error.strerror or error})."
    except EspalierError as error:
        return str(error)
    return ""


def main() -> int:
    """Say what is wrong."""
    found = trouble(*sys.argv[1:2])
    if found:
        print(found, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
