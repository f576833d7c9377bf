"""Tables and sentences about a sweep: its plan, progress and results. Does not import Streamlit."""

import math
from typing import NamedTuple

import pandas as pd

from components.messages.text import count
from solvers.errors import EspalierError
from solvers.methods import registry
from solvers.metrics.words import duration
from solvers.problem import Problem
from solvers.settings import Settings
from solvers.study.resamples import folds
from solvers.study.study import Study, StudyProgress

_SPARE_SECONDS = 300.0
"""Seconds that a sweep may take beyond the limits of its models, for starting processes and verification."""


class Planned(NamedTuple):
    """The number of models of a sweep, the methods that support none of the sizes, and why it cannot start."""

    models: int
    left_out: tuple[str, ...]
    trouble: str


def plan_sweep(problem: Problem, task: Study) -> Planned:
    """The plan of a sweep of a problem."""
    try:
        if task.folds:
            # only the first partition of the rows: if it is rejected, so are the others
            next(iter(folds(problem.dataset, task.folds, 1, task.seed)))
        cells = task.cells(problem)
    except EspalierError as error:
        return Planned(0, (), str(error))
    taken = {job.method for job, _ in cells}
    left_out = tuple(registry.get(name).title for name in task.methods if name not in taken)
    if not task.methods:
        return Planned(0, (), "Choose at least one method.")
    if not cells:
        return Planned(0, left_out, "Choose a depth, a number of leaves, or a split penalty.")
    return Planned(len(cells) * task.n_parts(problem.dataset), left_out, "")


def most_seconds(models: int, task: Study) -> float:
    """The maximum time of the models of a sweep, in seconds; for a cluster, as if it had one worker."""
    return math.ceil(models / (1 if task.scheduler else max(1, task.workers))) * task.longest


def allowance(models: int, task: Study) -> float:
    """The time limit of a sweep as a whole, in seconds."""
    return most_seconds(models, task) + _SPARE_SECONDS


def plan_sentence(plan: Planned, task: Study, chosen: Settings) -> str:
    """The number of models and their maximum time."""
    if plan.trouble:
        return plan.trouble
    most = duration(most_seconds(plan.models, task))
    where = f"at most {most} of computing on the cluster" if task.scheduler else f"at most {most} in all"
    sentence = f"{count(plan.models, 'model')}, each at most {task.longest:g} s; {where}."
    if chosen.max_seconds is not None and allowance(plan.models, task) > chosen.max_seconds:
        sentence += f" Your administrator limits a sweep to {duration(chosen.max_seconds)}; you can then continue it."
    if plan.left_out:
        sentence += f" No chosen size fits {', '.join(plan.left_out)}."
    return sentence


def title(task: Study, constraints: int) -> str:
    """One line about a sweep: methods, sizes, rows, constraints."""
    parts = [", ".join(registry.get(name).title for name in task.methods if name in registry.names())]
    for noun, values in (("depth", task.depths), ("leaves", task.leaves), ("alpha", task.alphas)):
        if values:
            parts.append(f"{noun} {', '.join(f'{value:g}' for value in values)}")
    if task.folds:
        parts.append(f"{task.folds} folds" + (f", {task.repeats} times" if task.repeats > 1 else ""))
    else:
        parts.append(count(task.samples, "bootstrap sample") if task.samples else "all training rows")
    if constraints:
        parts.append(f"{task.constrained} constraints")
    return "; ".join(parts)


def progress_of(table: pd.DataFrame, of: int, known: StudyProgress | None) -> StudyProgress:
    """The last report of the worker, or what the table shows if no worker is running; `of` is the number of jobs."""
    if known is not None and known.of:
        return known
    return StudyProgress(len(table), 0 if table.empty else int(table["error"].notna().sum()), 0, of)
