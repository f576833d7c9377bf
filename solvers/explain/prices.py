"""The price of each constraint: how much cheaper the best tree would be without it."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from ..diagram import Diagram
from ..problem import Limits, Problem
from ..solution import Solution, Stop
from .answers import Price, Prices
from .evidence import KnownResult
from .inquiry import STEP, Inquiry, Solve
from .relaxable import relaxables_of


def price(
    problem: Problem,
    solution: Solution | None,
    solve: Solve,
    limits: Limits | None = None,
    stop: Stop | None = None,
    tell: Callable[[Prices], None] | None = None,
    step: float = STEP,
    known: Iterable[KnownResult] = (),
) -> Prices:
    """Compute the price of every constraint that can be dropped.

    Parameters
    ----------
    problem, solve, limits, stop, step, known : see `Inquiry`; the limits apply to all prices together.
    solution : the verified result under all constraints; with `None`, the problem is solved first.
    tell : callback after each price, with the prices so far. If `stop` ends the search, the last of them is the answer.

    Raises
    ------
    UnsupportedError
        The solver does not support this problem.
    """
    own = None if solution is None else KnownResult.of(problem, solution)
    inquiry = Inquiry(problem, solve, limits, stop, step, [*known, *([own] if own else [])])
    relaxables = relaxables_of(problem)
    whole = inquiry.recall(relaxables)
    if own is None or whole.diagram is None:
        whole = inquiry.optimum(relaxables)
    wrong = _wrong(problem, whole.diagram)
    answer = Prices((), whole.cost, whole.bound, finished=False, wrong=wrong)
    # if the unconstrained optimum violates only a few constraints, it is also the optimum without just those
    inquiry.optimum([relaxable for relaxable in relaxables if relaxable.lasting])
    for relaxable in relaxables:
        if relaxable.lasting:
            continue
        others = [other for other in relaxables if other is not relaxable]
        without = inquiry.optimum(others)
        binds = None if whole.diagram is None else relaxable.constraint.binds(whole.diagram, problem.dataset)
        # bounds of the saved cost
        least = None if whole.bound is None or without.cost is None else max(0, whole.bound - without.cost)
        most = None if whole.cost is None or without.bound is None else max(0, whole.cost - without.bound)
        priced = Price(relaxable, without.cost, without.bound, least, most, binds, _wrong(problem, without.diagram))
        evidence = tuple(inquiry.evidence)
        answer = replace(answer, prices=(*answer.prices, priced), seconds=inquiry.clock.elapsed, evidence=evidence)
        if tell is not None:
            tell(answer)
    return replace(answer, finished=True, seconds=inquiry.clock.elapsed, evidence=tuple(inquiry.evidence))


def _wrong(problem: Problem, diagram: Diagram | None) -> tuple[float, ...] | None:
    """The weight of the misclassified rows per class; `None` without a model."""
    if diagram is None:
        return None
    data = problem.dataset
    wrong = diagram.predict(data) != data.y
    weight = None if data.weight is None else data.weight[wrong]
    return tuple(np.bincount(data.y[wrong], weight, data.n_classes).tolist())
