"""Which skeleton and which price of a question to choose: by validation, as Florio et al. (2023), section 5.

Every pair of a skeleton and an alpha is tried on the same rows: a model is learned from one part of them and judged on
the other. The best pair is the one whose models get most rows right that they have not seen; of equally good ones the
one with fewer questions, because what explains as much with less is preferred.

Example
-------
>>> found = calibrate(problem, solver("odd-search"), Limits(seconds=None), step=5.0)  # doctest: +SKIP
>>> found.best.widths, found.best.alpha  # doctest: +SKIP
((1, 2, 4, 4, 4), 0.1)
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

from solvers.errors import ShapeError
from solvers.explain.answers import Calibration, Trial
from solvers.explain.inquiry import LEAST_SECONDS, Solve
from solvers.methods.search.clock import Clock
from solvers.metrics.verify import verified
from solvers.problem import Dataset, Limits, Problem, ShapeKind, holdout
from solvers.problem.skeleton import PRESETS, check_widths, objective_of
from solvers.solution import Solution, Status, Stop

SKELETONS = tuple(skeleton.widths for skeleton in PRESETS.values())
"""The skeletons of the paper."""

ALPHAS = (0.01, 0.1, 0.2, 0.5, 1.0)
"""The regularisation weights of the paper."""

VALIDATION = 1 / 3
"""The share of the rows that models are judged on: with a quarter held out for testing, the paper's 50, 25 and 25 %."""

STEP = 10.0
"""Seconds for each model."""


class _Case(NamedTuple):
    """A setting (its number), and the problem on the training rows of a division."""

    number: int
    problem: Problem
    validation: Dataset


def calibrate(  # noqa: PLR0913
    problem: Problem,
    solve: Solve,
    limits: Limits,
    stop: Stop | None = None,
    tell: Callable[[Calibration], None] | None = None,
    *,
    skeletons: Sequence[tuple[int, ...]] = SKELETONS,
    alphas: Sequence[float] = ALPHAS,
    share: float = VALIDATION,
    repeats: int = 1,
    step: float = STEP,
) -> Calibration:
    """Try every skeleton with every alpha on rows that are set apart.

    Parameters
    ----------
    problem : for diagrams; its rows are divided, its skeleton and price of questions give way to those of the sweep,
        and everything else stays as it is.
    limits : for the sweep as a whole; `limits.seed` decides how the rows are divided.
    tell : called with what is known so far, after each model.
    share : of the rows, those that models are judged on.
    repeats : how often the rows are divided anew; few rows need several divisions.
    step : seconds for each model.

    Raises
    ------
    ShapeError
        The problem is not for diagrams, a skeleton is impossible, or there is nothing to try.
    DataError
        There are too few rows to set some apart.
    """
    _check(problem, skeletons, alphas, repeats)
    clock, tell, stop = Clock(), tell or (lambda answer: None), stop or threading.Event()
    trials = [Trial(tuple(widths), float(alpha)) for widths, alpha in product(skeletons, alphas)]
    answer = Calibration(tuple(trials), repeats)
    tell(answer)
    for case in _cases(problem, trials, limits.seed, share, repeats):
        left = step if limits.seconds is None else min(step, limits.seconds - clock.elapsed)
        if stop.is_set() or left < LEAST_SECONDS:
            break
        solution = solve(case.problem, replace(limits, seconds=left), lambda event: None, stop)
        if solution.status is Status.CANCELLED or (stop.is_set() and solution.status is not Status.OPTIMAL):
            # a model that was not given its time says nothing about its setting
            break
        trials[case.number] = _judged(trials[case.number], case, verified(case.problem, solution))
        answer = replace(answer, trials=tuple(trials), seconds=clock.elapsed)
        tell(answer)
    return replace(answer, finished=True, seconds=clock.elapsed)


def _check(problem: Problem, skeletons: Sequence[tuple[int, ...]], alphas: Sequence[float], repeats: int) -> None:
    if problem.shape.kind is not ShapeKind.DIAGRAM:
        raise ShapeError(f"Skeletons are those of decision diagrams. Got the shape '{problem.shape.kind}'.")
    if not skeletons or not alphas:
        raise ShapeError("A calibration needs at least one skeleton and one alpha.")
    if repeats < 1:
        raise ShapeError(f"The rows must be divided at least once. Got {repeats}.")
    for widths in skeletons:
        check_widths(tuple(widths))


def _cases(problem: Problem, trials: Sequence[Trial], seed: int, share: float, repeats: int) -> Iterator[_Case]:
    """Every setting on every division of the rows, one division after the other."""
    for repeat in range(repeats):
        train, validation = holdout(problem.dataset, share, seed + repeat)
        for number, trial in enumerate(trials):
            shape = replace(problem.shape, widths=trial.widths)
            objective = objective_of(trial.alpha, train.total_weight, base=problem.objective)
            yield _Case(number, replace(problem, dataset=train, shape=shape, objective=objective), validation)


def _judged(trial: Trial, case: _Case, solution: Solution) -> Trial:
    """The trial with one model more; a model that fails its check counts as none."""
    diagram = solution.diagram if solution.verified else None
    if diagram is None:
        return replace(trial, failed=trial.failed + 1, seconds=trial.seconds + solution.seconds)
    train, validation = case.problem.dataset, case.validation
    return replace(
        trial,
        models=trial.models + 1,
        right=trial.right + int((diagram.predict(validation) == validation.y).sum()),
        total=trial.total + validation.n_samples,
        train_right=trial.train_right + int((diagram.predict(train) == train.y).sum()),
        train_total=trial.train_total + train.n_samples,
        questions=trial.questions + diagram.n_splits,
        proved=trial.proved + (solution.status is Status.OPTIMAL),
        seconds=trial.seconds + solution.seconds,
    )
