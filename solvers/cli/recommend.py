"""`recommend`: choose by nested cross-validation how large a tree should be, then find it on all rows."""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace

from solvers.cli.explain import answered
from solvers.cli.fit import limits_of, print_chosen, stopped_by_interrupt
from solvers.cli.line import Line
from solvers.cli.request import Request
from solvers.cli.shapes import chosen, kind_of, method_of
from solvers.errors import ShapeError
from solvers.metrics.recommended_size import Recommendation
from solvers.problem import Problem, ShapeKind
from solvers.run import solve
from solvers.run.json_types import to_json
from solvers.solution import Answered, EndReason
from solvers.sweeps.recommendation import RecommendSize
from solvers.words.recommendation import error_words, recommendation_words


def run(options: argparse.Namespace) -> int:
    """Carry out `recommend`; 0 where a size was chosen and its tree is verified, 1 elsewhere."""
    method, limits = method_of(options), limits_of(options)
    if kind_of(options, method) is not ShapeKind.TREE:
        raise ShapeError("A size can be recommended for trees only. Leave --shape out, or choose 'tree'.")
    sizes = {
        "max-depth": options.max_depth is not None,
        "max-leaf-nodes": options.max_leaf_nodes is not None,
        "min-samples-leaf": options.min_samples_leaf != 1,
        "min-weight-leaf": bool(options.min_weight_leaf),
        "split-cost": bool(options.split_cost),
    }
    for word in (word for word, given in sizes.items() if given):
        raise ShapeError(f"'recommend' chooses the size itself. Leave --{word} out, or use 'fit'.")
    problem, test, *_ = Request.of(options).pose_aloud(options.data)
    task = RecommendSize(method, chosen(options), options.folds, options.repeats, options.outer_folds)
    line, solution = Line(sys.stderr), None

    def progress(event: Answered) -> None:
        line.write(f"{event.answer.done} of {event.answer.of} folds, {event.elapsed:.0f} s")

    with stopped_by_interrupt() as stop:
        for_choice = replace(limits, seconds=options.choice_time)
        answer: Recommendation = answered(task, problem, method, for_choice, stop, tell=progress)
    sized, choice = problem, answer.choice
    if choice is not None and stop.reason is not EndReason.STOPPED:
        sized = choice.posed(problem)
        own = {} if choice.greedy else chosen(options)
        with stopped_by_interrupt() as stop:
            solution = solve(sized, choice.method, limits, stop=stop, options=own)
    line.clear()
    print_chosen(to_json(answer), lines(answer, problem), sized, solution, test, options.json)
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
