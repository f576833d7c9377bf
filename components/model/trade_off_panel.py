"""The cost of other limits of a constraint as a curve, and a button to solve with one of them."""

import streamlit as st

from components.messages.text import label_with, plain
from components.model.trade_off_figures import NOTE, stretches_of, trade_off
from components.session import next_run, state
from components.session.work import Run
from components.widgets import style
from components.workers import inquiries, launch
from solvers.explain import Change, Point, RelaxableConstraint, TradeOff
from solvers.messages.costs import counts_errors
from solvers.messages.explanations import describe_compromise
from solvers.messages.results import describe_cost_in


def show(run: Run, relaxables: tuple[RelaxableConstraint, ...]) -> None:
    """Ask for one of the constraints with a limit, and draw its curve; nothing if none has a limit."""
    limited = {str(relaxable.key): relaxable for relaxable in relaxables if relaxable.constraint.limit is not None}
    if not limited:
        return
    key = st.selectbox(
        "Trade-off of constraint",
        list(limited),
        format_func=label_with(limited, lambda key: limited[key].words),
        key=f"trade_off_{run.number}",
    )
    inquiry = inquiries.trade_off(limited[key].key, _ask_for_price(run, limited[key]))
    answer = inquiries.answer(run, inquiry)
    if answer is not None and answer.points:
        scale, unit = run.problem.scale, "training errors" if counts_errors(run.problem) else "cost"
        style.chart(trade_off(answer, scale, unit, state.dark()), f"stairs_{run.number}_{key}")
        proved = all(stretch.proved for stretch in stretches_of(answer, 1, scale))
        if answer.compromise is not None:
            st.markdown(plain(describe_compromise(answer.compromise, run.problem), 300))
        for note in (*([] if proved else [NOTE]), *answer.notes):
            st.caption(plain(note, 300))
        if answer.finished:
            _ask_for_another(run, answer)
    inquiries.offer(run, inquiry, "Compute trade-off", "Finds the best model for each limit.")


def _ask_for_price(run: Run, relaxable: RelaxableConstraint) -> float | None:
    """Ask how many errors a point of the limit is worth; `None` if it stays a limit."""
    unit = "percentage point" if relaxable.constraint.limited_in_shares() else "unit"
    return st.number_input(
        f"Price per {unit}",
        0.001,
        value=None,
        step=1.0,
        format="%g",
        key=f"price_{run.number}_{relaxable.key}",
        placeholder="No price",
        help=f"The errors that one {unit} is worth. Finds the lowest sum of errors and price.",
    )


def _ask_for_another(run: Run, answer: TradeOff) -> None:
    """Offer the limits of the curve; the chosen one replaces the limit of the constraint."""
    with st.container(horizontal=True, vertical_alignment="bottom", wrap=False):
        chosen = st.selectbox(
            "New limit",
            range(len(answer.points)),
            format_func=label_with(
                range(len(answer.points)),
                lambda i: f"{answer.points[i].words}: {describe_cost_in(answer.points[i].cost, run.problem)}",
            ),
            key=f"limit_{run.number}_{answer.relaxable.key}",
        )
        key = f"take_{run.number}_{answer.relaxable.key}"
        if launch.offer("Solve with limit", key, run, "Changes the constraint and solves again."):
            next_run.relax(run, (Change(answer.relaxable, _at(answer, answer.points[chosen], run)),))
            launch.start()


def _at(answer: TradeOff, point: Point, run: Run) -> RelaxableConstraint:
    """The constraint with the limit of a point, which the model of that point satisfies."""
    return answer.relaxable.replaced(answer.relaxable.constraint.with_limit(point.limit), run.problem)
