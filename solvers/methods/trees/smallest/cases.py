"""What a tree without mistakes is asked to tell apart: the questions that are offered, and the distinct cases.

Rows that answer all questions alike are one *case*. Where they are of several classes no tree gets all of them right;
the case then counts as of the class that costs least, and what the other rows cost is unavoidable. So 'without
avoidable mistakes' is always 'consistent with the labels of the cases'.

Questions are asked of a table whose columns may stand for others: a column of ordered levels that is asked 'is it this
level?' appears as a category, and once more where both kinds of questions are offered. `DistinctCases.restore` turns a
tree over that table into one over the user's.

Source: Avellaneda, Efficient Inference of Optimal Decision Trees, AAAI 2020, sections 2 and 5 (binary predicates for
numbers and for equality).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ....diagram import Diagram, Leaf, Split
from ....problem import Dataset, Kind, Orders, Predicate, Problem, question_orders
from ....solution import Noise, Predicates, Solution
from ...base import Option, Unsupported
from ...cases import Cases, cases_of

PREDICATES = Option.among(
    "predicates",
    "Questions",
    "What is asked of ordered levels: whether a value is at most this one, whether it is this one, or either. Numbers "
    "and dates are always compared with thresholds, categories level by level.",
    {
        Predicates.THRESHOLDS: "Thresholds (at most this)",
        Predicates.EQUALITY: "Equality (is this)",
        Predicates.BOTH: "Both",
    },
)


def predicates_of(solution: Solution) -> Predicates:
    """Which questions a solution was asked with."""
    known = solution.details.consistent
    return Predicates.THRESHOLDS if known is None else known.predicates


@dataclass(frozen=True)
class DistinctCases:
    """A problem as its distinct cases see it.

    Attributes
    ----------
    original : what the user asked.
    problem : the same rows under the columns that questions are asked about.
    orders : all questions about these columns.
    kept : int64 (n_kept,), the positions of the orders that differ from all before them.
    cases : the cases.
    rank : int32 (n_kept, n_cases), C-contiguous: the rank of each case, from 0 on without gaps.
    label : int32 (n_cases,), the class of the least cost; of equals the first one that a row of the case has.
    contradictory : int64, the numbers in the file of the rows that equal a row of another class, ascending.
    mistaken : int64, the numbers of those among them that are not of the class of their case.
    tied : whether several classes of a case cost equally little, so that another choice might need a smaller tree.
    """

    original: Problem
    problem: Problem
    orders: Orders
    kept: np.ndarray
    cases: Cases
    rank: np.ndarray
    label: np.ndarray
    contradictory: np.ndarray
    mistaken: np.ndarray
    tied: bool

    @property
    def n_cases(self) -> int:
        """The number of distinct cases."""
        return len(self.cases)

    @cached_property
    def least_mistake(self) -> int:
        """The cost of the cheapest mistake that could be avoided: what a tree with one costs above `cases.base`."""
        costs = self.cases.regret.copy()
        costs[np.arange(self.n_cases), self.label] = np.iinfo(np.int64).max
        return int(costs.min())

    @property
    def source_names(self) -> tuple[str, ...]:
        """The user's column behind each column of `problem`."""
        return tuple(_sources(self.problem.dataset, self.original))

    def restore(self, diagram: Diagram) -> Diagram:
        """A tree over the columns of `problem` as one over the user's columns."""
        names = dict(zip(self.problem.dataset.schema.names, self.source_names, strict=True))

        def restored(node: Split | Leaf) -> Split | Leaf:
            if isinstance(node, Leaf) or not isinstance(node.predicate, Predicate):
                return node
            return replace(node, predicate=replace(node.predicate, column=names[node.predicate.column]))

        nodes = tuple(restored(node) for node in diagram.nodes)
        return replace(diagram, schema=self.original.dataset.schema, nodes=nodes)


def distinct_cases(problem: Problem, predicates: Predicates = Predicates.THRESHOLDS) -> DistinctCases:
    """The distinct cases of a problem that passes `unaskable`, under the chosen questions."""
    distinct = (
        problem if predicates is Predicates.THRESHOLDS else replace(problem, dataset=_offered(problem, predicates))
    )
    orders = question_orders(distinct.dataset)
    kept = _different(orders.rank)
    rank = orders.rank[kept]
    dataset, cases = problem.dataset, cases_of(problem, rank)
    present = np.zeros(cases.cost.shape, bool)
    present[cases.of_row, dataset.y] = True
    # among classes that cost equally little those that rows of the case have come first
    label = (2 * cases.cost + ~present).argmin(axis=1).astype(np.int32)
    mixed = present.sum(axis=1) > 1
    return DistinctCases(
        original=problem,
        problem=distinct,
        orders=orders,
        kept=kept,
        cases=cases,
        rank=np.ascontiguousarray(rank[:, cases.first]),
        label=label,
        contradictory=np.sort(dataset.rows[mixed[cases.of_row]]),
        mistaken=np.sort(dataset.rows[label[cases.of_row] != dataset.y]),
        tied=bool(((cases.regret == 0).sum(axis=1) > 1).any()),
    )


def unaskable(title: str, problem: Problem, predicates: Predicates) -> Iterator[Unsupported]:
    """What keeps the question for a tree without mistakes from being asked with these predicates."""
    numbers = [column.name for column in problem.dataset.schema.columns if not column.kind.has_levels]
    if predicates is Predicates.EQUALITY and numbers:
        yield Unsupported(
            f"Equality questions about '{numbers[0]}'",
            "This column holds numbers or dates, which are compared with thresholds only.",
            "Give it the type ordered or categorical, or choose the questions 'thresholds' or 'both'.",
        )
    size = problem.size
    if size.min_samples_leaf > 1 or problem.min_weight_leaf > 0:
        yield Unsupported(
            "A minimum leaf size",
            f"{title} looks for trees that get every row right, however few rows a leaf has.",
            "Set the minimum leaf size to 1 row and no weight, or choose the method 'contree'.",
        )
    if problem.split_cost:
        yield Unsupported(
            "A cost of splits",
            f"{title} makes no mistake first and then keeps the tree small, so splits have no price.",
            "Set the split cost to 0, or choose the method 'contree'.",
        )
    costs = problem.class_costs
    if ((costs <= np.diag(costs)[:, None]).sum(axis=1) > 1).any():
        yield Unsupported(
            "Costs at which a wrong answer is as cheap as the right one",
            f"{title} looks for trees that are right.",
            "Let every wrong answer cost more, or choose the method 'contree'.",
        )


def _different(rank: np.ndarray) -> np.ndarray:
    """The positions of the rank orders that are neither equal to one before nor its reverse."""
    seen: set[bytes] = set()
    different = []
    for i, ranks in enumerate(rank):
        if ranks.tobytes() not in seen:
            different.append(i)
            seen |= {ranks.tobytes(), (ranks.max() - ranks).astype(ranks.dtype).tobytes()}
    return np.array(different, np.int64)


def _offered(problem: Problem, predicates: Predicates) -> Dataset:
    """The table under the columns that questions are asked about."""
    dataset = problem.dataset
    columns, sources, taken = [], [], set(dataset.schema.names) | {dataset.outcome}
    for j, column in enumerate(dataset.schema.columns):
        ordered = column.kind is Kind.ORDERED
        if not ordered or predicates is Predicates.BOTH:
            columns.append(column)
            sources.append(j)
        if ordered:
            name = column.name
            while predicates is Predicates.BOTH and name in taken:
                name += " (level)"
            taken.add(name)
            columns.append(replace(column, name=name, kind=Kind.CATEGORICAL))
            sources.append(j)
    return replace(dataset, schema=replace(dataset.schema, columns=tuple(columns)), X=dataset.X[:, sources])


def _sources(offered: Dataset, original: Problem) -> list[str]:
    """The user's column behind each column of `offered`."""
    own = set(original.dataset.schema.names)
    sources: list[str] = []
    for name in offered.schema.names:
        # a column that is asked about twice stands directly behind itself
        sources.append(name if name in own else sources[-1])
    return sources


NOISE = Option.among(
    "contradictions",
    "Contradictions",
    "Rows that equal each other but for the class: make the fewest mistakes that they allow; leave the rows of the "
    "costlier classes out and list them; or end and name the rows.",
    {Noise.FEWEST: "Fewest mistakes", Noise.DROP: "Leave rows out", Noise.REFUSE: "Only name them"},
)
