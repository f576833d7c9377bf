"""`sweep`: many models at once, over methods, sizes and subsets of the rows, resumable, with tables at the end."""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from ..errors import OptionError
from ..messages.division import describe_heterogeneity
from ..messages.sweeps import faults, summary, verdict
from ..metrics import rate
from ..metrics.words import count, percent, percents
from ..posing import known_method, limits_of
from ..run import wire
from ..settings import settings
from ..study.executors import executor_of
from ..study.study import Constrained, Study, of_each, run_study
from .app import Sweep
from .inputs import read_problem
from .terminal import Line, stopped_by_interrupt


def run(asked: Sweep) -> int:
    """Run `sweep`; returns 0 if every job gave a verified model, 1 if some failed or it was stopped."""
    methods = tuple(map(known_method, asked.methods))
    posed = read_problem(asked.request, asked.data)
    executor = executor_of(asked.scheduler or settings().scheduler, asked.workers)
    study = Study(
        methods,
        depths=asked.depths,
        leaves=asked.leaves,
        alphas=asked.alphas,
        constrained=Constrained.KEPT if asked.constraints_only else Constrained.BOTH,
        widths=asked.skeletons,
        folds=asked.folds,
        repeats=asked.repeats,
        samples=asked.bootstrap,
        **of_each(limits_of(asked.request)),
    )
    plan = study.plan(posed.problem, posed.test)
    n_jobs = len(plan.keys)
    if not n_jobs:
        raise OptionError(
            "The sweep is empty: no method supports these sizes. Name --depths or --leaves for trees and BDDs, "
            "--alphas for decision diagrams."
        )
    line = Line(sys.stderr)
    with stopped_by_interrupt() as stop:
        table = run_study(plan, asked.out, executor, stop, lambda done: line.write(done.words()), asked.retry_failed)
    line.clear()
    if asked.json:
        print(wire.dumps({"jobs": n_jobs, "done": len(table)}))
    else:
        print("\n".join(results(table, asked.out, len(posed.problem.constraints))))
    complete = len(table) == n_jobs
    return 0 if complete and table["verified"].eq(True).all() else 1


_HEADS = {
    "held_out": "held-out error (%)",
    "deviation": "standard deviation",
    "training": "training error (%)",
    "proved": "proved optimal",
    "seconds": "time (s)",
}


def results(table: pd.DataFrame, out: Path, n_constraints: int) -> Iterator[str]:
    """The table as text: one line per method, size and constraints, with means over the subsets."""
    if table.empty:
        yield "No job has ended."
        return
    lines = summary(table, n_constraints).drop(columns=["cell", "low", "high", "failed"])
    shown = lines.rename(columns=_HEADS).dropna(axis="columns", how="all")
    yield shown.to_string(index=False, float_format=lambda value: f"{value:.1f}", na_rep="-")
    yield from filter(None, (verdict(summary(table, n_constraints)),))
    failed = faults(table)
    if len(failed):
        reason = failed["reason"].iloc[0].rstrip(".")
        n = count(int(failed["size"].sum()), "job")
        yield f"{n} failed, the first with: {reason}. --retry-failed tries them again."
    if "centre" in table:
        yield from _centres(table)
    yield f"Tables and models: {out}"


def _centres(table: pd.DataFrame) -> Iterator[str]:
    """The accuracy in each centre of models trained on the others, and whether centres differ."""
    for model, rows in table.dropna(subset="test_errors").groupby("cell", sort=False):
        right = [
            rate(np.arange(n) < n - wrong) for wrong, n in zip(rows["test_errors"], rows["test_rows"], strict=True)
        ]
        yield f"{model}, by centre:"
        yield from (
            f"  {name}: {one.k} of {one.n} correct, {percent(one.value)} ({percents(one.low, one.high)})"
            for name, one in zip(rows["centre"], right, strict=True)
            if one.value is not None and one.low is not None and one.high is not None
        )
        yield f"  {describe_heterogeneity('Accuracy', right)}".rstrip()
