"""Whether constraints with confidence hold on new rows: `python -m benchmarks.confidence --kind ppv`.

Tables are drawn from known rules: four independent uniform columns of six values, and a random tree of depth 3 over
them, each leaf of which has its own risk; noise replaces a share of the outcomes by a coin toss. The true sensitivity,
specificity, accuracy and PPV of a model follow exactly from the rule, and so does the difference between the rates of
positive predictions in two groups, which are defined by two of the columns. On each table we find the optimal tree with
the fewest errors

- with this value, or this difference, on its rows (plain);
- with the same limit and a confidence, as if the tree were given in advance;
- with the same limit, confirmed on held-out rows (`solvers.study.confirmation`).
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np

from benchmarks.cli import Findings, conclude, number, numbers, parser, tell
from benchmarks.tables import NOTHING, Table
from solvers.constraints import Constraint, DemographicParity, MinAccuracy, MinPPV, MinSensitivity, MinSpecificity
from solvers.diagram import Diagram
from solvers.explain import solver
from solvers.explain.inquiry import MethodSolver
from solvers.metrics import Rate, rate
from solvers.problem import Column, Dataset, Group, Kind, Limits, Problem, Schema, Shape
from solvers.study.confirmation import ConfirmConstraints

PLAIN, CONFIDENT, CONFIRMED = WAYS = ("plain", "with confidence", "confirmed")
N_COLUMNS, N_VALUES, RULE_DEPTH = 4, 6, 3
NOISES = (0.0, 0.2, 0.4)
COIN = 0.3
"""Probability that the coin toss of the noise gives the positive class."""
CONFIDENCE, ASIDE, LEAST_ROWS = Fraction(95, 100), 1 / 3, 5
PROMISED = 0.93
FOUND = Fraction(3, 10)
"""Sensitivity required in addition to a PPV: the stricter a PPV alone, the fewer rows support it."""

CELLS = np.indices((N_VALUES,) * N_COLUMNS).reshape(N_COLUMNS, -1).T.astype(np.float64)
"""All possible rows, float (n_cells, n_columns)."""
SCHEMA = Schema(
    tuple(Column(f"x{i + 1}", Kind.NUMERIC, fill=(N_VALUES - 1) / 2, has_missing=False) for i in range(N_COLUMNS))
)


GROUP = (CELLS[:, 0] + CELLS[:, 1] >= N_VALUES).astype(np.int64)
"""The group of each cell."""


class Measure(NamedTuple):
    """A measure of a model.

    Attributes
    ----------
    constraint : limits the measure, with this limit and confidence.
    limit : the default limit.
    value : the true value, from the cells that are predicted positive and the risk of each cell.
    """

    constraint: Callable[[Fraction, Fraction | None], Constraint]
    limit: Fraction
    value: Callable[[np.ndarray, np.ndarray], float]


def share_of(called: np.ndarray, weight: np.ndarray) -> float:
    """Share of a weight in the cells that are predicted positive."""
    return float(weight[called].sum() / weight.sum())


MEASURES = {
    "sensitivity": Measure(lambda p, c: MinSensitivity(p, confidence=c), Fraction(8, 10), share_of),
    "specificity": Measure(
        lambda p, c: MinSpecificity(p, confidence=c), Fraction(8, 10), lambda called, risk: share_of(~called, 1 - risk)
    ),
    "accuracy": Measure(
        lambda p, c: MinAccuracy(p, confidence=c),
        Fraction(7, 10),
        lambda called, risk: float(np.where(called, risk, 1 - risk).mean()),
    ),
    "ppv": Measure(
        lambda p, c: MinPPV(p, confidence=c), Fraction(6, 10), lambda called, risk: float(risk[called].mean())
    ),
    "parity": Measure(
        lambda p, c: DemographicParity("group", p, confidence=c),
        Fraction(15, 100),
        lambda called, risk: abs(share_of(called, GROUP) - share_of(called, 1 - GROUP)),
    ),
}


class Asked(NamedTuple):
    """The requirement: a measure by name, its limit, and the depth of the trees."""

    measure: str
    limit: Fraction
    depth: int

    def constraint(self, confidence: Fraction | None = None) -> Constraint:
        """The constraint, plain or with confidence."""
        return MEASURES[self.measure].constraint(self.limit, confidence)


class Kept(NamedTuple):
    """Whether a tree satisfies the constraint on new rows, and its error rate there, both from the rule."""

    holds: bool
    error: float


Settings = dict[tuple[int, float], dict[str, list[Kept | None]]]
"""Results by number of rows and noise, and by type of requirement."""


def rule(random: np.random.Generator, cells: np.ndarray = CELLS, depth: int = RULE_DEPTH) -> np.ndarray:
    """The risk of each cell, float (n_cells,): that of its leaf in a random tree."""
    values = [np.unique(column) for column in cells.T]
    free = [i for i, known in enumerate(values) if len(known) > 1]
    if not depth or not free:
        return np.full(len(cells), random.random())
    column = random.choice(free)
    low = cells[:, column] < random.choice(values[column][1:])
    risk = np.empty(len(cells))
    for side in (low, ~low):
        risk[side] = rule(random, cells[side], depth - 1)
    return risk


def drawn(n: int, noise: float, random: np.random.Generator) -> tuple[Dataset, np.ndarray]:
    """A table of n rows with both classes, and the risk of each cell."""
    while True:
        risk = (1 - noise) * rule(random) + noise * COIN
        rows = random.integers(0, len(CELLS), n)
        y = (random.random(n) < risk[rows]).astype(np.int64)
        if 0.05 <= y.mean() <= 0.95:
            group = Group("group", ("low", "high"), GROUP[rows])
            names, X = ("no", "yes"), CELLS[rows]
            return Dataset("drawn", SCHEMA, X, y, names, "outcome", groups=(group,), positive=1), risk


def kept(diagram: Diagram, risk: np.ndarray, asked: Asked) -> Kept | None:
    """The true result of a tree; `None` if no cell gets the prediction whose PPV is required."""
    called = diagram.predict(CELLS) == 1
    if asked.measure == "ppv" and not called.any():
        return None
    value, below = MEASURES[asked.measure].value(called, risk), asked.constraint().rising_eases
    holds = value <= asked.limit if below else value >= asked.limit
    return Kept(holds, float(np.where(called, 1 - risk, risk).mean()))


@cache
def precompile() -> MethodSolver:
    """Compile the exact search once per process."""
    return solver("contree")


def measured(n: int, noise: float, asked: Asked, seed: Sequence[int]) -> list[Kept | None]:
    """Each type of requirement on one table; `None` if there is no tree."""
    dataset, risk = drawn(n, noise, np.random.default_rng(seed))
    shape = Shape(max_depth=asked.depth, min_samples_leaf=LEAST_ROWS)
    besides = (MinSensitivity(FOUND),) if asked.measure == "ppv" else ()
    plain, confident = (
        Problem(dataset, shape, constraints=(asked.constraint(c), *besides)) for c in (None, CONFIDENCE)
    )
    solve, limits = precompile(), Limits(seconds=None)
    trees = [solve(problem, limits, lambda event: None, threading.Event()).diagram for problem in (plain, confident)]
    chosen = ConfirmConstraints(ASIDE).answer(confident, solve, limits).chosen
    trees.append(None if chosen is None else chosen.solution.diagram)
    return [None if tree is None else kept(tree, risk, asked) for tree in trees]


def _one(table: tuple[int, float, Asked, Sequence[int]]) -> list[Kept | None]:
    return measured(*table)


def measure(n_tables: int, sizes: Sequence[int], asked: Asked, seed: int, jobs: int) -> Findings:
    """All tables, the same number for each size and noise."""
    settings = [(n, noise) for n in sizes for noise in NOISES]
    found: Settings = {key: {way: [] for way in WAYS} for key in settings}
    tables = [(*settings[i % len(settings)], asked, (seed, i)) for i in range(n_tables)]
    with get_context("fork").Pool(jobs) as pool:
        for i, results in enumerate(pool.imap(_one, tables)):
            for way, result in zip(WAYS, results, strict=True):
                found[settings[i % len(settings)]][way].append(result)
            if (i + 1) % 100 == 0:
                tell(f"{i + 1} of {n_tables} tables")
    return report(found, n_tables, asked)


def report(found: Settings, n: int, asked: Asked) -> Findings:
    """A row for each size and noise, and one for all."""
    everything = {way: [one for part in found.values() for one in part[way]] for way in WAYS}
    rows = [(str(n), f"{noise:g}", *cells(part)) for (n, noise), part in found.items()]
    title = (
        f"How often {asked.measure} of {float(asked.limit):.0%}, as asked for, holds for new rows, of {n} tables, "
        f"depth {asked.depth}; in brackets 95 % intervals, the trees found, and their errors on new rows in %:"
    )
    table = Table(title, ("rows", "noise", *WAYS), (*rows, ("all", "", *cells(everything))))
    held = share(everything[CONFIRMED])
    short = held.value is not None and held.value < PROMISED
    return Findings((table,), (f"Confirmed constraints hold in fewer than {PROMISED:.0%}.",) if short else ())


def cells(part: dict[str, list[Kept | None]]) -> tuple[str, ...]:
    """Table cells with the results of each type of requirement."""
    return tuple(_cell(part[way]) for way in WAYS)


def share(results: list[Kept | None]) -> Rate:
    """Share of the trees that satisfy the constraint."""
    return rate(np.array([one.holds for one in results if one is not None], bool))


def _cell(results: list[Kept | None]) -> str:
    held, errors = share(results), [one.error for one in results if one is not None]
    if held.interval is None:
        return NOTHING
    value, low, high = held.interval
    return f"{value:.1%} ({low:.1%} to {high:.1%}; {held.n} of {len(results)}; {100 * np.mean(errors):.1f})"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    made = parser("confidence", __doc__.splitlines()[0], folder=False)
    made.add_argument("--tables", type=number, default=2000, help="how many are drawn")
    made.add_argument("--rows", type=numbers, default=(200, 500, 1000), metavar="N,N", help="rows of a table")
    made.add_argument("--kind", choices=MEASURES, default="sensitivity", help="what is asked for")
    made.add_argument("--limit", type=Fraction, help="how much of it, as a share")
    made.add_argument("--depth", type=number, default=2, help="the depth of the trees that are found")
    made.add_argument("--jobs", type=number, default=2, help="tables at a time")
    made.add_argument("--seed", type=int, default=0, help="for the tables")
    options = made.parse_args(arguments)
    asked = Asked(options.kind, options.limit or MEASURES[options.kind].limit, options.depth)
    return conclude(
        lambda: measure(options.tables, options.rows, asked, options.seed, options.jobs),
        options.out,
    )


if __name__ == "__main__":
    sys.exit(main())
