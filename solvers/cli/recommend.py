"""`recommend`: choose the size of a tree by nested cross-validation, then find it on all rows."""

import dataclasses
import sys
from collections.abc import Iterator

from ..errors import ShapeError
from ..messages.recommendation import describe_error, describe_recommendation
from ..metrics.recommended_size import Recommendation
from ..posing import kind_of, limits_of, method_of
from ..problem import Problem, ShapeKind
from ..request import Request
from ..run import solve, wire
from ..run.records import to_plain
from ..run.solver_run import Channel, carry_task
from ..solution import Answered, EndReason, Event
from ..study.recommendation import RecommendSize
from .app import Recommend
from .fit import result, summary
from .inputs import read_problem
from .terminal import Line, stopped_by_interrupt


def run(asked: Recommend) -> int:
    """Run `recommend`; returns 0 if a size was chosen and its model is verified, 1 if not."""
    request = asked.request
    if kind_of(request) is not ShapeKind.TREE:
        raise ShapeError("A size is recommended for trees only. Compare other shapes with 'sweep'.")
    free = Request(target=request.target)
    for size in ("max_depth", "max_leaf_nodes", "min_samples_leaf", "min_weight_leaf", "split_penalty"):
        if getattr(request, size) != getattr(free, size):
            option = size.replace("_", "-")
            raise ShapeError(f"'recommend' chooses the size itself. Leave --{option} out, or use 'fit'.")
    problem, test, *_ = read_problem(request, asked.data)
    method, line, solution = method_of(request), Line(sys.stderr), None
    task = RecommendSize(method, request.options, asked.folds, asked.repeats, asked.outer_folds)
    limits = dataclasses.replace(limits_of(request), seconds=asked.choice_time)

    def show(event: Event) -> None:
        if isinstance(event, Answered) and isinstance(event.answer, Recommendation):
            line.write(f"{event.answer.done} of {event.answer.of} folds, {event.elapsed:.0f} s")

    with stopped_by_interrupt() as stop:
        found: Recommendation = carry_task(task, problem, method, limits, Channel(show), stop, request.options)
    chosen, choice = problem, found.choice
    if choice is not None and stop.reason is not EndReason.STOPPED:
        chosen = choice.to_problem(problem)
        with stopped_by_interrupt() as stop:
            options = {} if choice.greedy else request.options
            solution = solve(chosen, choice.method, limits_of(request), stop=stop, options=options)
    line.clear()
    if asked.json:
        model = None if solution is None else result(chosen, solution, test)
        print(wire.dumps({**to_plain(found), "model": model}))
    else:
        print("\n".join(_lines(found, problem)))
        if solution is not None:
            print(f"\nOn all rows, with this size: {summary(chosen, solution, test)}")
    return 0 if solution is not None and solution.verified else 1


def _lines(found: Recommendation, problem: Problem) -> Iterator[str]:
    """The table of sizes, and the recommendation."""
    if found.candidates:
        yield f"{'trees':<10}{'leaves':>8}{'depth':>7}{'training':>14}{'validated':>14}{'std. error':>14}"
    for place, one in enumerate(found.candidates):
        errors = [describe_error(value, problem) for value in (one.train_error, one.mean, one.standard_error)]
        mark = "  recommended" if place == found.chosen else ""
        kind = "greedy" if one.greedy else "optimal"
        yield f"{kind:<10}{one.n_leaves:>8}{one.depth:>7}{''.join(f'{text:>14}' for text in errors)}{mark}"
    yield from describe_recommendation(found, problem)
