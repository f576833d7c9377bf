"""`explain`: why constraints conflict, the price of each, and the cost at each limit of one."""

import math
from collections.abc import Iterator

from ..errors import ConstraintError, OptionError
from ..explain import (
    Conflict,
    ExplainConflict,
    PriceConstraints,
    Prices,
    Task,
    TradeConstraint,
    TradeOff,
)
from ..messages.explanations import (
    bounded_cost,
    describe_compromise,
    describe_nearest,
    describe_price,
    describe_rates,
    describe_split,
    repair_cost,
    whole_cost,
)
from ..posing import limits_of, method_of
from ..problem import Problem
from ..run import wire
from ..run.records import to_plain
from ..run.solver_run import Channel, carry_task
from .app import Explain
from .inputs import read_problem
from .terminal import stopped_by_interrupt

Explanation = Conflict | Prices | TradeOff

_SIZES = ("max-leaf-nodes", "max-splits", "min-samples-leaf", "min-weight-leaf", "max-depth")


def run(asked: Explain) -> int:
    """Run `explain`; returns 0 if the answer is complete, 1 if something is undecided."""
    if asked.prices and asked.trade_off is not None:
        raise OptionError("--prices and --trade-off exclude each other. Leave one of them out.")
    if asked.price is not None and (asked.trade_off is None or not 0 < asked.price < math.inf):
        raise OptionError("--price needs --trade-off, and a number above 0.")
    request, step = asked.request, math.inf if asked.time_per_model is None else asked.time_per_model
    task = PriceConstraints(step=step) if asked.prices else _task(asked.trade_off, step, asked.price)
    problem = read_problem(request, asked.data).problem
    with stopped_by_interrupt() as stop:
        limits, channel = limits_of(request), Channel(lambda event: None)
        answer = carry_task(task, problem, method_of(request), limits, channel, stop, request.options)
    found = answer.compromise if isinstance(answer, TradeOff) else None
    if asked.json:
        # the evidence is only for further calls within this program
        payload = {name: part for name, part in to_plain(answer).items() if name not in ("answer", "evidence")}
        if isinstance(answer, Conflict):
            payload["words"] = answer.words()
            for written, repair in zip(payload["repairs"], answer.repairs, strict=True):
                written["words"] = repair.words()
        if found is not None:
            payload["compromise"] = {**to_plain(found), "proved": found.proved}
        print(wire.dumps({**payload, "scale": problem.scale, "problem_id": problem.id}))
    else:
        print("\n".join(lines(answer, problem)))
        if found is not None:
            print(describe_compromise(found, problem))
    return 0 if (answer.explained if isinstance(answer, Conflict) else answer.decided) else 1


def _task(trade_off: str | None, step: float, price: float | None) -> Task:
    if trade_off is None:
        return ExplainConflict(step)
    if trade_off in _SIZES:
        return TradeConstraint(trade_off.replace("-", "_"), step, price=price)
    try:
        return TradeConstraint(int(trade_off) - 1, step, price=price)
    except ValueError:
        raise ConstraintError(
            f"'{trade_off}' is not a constraint. Enter its number in the file, from 1, or one of {', '.join(_SIZES)}."
        ) from None


def lines(answer: Explanation, problem: Problem) -> Iterator[str]:
    """The answer as lines of text."""
    match answer:
        case Conflict():
            yield answer.words()
            for part in answer.parts:
                near = describe_nearest(part, answer.finished)
                yield f"  {part.relaxable.words}{f'; {near}' if near else ''}"
            if answer.rates is not None:
                yield "Possible at this depth, whatever the other constraints:"
                yield from (f"  {describe_rates(point, answer.rates)}" for point in answer.rates.points)
            for relaxables in answer.further:
                yield f"These also cannot hold together: {'; '.join(relaxable.words for relaxable in relaxables)}."
            if answer.offered:
                yield "Possible changes:"
            yield from (f"  {repair.words()} Then {repair_cost(repair, problem)}." for repair in answer.offered)
            yield from answer.notes
        case Prices():
            yield whole_cost(answer, problem)
            for price in answer.prices:
                split = describe_split(price, answer, problem)
                words = f"{price.words}: saves {describe_price(price, problem)}{f' ({split})' if split else ''}"
                binds = "" if price.binds is None else ", binding" if price.binds else ", with slack"
                yield f"  {words}; without it {bounded_cost(price, problem)}{binds}"
        case TradeOff():
            yield f"Cost of each limit. Current limit: {answer.relaxable.words}."
            yield from (f"  {point.words}: {bounded_cost(point, problem)}" for point in answer.points)
            if answer.impossible is not None:
                limit = answer.relaxable.constraint.show(answer.impossible)
                yield f"  {answer.label} {limit}: impossible"
            yield from answer.notes
