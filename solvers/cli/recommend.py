"""`recommend`: choose by nested cross-validation how large a tree should be, then find it on all rows."""

import sys
from collections.abc import Iterator
from dataclasses import replace

from ..errors import ShapeError
from ..metrics.recommended_size import Recommendation
from ..posing import kind_of, limits_of, method_of
from ..problem import Problem, ShapeKind
from ..request import Request
from ..run import solve
from ..run.json_types import to_json
from ..solution import Answered, EndReason
from ..sweeps.recommendation import RecommendSize
from ..words.recommendation import error_words, recommendation_words
from .app import Recommend
from .explain import answered
from .fit import print_chosen, stopped_by_interrupt
from .line import Line
from .table import pose_aloud


def run(asked: Recommend) -> int:
    """Carry out `recommend`; 0 where a size was chosen and its tree is verified, 1 elsewhere."""
    request = asked.request
    method, limits = method_of(request), limits_of(request)
    if kind_of(request) is not ShapeKind.TREE:
        raise ShapeError("A size can be recommended for trees only. Leave --shape out, or choose 'tree'.")
    free = Request(target=request.target)
    for size in ("max_depth", "max_leaf_nodes", "min_samples_leaf", "min_weight_leaf", "split_penalty"):
        if getattr(request, size) != getattr(free, size):
            word = size.replace("_", "-")
            raise ShapeError(f"'recommend' chooses the size itself. Leave --{word} out, or use 'fit'.")
    problem, test, *_ = pose_aloud(request, asked.data)
    task = RecommendSize(method, request.options, asked.folds, asked.repeats, asked.outer_folds)
    line, solution = Line(sys.stderr), None

    def progress(event: Answered) -> None:
        line.write(f"{event.answer.done} of {event.answer.of} folds, {event.elapsed:.0f} s")

    with stopped_by_interrupt() as stop:
        for_choice = replace(limits, seconds=asked.choice_time)
        answer: Recommendation = answered(task, problem, method, for_choice, stop, tell=progress)
    sized, choice = problem, answer.choice
    if choice is not None and stop.reason is not EndReason.STOPPED:
        sized = choice.posed(problem)
        own = {} if choice.greedy else request.options
        with stopped_by_interrupt() as stop:
            solution = solve(sized, choice.method, limits, stop=stop, options=own)
    line.clear()
    print_chosen(to_json(answer), lines(answer, problem), sized, solution, test, asked.json)
    return 0 if solution is not None and solution.verified else 1


def lines(answer: Recommendation, problem: Problem) -> Iterator[str]:
    """The table of sizes, and what is recommended."""
    if answer.candidates:
        yield f"{'trees':<10}{'leaves':>8}{'depth':>7}{'training':>14}{'validated':>14}{'std. error':>14}"
    for place, one in enumerate(answer.candidates):
        errors = [error_words(value, problem) for value in (one.train_error, one.mean, one.standard_error)]
        mark = "  recommended" if place == answer.chosen else ""
        kind = "greedy" if one.greedy else "optimal"
        yield f"{kind:<10}{one.n_leaves:>8}{one.depth:>7}{''.join(f'{text:>14}' for text in errors)}{mark}"
    yield from recommendation_words(answer, problem)
