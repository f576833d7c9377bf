"""The first screen: choose a table, see what was recognised, say what is to be predicted."""

import streamlit as st

from components.data import columns_table, outcome_form, preparation_panel, rows_report, sources, steps
from components.model.run_facts import data_sentence, table_sentence
from components.session import next_run, ownership, state
from components.session.work import Source
from components.widgets import footer
from components.words.text import plain
from components.workers import launch


def choose_source() -> None:
    """The screen before the first table."""
    st.title("Choose a table")
    st.caption(
        "Espalier finds the best decision tree, BDD or decision diagram of the size you want and proves it. "
        f"{ownership.promise()}"
    )
    launch.offer_left()
    if sources.show():
        st.rerun()
    footer.show("No table yet: choose a sample or upload a file.", "Solve", key="next", disabled=True)


@st.dialog("Choose another table", width="large", on_dismiss="rerun")
def choose_another() -> None:
    """Offer the sources again, above the table in use, which stays until another one is read."""
    if sources.show():
        st.rerun()


def describe_source(source: Source) -> None:
    """The screen with a table."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.title(plain(source.title))
        if st.button("Another table", icon=":material/folder_open:", key="another", disabled=sources.is_reading()):
            sources.forget_reading()
            choose_another()
    footer.link()
    if sources.show_reading():
        st.rerun()
    st.caption(plain(table_sentence(source.table), 500))
    left, right = st.columns([2.1, 1], gap="large")
    with right:
        outcome, positive = outcome_form.show_outcome(source)
        usage = outcome_form.show_usage(source, outcome) if outcome else None
    with left:
        taken = frozenset(filter(None, (outcome,))) | (usage.taken if usage else frozenset())
        steps.set_aside(source, outcome)
        columns = columns_table.show(source, taken)
        footer.link()
        rows_report.show_readings(source)
        preparation_panel.show(source)
        if outcome and usage:
            next_run.choose(outcome_form.choices(source, outcome, positive, columns, usage))
        if trouble := state.trouble():
            st.error(plain(trouble, 600), icon=":material/error:")
        elif rows := state.prepared():
            rows_report.show(rows)
        rows_report.preview(source)
    finish()


def finish() -> None:
    """The foot of the screen: what is known, and the next step."""
    rows = state.prepared()
    if rows is None:
        sentence = (
            "This table cannot be used as chosen; see above." if state.trouble() else "Choose the outcome to predict."
        )
    else:
        sentence = data_sentence(rows)
    solve, design = footer.show(sentence, "Solve", key="next", disabled=rows is None, aside="Set size and limits first")
    if design:
        st.switch_page("pages/design.py")
    if solve:
        launch.start_recommended()


source = state.source()
if source is None:
    choose_source()
else:
    describe_source(source)
