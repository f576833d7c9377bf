"""`calibrate`: try skeletons and prices of questions on rows that are set apart, then learn with the best of them."""

import dataclasses
import math
import sys
from collections.abc import Iterator

from msgspec.structs import replace

from ..errors import ShapeError
from ..posing import kind_of, limits_of, method_of
from ..problem import Problem, ShapeKind
from ..problem.skeleton import objective_of
from ..run import solve
from ..sweeps.calibration import ALPHAS, SKELETONS, Setting, best, calibration, settings
from ..sweeps.study import Results
from .app import Calibrate
from .fit import print_chosen, stopped_by_interrupt
from .line import Line
from .table import pose_aloud


def run(asked: Calibrate) -> int:
    """Carry out `calibrate`; 0 where every setting was tried and the last model is verified, 1 elsewhere."""
    whole = asked.request
    request = replace(whole, shape=whole.shape or "diagram", validation_share=None, time_limit=None)
    if kind_of(request) is not ShapeKind.DIAGRAM:
        raise ShapeError("A skeleton is that of a decision diagram. Leave --shape out, or choose 'diagram'.")
    single = {"skeleton": request.skeleton, "alpha": request.alpha, "max-depth": request.max_depth}
    for word, value in {**single, "split-penalty": request.split_penalty or None}.items():
        if value is not None:
            raise ShapeError(f"'calibrate' tries what --skeletons and --alphas name. Leave --{word} out.")
    # the comparison as a whole takes as long as its models
    method, limits = method_of(request), limits_of(request)
    study = calibration(
        method,
        request.options,
        skeletons=asked.skeletons or SKELETONS,
        alphas=asked.alphas or ALPHAS,
        share=whole.validation_share or 1 / 3,
        repeats=asked.repeats,
        step=math.inf if asked.time_per_model is None else asked.time_per_model,
    )
    problem, test, *_ = pose_aloud(request, asked.data)
    line, solution = Line(sys.stderr), None

    def progress(known: Results) -> None:
        line.write(f"{known.done} of {known.of} models, {known.seconds:.0f} s")

    with stopped_by_interrupt() as stop:
        results = study.results(problem, limits, stop, progress)
        found = settings(results)
        chosen_setting = best(found)
        if chosen_setting is not None and not stop.is_set():
            problem = with_setting(problem, chosen_setting)
            last = limits_of(replace(request, time_limit=asked.time_per_model))
            solution = solve(problem, method, last, stop=stop, options=request.options)
    line.clear()
    payload = {
        "settings": [one._asdict() for one in found],
        "best": None if chosen_setting is None else chosen_setting._asdict(),
        "finished": results.done == results.of,
    }
    print_chosen(payload, lines(results), problem, solution, test, asked.json)
    return 0 if results.done == results.of and solution is not None and solution.verified else 1


def with_setting(problem: Problem, trial: Setting) -> Problem:
    """The problem with the skeleton and the alpha of a setting, for all its rows."""
    objective = objective_of(trial.alpha, problem.dataset.total_weight, base=problem.objective)
    shape = dataclasses.replace(problem.shape, widths=trial.widths)
    return dataclasses.replace(problem, shape=shape, objective=objective)


def lines(results: Results) -> Iterator[str]:
    """The table of settings, and the best of them."""
    yield f"{'skeleton':<22}{'alpha':>7}{'unseen rows right':>20}{'training':>10}{'questions':>11}{'proved':>8}"
    found = settings(results)
    for trial in found:
        setting = f"{' '.join(map(str, trial.widths)):<22}{trial.alpha:>7g}"
        if not trial.models:
            yield f"{setting}{'no model':>20}"
            continue
        right = f"{trial.right} of {trial.total} ({trial.right / trial.total:.1%})"
        proved = f"{trial.proved}/{trial.models}"
        train = f"{trial.train_right / trial.train_total:.1%}"
        yield f"{setting}{right:>20}{train:>10}{trial.questions / trial.models:>11.1f}{proved:>8}"
    if (chosen_setting := best(found)) is not None:
        widths = " ".join(map(str, chosen_setting.widths))
        yield f"Best: skeleton {widths}, alpha {chosen_setting.alpha:g}."
    if results.done < results.of:
        yield f"The time was over after {results.done} of {results.of} models."
