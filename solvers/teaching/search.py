"""A readable exact search with commentary: branch and bound for the tree with the fewest errors.

    best(R, d) = min of  the errors of one leaf for the rows R
                 and of  best(R and q, d - 1) + best(R and not q, d - 1)  over all splits q

Three bounds avoid most of the work. A class can follow each of them:

- *A perfect subtree.* Rows that are equal in all features but of different classes cannot all be right. A subtree makes
  at least these errors, so a split whose two sides together exceed the best tree is skipped.
- *One side is known.* Once the yes side is solved, its errors and those of a perfect no side may already be too many.
- *Almost the same split.* If split p sends only m rows to another side than q, each tree below p has at most m more
  errors below q. So best(p) >= best(q) - m: what is known about q bounds its neighbours (Brita et al. 2025 use this
  along the thresholds of a column; Demirovic et al. 2022, 'MurTree', between any two sets of rows).

A set of rows is never solved twice. The search is plain Python, exact, and for small tables; the program itself solves
with `contree`. Sets of rows are the bits of integers.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from ..errors import UnsupportedError
from ..methods.trees.slots import Slot
from ..problem import Predicate, Problem, ShapeKind, binary_view, cells
from ..problem.texts import plural
from .sketches import Sketch

MOST_ROWS = 256
MOST_DEPTH = 3
MOST_EVENTS = 4000
"""Longer searches are ended, since no class follows more steps."""

RowSet = int
"""A set of rows: bit i represents row i."""

Way = tuple[tuple[Slot, Predicate], ...]
"""Splits by their positions, from the root."""

_Tree = tuple[Any, ...]
"""`()` for a leaf, or (split, tree of the yes side, tree of the no side)."""


class Happening(StrEnum):
    """The kind of an event of the search."""

    OPEN = "open"
    ASK = "ask"
    SOLVED = "solved"
    BETTER = "better"
    WORSE = "worse"
    PRUNED = "pruned"
    PROVED = "proved"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class SearchEvent:
    """An event of the search, with its reason as a sentence.

    Attributes
    ----------
    path : the splits on the path to the event, by their positions; the last may be the one being tried.
    slot : the position of the event.
    incumbent, bound : the errors of the best whole tree so far, and the lower bound.
    spared : the number of splits it allowed to skip.
    """

    what: Happening
    words: str
    path: Way
    slot: Slot
    incumbent: int
    bound: int
    spared: int = 0


class Recording(NamedTuple):
    """A complete search: its events in order, and the best tree.

    No tree of this depth has fewer errors than `bound`, which equals `cost` if the search was not ended early.
    `improvements` are the successive best trees, each with the position of its event.
    """

    events: tuple[SearchEvent, ...]
    best: Sketch
    cost: int
    bound: int
    improvements: tuple[tuple[int, Sketch], ...]

    @property
    def proved(self) -> bool:
        """Whether no tree of this depth is better."""
        return self.cost == self.bound

    def incumbent_at(self, event: int) -> Sketch:
        """The best tree at the time of an event."""
        return [sketch for at, sketch in self.improvements if at <= event][-1]


class _Full(Exception):  # noqa: N818
    """The recording has reached its maximum length."""


def record_search(problem: Problem, most_events: int = MOST_EVENTS) -> Recording:
    """Find the tree with the fewest errors within a depth, and record the search.

    Raises
    ------
    UnsupportedError
        The problem has more restrictions than a depth, or the table is too large for a classroom.
    """
    _check(problem)
    search = _Search(problem, most_events)
    try:
        search.run()
    except _Full:
        search.tell(Happening.ENDED, 0, (), f"Ended here: {most_events:,} steps are too many to follow.")
    improvements = tuple((at, Sketch(search.sketch(tree))) for at, tree in search.improvements)
    return Recording(tuple(search.events), improvements[-1][1], search.incumbent, search.bound, improvements)


def _check(problem: Problem) -> None:
    size, data = problem.size, problem.dataset
    plain = (
        size.kind is ShapeKind.TREE
        and size.max_leaf_nodes is None
        and size.min_samples_leaf == 1
        and not problem.min_weight_leaf
        and not problem.split_penalty
        and not problem.constraints
        and problem.objective.class_costs is None
        and data.weight is None
    )
    if not plain:
        raise UnsupportedError(
            "The classroom search only counts errors of trees of limited depth. Leave weights, costs, constraints "
            "and other limits out, or solve with the method 'contree'."
        )
    if data.n_samples > MOST_ROWS or size.max_depth > MOST_DEPTH:
        raise UnsupportedError(
            f"The classroom search supports at most {MOST_ROWS} rows and depth {MOST_DEPTH}. "
            f"This problem has {data.n_samples} rows and depth {size.max_depth}. Reduce them, or solve with the method "
            f"'contree'."
        )


@dataclass
class _Search:
    """The recursion, its memory, and its recorded events."""

    problem: Problem
    most_events: int
    events: list[SearchEvent] = field(default_factory=list)
    improvements: list[tuple[int, _Tree]] = field(default_factory=list)

    def __post_init__(self) -> None:
        data = self.problem.dataset
        view = binary_view(data)
        self.predicates = view.predicates
        self.words = [predicate.words(data.schema) for predicate in self.predicates]
        self.questions = [row_set(view.bits[:, q] > 0) for q in range(len(self.predicates))]
        self.everything = row_set(np.ones(data.n_samples, bool))
        self.members = [row_set(data.y == k) for k in range(data.n_classes)]
        cell = cells(data)
        # only cells with rows of several classes make errors unavoidable
        self.mixed = [row_set(cell == c) for c in np.unique(cell) if len(np.unique(data.y[cell == c])) > 1]
        self.known: dict[tuple[RowSet, int], tuple[int, _Tree | None]] = {}
        self.incumbent, self.bound = self.leaf(self.everything), self.least(self.everything)
        self.improvements.append((0, ()))

    def run(self) -> None:
        """Search from the root."""
        depth, whole = self.problem.size.max_depth, _errors(self.incumbent)
        self.tell(Happening.OPEN, 0, (), f"One leaf for all rows makes {whole}. The search begins with that.")
        self.bound, _ = self.best(self.everything, depth, self.incumbent + 1, 0, ())
        words = f"Proved: no tree of depth {depth} makes fewer than {_errors(self.bound)}. Nothing is left."
        self.tell(Happening.PROVED, 0, (), words)

    def leaf(self, rows: RowSet) -> int:
        """The errors of one leaf."""
        return rows.bit_count() - max((rows & member).bit_count() for member in self.members)

    def least(self, rows: RowSet) -> int:
        """The errors of a perfect subtree."""
        return sum(self.leaf(rows & cell) for cell in self.mixed if rows & cell)

    def best(self, rows: RowSet, depth: int, limit: int, slot: Slot, way: Way) -> tuple[int, _Tree | None]:
        """The fewest errors on these rows and a tree with them, if that is below `limit`.

        If not, a lower bound of at least `limit`, and no tree.
        """
        leaf = self.leaf(rows)
        if depth == 0 or leaf == self.least(rows):
            alone = "its rows are of one class" if leaf == 0 else "no question can improve this leaf"
            why = "the maximum depth is reached" if depth == 0 else alone
            if slot:
                words = f"A leaf for these {_rows(rows)} makes {_errors(leaf)}: {why}."
                self.tell(Happening.SOLVED, slot, way, words)
            return leaf, () if leaf < limit else None
        value, tree = self.known.get((rows, depth), (0, None))
        if tree is None and value < limit:
            solve = self.one_question if depth == 1 else self.divide
            value, tree = self.known[rows, depth] = solve(rows, depth, limit, slot, way)
        else:
            met = ("" if tree is not None else "at least ") + _errors(value)
            self.tell(Happening.SOLVED, slot, way, f"These {_rows(rows)} were searched before: {met}.")
        return value, tree if value < limit else None

    def one_question(self, rows: RowSet, depth: int, limit: int, slot: Slot, way: Way) -> tuple[int, _Tree | None]:
        """The best single split, or the leaf; all splits are tried at once."""
        leaf = self.leaf(rows)
        costs = [self.leaf(rows & yes) + self.leaf(rows & ~yes) for yes in self.questions]
        q = min(range(len(costs)), key=costs.__getitem__, default=None)
        value, tree = leaf, _Tree()
        words = f"No question improves the leaf for these {_rows(rows)}: {_errors(leaf)}."
        if q is not None and costs[q] < leaf:
            value, tree, way = costs[q], (q, (), ()), (*way, (slot, self.predicates[q]))
            words = f"The best of all {len(costs)} questions here is '{self.words[q]}': {_errors(value)}."
        if slot == 0:
            # with a single split this is the whole search
            self.improve(value, tree)
        self.tell(Happening.SOLVED, slot, way, words)
        return value, tree

    def divide(self, rows: RowSet, depth: int, limit: int, slot: Slot, way: Way) -> tuple[int, _Tree | None]:
        """Try the splits, the most promising first, until none of the others can be better."""
        best, tree = self.leaf(rows), _Tree()
        inside = [rows & yes for yes in self.questions]
        bounds = {q: self.least(yes) + self.least(rows & ~yes) for q, yes in enumerate(inside) if yes and yes != rows}
        at_once = {q: self.leaf(inside[q]) + self.leaf(rows & ~inside[q]) for q in bounds}
        if slot:
            words = f"Which question is best for these {_rows(rows)}? A leaf makes {_errors(best)}."
            self.tell(Happening.OPEN, slot, way, words)
        left = set(bounds)
        while left:
            q = min(left, key=lambda q: (bounds[q], at_once[q], q))
            target = min(best, limit)
            if bounds[q] >= target:
                n = len(left)
                others = "The only remaining question is" if n == 1 else f"All {n} remaining questions are"
                words = f"{others} pruned: even the most promising one costs at least {bounds[q]}, and"
                self.tell(Happening.PRUNED, slot, way, f"{words} {_goal(slot, target)}.", spared=n)
                break
            left.remove(q)
            value, below = self.question(q, rows, depth, target, slot, way, bounds[q])
            bounds[q] = max(bounds[q], value)
            if below is not None:
                best, tree = value, (q, *below)
            self.compare(q, inside, bounds, left, rows.bit_count(), min(best, limit), slot, way)
            if slot == 0:
                # a bound for the whole tree
                self.bound = max(self.bound, min([best, *(bounds[p] for p in left)]))
        return (best, tree) if best < limit else (min([best, *bounds.values()]), None)

    def question(
        self, q: int, rows: RowSet, depth: int, target: int, slot: Slot, way: Way, bound: int
    ) -> tuple[int, tuple[_Tree, _Tree] | None]:
        """The errors below a split and its two subtrees, if they are fewer than `target`; if not, a lower bound."""
        yes, no, name = rows & self.questions[q], rows & ~self.questions[q], self.words[q]
        way = (*way, (slot, self.predicates[q]))
        words = f"Try '{name}': at least {_errors(bound)}; fewer than {target} are needed."
        self.tell(Happening.ASK, slot, way, words)
        rest = self.least(no)
        first, yes_tree = self.best(yes, depth - 1, target - rest, 2 * slot + 1, way)
        if yes_tree is None:
            words = (
                f"Pruned: the yes side costs at least {_errors(first)}, and even a perfect no side {_errors(rest)}. "
                f"That makes {first + rest}, and {_goal(slot, target)}."
            )
            self.tell(Happening.PRUNED, slot, way, words, spared=1)
            return first + rest, None
        second, no_tree = self.best(no, depth - 1, target - first, 2 * slot + 2, way)
        value = first + second
        if no_tree is None:
            words = f"'{name}' makes at least {first} + {second} errors, and {_goal(slot, target)}."
            self.tell(Happening.WORSE, slot, way, words)
            return value, None
        if slot == 0:
            self.improve(value, (q, yes_tree, no_tree))
        words = f"Better: '{name}' makes {first} + {second} = {_errors(value)} instead of {target}."
        self.tell(Happening.BETTER, slot, way, words)
        return value, (yes_tree, no_tree)

    def compare(
        self,
        q: int,
        inside: list[RowSet],
        bounds: dict[int, int],
        left: set[int],
        n: int,
        target: int,
        slot: Slot,
        way: Way,
    ) -> None:
        """Bound the other splits of `n` rows by the result of one, and skip those that cannot be better."""
        gone, farthest = set[int](), 0
        for p in left:
            differ = (inside[p] ^ inside[q]).bit_count()
            moved = min(differ, n - differ)  # yes and no may be swapped
            if bounds[p] < bounds[q] - moved:
                bounds[p] = bounds[q] - moved
                if bounds[p] >= target:
                    gone.add(p)
                    farthest = max(farthest, moved)
        left -= gone
        if gone:
            ask = "question that divides" if len(gone) == 1 else "questions that divide"
            go = "1 row goes" if farthest == 1 else f"{farthest} rows go"
            words = (
                f"Pruned: {len(gone)} {ask} the rows almost like '{self.words[q]}'. At most {go} to the other side, "
                f"which saves at most as many of its {bounds[q]} errors, and {_goal(slot, target)}."
            )
            self.tell(Happening.PRUNED, slot, way, words, spared=len(gone))

    def improve(self, errors: int, tree: _Tree) -> None:
        """Store a better whole tree, found at the next event."""
        self.incumbent = errors
        self.improvements.append((len(self.events), tree))

    def tell(self, what: Happening, slot: Slot, way: Way, words: str, spared: int = 0) -> None:
        """Record an event."""
        if len(self.events) >= self.most_events and what is not Happening.ENDED:
            raise _Full
        self.events.append(SearchEvent(what, words, way, slot, self.incumbent, self.bound, spared))

    def sketch(self, tree: _Tree, slot: Slot = 0) -> dict[Slot, Predicate]:
        """The splits of a tree by their positions, which begin at one."""
        if not tree:
            return {}
        q, yes, no = tree
        return {slot: self.predicates[q], **self.sketch(yes, 2 * slot + 1), **self.sketch(no, 2 * slot + 2)}


def _goal(slot: Slot, target: int) -> str:
    """What a subtree must beat: at the root the best tree, further down what remains of it."""
    return f"fewer than {target} are needed here" if slot else f"the best is {target}"


def _rows(rows: RowSet) -> str:
    n = rows.bit_count()
    return plural(n, "row")


def _errors(n: int) -> str:
    return plural(n, "error")


def row_set(bits: np.ndarray) -> RowSet:
    """The rows at which a mask is true."""
    return sum(1 << int(i) for i in np.flatnonzero(bits))
