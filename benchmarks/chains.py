"""Proved rule lists compared with greedy ones, on the samples of two classes: `python -m benchmarks.chains`.

All are chains: every split has an exit. The *fan* is the algorithm ifan of FFTrees (Phillips, Neth, Woike and
Gaissmaier 2017, 'FFTrees: a toolbox to create, visualize and evaluate fast-and-frugal decision trees', Judgment and
Decision Making 12), for errors: the best split of each column by itself, the best columns in that order, and the exit
sides with the fewest errors. The *greedy list* repeatedly adds the split that leaves the fewest errors if the list
ended there.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from itertools import product

import numpy as np

from benchmarks.cli import Findings, conclude, names, numbers, parser, seconds, tell
from benchmarks.process import pin
from benchmarks.tables import Table, digits, whole
from solvers.constraints import FastAndFrugal
from solvers.problem import BinaryView, Limits, Problem, Shape, binary_view, build
from solvers.problem.samples import load_sample, sample, samples
from solvers.run import solve
from solvers.solution import Status


def n_classes(key: str) -> int:
    """The classes of a sample."""
    return build(load_sample(key), sample(key).request).dataset.n_classes


def errors(y: np.ndarray, rows: np.ndarray) -> int:
    """The given rows that are not of their majority class, bool (n_samples,)."""
    return int(rows.sum() - np.bincount(y[rows], minlength=1).max(initial=0))


def fan(view: BinaryView, length: int) -> int:
    """The errors of the best fan up to a number of splits."""
    y, bits = view.dataset.y, view.bits.astype(bool)
    alone = np.array([errors(y, side) + errors(y, ~side) for side in bits.T])
    best = [min(np.flatnonzero(view.family == column), key=lambda q: alone[q]) for column in np.unique(view.family)]
    asked = sorted(best, key=lambda q: alone[q])[:length]
    found = [errors(y, np.ones(len(y), bool))]
    for exits in product((True, False), repeat=len(asked)):
        rest, wrong = np.ones(len(y), bool), 0
        for question, side in zip(asked, exits, strict=True):
            leaves = rest & (bits[:, question] == side)
            wrong, rest = wrong + errors(y, leaves), rest & ~leaves
            found.append(wrong + errors(y, rest))
    return min(found)


def greedy_list(view: BinaryView, length: int) -> int:
    """The errors of the list that is built one split at a time."""
    y, sides = view.dataset.y, np.hstack((view.bits, 1 - view.bits)).astype(bool)
    classes = np.eye(view.dataset.n_classes, dtype=np.int64)[y]
    rest, wrong = np.ones(len(y), bool), 0
    for _ in range(length):
        here = sides[rest].T.astype(np.int64) @ classes[rest]
        there = classes[rest].sum(axis=0) - here
        left = here.sum(axis=1) - here.max(axis=1)
        chosen = int(np.argmin(left + there.sum(axis=1) - there.max(axis=1)))
        wrong, rest = wrong + int(left[chosen]), rest & ~sides[:, chosen]
    return wrong + errors(y, rest)


def measure(keys: Sequence[str], lengths: Sequence[int], limit: float) -> Findings:
    """One line per table and length: errors of the proved chain, with its time, and of the greedy ones."""
    lines, faults = [], []
    for key in keys:
        dataset = build(load_sample(key), sample(key).request).dataset
        view = binary_view(dataset)
        solve(Problem(dataset, Shape(max_depth=1), constraints=(FastAndFrugal(),)), "contree")  # compile
        for length in lengths:
            shape, limits = Shape(max_depth=length), Limits(seconds=limit)
            begun = time.process_time()
            chain = solve(Problem(dataset, shape, constraints=(FastAndFrugal(),)), "contree", limits)
            taken = time.process_time() - begun
            greedy = fan(view, length), greedy_list(view, length)
            tell(f"{key}, {length} questions: {chain.cost} ({chain.status}) after {digits(taken)} s, greedy {greedy}")
            assert chain.cost is not None
            if chain.status is Status.OPTIMAL and chain.cost > min(greedy):
                faults.append(f"{key}: a greedy list has fewer errors than the proved one of {length} questions.")
            proved = "" if chain.status is Status.OPTIMAL else " (not proved)"
            figures = whole(dataset.n_samples), str(length), f"{chain.cost}{proved}", digits(taken), *map(str, greedy)
            lines.append((key, *figures))
    headers = ("table", "rows", "questions", "proved", "s", "fan", "greedy list")
    return Findings((Table("Errors of lists of rules, and user CPU seconds:", headers, tuple(lines)),), tuple(faults))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    made = parser("chains", "Proved lists of rules beside greedy ones, on the sample tables.", folder=False)
    made.add_argument("--sets", type=names, metavar="A,B", help="the samples to take (default: those of two classes)")
    made.add_argument("--lengths", type=numbers, default=(2, 4, 6), metavar="L,M", help="questions (default: 2,4,6)")
    made.add_argument("--limit", type=seconds, default=60.0, metavar="S", help="seconds for each search (default: 60)")
    options = made.parse_args(argv)
    keys = options.sets or tuple(one.key for one in samples() if n_classes(one.key) == 2)
    return conclude(lambda: measure(keys, options.lengths, options.limit), options.out)


if __name__ == "__main__":
    pin(1)
    sys.exit(main())
