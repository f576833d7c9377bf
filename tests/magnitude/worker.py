"""A process that runs cases, so that a crash ends it and not the tests: `family k` a line in, a report a line out."""

from __future__ import annotations

import faulthandler
import json
import os
import sys


def main() -> None:
    """Answer until there is nothing more to read. What native solvers print must not come between the answers."""
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
