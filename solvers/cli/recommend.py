"""`recommend`: choose the size of a tree or decision diagram on rows set apart, then find it on all rows."""

import dataclasses
import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from ..errors import ShapeError
from ..metrics.recommended_size import Recommendation
from ..posing import kind_of, limits_of, method_of
from ..problem import Problem, ShapeKind
from ..problem.skeleton import objective_of
from ..request import Request
from ..run import StopFlag, solve
from ..run.json_types import to_json
from ..solution import EndReason
from ..sweeps.calibration import ALPHAS, SKELETONS, Setting, best, calibration, settings
from ..sweeps.recommendation import RecommendSize
from ..words.recommendation import error_words, recommendation_words
from .app import Recommend
from .explain import answered
from .fit import print_chosen, stopped_by_interrupt
from .line import Line
from .table import read_problem


class _Choice(NamedTuple):
    """What a comparison chose: the problem to solve, `None` for none, by which method, and what to print."""

    problem: Problem | None
    method: str
    options: Mapping[str, str]
    answer: dict[str, Any]
    lines: Iterable[str]
    complete: bool


def run(asked: Recommend) -> int:
    """Carry out `recommend`; 0 if a size was chosen and its model is verified, 1 otherwise."""
    request = asked.request
    kind = kind_of(request)
    if kind is ShapeKind.BDD:
        raise ShapeError("A size can be recommended for trees and decision diagrams. Choose another --shape.")
    free = Request(target=request.target)
    for size in ("max_depth", "max_leaf_nodes", "min_samples_leaf", "min_weight_leaf", "split_penalty", "skeleton"):
        if getattr(request, size) != getattr(free, size):
            raise ShapeError(
                f"'recommend' chooses the size itself. Leave --{size.replace('_', '-')} out, or use 'fit'."
            )
    if request.alpha is not None:
        raise ShapeError("'recommend' compares --alphas. Leave --alpha out, or use 'fit'.")
    problem, test, *_ = read_problem(request, asked.data)
    line, solution = Line(sys.stderr), None
    with stopped_by_interrupt() as stop:
        choice = (_tree if kind is ShapeKind.TREE else _diagram)(asked, problem, line, stop)
    if choice.problem is not None and stop.reason is not EndReason.STOPPED:
        with stopped_by_interrupt() as stop:
            solution = solve(choice.problem, choice.method, limits_of(request), stop=stop, options=choice.options)
    line.clear()
    print_chosen(choice.answer, choice.lines, choice.problem or problem, solution, test, asked.json)
    return 0 if choice.complete and solution is not None and solution.verified else 1


def _tree(asked: Recommend, problem: Problem, line: Line, stop: StopFlag) -> _Choice:
    """The size of a tree by nested cross-validation."""
    request, method = asked.request, method_of(asked.request)
    task = RecommendSize(method, request.options, asked.folds, asked.repeats, asked.outer_folds)
    limits = dataclasses.replace(limits_of(request), seconds=asked.choice_time)
    answer: Recommendation = answered(
        task,
        problem,
        method,
        limits,
        stop,
        tell=lambda event: line.write(f"{event.answer.done} of {event.answer.of} folds, {event.elapsed:.0f} s"),
    )
    lines, choice = _tree_lines(answer, problem), answer.choice
    if choice is None:
        return _Choice(None, method, {}, to_json(answer), lines, False)
    own = {} if choice.greedy else request.options
    return _Choice(choice.posed(problem), choice.method, own, to_json(answer), lines, True)


def _tree_lines(answer: Recommendation, problem: Problem) -> Iterator[str]:
    """The table of sizes, and what is recommended."""
    if answer.candidates:
        yield f"{'trees':<10}{'leaves':>8}{'depth':>7}{'training':>14}{'validated':>14}{'std. error':>14}"
    for place, one in enumerate(answer.candidates):
        errors = [error_words(value, problem) for value in (one.train_error, one.mean, one.standard_error)]
        mark = "  recommended" if place == answer.chosen else ""
        kind = "greedy" if one.greedy else "optimal"
        yield f"{kind:<10}{one.n_leaves:>8}{one.depth:>7}{''.join(f'{text:>14}' for text in errors)}{mark}"
    yield from recommendation_words(answer, problem)


def _diagram(asked: Recommend, problem: Problem, line: Line, stop: StopFlag) -> _Choice:
    """The skeleton and the alpha of a decision diagram by validation."""
    request, method = asked.request, method_of(asked.request)
    study = calibration(
        method,
        request.options,
        skeletons=asked.skeletons or SKELETONS,
        alphas=asked.alphas or ALPHAS,
        repeats=asked.repeats,
        step=math.inf if asked.time_per_model is None else asked.time_per_model,
    )
    results = study.results(
        problem,
        limits_of(replace(request, time_limit=None)),
        stop,
        lambda known: line.write(f"{known.done} of {known.of} models, {known.seconds:.0f} s"),
    )
    found, complete = settings(results), results.done == results.of
    chosen = best(found)
    answer = {
        "settings": [one._asdict() for one in found],
        "best": None if chosen is None else chosen._asdict(),
        "finished": complete,
    }
    sized = None
    if chosen is not None:
        objective = objective_of(chosen.alpha, problem.dataset.total_weight, base=problem.objective)
        shape = dataclasses.replace(problem.shape, widths=chosen.widths)
        sized = dataclasses.replace(problem, shape=shape, objective=objective)
    return _Choice(sized, method, request.options, answer, _diagram_lines(found, chosen), complete)


def _diagram_lines(found: Iterable[Setting], chosen: Setting | None) -> Iterator[str]:
    """The table of settings, and the best of them."""
    yield f"{'skeleton':<22}{'alpha':>7}{'held-out rows right':>21}{'training':>10}{'splits':>8}{'optimal':>9}"
    for one in found:
        setting = f"{' '.join(map(str, one.widths)):<22}{one.alpha:>7g}"
        if not one.models:
            yield f"{setting}{'no model':>21}"
            continue
        right = f"{one.right} of {one.total} ({one.right / one.total:.1%})"
        train, splits = f"{one.train_right / one.train_total:.1%}", f"{one.questions / one.models:.1f}"
        yield f"{setting}{right:>21}{train:>10}{splits:>8}{f'{one.proved}/{one.models}':>9}"
    if chosen is not None:
        yield f"Best: skeleton {' '.join(map(str, chosen.widths))}, alpha {chosen.alpha:g}."
