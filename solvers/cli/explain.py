"""`explain`: why constraints cannot hold together, what each of them costs, and what each limit of one would cost."""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..errors import ConstraintError, OptionError
from ..explain import (
    Conflict,
    ExplainConflict,
    Part,
    Point,
    Price,
    PriceConstraints,
    Prices,
    Repair,
    Task,
    TradeConstraint,
    TradeOff,
)
from ..posing import limits_of, method_of
from ..problem import Limits, Problem
from ..run import StopFlag, wire
from ..run.json_types import to_json
from ..run.solver_run import Channel, carry_task
from ..solution import Answered, Event
from ..words import changed_mistakes
from .app import Explain
from .fit import stopped_by_interrupt, units
from .table import read_problem

Explanation = Conflict | Prices | TradeOff

_SIZES = ("max-leaf-nodes", "max-splits", "min-samples-leaf", "min-weight-leaf", "max-depth")


def run(asked: Explain) -> int:
    """Carry out `explain`; 0 where the answer is complete, 1 where something was not decided."""
    if asked.prices and asked.trade_off is not None:
        raise OptionError("--prices and --trade-off ask two questions. Leave one of them out.")
    request, step = asked.request, math.inf if asked.time_per_model is None else asked.time_per_model
    task = PriceConstraints(step=step) if asked.prices else _task(asked.trade_off, step)
    problem = read_problem(request, asked.data).problem
    with stopped_by_interrupt() as stop:
        answer = answered(task, problem, method_of(request), limits_of(request), stop, request.options)
    if asked.json:
        # the evidence is for another call in this program
        payload = {name: part for name, part in to_json(answer).items() if name != "evidence"}
        if isinstance(answer, Conflict):
            payload["words"] = answer.words()
            for written, repair in zip(payload["repairs"], answer.repairs, strict=True):
                written["words"] = repair.words()
        print(wire.dumps({**payload, "scale": problem.scale, "problem_id": problem.id}))
    else:
        print("\n".join(lines(answer, problem)))
    return 0 if (answer.explained if isinstance(answer, Conflict) else answer.decided) else 1


def answered(
    task: Task,
    problem: Problem,
    method: str,
    limits: Limits,
    stop: StopFlag,
    options: Mapping[str, str] | None = None,
    tell: Callable[[Answered], None] = lambda event: None,
) -> Any:
    """The answer of a task in this process, by a method with these options; `tell` takes what is known on the way."""
    last: Answered | None = None

    def hear(event: Event) -> None:
        nonlocal last
        if isinstance(event, Answered):
            last = event
            tell(event)

    carry_task(task, problem, method, limits, Channel(hear), stop, options)
    assert last is not None, "a task ends with its answer"
    return last.answer


def _task(trade_off: str | None, step: float) -> Task:
    if trade_off is None:
        return ExplainConflict(step)
    if trade_off in _SIZES:
        return TradeConstraint(trade_off.replace("-", "_"), step)
    try:
        return TradeConstraint(int(trade_off) - 1, step)
    except ValueError:
        raise ConstraintError(
            f"'{trade_off}' is no constraint. Give its number in the file, from 1 on, or one of {', '.join(_SIZES)}."
        ) from None


def lines(answer: Explanation, problem: Problem) -> Iterator[str]:
    """The answer for a reader."""
    match answer:
        case Conflict():
            yield from _conflict(answer, problem)
        case Prices():
            yield from _prices(answer, problem)
        case TradeOff():
            yield from _trade_off(answer, problem)


def _conflict(answer: Conflict, problem: Problem) -> Iterator[str]:
    yield answer.words()
    for part in answer.parts:
        yield f"  {part.relaxable.words}{_nearest(part)}"
    for relaxables in answer.further:
        yield f"Nor can these hold together: {'; '.join(relaxable.words for relaxable in relaxables)}."
    if answer.repairs:
        yield "What can be done:"
    for repair in answer.repairs:
        yield f"  {repair.words()} Then the best {problem.shape.kind.noun} costs {_cost(repair, problem)}."
    yield from answer.notes


def _nearest(part: Part) -> str:
    if part.nearest is None:
        return "; no weaker form of it will do" if part.proved else ""
    proof = "the nearest that the others allow" if part.proved else "possible, but perhaps not the nearest"
    return f"; {proof}: {part.nearest.words}"


def _cost(priced: Repair | Point, problem: Problem) -> str:
    cost = units(priced.cost, problem)
    if priced.proved:
        return cost
    return f"at most {cost}" + ("" if priced.bound is None else f", at least {units(priced.bound, problem)}")


def _prices(answer: Prices, problem: Problem) -> Iterator[str]:
    noun = problem.shape.kind.noun
    if answer.cost is None:
        yield f"No {noun} that satisfies all constraints was found."
    else:
        proof = "" if answer.cost == answer.bound else " (not proved to be the least)"
        yield f"Under all constraints the best {noun} costs {units(answer.cost, problem)}{proof}."
    for price in answer.prices:
        binds = "" if price.binds is None else " It binds." if price.binds else " It has room."
        split = changed_mistakes(answer.wrong, price.wrong, problem.dataset)
        mistakes = f" Without it: {split}." if split else ""
        yield f"  {price.relaxable.words}: {_price(price, problem)}.{mistakes}{binds}"


def _price(price: Price, problem: Problem) -> str:
    least, most = price.saved_least, price.saved_most
    if price.cost is None and most is None:
        return "not decided in time"
    known_cost = "none was found without it" if price.cost is None else f"without it {units(price.cost, problem)}"
    if least is not None and price.proved:
        return f"{known_cost}, a saving of {units(least, problem)}"
    ends = [f"at least {units(least, problem)}"] if least is not None else []
    ends += [f"at most {units(most, problem)}"] if most is not None else []
    return f"{known_cost}, a saving of {' and '.join(ends)}" if ends else known_cost


def _trade_off(answer: TradeOff, problem: Problem) -> Iterator[str]:
    yield f"What each limit costs; asked for is: {answer.relaxable.words}."
    for point in answer.points:
        yield f"  {point.words}: {_cost(point, problem)}"
    if answer.impossible is not None:
        limit = answer.relaxable.constraint.show(answer.impossible)
        yield f"  {answer.label} {limit}: impossible"
    yield from answer.notes
