"""A sweep in words and figures: what it will try, how far it is, and what its models come to. No Streamlit in here."""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import pandas as pd

from components.words.text import count, method_title, percent, seconds, storage, when
from solvers.errors import EspalierError
from solvers.methods import registry
from solvers.metrics.intervals import wilson
from solvers.problem import Problem
from solvers.run.folder import bytes_in
from solvers.settings import Settings
from solvers.sweeps.folder import Constrained, RunSweep, StoredSweep, SweepProgress
from solvers.sweeps.resamples import folds

_PROVED = ("optimal", "infeasible")
_SPARE_SECONDS = 300.0
"""What a sweep may take beyond the limits of its models, for starting processes and for checking."""


class Planned(NamedTuple):
    """How many models a sweep makes, the methods that take none of the sizes, and why it cannot be started."""

    models: int
    left_out: tuple[str, ...]
    trouble: str


def planned(problem: Problem, task: RunSweep) -> Planned:
    """What a sweep of a problem will take."""
    try:
        if task.folds:
            # asked for the first part only, which is refused where the others would be
            next(iter(folds(problem.dataset, task.folds, 1, task.seed)))
        cells = task.cells(problem)
    except EspalierError as error:
        return Planned(0, (), str(error))
    taken = {cell.job.method for cell in cells}
    left_out = tuple(registry.get(name).title for name in task.methods if name not in taken)
    if not task.methods:
        return Planned(0, (), "Choose at least one method.")
    if not cells:
        return Planned(0, left_out, "Choose a size: a depth or a number of leaves, or a price for decision diagrams.")
    return Planned(len(cells) * task.n_parts(problem.dataset), left_out, "")


def most_seconds(models: int, task: RunSweep) -> float:
    """The longest that the models of a sweep can take, in seconds; on a cluster as if it had one worker."""
    at_once = 1 if task.scheduler else task.workers
    return math.ceil(models / at_once) * task.step


def allowance(models: int, task: RunSweep) -> float:
    """The time limit of a sweep as a whole, in seconds."""
    return most_seconds(models, task) + _SPARE_SECONDS


def plan_sentence(plan: Planned, task: RunSweep, chosen: Settings) -> str:
    """How many models there will be, and the most that they can take."""
    if plan.trouble:
        return plan.trouble
    most = most_seconds(plan.models, task)
    each = f"{count(plan.models, 'model')}, each in at most {task.step:g} s"
    if task.scheduler:
        sentence = f"{each}, on the cluster: {long(most)} of computing at most."
    else:
        sentence = f"{each}, {count(task.workers)} at once: {long(most)} at most."
    if chosen.max_seconds is not None and allowance(plan.models, task) > chosen.max_seconds:
        sentence += f" It is stopped after {long(chosen.max_seconds)}, which is the limit here, and can then go on."
    if plan.left_out:
        sentence += f" None of the sizes fits {', '.join(plan.left_out)}."
    return sentence


def long(value: float) -> str:
    """A duration that may be hours."""
    if value < 60:
        return f"{math.ceil(value)} s"
    if value < 3600:
        return seconds(value) if value >= 100 else f"1 min {int(value) - 60:02d} s"
    return f"{int(value) // 3600} h {int(value) % 3600 // 60:02d} min"


def title(task: RunSweep, constrained: Constrained, constraints: int) -> str:
    """A sweep in a line: methods, sizes, rows, constraints."""
    parts = [", ".join(registry.get(name).title for name in task.methods if name in registry.names())]
    for noun, values in (("depth", task.depths), ("leaves", task.leaves), ("alpha", task.alphas)):
        if values:
            parts.append(f"{noun} {', '.join(f'{value:g}' for value in values)}")
    parts.append(rows_words(task))
    if constraints:
        parts.append(f"{constrained} constraints")
    return "; ".join(parts)


def rows_words(task: RunSweep) -> str:
    """The parts of the rows in a few words."""
    if task.folds:
        return f"{task.folds} folds" + (f", {task.repeats} times" if task.repeats > 1 else "")
    return count(task.samples, "sample") if task.samples else "all rows"


def trashed_lines(found: Sequence[StoredSweep], constraints: int, now: datetime) -> pd.DataFrame:
    """What is in the trash of a run as a table, a row a sweep; `constraints` is how many the run has."""
    rows = [
        (when(one.deleted or now, now), title(one.task, one.constrained, constraints), storage(bytes_in(one.path)))
        for one in found
    ]
    return pd.DataFrame(rows, columns=["Deleted", "Sweep", "Storage"])


class ShownProgress(NamedTuple):
    """How far a sweep is: the share of its jobs that have ended, this in words, and whether all have."""

    share: float
    words: str
    complete: bool


def progress(table: pd.DataFrame, of: int, known: SweepProgress | None = None, elapsed: float = 0.0) -> ShownProgress:
    """How far a sweep of `of` jobs is (0: not known yet), by the table of those that have ended.

    `known` is what its worker said last, `None` where none is at work, and `elapsed` the seconds on its clock now.
    """
    done = len(table)
    failed = 0 if table.empty else int(table["error"].notna().sum())
    if known is not None and known.of:
        # while failed ones are tried again their old lines are in the table
        done, failed = known.done, known.failed
    if not of:
        return ShownProgress(0.0, "The sweep has not begun.", False)
    words = f"{count(done)} of {count(of, 'model')} done"
    words += f", {count(failed)} failed" if failed else ""
    if known is not None and known.running:
        words += f", {count(known.running)} at work"
    if known is not None and known.left is not None:
        left = max(0.0, known.left - max(0.0, elapsed - known.seconds))
        words += f", about {long(left)} left" if left >= 1 else ", nearly there"
    return ShownProgress(min(1.0, done / of), f"{words}.", done >= of)


class Share(NamedTuple):
    """Wrong rows over the parts: mean share, deviation, and from where to where.

    `deviation` is `None` for a single part, whose `low` and `high` are the 95 % interval (Wilson); for several parts
    these are the lowest and the highest share.
    """

    mean: float
    deviation: float | None
    low: float
    high: float


class SweepLine(NamedTuple):
    """What the models of one method, size and constraints come to.

    Attributes
    ----------
    cell : tells the lines apart; method, size and constraints, but not the rows.
    method, size, constraints : in words; `constraints` is '' for problems without any.
    models, failed, proved : how many there are, could not be made, and are proved.
    unseen, train : wrong on rows that the models had not seen, and on those that they had; `None` without a model.
    questions : of a model, on average.
    seconds : of all together.
    keys : of the jobs.
    """

    cell: str
    method: str
    size: str
    constraints: str
    models: int
    failed: int
    proved: int
    unseen: Share | None
    train: Share | None
    questions: float | None
    seconds: float
    keys: tuple[str, ...]


def lines(table: pd.DataFrame, constraints: int) -> tuple[SweepLine, ...]:
    """The lines of a sweep in the order of its table; `constraints` is how many the run has."""
    if table.empty:
        return ()
    return tuple(_line(str(cell), part, constraints) for cell, part in table.groupby("cell", sort=False))


def _line(cell: str, part: pd.DataFrame, constraints: int) -> SweepLine:
    first, made = part.iloc[0], part[part["train_errors"].notna()]
    judged = made[made["test_errors"].notna()]
    name = first["method"]
    return SweepLine(
        cell=cell,
        method=method_title(str(name)),
        size=size_words(first.to_dict()),
        # the table of a sweep has its older word for constraints
        constraints="" if not constraints else "with" if first["constraints"] else "without",
        models=len(part),
        failed=int(part["error"].notna().sum()),
        proved=int(part["status"].isin(_PROVED).sum()),
        unseen=_share(judged["test_errors"], judged["test_rows"]),
        train=_share(made["train_errors"], made["rows"]),
        questions=None if made.empty else float(made["questions"].astype(float).mean()),
        seconds=float(part["seconds"].sum()),
        keys=tuple(part["key"]),
    )


def _share(errors: pd.Series, rows: pd.Series) -> Share | None:
    wrong, of = errors.astype(float), rows.astype(float)
    if wrong.empty:
        return None
    shares = wrong / of
    if len(shares) == 1:
        return Share(float(shares.iloc[0]), None, *wilson(float(shares.iloc[0]), float(of.iloc[0])))
    return Share(float(shares.mean()), float(shares.std(ddof=1)), float(shares.min()), float(shares.max()))


def size_words(row: Mapping[str, Any]) -> str:
    """The size of a line of the table in words."""
    if row["shape"] == "diagram":
        return f"layers {row['widths']}, alpha {row['alpha']:g}"
    if row["shape"] == "bdd":
        return count(int(row["depth"]), "level")
    if row["max_leaf_nodes"] is not None and not pd.isna(row["max_leaf_nodes"]):
        return f"{int(row['max_leaf_nodes'])} leaves, depth {int(row['depth'])}"
    return f"depth {int(row['depth'])}"


def summary(found: Sequence[SweepLine]) -> pd.DataFrame:
    """The lines as a table for the screen; shares in per cent, so that it can be sorted by them."""
    several = any(line.models > 1 for line in found)
    frame = pd.DataFrame(
        {
            "method": [line.method for line in found],
            "size": [line.size for line in found],
            "constraints": [line.constraints or None for line in found],
            "models": [line.models for line in found],
            "% wrong, unseen rows": [_percent(line.unseen, "mean") for line in found],
            "deviation": [_percent(line.unseen, "deviation") for line in found],
            "from" if several else "95 % from": [_percent(line.unseen, "low") for line in found],
            "to": [_percent(line.unseen, "high") for line in found],
            "% wrong, training": [_percent(line.train, "mean") for line in found],
            "questions": [None if line.questions is None else round(line.questions, 1) for line in found],
            "proved": [line.proved for line in found],
            "failed": [line.failed for line in found],
            "seconds": [round(line.seconds, 2) for line in found],
        }
    )
    idle = [] if several else ["models", "deviation"]
    idle += [] if any(line.failed for line in found) else ["failed"]
    return frame.drop(columns=idle).dropna(axis="columns", how="all")


def _percent(share: Share | None, name: str) -> float | None:
    value = None if share is None else getattr(share, name)
    return None if value is None else round(100 * value, 2)


def verdict(found: Sequence[SweepLine]) -> str:
    """The best line on rows that the models had not seen, in a sentence; '' where none was judged."""
    judged = [(line.unseen, line) for line in found if line.unseen is not None]
    if not judged:
        return ""
    unseen, best = min(judged, key=lambda pair: (pair[0].mean, pair[1].questions or 0))
    constraints = f", {best.constraints} constraints" if best.constraints else ""
    sentence = f"Fewest errors on unseen rows: {best.method}, {best.size}{constraints}, {percent(unseen.mean)} wrong"
    if unseen.deviation is not None:
        sentence += f" on average over {count(best.models)} parts (standard deviation {percent(unseen.deviation)})."
    else:
        sentence += f" (95 % interval {percent(unseen.low)} to {percent(unseen.high)})."
    return sentence + (" The best of several is partly so by luck." if len(judged) > 1 else "")


class Fault(NamedTuple):
    """A reason why models are missing, how many it cost, and the first of them."""

    reason: str
    jobs: int
    first: str


def faults(table: pd.DataFrame) -> tuple[Fault, ...]:
    """Why jobs failed, the commonest reason first."""
    if table.empty or table["error"].isna().all():
        return ()
    failed = table[table["error"].notna()]
    found = [Fault(str(reason), len(part), str(part["key"].iloc[0])) for reason, part in failed.groupby("error")]
    return tuple(sorted(found, key=lambda fault: -fault.jobs))


class SweepPoint(NamedTuple):
    """A line as a point: questions, per cent wrong on unseen and on training rows, and whether all is proved."""

    line: SweepLine
    questions: float
    unseen: float | None
    train: float
    proved: bool


class Series(NamedTuple):
    """The points of a method, with or without constraints, small ones first."""

    name: str
    method: str
    constrained: bool
    dots: tuple[SweepPoint, ...]


def series(found: Sequence[SweepLine]) -> tuple[Series, ...]:
    """What the chart draws."""
    by_name: dict[tuple[str, str], list[SweepPoint]] = {}
    for line in found:
        if line.train is not None and line.questions is not None:
            unseen = None if line.unseen is None else 100 * line.unseen.mean
            dot = SweepPoint(line, line.questions, unseen, 100 * line.train.mean, line.proved == line.models)
            by_name.setdefault((line.method, line.constraints), []).append(dot)
    return tuple(
        Series(
            method + (f", {constraints} constraints" if constraints else ""),
            method,
            constraints != "without",
            tuple(sorted(dots, key=lambda dot: (dot.questions, dot.train))),
        )
        for (method, constraints), dots in by_name.items()
    )
