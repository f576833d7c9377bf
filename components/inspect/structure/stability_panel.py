"""The accuracy of a diagram under a growing minimum of rows at each question, sought while the user looks on."""

import streamlit as st

from components.inspect.structure.figures import stability_figure
from components.inspect.structure.stability_facts import Stability, stability, sweeper
from components.session import state
from components.session.work import Run
from components.widgets import style
from components.words.text import count, html, percent, plain
from components.workers import inquiries
from components.workers.inquiries import WorkerInquiry
from solvers.sweeps.study import Study

SHARES = (0.0, 0.05, 0.1, 0.15, 0.2)
"""The minimum at each question as a share of the rows, from none to that of table 2 of Florio et al. (2023)."""

STEP = 8.0
"""Seconds for each minimum."""


def show(run: Run) -> None:
    """Draw the sweep, or the button that starts it."""
    inquiries.watch(run, _show, key=f"stability_{run.number}", args=(run,))


def _show(run: Run) -> None:
    method = sweeper(run.problem, run.design.method)
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
        facts = stability(answer, run.problem, run.prepared)
        st.markdown(plain(facts.sentence, 500))
        if facts.steps:
            _draw(run, facts)
        if inquiries.is_open(run, inquiry):
            st.caption(f"{count(len(SHARES) - len(facts.steps))} more to come.")
    inquiries.offer(run, inquiry, "Try larger minimums", _HELP)


_HELP = "The best diagram is sought again with at least 5, 10, 15 and 20 % of the training rows at each question."


def _draw(run: Run, facts: Stability) -> None:
    left, right = st.columns([1.15, 1], gap="large")
    tested = run.prepared.test is not None
    with left:
        head = ["Rows at each question, at least", "Questions", "Cost", "Right in training"]
        head += ["Right in test (held out)"] * tested
        rows = []
        for step in facts.steps:
            least = "no minimum" if not step.rows else f"{percent(step.share, 0)} <small>{count(step.rows)}</small>"
            proved = "" if step.proved else " <small>not proved</small>"
            row = [least, count(step.questions), html(step.cost) + proved, style.rate_cell(step.train)]
            rows.append(row + [style.rate_cell(step.test)] * tested)
        st.html(style.table(head, rows))
    with right:
        style.chart(stability_figure(facts, state.dark()), f"growth_{run.number}")
