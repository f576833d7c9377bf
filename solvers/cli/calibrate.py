"""`calibrate`: try skeletons and prices of questions on rows that are set apart, then learn with the best of them."""

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
from solvers.explain import Calibrate, Calibration, Trial
from solvers.explain.calibration import ALPHAS, SKELETONS
from solvers.problem import Problem, ShapeKind
from solvers.problem.skeleton import objective_of, read_widths
from solvers.run import solve
from solvers.run.json_types import to_json
from solvers.solution import Answered


def run(options: argparse.Namespace) -> int:
    """Carry out `calibrate`; 0 where every setting was tried and the last model is verified, 1 elsewhere."""
    method, limits = method_of(options), limits_of(options)
    if kind_of(options, method) is not ShapeKind.DIAGRAM:
        raise ShapeError("A skeleton is that of a decision diagram. Leave --shape out, or choose 'diagram'.")
    single = {"skeleton": options.skeleton, "alpha": options.alpha, "max-depth": options.max_depth}
    for word, value in {**single, "split-cost": options.split_cost or None}.items():
        if value is not None:
            raise ShapeError(f"What is to be tried is said with --skeletons and --alphas. Leave --{word} out.")
    skeletons = SKELETONS if options.skeletons is None else tuple(map(read_widths, options.skeletons))
    step = float("inf") if options.step is None else options.step
    task = Calibrate(skeletons, options.alphas or ALPHAS, options.validation, options.repeats, step)
    problem, test, *_ = Request.of(options).pose_aloud(options.data)
    line, solution = Line(sys.stderr), None

    def progress(event: Answered) -> None:
        known: Calibration = event.answer
        line.write(f"{known.done} of {len(known.trials) * known.repeats} models, {event.elapsed:.0f} s")

    with stopped_by_interrupt() as stop:
        answer: Calibration = answered(task, problem, method, limits, stop, chosen(options), progress)
        if answer.best is not None and not stop.is_set():
            problem = with_setting(problem, answer.best)
            solution = solve(problem, method, replace(limits, seconds=options.step), stop=stop, options=chosen(options))
    line.clear()
    payload = to_json(answer) | {"best": to_json(answer.best)}
    print_chosen(payload, lines(answer), problem, solution, test, options.json)
    return 0 if answer.complete and solution is not None and solution.verified else 1


def with_setting(problem: Problem, trial: Trial) -> Problem:
    """The problem with the skeleton and the alpha of a trial, for all its rows."""
    objective = objective_of(trial.alpha, problem.dataset.total_weight, base=problem.objective)
    return replace(problem, shape=replace(problem.shape, widths=trial.widths), objective=objective)


def lines(answer: Calibration) -> Iterator[str]:
    """The table of settings, and the best of them."""
    yield f"{'skeleton':<22}{'alpha':>7}{'unseen rows right':>20}{'training':>10}{'questions':>11}{'proved':>8}"
    for trial in answer.trials:
        setting = f"{' '.join(map(str, trial.widths)):<22}{trial.alpha:>7g}"
        if not trial.models:
            yield f"{setting}{'no model' if trial.failed else 'not tried':>20}"
            continue
        right = f"{trial.right} of {trial.total} ({trial.accuracy:.1%})"
        proved = f"{trial.proved}/{trial.models}"
        yield f"{setting}{right:>20}{trial.train_accuracy:>10.1%}{trial.mean_questions:>11.1f}{proved:>8}"
    if answer.best is not None:
        widths = " ".join(map(str, answer.best.widths))
        yield f"Best: skeleton {widths}, alpha {answer.best.alpha:g}."
    if not answer.complete:
        yield f"{answer.done} of {len(answer.trials) * answer.repeats} models were sought until the end of the time."
