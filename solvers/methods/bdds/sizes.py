"""The smallest diagram among sets of splits of equal cost, and the list of nearly optimal diagrams."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from ...diagram import Diagram
from ...problem import Problem
from ...solution import NearOptimalBdd
from ..cases import added_up
from ..features import Features
from .smallest import never, smallest_bdd
from .table import UNKNOWN, OrderedBdd, beads_of, merge_rows, reduce, truth_table

STEPS_OF_ALL = 500_000
"""Steps of the search for the fewest nodes, over all sets: a few seconds."""

STEPS_OF_ONE = 5_000
"""Steps for a diagram that is not claimed to be the smallest."""

STEPS_A_SET = 20
"""Minimum effort per set, in steps."""

LISTED = 200
"""The longest list of nearly optimal sets."""

MOST_CELLS = 2**10
"""Larger tables are merged in the given order only."""


def cell_costs(features: Features, order: Sequence[int]) -> np.ndarray:
    """The cost of each class in each cell of these features, int64 (2**len(order), n_classes); 0 in empty cells."""
    cell = np.zeros(len(features.rows), np.int64)
    for f in order:
        cell = 2 * cell + features.rows[:, f]
    return added_up(features.cases.cost, cell, 2 ** len(order))


def candidate_of(
    features: Features,
    chosen: Iterable[int],
    most: int | None = None,
    steps: int = STEPS_OF_ONE,
    due: Callable[[], bool] = never,
) -> tuple[OrderedBdd | None, bool, int]:
    """The smallest diagram of a set of features among those with least cost in every cell.

    `most` is the largest number of nodes of interest; for `steps` and `due` see `smallest_bdd`. Returns the diagram or
    `None` if none was found; whether it is proved that none is smaller; and the steps taken.
    """
    chosen = sorted(int(f) for f in chosen)
    costs = cell_costs(features, chosen)
    least = costs.min(axis=1)
    allowed = costs == least[:, None]
    bdd, proved, taken = smallest_bdd(allowed, most, steps, due)
    if bdd is None and not proved:
        bdd = sift(allowed)
        bdd = None if most is not None and bdd.n_splits > most else bdd
    if bdd is None:
        return None, proved, taken
    return bdd.of_features(chosen, int(least.sum())), proved, taken


def smallest_of(
    features: Features, sets: np.ndarray, known: OrderedBdd | None, due: Callable[[], bool]
) -> tuple[OrderedBdd | None, bool]:
    """The smallest diagram among sets of the same cost, within `STEPS_OF_ALL` and the time limit.

    `sets`, int (n, size), are the features of each; `known` is the diagram to improve on. Returns the diagram, and
    whether it is proved that no diagram of any of the sets has fewer nodes.
    """
    best, proved, steps = known, True, STEPS_OF_ALL
    for chosen in sets:
        if steps <= 0 or due():
            return best, False
        most = None if best is None else best.n_splits - 1
        candidate, complete, taken = candidate_of(features, chosen, most, steps, due)
        steps -= taken + STEPS_A_SET
        best, proved = candidate or best, proved and complete
    return best, proved


def list_near_optimal(
    features: Features, sets: np.ndarray, known: OrderedBdd, due: Callable[[], bool], most: int = LISTED
) -> list[OrderedBdd]:
    """The diagrams of nearly optimal sets, by cost, then by size; each set of splits once."""
    costs = [int(cell_costs(features, chosen).min(axis=1).sum()) for chosen in sets]
    candidates = {frozenset(known.order): known}
    for i in np.argsort(costs, kind="stable")[:most]:
        if due():
            break
        candidate, _, _ = candidate_of(features, sets[i])
        if candidate is not None:
            other = candidates.setdefault(frozenset(candidate.order), candidate)
            if (candidate.cost, candidate.n_splits) < (other.cost, other.n_splits):
                candidates[frozenset(candidate.order)] = candidate
    return sorted(candidates.values(), key=lambda c: (c.cost, c.n_splits, c.order))


def entry(candidate: OrderedBdd, problem: Problem, features: Features) -> NearOptimalBdd:
    """The record of a nearly optimal diagram: splits and predictions. `diagram_of_entry` rebuilds the diagram."""
    questions = candidate.questions(features)
    words = tuple(question.words(problem.dataset.schema) for question in questions)
    cost = candidate.cost + problem.splits_cost(candidate.n_splits)
    return NearOptimalBdd(cost, candidate.n_splits, words, questions, candidate.labels)


def diagram_of_entry(problem: Problem, entry: NearOptimalBdd) -> Diagram:
    """The diagram that an element of `Details.near_optimal` describes."""
    return reduce(truth_table(problem, entry.questions), np.array(entry.labels))


def sift(allowed: np.ndarray) -> OrderedBdd:
    """A BDD with few nodes, by sifting.

    `allowed`, bool (2**n_variables, n_classes), are the classes that each cell may predict; some cell must not allow
    all. A cell that allows some classes, but not all, predicts the first of them.
    """
    n_variables = len(allowed).bit_length() - 1
    table = np.where(allowed.all(axis=1), UNKNOWN, allowed.argmax(axis=1)).reshape((2,) * n_variables)
    best = _in_order(table, tuple(range(n_variables)))
    if len(allowed) > MOST_CELLS:
        return best
    for variable in range(n_variables):
        others = [v for v in best.order if v != variable]
        orders = [(*others[:i], variable, *others[i:]) for i in range(n_variables)]
        best = min([best, *(_in_order(table, order) for order in orders)], key=lambda found: found.n_splits)
    return best


def _in_order(table: np.ndarray, order: tuple[int, ...]) -> OrderedBdd:
    labels = merge_rows(table.transpose(order).ravel())
    return OrderedBdd(len(beads_of(labels)[1]), order, tuple(labels.tolist()))
