"""The accuracy of a diagram under a growing minimum of rows at each question, sought while the user looks on."""

import math
from dataclasses import replace

import pandas as pd
import streamlit as st

from components.inspect.structure.figures import stability_figure
from components.model.facts import share_right
from components.session import state
from components.session.work import Prepared, Run
from components.widgets import style
from components.words.text import count, html, percent, plain
from components.workers import inquiries
from components.workers.inquiries import WorkerInquiry
from solvers.constraints import MinSamplesSplit
from solvers.errors import MissingPackageError
from solvers.methods import registry
from solvers.problem import Problem
from solvers.sweeps.study import Results, Study
from solvers.words.results import cost_in_words

SHARES = (0.0, 0.05, 0.1, 0.15, 0.2)
"""The minimum at each question as a share of the rows, from none to that of table 2 of Florio et al. (2023)."""

STEP = 8.0
"""Seconds for each minimum."""

_HELP = "The best diagram is sought again with at least 5, 10, 15 and 20% of the training rows at each question."


def show(run: Run) -> None:
    """Draw the sweep, or the button that starts it."""
    inquiries.watch(run, _show, key=f"stability_{run.number}", args=(run,))


def _show(run: Run) -> None:
    method = _method_with_minimum(run.problem, run.design.method)
    if method is None:
        st.markdown("No method takes a minimum of rows at each question together with these constraints.")
        return
    other = None if method == run.design.method else method
    options = {method: dict(run.design.options)} if other is None else {}
    task = Study((method,), options, free=False, min_rows=SHARES, step=STEP)
    inquiry = WorkerInquiry("growth", task, method=other, seconds=len(SHARES) * STEP)
    answer = inquiries.answer(run, inquiry)
    if answer is None:
        st.markdown(
            "A question that few rows come to may change with a few new cases. What does it cost to "
            "ask for more rows at each question?"
        )
    else:
        found = steps(answer, run.problem, run.prepared)
        st.markdown(plain(steps_words(found), 500))
        if len(found):
            _draw(run, found)
        if inquiries.is_open(run, inquiry):
            st.caption(f"{count(len(SHARES) - len(found))} more to come.")
    inquiries.offer(run, inquiry, "Try larger minimums", _HELP)


def _method_with_minimum(problem: Problem, first: str) -> str | None:
    """The method that a sweep asks: `first` if it takes a minimum of rows, else an exact one that does, or `None`."""
    with_minimum = replace(problem, constraints=(*problem.constraints, MinSamplesSplit(1)))
    for name in (first, *registry.names()):
        try:
            method = registry.get(name)
        except MissingPackageError:
            continue
        if (name == first or method.exact) and not method.check(with_minimum):
            return name
    return None


def steps(results: Results, problem: Problem, prepared: Prepared) -> pd.DataFrame:
    """The best diagram for each minimum of rows at a question, with the shares of rows predicted right.

    The column `test` is missing where no rows are held out.
    """
    points = [
        (row["min_rows"], outcome.solution, outcome.solution.diagram)
        for row, outcome in zip(results.rows, results.outcomes, strict=True)
        if outcome.solution is not None and outcome.solution.diagram is not None and outcome.solution.cost is not None
    ]
    found = pd.DataFrame(
        {
            "share": [share for share, _, _ in points],
            "rows": [math.ceil(share * problem.dataset.n_samples) for share, _, _ in points],
            "questions": [diagram.n_splits for _, _, diagram in points],
            "cost": [solution.cost for _, solution, _ in points],
            "proved": [solution.cost == solution.bound for _, solution, _ in points],
            "train": [share_right(diagram, prepared.train) for _, _, diagram in points],
        }
    )
    if prepared.test is None:
        return found
    return found.assign(test=[share_right(diagram, prepared.test) for _, _, diagram in points])


def steps_words(found: pd.DataFrame) -> str:
    """What the largest minimum costs, in a sentence; '' until there are two steps."""
    if len(found) < 2:
        return ""
    first, last = found.iloc[0], found.iloc[-1]
    on, rows = ("test", "test rows (held out)") if "test" in found else ("train", "training rows")
    return (
        f"Where at least {percent(last['share'], 0)} of the rows ({count(last['rows'])}) must come to each "
        f"question, {percent(last[on].value)} of the {rows} are right instead of {percent(first[on].value)}, "
        f"with {count(last['questions'], 'question')} instead of {count(first['questions'])}."
    )


def _draw(run: Run, found: pd.DataFrame) -> None:
    left, right = st.columns([1.15, 1], gap="large")
    tested = "test" in found
    with left:
        head = ["Rows at each question, at least", "Questions", "Cost", "Right in training"]
        head += ["Right in test (held out)"] * tested
        rows = []
        for step in found.itertuples():
            least = "no minimum" if not step.rows else f"{percent(step.share, 0)} <small>{count(step.rows)}</small>"
            proved = "" if step.proved else " <small>not proved</small>"
            cost = html(cost_in_words(step.cost, run.problem)) + proved
            rates = [step.train, *([step.test] if tested else [])]
            rows.append([least, count(step.questions), cost, *map(style.rate_cell, rates)])
        st.html(style.table(head, rows))
    with right:
        style.chart(stability_figure(found, state.dark()), f"growth_{run.number}")
