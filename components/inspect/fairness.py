"""Fairness: the metrics of each group, and the differences between groups."""

import streamlit as st

from components.session.work import FinishedModel, Run
from components.widgets import segments, style
from components.widgets.rows_choice import NamedRows
from components.words.text import DASH, NOTICE, capitalised, count, html, plain, points, span
from solvers.metrics import Disparity, fairness


def show_fairness(run: Run, model: FinishedModel, shown: NamedRows) -> None:
    """Draw the comparison between groups for the rows shown."""
    data = shown.data
    if not data.groups:
        st.markdown("No groups. Choose a group column on the Data screen, such as sex, and solve again.")
        return
    if data.positive is None:
        st.markdown("No positive class. Choose one on the Data screen.")
        return
    names = [group.name for group in data.groups]
    name = segments.show("Groups", names, key=f"fairness_{run.number}", words=plain, shown=True)
    found = fairness(data, model.diagram.predict(data), name)
    left, right = st.columns([1.35, 1], gap="large")
    with left:
        head = (
            html(found.group),
            "n",
            f"Predicted {html(found.positive, 20)}",
            "True positive rate",
            "False positive rate",
            "Accuracy",
        )
        rows = [
            (html(g.name, 30), count(g.n), *map(style.rate_cell, (g.selection, g.tpr, g.fpr, g.accuracy)))
            for g in found.groups
        ]
        st.html(style.table(head, rows))
        st.caption(f"{plain(capitalised(shown.name))} rows, 95% Wilson intervals. {NOTICE}")
    with right:
        differences = (
            found.demographic_parity,
            found.equal_opportunity,
            found.predictive_equality,
            found.equalized_odds,
            found.accuracy,
        )
        st.html(style.table(("Fairness measure", "Group difference", "Ratio"), map(_disparity_row, differences)))
        st.caption(f"Four-fifths rule (lowest over highest rate at least 0.8): **{found.four_fifths}**.")


def _disparity_row(found: Disparity) -> tuple[str, str, str]:
    name = html(capitalised(found.name))
    if found.difference.value is None:
        return name, "too few rows", DASH
    between = f"{html(found.highest, 20)} over {html(found.lowest, 20)}"
    left_out = f"; too few: {html(', '.join(found.too_few), 60)}" if found.too_few else ""
    ratio = DASH if found.ratio is None else f"{found.ratio:.2f}"
    difference = f"{points(found.difference.value)} points <small>{span(found.difference)}</small>"
    return f"{name}<br><small>{between}{left_out}</small>", difference, ratio
