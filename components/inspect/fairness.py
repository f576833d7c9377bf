"""Fairness: the metrics of each group, and the differences between groups."""

import streamlit as st

from components.messages.text import NOTICE, capitalise, plain
from components.session.work import FinishedModel, Run
from components.widgets import segments, style
from components.widgets.rows_choice import NamedRows
from solvers.metrics import compared_groups, fairness
from solvers.report.measures import fairness_tables


def show_fairness(run: Run, model: FinishedModel, shown: NamedRows) -> None:
    """Draw the comparison between groups for the rows shown."""
    data = shown.data
    groups = {group.name: group for group in compared_groups(run.problem, data)}
    if not groups:
        st.markdown("No groups. Choose a group column on the Data screen, such as sex, and solve again.")
        return
    if data.positive is None:
        st.markdown("No positive class. Choose one on the Data screen.")
        return
    name = segments.show("Groups", list(groups), key=f"fairness_{run.number}", words=plain, shown=True)
    found = fairness(data, model.diagram.predict(data), groups[name])
    rates, differences = fairness_tables(found, "")
    st.html(style.block(rates))
    st.caption(f"{plain(capitalise(shown.name))} rows, 95% Wilson intervals. {NOTICE}")
    st.html(style.block(differences))
    st.caption(f"Four-fifths rule (lowest over highest rate at least 0.8): **{found.four_fifths}**.")
