"""Trees of any depth with a penalty per leaf, compared with GOSDT and others: `python -m benchmarks.prices FOLDER`.

All minimise the share of errors plus the penalty per leaf. Ours and the peers get the same ranks, each run in a
separate process; the peers make a binary column of every threshold. In addition to the tables of the folder, the tables
of scikit-learn are used.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import data
from benchmarks.cli import Findings, conclude, names, parser, seconds, tell
from benchmarks.data import Task
from benchmarks.learners import dataset, questions
from benchmarks.process import requested, respond, timed
from benchmarks.tables import NOTHING, Table, digits, versions
from solvers.errors import RunError

OURS = "contree"
PRICES = (0.1, 0.05, 0.02, 0.01, 0.005)
"""Penalties per leaf, as shares of the rows."""
SHIPPED = ("breast_cancer", "wine", "iris", "digits")
"""Tables of scikit-learn."""
TOLERANCE = 1e-6
"""Tolerance of a 32-bit loss; one row is a larger share of any table here."""


class Result(NamedTuple):
    """The result of a run: the objective as a share of the rows, whether it is proved, the leaves, user CPU seconds.

    The seconds are the median of three runs, or those of one that takes half the limit.
    """

    objective: float
    proved: bool
    leaves: int
    seconds: float


def contree(task: Task, price: float, limit: float) -> tuple[float, bool, int]:
    """Ours, with no depth limit, in the same process time as the peers."""
    import threading

    from solvers.methods import get
    from solvers.problem import MAX_DEPTH, Limits, Objective, Problem, Shape
    from solvers.solution import Status

    problem = Problem(dataset(task), Shape(max_depth=MAX_DEPTH), Objective(split_penalty=price * task.n_rows))
    limits = Limits(seconds=limit, memory_mb=None)
    solution = get("contree").run(problem, limits, lambda event: None, threading.Event())
    assert solution.diagram is not None
    assert solution.cost is not None
    objective = solution.cost / problem.scale / task.n_rows + price
    return objective, solution.status is Status.OPTIMAL, solution.diagram.n_leaves


def fast_small_tree(task: Task, price: float, limit: float) -> tuple[float, bool, int]:
    """FastSmallTreeClassifier of imodels."""
    from imodels import FastSmallTreeClassifier

    made = FastSmallTreeClassifier(regularization=price, time_limit=limit).fit(task.rank.T.astype(float), task.label)
    return made.objective_, bool(made.optimal_), int(made.n_leaves_)


def gosdt(task: Task, price: float, limit: float) -> tuple[float, bool, int]:
    """GOSDT of its authors."""
    from gosdt import GOSDTClassifier, NumericBinarizer, Status

    yes_no = NumericBinarizer().fit_transform(task.rank.T.astype(float))
    # it refuses penalties smaller than one row
    made = GOSDTClassifier(regularization=price, time_limit=round(limit), allow_small_reg=True)
    made.fit(yes_no, task.label)
    # its `predict` does not run with current scikit-learn; a 32-bit loss, without penalties, is accurate enough
    leaves = made.result_.model.count('"prediction"')
    return made.result_.model_loss + price * leaves, made.result_.status == Status.CONVERGED, leaves


def pystreed(task: Task, price: float, limit: float) -> tuple[float, bool, int]:
    """STreeD, to its largest depth; a tree has one more leaf than splits, and its penalty is per split."""
    from pystreed import STreeDClassifier

    made = STreeDClassifier("cost-complex-accuracy", max_depth=20, cost_complexity=price, time_limit=limit)
    made.fit(questions(task), task.label)
    leaves = made.get_n_leaves()
    errors = float((made.predict(questions(task)) != task.label).mean())
    return errors + price * leaves, made.fit_result.is_optimal(), leaves


LEARNERS: dict[str, Callable[[Task, float, float], tuple[float, bool, int]]] = {
    OURS: contree,
    "fast-small-tree": fast_small_tree,
    "gosdt": gosdt,
    "pystreed": pystreed,
}
PACKAGES = {"fast-small-tree": "imodels", "gosdt": "gosdt", "pystreed": "pystreed"}


def tasks(folder: Path, chosen: Sequence[str] | None) -> list[Task]:
    """The tables of the folder, and scikit-learn's; `chosen` are names of either."""
    from sklearn import datasets

    shipped = []
    for name in SHIPPED:
        if chosen is None or name in chosen:
            values, labels = getattr(datasets, f"load_{name}")(return_X_y=True)
            shipped.append(Task(name, data.ranks(values), labels.astype(np.int32)))
    own = None if chosen is None else [name for name in chosen if name not in SHIPPED]
    return [*shipped, *(data.read(folder, own) if own is None or own else ())]


def run(task: Task, price: float, learner: str, limit: float) -> Result | str:
    """The runs in a separate process, or the reason for a missing result."""
    try:
        return Result(*requested("benchmarks.prices", task, limit, price=price, learner=learner))
    except RunError as error:
        return str(error)


def carry_out(task: Task, request: dict[str, Any]) -> Result:
    """Carry out the runs in the process; a warm-up run compiles first and is not timed."""
    warnings.simplefilter("ignore")
    learner = LEARNERS[request["learner"]]
    small = np.arange(60, dtype=np.int32) % 6
    learner(Task("small", np.stack([small, small[::-1]]), (small > 2).astype(np.int32)), 0.05, 60.0)
    found, spent = timed(lambda: learner(task, request["price"], request["seconds"]), request["seconds"])
    return Result(*found, spent)


def measure(
    tables: Sequence[Task],
    prices: Sequence[float] = PRICES,
    peers: Sequence[str] = tuple(LEARNERS)[1:],
    *,
    limit: float = 60.0,
    progress: Callable[[str], None] = tell,
) -> Findings:
    """A line per table and penalty; a fault if a peer is better, or proves what is not proved here."""
    lines, faults = [], []
    for task in tables:
        for price in prices:
            found = {name: run(task, price, name, limit) for name in (OURS, *peers)}
            where = f"{task.name}, price {price:g}"
            progress(f"{where}: {found}")
            cells = [task.name, f"{100 * price:g} %"]
            for name, result in found.items():
                faults += _worse(where, name, result, found[OURS])
                cells += [NOTHING] * 3 if isinstance(result, str) else _cells(result)
            lines.append(tuple(cells))
    headers = ["table", "price", *(f"{name}{of}" for name in (OURS, *peers) for of in ("", " leaves", " s"))]
    title = f"Objective (wrong rows and leaves), * where proved, limit {limit:g} s"
    used = versions(PACKAGES[peer] for peer in peers)
    return Findings((Table(f"{title} ({used}):", tuple(headers), tuple(lines)),), tuple(faults))


def _cells(result: Result) -> list[str]:
    return [f"{result.objective:.4f}{'*' * result.proved}", str(result.leaves), digits(result.seconds)]


def _worse(where: str, name: str, result: Result | str, ours: Result | str) -> list[str]:
    if isinstance(result, str) or isinstance(ours, str):
        return [f"{where}: {name}: {result}"] if isinstance(result, str) and name == OURS else []
    found = []
    if result.objective < ours.objective - TOLERANCE:
        found.append(f"{where}: {name} has {result.objective:.6f}, ours {ours.objective:.6f}")
    if result.proved and not ours.proved:
        found.append(f"{where}: {name} proves it, ours does not")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["--run"]:
        return respond(words[1], carry_out)
    made = parser("prices", "Trees of any depth at a price per leaf, beside GOSDT and its kin.", folder=True)
    made.add_argument("--prices", type=names, metavar="A,B", help="shares of the rows (default: 0.1 to 0.005)")
    made.add_argument("--peers", type=names, default=tuple(LEARNERS)[1:], metavar="A,B", help="others (default: all)")
    made.add_argument("--time-limit", type=seconds, default=60.0, metavar="S", help="seconds a run (default: 60)")
    options = made.parse_args(words)
    prices = PRICES if options.prices is None else tuple(map(float, options.prices))
    return conclude(
        lambda: measure(tasks(options.folder, options.sets), prices, options.peers, limit=options.time_limit),
        options.out,
    )


if __name__ == "__main__":
    sys.exit(main())
