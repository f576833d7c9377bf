"""A sweep as tables and sentences: what it will make, how far it is, and its results. No Streamlit in here."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from components.words.text import count, method_title, percent, seconds
from solvers.errors import EspalierError
from solvers.methods import registry
from solvers.metrics.intervals import wilson
from solvers.problem import Problem
from solvers.settings import Settings
from solvers.sweeps.folder import Constrained, RunSweep, SweepProgress
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
            # only the first part: it is refused if the others would be
            next(iter(folds(problem.dataset, task.folds, 1, task.seed)))
        cells = task.cells(problem)
    except EspalierError as error:
        return Planned(0, (), str(error))
    taken = {cell.job.method for cell in cells}
    left_out = tuple(registry.get(name).title for name in task.methods if name not in taken)
    if not task.methods:
        return Planned(0, (), "Choose at least one method.")
    if not cells:
        return Planned(0, left_out, "Choose a depth, a number of leaves, or a split penalty.")
    return Planned(len(cells) * task.n_parts(problem.dataset), left_out, "")


def most_seconds(models: int, task: RunSweep) -> float:
    """The longest that the models of a sweep can take, in seconds; on a cluster as if it had one worker."""
    return math.ceil(models / (1 if task.scheduler else task.workers)) * task.step


def allowance(models: int, task: RunSweep) -> float:
    """The time limit of a sweep as a whole, in seconds."""
    return most_seconds(models, task) + _SPARE_SECONDS


def plan_sentence(plan: Planned, task: RunSweep, chosen: Settings) -> str:
    """How many models there will be, and the most time that they can take."""
    if plan.trouble:
        return plan.trouble
    most = long(most_seconds(plan.models, task))
    where = f"at most {most} of computing on the cluster" if task.scheduler else f"at most {most} in all"
    sentence = f"{count(plan.models, 'model')}, each at most {task.step:g} s; {where}."
    if chosen.max_seconds is not None and allowance(plan.models, task) > chosen.max_seconds:
        sentence += f" Your administrator limits a sweep to {long(chosen.max_seconds)}; you can then continue it."
    if plan.left_out:
        sentence += f" No chosen size fits {', '.join(plan.left_out)}."
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
    if task.folds:
        parts.append(f"{task.folds} folds" + (f", {task.repeats} times" if task.repeats > 1 else ""))
    else:
        parts.append(count(task.samples, "bootstrap sample") if task.samples else "all training rows")
    if constraints:
        parts.append(f"{constrained} constraints")
    return "; ".join(parts)


def progress(
    table: pd.DataFrame, of: int, known: SweepProgress | None = None, elapsed: float = 0.0
) -> tuple[float, str]:
    """The share of the `of` jobs (0: not known yet) that have ended, and this in words.

    `known` is what its worker reported last, `None` if none is at work, and `elapsed` the seconds on its clock now.
    """
    done = len(table)
    failed = 0 if table.empty else int(table["error"].notna().sum())
    if known is not None and known.of:
        # while failed ones are tried again their old lines are in the table
        done, failed = known.done, known.failed
    if not of:
        return 0.0, "The sweep has not begun."
    words = f"{count(done)} of {count(of, 'model')} done"
    words += f", {count(failed)} failed" if failed else ""
    if known is not None and known.running:
        words += f", {count(known.running)} at work"
    if known is not None and known.left is not None:
        left = max(0.0, known.left - max(0.0, elapsed - known.seconds))
        words += f", about {long(left)} left"
    return min(1.0, done / of), f"{words}."


def size_words(row: Mapping[str, Any]) -> str:
    """The size of a line of the table in words."""
    if row["shape"] == "diagram":
        return f"layers {row['widths']}, alpha {row['alpha']:g}"
    if row["shape"] == "bdd":
        return count(int(row["depth"]), "level")
    if row["max_leaf_nodes"] is not None and not pd.isna(row["max_leaf_nodes"]):
        return f"{int(row['max_leaf_nodes'])} leaves, depth {int(row['depth'])}"
    return f"depth {int(row['depth'])}"


def summary(table: pd.DataFrame, constraints: int) -> pd.DataFrame:
    """A row a method, size and constraints, in the order of the table of jobs; `constraints` is how many the run has.

    `held_out` and `training` are errors in per cent, on average over the parts of the rows. `deviation` is that of the
    parts, between `low` and `high`; for a single part these are its 95% interval (Wilson). `splits` is the average of
    the models, `seconds` the sum.
    """
    return pd.DataFrame([_line(cell, part, constraints) for cell, part in table.groupby("cell", sort=False)])


def _line(cell: object, part: pd.DataFrame, constraints: int) -> dict[str, object]:
    first, made = part.iloc[0], part[part["train_errors"].notna()]
    judged = made[made["test_errors"].notna()]
    held_out = (judged["test_errors"] / judged["test_rows"]).astype(float)
    low, high = held_out.min(), held_out.max()
    if len(judged) == 1:
        low, high = wilson(float(held_out.iloc[0]), float(judged["test_rows"].iloc[0]))
    return {
        "cell": cell,
        "method": method_title(str(first["method"])),
        "size": size_words(first.to_dict()),
        "constraints": None if not constraints else "with" if first["constraints"] else "without",
        "models": len(part),
        "held_out": 100 * held_out.mean(),
        "deviation": 100 * held_out.std(ddof=1),
        "low": 100 * low,
        "high": 100 * high,
        "training": 100 * (made["train_errors"] / made["rows"]).astype(float).mean(),
        "splits": made["questions"].astype(float).mean(),
        "proved": int(part["status"].isin(_PROVED).sum()),
        "failed": int(part["error"].notna().sum()),
        "seconds": float(part["seconds"].sum()),
    }


def verdict(lines: pd.DataFrame) -> str:
    """The best line on held-out rows, in a sentence; '' if none was judged."""
    judged = lines.dropna(subset="held_out")
    if judged.empty:
        return ""
    best = judged.sort_values(["held_out", "splits"], kind="stable").iloc[0]
    constraints = f", {best['constraints']} constraints" if best["constraints"] else ""
    mean, deviation, low, high = (percent(best[name] / 100) for name in ("held_out", "deviation", "low", "high"))
    sentence = f"Lowest held-out error: {best['method']}, {best['size']}{constraints}, {mean}"
    if best["models"] > 1:
        sentence += f" on average over {count(best['models'])} parts (standard deviation {deviation})."
    else:
        sentence += f" (95% interval {low} to {high})."
    return sentence + (" The best of several is partly luck." if len(judged) > 1 else "")


def faults(table: pd.DataFrame) -> pd.DataFrame:
    """Why jobs failed, the commonest reason first: `reason`, how many `jobs`, and the `first` of them."""
    failed = table[table["error"].notna()].groupby("error", sort=False)["key"].agg(["size", "first"])
    return failed.sort_values("size", ascending=False, kind="stable").rename_axis("reason").reset_index()
