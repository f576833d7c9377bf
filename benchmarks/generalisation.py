"""Accuracy of trees on new rows: `python -m benchmarks.generalisation FOLDER`.

Five folds, repeated twice. On each of the ten training sets these methods learn a tree, choose their parameters within
the training set, and are tested on the held-out fold:

- the recommended size (`solvers.study.recommendation`), without its outer loop, which does not change the choice;
- the optimal tree of a fixed depth, with leaves of one row, as in the papers; the best so far if the search takes too
  long;
- CART by scikit-learn, with depth, penalty per leaf and minimum leaf size chosen on the same folds by the same rule;
- C4.5 with the pruning of its release 8.

The tables are files with or without a header; `--outcome` says whether the outcome is the first or the last column.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from benchmarks.cli import Findings, conclude, number, parser, seconds, tell
from benchmarks.tables import NOTHING, Table
from solvers.errors import DataError
from solvers.methods import get
from solvers.metrics.recommended_size import FOLDS, REPEATS
from solvers.problem import Dataset, Kind, Limits, Problem, Request, Shape, build, read_table
from solvers.study.recommendation import recommend
from solvers.study.resamples import folds, problem_of

RECOMMENDED, TUNED, C45 = "recommended", "tuned CART", "C4.5"
FIXED = (2, 3, 4, 5, 6)
CART_DEPTHS, CART_LEAVES = (1, 2, 3, 4, 5, 6, 8, 10, None), (1, 5, 10, 20)
CART_PRICES = (0.0, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.02, 0.03, 0.05, 0.1)


class Result(NamedTuple):
    """The error rate on a fold, and the number of leaves."""

    error: float
    n_leaves: int


def read(path: Path, outcome: str) -> Dataset:
    """A table of a folder."""
    table = read_table(path)
    return build(table, Request(target=table.names[0 if outcome == "first" else -1])).dataset


def measure(dataset: Dataset, repeats: int, limit: float) -> dict[str, list[Result]]:
    """Every method on every fold of a table."""
    found: dict[str, list[Result]] = {}
    for part in folds(dataset, FOLDS, repeats, 0):
        train, test = problem_of(Problem(dataset), part.train).dataset, dataset.take(part.test)
        for name, result in results(train, test, limit):
            found.setdefault(name, []).append(result)
    return found


def results(train: Dataset, test: Dataset, limit: float) -> Iterator[tuple[str, Result]]:
    """Every method on one fold; `limit` is in seconds per choice of parameters, a tenth of it per single tree."""
    problem = Problem(train)
    found = recommend(problem, Limits(seconds=limit), n_outer=0)
    if found.choice is not None:
        yield RECOMMENDED, solved(found.choice.to_problem(problem), found.choice.method, test, limit / 10)
    yield TUNED, tuned_cart(train, test)
    yield C45, solved(replace(problem, shape=Shape(max_depth=10)), "c45", test, limit / 10)
    for depth in FIXED:
        yield f"depth {depth}", solved(replace(problem, shape=Shape(max_depth=depth)), "contree", test, limit / 10)


def solved(problem: Problem, method: str, test: Dataset, limit: float) -> Result:
    """The tree of a method, tested on other rows."""
    maker = get(method)
    maker.precompile()
    solution = maker.run(problem, Limits(seconds=limit), lambda event: None, threading.Event())
    assert solution.diagram is not None
    return Result(float((solution.diagram.predict(test) != test.y).mean()), solution.diagram.n_leaves)


def tuned_cart(train: Dataset, test: Dataset) -> Result:
    """scikit-learn's smallest tree within one standard error of the best, over the same inner folds."""
    sizes = [(depth, leaf, price) for depth in CART_DEPTHS for leaf in CART_LEAVES for price in CART_PRICES]
    matrix, unseen = columns(train, train), columns(test, train)
    errors, n_leaves = np.empty((len(sizes), FOLDS * REPEATS)), np.empty((len(sizes), FOLDS * REPEATS))
    for k, part in enumerate(folds(train, FOLDS, REPEATS, 0)):
        trees = cart_trees(matrix[part.train], train.y[part.train])
        for i, size in enumerate(sizes):
            tree = trees(*size)
            errors[i, k] = (tree.predict(matrix[part.test]) != train.y[part.test]).mean()
            n_leaves[i, k] = tree.get_n_leaves()
    mean = errors.mean(axis=1)
    best = int(mean.argmin())
    good = np.flatnonzero(mean <= mean[best] + errors[best].std(ddof=1) / np.sqrt(errors.shape[1]) + 1e-12)
    chosen = min(good, key=lambda i: (n_leaves[i].mean(), mean[i]))
    tree = cart_trees(matrix, train.y)(*sizes[chosen])
    return Result(float((tree.predict(unseen) != test.y).mean()), int(tree.get_n_leaves()))


def cart_trees(X: np.ndarray, y: np.ndarray) -> Callable[[int | None, int, float], DecisionTreeClassifier]:
    """CART's tree by maximum depth, minimum leaf size and penalty per leaf; identical trees are fitted once."""

    @cache
    def fitted(depth: int | None, leaf: int, price: float) -> DecisionTreeClassifier:
        tree = DecisionTreeClassifier(max_depth=depth, min_samples_leaf=leaf, ccp_alpha=price, random_state=0)
        return tree.fit(X, y)

    @cache
    def prices(depth: int | None, leaf: int) -> np.ndarray:
        """The penalties at which the tree is pruned further."""
        return np.array(fitted(depth, leaf, 0.0).cost_complexity_pruning_path(X, y).ccp_alphas)

    def tree(depth: int | None, leaf: int, price: float) -> DecisionTreeClassifier:
        if depth is not None and depth >= fitted(None, leaf, 0.0).get_depth():
            depth = None
        cut = prices(depth, leaf)
        # rounding makes some penalties of scikit-learn slightly negative
        return fitted(depth, leaf, max(0.0, float(cut[np.searchsorted(cut, price, side="right") - 1])))

    return tree


def columns(dataset: Dataset, train: Dataset) -> np.ndarray:
    """The values as scikit-learn takes them: numbers, and one column per level of an unordered category."""
    parts: list[np.ndarray] = []
    for column, values in zip(train.schema.columns, dataset.X.T, strict=True):
        if column.kind is Kind.CATEGORICAL:
            parts += [(values == level).astype(float) for level in range(len(column.levels))]
        else:
            parts.append(values)
    return np.column_stack(parts)


def summary(name: str, found: dict[str, list[Result]]) -> tuple[str, ...]:
    """A row of the table: errors in percent, and the recommended tree against tuned CART, paired."""
    error = {way: np.array([result.error for result in found[way]]) for way in found}
    difference = 100 * (error[RECOMMENDED] - error[TUNED])
    # training sets overlap, so the plain standard error would be too small (Nadeau and Bengio, 2003)
    spread = difference.std(ddof=1) * np.sqrt(1 / len(difference) + 1 / (FOLDS - 1))
    cells = [f"{100 * values.mean():.1f}" for values in error.values()]
    leaves = [f"{np.mean([r.n_leaves for r in found[way]]):.0f}" for way in (RECOMMENDED, TUNED)]
    verdict = "worse" if difference.mean() > max(spread, 1e-9) else ""
    return (name, *cells, f"{difference.mean():+.1f} ± {spread:.1f}", " / ".join(leaves), verdict)


def report(rows: Sequence[tuple[str, ...]], all_found: Sequence[dict[str, list[Result]]]) -> Findings:
    """All tables, with their mean in the last row."""
    ways = list(all_found[0])
    means = [np.mean([[r.error for r in found[way]] for found in all_found]) for way in ways]
    gap = means[ways.index(RECOMMENDED)] - means[ways.index(TUNED)]
    last = ("mean", *(f"{100 * value:.1f}" for value in means), f"{100 * gap:+.1f}", NOTHING, "")
    headers = ("table", *ways, "recommended less tuned CART", "leaves of the two", "")
    title = "Errors on new rows in %, five folds made twice; 'worse' is by more than one standard error:"
    return Findings((Table(title, headers, (*rows, last)),))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    made = parser("generalisation", __doc__.splitlines()[0], folder=True)
    made.add_argument("--outcome", choices=("first", "last"), default="last", help="the column to predict")
    made.add_argument("--repeats", type=number, default=2, help="how often the folds are made")
    made.add_argument("--limit", type=seconds, default=30.0, help="seconds for each choice")
    options = made.parse_args(arguments)

    def measured() -> Findings:
        files = sorted(path for path in options.folder.rglob("*") if path.suffix in (".csv", ".txt"))
        chosen = [path for path in files if options.sets is None or path.stem in options.sets]
        if not chosen:
            raise DataError(f"The folder '{options.folder}' must hold the tables (*.csv, *.txt).")
        rows, all_found = [], []
        for path in chosen:
            all_found.append(measure(read(path, options.outcome), options.repeats, options.limit))
            rows.append(summary(path.stem, all_found[-1]))
            tell(" | ".join(rows[-1]))
        return report(rows, all_found)

    return conclude(measured, options.out)


if __name__ == "__main__":
    sys.exit(main())
