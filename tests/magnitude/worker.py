"""A process that runs cases, so that a crash does not end the tests: reads `family k` lines and writes report lines."""

from __future__ import annotations

import faulthandler
import json
import os
import sys


def main() -> None:
    """Run cases until the input ends. Output of native solvers must not mix with the reports."""
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    faulthandler.enable()
    from tests.magnitude.cases import reported

    for line in sys.stdin:
        family, k = line.rstrip("\n").rsplit(" ", 1)
        output.write(json.dumps(reported(family, int(k)).to_json()) + "\n")
        output.flush()


if __name__ == "__main__":
    main()
