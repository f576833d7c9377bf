"""The price of each constraint: how much cheaper the best tree would be without it."""

import math
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from msgspec.structs import replace

from ..diagram import Diagram
from ..problem import Problem
from ..solution import Solution
from .answers import Price, Prices
from .evidence import KnownResult
from .inquiry import STEP, Inquiry
from .relaxable import RelaxableConstraint, by_subject, relaxables_of, words_of
from .tasks import Explanation, TaskRecord


class PriceConstraints(Explanation, TaskRecord, frozen=True):
    """What does each constraint that can be dropped cost? Order constraints with the same subject count as one.

    Each gets `STEP` seconds first. Those still open then get up to `step` seconds each. `solution` is the verified
    result under all constraints; with `None`, the problem is solved first.
    """

    doing: ClassVar[str] = "Looking for the best tree without each of the constraints."
    solution: Solution | None = None
    step: float = STEP
    known: tuple[KnownResult, ...] = ()

    def explain(self, inquiry: Inquiry, tell: Callable[[Prices], None]) -> Prices:
        """Report the prices so far after each answer of the solver."""
        own = None if self.solution is None else KnownResult.of(inquiry.problem, self.solution)
        everything = relaxables_of(inquiry.problem)
        if own is not None:
            inquiry.learn(own)
        if own is None or inquiry.recall(everything).diagram is None:
            inquiry.optimum(everything)
        return _Pricing(inquiry, everything, tell).run()


class _Pricing:
    """The state of one computation of prices.

    The best tree T under all constraints P satisfies them without a constraint c, too: the search without c starts from
    T. A lower bound without c holds for P, and one without any constraint holds for both, so each answer may narrow
    several prices.
    """

    def __init__(
        self, inquiry: Inquiry, everything: Sequence[RelaxableConstraint], tell: Callable[[Prices], None]
    ) -> None:
        self.inquiry, self.all, self.tell = inquiry, everything, tell
        self.lines = by_subject(relaxable for relaxable in everything if not relaxable.lasting)

    def run(self) -> Prices:
        """Ask briefly about each constraint, then with the full time about those still open."""
        inquiry = self.inquiry
        answer = self._prices(0)
        # if the unconstrained optimum violates only a few constraints, it is also the optimum without just those
        inquiry.optimum([relaxable for relaxable in self.all if relaxable.lasting], seconds=STEP)
        for i in range(len(self.lines)):
            answer = self._ask(i, i + 1, STEP, len(self.lines) - i)
        still_open = [i for i, price in enumerate(answer.prices) if not price.proved]
        for n, i in enumerate(still_open if inquiry.step > STEP else ()):
            answer = self._ask(i, len(self.lines), math.inf, len(still_open) - n)
        return replace(answer, finished=True)

    def _ask(self, i: int, known: int, seconds: float, n_open: int) -> Prices:
        """Search without a line of constraints, in a fair share of the time, and report the first `known` prices."""
        inquiry = self.inquiry
        if not inquiry.over:
            inquiry.optimum(self._without(self.lines[i]), seconds=min(seconds, inquiry.left / n_open))
        answer = self._prices(known)
        self.tell(answer)
        return answer

    def _without(self, line: Sequence[RelaxableConstraint]) -> list[RelaxableConstraint]:
        return [other for other in self.all if other not in line]

    def _prices(self, known: int) -> Prices:
        """The first prices, as narrow as all answers so far permit."""
        inquiry, problem = self.inquiry, self.inquiry.problem
        whole = inquiry.recall(self.all)
        prices = []
        for line in self.lines[:known]:
            without = inquiry.recall(self._without(line))
            binds = None
            if whole.diagram is not None and len(line) == 1:
                binds = line[0].constraint.binds(whole.diagram, problem.dataset)
            least = None if whole.bound is None or without.cost is None else max(0, whole.bound - without.cost)
            most = None if whole.cost is None or without.bound is None else max(0, whole.cost - without.bound)
            wrong = _wrong(problem, without.diagram)
            words = words_of(line, problem)
            prices.append(Price(line, words, without.cost, without.bound, least, most, binds, wrong))
        seconds, evidence = inquiry.clock.elapsed, tuple(inquiry.evidence)
        wrong = _wrong(problem, whole.diagram)
        return Prices(tuple(prices), whole.cost, whole.bound, False, seconds, wrong, evidence)


def _wrong(problem: Problem, diagram: Diagram | None) -> tuple[float, ...] | None:
    """The weight of the misclassified rows per class; `None` without a model."""
    if diagram is None:
        return None
    data = problem.dataset
    wrong = diagram.predict(data) != data.y
    weight = None if data.weight is None else data.weight[wrong]
    return tuple(np.bincount(data.y[wrong], weight, data.n_classes).tolist())
