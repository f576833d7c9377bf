"""The smallest diagram among sets of questions that cost equally little, and the list of nearly optimal ones."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ...diagram import Diagram
from ...problem import Predicate, Problem
from ...solution import NearOptimalBdd
from ..cases import added_up
from ..features import Features
from .smallest import SmallestBdd, never, smallest_bdd
from .table import UNKNOWN, Unseen, bdd_of, merge_rows, reduce, truth_table

STEPS_OF_ALL = 500_000
"""Steps in the search for the fewest nodes over all sets together: a few seconds."""

STEPS_OF_ONE = 5_000
"""Steps for a diagram that is not claimed to be the smallest."""

STEPS_A_SET = 20
"""What it takes to look at a set at all, in steps."""

LISTED = 200
"""The longest list of nearly optimal sets."""

MOST_CELLS = 2**10
"""A larger table is merged in the order given."""


@dataclass(frozen=True)
class SizedCandidate:
    """A set of features as a diagram.

    Attributes
    ----------
    cost : what its table costs.
    order : the features that are asked, first asked first.
    labels : the class of each cell in this order.
    n_splits : the inner nodes of its diagram.
    """

    cost: int
    order: tuple[int, ...]
    labels: tuple[int, ...]
    n_splits: int

    def questions(self, features: Features) -> tuple[Predicate, ...]:
        """What is asked, in order."""
        return tuple(features.predicates[f] for f in self.order)

    def diagram(self, problem: Problem, features: Features, unseen: Unseen = Unseen.SOLVED) -> Diagram:
        """The diagram; under another policy than 'as solved', cells without rows answer as it says."""
        questions = self.questions(features)
        if unseen is Unseen.SOLVED:
            return reduce(truth_table(problem, questions), np.array(self.labels))
        return bdd_of(problem, questions, unseen)


@dataclass(frozen=True)
class Sized:
    """The smallest diagram among some sets; `None` where there is none as small as was asked for.

    `proved` says whether no diagram of any of the sets has fewer nodes.
    """

    best: SizedCandidate | None
    proved: bool


def cell_costs(features: Features, order: Sequence[int]) -> np.ndarray:
    """What each class costs in each cell of these features, int64 (2**len(order), n_classes); 0 where no row falls."""
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
) -> tuple[SizedCandidate | None, bool, int]:
    """The smallest diagram of a set of features whose cells all cost least.

    `most` is the largest number of nodes of interest; for steps and due see `smallest_bdd`. Returns the diagram, `None`
    where none was found; whether none is smaller; and the steps taken.
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
    order = tuple(chosen[p] for p in bdd.order)
    return SizedCandidate(int(least.sum()), order, bdd.labels, bdd.n_splits), proved, taken


def smallest_of(features: Features, sets: np.ndarray, known: SizedCandidate | None, due: Callable[[], bool]) -> Sized:
    """The smallest diagram among sets of the same cost, as far as `STEPS_OF_ALL` and the time go.

    `sets`, int (n, size), are the features of each; `known` is a diagram that is to be made smaller.
    """
    best, proved, steps = known, True, STEPS_OF_ALL
    for chosen in sets:
        if steps <= 0 or due():
            return Sized(best, False)
        most = None if best is None else best.n_splits - 1
        candidate, complete, taken = candidate_of(features, chosen, most, steps, due)
        steps -= taken + STEPS_A_SET
        best, proved = candidate or best, proved and complete
    return Sized(best, proved)


def list_near_optimal(
    features: Features, sets: np.ndarray, known: SizedCandidate, due: Callable[[], bool], most: int = LISTED
) -> list[SizedCandidate]:
    """The diagrams of nearly optimal sets, the cheapest first and of these the smallest; each set of questions once."""
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


def entry(candidate: SizedCandidate, problem: Problem, features: Features) -> NearOptimalBdd:
    """A nearly optimal diagram by its questions and answers; `diagram_of_entry` makes the diagram of it again."""
    questions = candidate.questions(features)
    words = tuple(question.words(problem.dataset.schema) for question in questions)
    cost = candidate.cost + problem.splits_cost(candidate.n_splits)
    return NearOptimalBdd(cost, candidate.n_splits, words, questions, candidate.labels)


def diagram_of_entry(problem: Problem, entry: NearOptimalBdd) -> Diagram:
    """The diagram that an element of `Details.near_optimal` describes."""
    return reduce(truth_table(problem, entry.questions), np.array(entry.labels))


def sift(allowed: np.ndarray) -> SmallestBdd:
    """A BDD with few nodes.

    `allowed`, bool (2**n_variables, n_classes), are the classes that a cell may answer, not all in all cells. A cell
    that allows some of them answers the first.
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


def _in_order(table: np.ndarray, order: tuple[int, ...]) -> SmallestBdd:
    labels = merge_rows(table.transpose(order).ravel())
    return SmallestBdd(_n_splits(labels), order, tuple(labels.tolist()))


def _n_splits(labels: np.ndarray) -> int:
    """The nodes of the BDD of a complete table: different subtables whose halves differ."""
    n, size = 0, len(labels)
    while size > 1:
        parts = np.unique(labels.reshape(-1, size), axis=0)
        n += int((parts[:, : size // 2] != parts[:, size // 2 :]).any(axis=1).sum())
        size //= 2
    return n
