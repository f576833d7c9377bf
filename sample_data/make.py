"""Write every sample table.

    python sample_data/make.py            # into this folder
    python sample_data/make.py FOLDER     # somewhere else

The same bytes come out each time: rules and fixed seeds, no network.
"""

from __future__ import annotations

import sys
from pathlib import Path

import cohorts
import measured
import puzzles

TABLES = (
    puzzles.monk1,
    puzzles.monk2,
    puzzles.monk3,
    puzzles.tic_tac_toe,
    puzzles.balance_scale,
    puzzles.xor,
    puzzles.noisy_xor,
    puzzles.parity,
    puzzles.checkerboard,
    measured.breast_cancer,
    measured.iris,
    measured.wine,
    cohorts.triage,
    cohorts.lending,
)


def main(folder: Path) -> None:
    """Write each table into `folder` under the name of its function."""
    folder.mkdir(parents=True, exist_ok=True)
    for table in TABLES:
        path = folder / f"{table.__name__}.csv"
        path.write_text(table(), encoding="utf-8", newline="")
        print(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
