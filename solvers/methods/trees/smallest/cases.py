"""What a tree without errors must distinguish: the permitted splits, and the distinct cases.

Rows that no split separates are one *case*. If they have several classes, no tree classifies all of them correctly; the
case then gets the class with the lowest cost, and the cost of the other rows is unavoidable. So 'without avoidable
errors' always means 'consistent with the labels of the cases'.
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
    """A problem in terms of its distinct cases.

    Attributes
    ----------
    problem : the problem.
    orders : all question orders.
    kept : int64 (n_kept,), the positions of the orders that differ from all earlier ones.
    cases : the cases.
    rank : int32 (n_kept, n_cases), C-contiguous: the rank of each case, from 0 without gaps.
    label : int32 (n_cases,), the class with the lowest cost; in a tie, the first class of a row of the case.
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
        """The cost of the cheapest avoidable error: an inconsistent tree costs at least this above `cases.base`."""
        costs = self.cases.regret.copy()
        costs[np.arange(self.n_cases), self.label] = np.iinfo(np.int64).max
        return int(costs.min())

    @property
    def n_mistaken(self) -> int:
        """The number of rows whose class is not that of their case: every consistent tree misclassifies them."""
        return int((self.label[self.cases.of_row] != self.problem.dataset.y).sum())

    @property
    def tied(self) -> bool:
        """Whether a case has several classes of the lowest cost, so that another choice might permit a smaller tree."""
        return bool(((self.cases.regret == 0).sum(axis=1) > 1).any())


def distinct_cases(problem: Problem) -> DistinctCases:
    """The distinct cases of a problem that passes `unaskable`."""
    orders = question_orders(problem.dataset)
    kept = _distinct_orders(orders.rank)
    rank = orders.rank[kept]
    cases = cases_of(problem, rank)
    # among classes of equal cost, those of rows of the case come first
    label = (2 * cases.cost + (cases.class_weight == 0)).argmin(axis=1).astype(np.int32)
    return DistinctCases(problem, orders, kept, cases, np.ascontiguousarray(rank[:, cases.first]), label)


def unaskable(title: str, problem: Problem) -> Iterator[Unsupported]:
    """Why a search for trees without errors does not support the problem."""
    size = problem.size
    if size.min_samples_leaf > 1 or problem.min_weight_leaf > 0:
        yield Unsupported(
            "A minimum leaf size",
            f"{title} finds trees without training errors, whatever the size of the leaves.",
            "Set the minimum leaf size to 1 row and no weight, or choose the method 'contree'.",
        )
    if problem.split_penalty:
        yield Unsupported(
            "A split penalty",
            f"{title} first avoids all errors and then minimizes the size, so splits have no penalty.",
            "Set the split penalty to 0, or choose the method 'contree'.",
        )
    costs = problem.class_costs
    if ((costs <= np.diag(costs)[:, None]).sum(axis=1) > 1).any():
        yield Unsupported(
            "Costs that make an error as cheap as a correct prediction",
            f"{title} finds trees without errors.",
            "Give every error a higher cost, or choose the method 'contree'.",
        )


def _distinct_orders(rank: np.ndarray) -> np.ndarray:
    """The positions of the rank orders that equal no earlier one and no reverse of one."""
    seen: set[bytes] = set()
    different = []
    for i, ranks in enumerate(rank):
        if ranks.tobytes() not in seen:
            different.append(i)
            seen |= {ranks.tobytes(), (ranks.max() - ranks).astype(ranks.dtype).tobytes()}
    return np.array(different, np.int64)
