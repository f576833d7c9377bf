"""Fairness: the metrics of each group, and the differences between groups."""

import streamlit as st

from components.messages.text import NOTICE, capitalise, plain
from components.session.work import FinishedModel, Run
from components.widgets import segments, style
from components.widgets.rows_choice import NamedRows
from solvers.metrics import fairness
from solvers.report.measures import fairness_tables


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
    groups, differences = fairness_tables(found, "")
    st.html(style.block(groups))
    st.caption(f"{plain(capitalise(shown.name))} rows, 95% Wilson intervals. {NOTICE}")
    st.html(style.block(differences))
    st.caption(f"Four-fifths rule (lowest over highest rate at least 0.8): **{found.four_fifths}**.")
