"""What a tree without mistakes must distinguish: the questions that may be asked, and the distinct cases.

Rows that answer all questions alike are one *case*. Where they are of several classes no tree gets all of them right;
the case then counts as of the class that costs least, and what the other rows cost is unavoidable. So 'without
avoidable mistakes' is always 'consistent with the labels of the cases'.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ....problem import Orders, Problem, question_orders
from ...base import Unsupported
from ...cases import Cases, cases_of


@dataclass(frozen=True)
class DistinctCases:
    """A problem as its distinct cases see it.

    Attributes
    ----------
    problem : what is asked.
    orders : all questions.
    kept : int64 (n_kept,), the positions of the orders that differ from all before them.
    cases : the cases.
    rank : int32 (n_kept, n_cases), C-contiguous: the rank of each case, from 0 on without gaps.
    label : int32 (n_cases,), the class of the least cost; of equals the first one that a row of the case has.
    """

    problem: Problem
    orders: Orders
    kept: np.ndarray
    cases: Cases
    rank: np.ndarray
    label: np.ndarray

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
    def n_mistaken(self) -> int:
        """The number of rows that are not of the class of their case: every tree gets them wrong."""
        return int((self.label[self.cases.of_row] != self.problem.dataset.y).sum())

    @property
    def tied(self) -> bool:
        """Whether several classes of a case cost equally little, so that another choice might need a smaller tree."""
        return bool(((self.cases.regret == 0).sum(axis=1) > 1).any())


def distinct_cases(problem: Problem) -> DistinctCases:
    """The distinct cases of a problem that passes `unaskable`."""
    orders = question_orders(problem.dataset)
    kept = _distinct_orders(orders.rank)
    rank = orders.rank[kept]
    cases = cases_of(problem, rank)
    # among classes that cost equally little those that rows of the case have come first
    label = (2 * cases.cost + (cases.class_weight == 0)).argmin(axis=1).astype(np.int32)
    return DistinctCases(problem, orders, kept, cases, np.ascontiguousarray(rank[:, cases.first]), label)


def unaskable(title: str, problem: Problem) -> Iterator[Unsupported]:
    """Why the question for a tree without mistakes cannot be asked."""
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


def _distinct_orders(rank: np.ndarray) -> np.ndarray:
    """The positions of the rank orders that are neither equal to one before nor its reverse."""
    seen: set[bytes] = set()
    different = []
    for i, ranks in enumerate(rank):
        if ranks.tobytes() not in seen:
            different.append(i)
            seen |= {ranks.tobytes(), (ranks.max() - ranks).astype(ranks.dtype).tobytes()}
    return np.array(different, np.int64)
