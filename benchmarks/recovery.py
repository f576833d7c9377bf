"""How many examples it takes to find random trees again: `python -m benchmarks.recovery --generators 100`.

The experiment of Avellaneda (AAAI 2020, Figure 2): see `solvers.teaching.recovery`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from benchmarks.cli import Findings, conclude, number, numbers, parser, tell
from benchmarks.process import pin
from benchmarks.tables import Table, digits, whole
from solvers.teaching import METHODS, RecoverGenerators, Recovery, recover


def measure(asked: RecoverGenerators, progress: Callable[[str], None] = tell) -> Findings:
    """One line a number of examples, with three columns a method."""
    recovery = Recovery((), 0, 0, 0.0)
    for recovery in recover(asked):
        progress(f"{recovery.done} of {recovery.total} trees learned")
    found = {(point.method, point.examples): point for point in recovery.points}
    headers = ["examples"]
    for method in asked.methods:
        headers += [METHODS[method], "questions", "ms"]
    lines = []
    for n in sorted(asked.sizes):
        cells = [whole(n)]
        for method in asked.methods:
            point = found[method, n]
            cells += [
                f"{100 * point.recovered / point.of:.0f} %",
                digits(point.questions),
                digits(1000 * point.seconds),
            ]
        lines.append(tuple(cells))
    title = (
        f"{whole(asked.generators)} random trees of depth {asked.depth} over {asked.features} features: the share that "
        f"is found again, right on all {whole(2**asked.features)} inputs; questions of a learned tree and CPU "
        f"milliseconds, on average:"
    )
    return Findings((Table(title, tuple(headers), tuple(lines)),))


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns the exit status."""
    usual = RecoverGenerators()
    made = parser("recovery", "How many examples it takes to find random trees again.", folder=False)
    made.add_argument("--generators", type=number, default=100, metavar="N", help="random trees (default: 100)")
    made.add_argument("--depth", type=number, default=usual.depth, metavar="D", help="of each tree (default: 5)")
    made.add_argument("--features", type=number, default=usual.features, metavar="M", help="yes/no (default: 10)")
    made.add_argument("--sizes", type=numbers, default=usual.sizes, metavar="A,B", help="numbers of examples")
    made.add_argument("--seed", type=number, default=usual.seed, metavar="S", help="of trees and examples (default: 1)")
    options = made.parse_args(argv)

    def measured() -> Findings:
        return measure(
            RecoverGenerators(options.generators, options.depth, options.features, options.sizes, seed=options.seed)
        )

    return conclude(measured, options.out)


if __name__ == "__main__":
    pin(1)
    sys.exit(main())
