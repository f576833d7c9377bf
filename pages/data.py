"""The first screen: choose a table, review the recognised columns, choose the outcome."""

import streamlit as st

from components.data import columns_table, findings_panel, outcome_form, preparation_panel, rows_report, sources
from components.messages.text import plain
from components.model.run_facts import data_sentence, table_sentence
from components.session import next_run, ownership, state, steps
from components.session.work import Source
from components.widgets import footer
from components.workers import launch, pending_table


def choose_source() -> None:
    """The screen before the first table."""
    st.title("Choose data")
    st.caption(
        "Espalier finds the best decision tree, BDD or decision diagram of the size you want, and proves that it is "
        f"optimal on the training data. {ownership.promise()}"
    )
    if sources.show():
        st.rerun()
    footer.show("Choose a sample or upload a file.", "Solve", key="next", disabled=True)


@st.dialog("Choose other data", width="large", on_dismiss="rerun")
def choose_another() -> None:
    """Offer the sources again, above the table in use, which stays until another one is read."""
    if sources.show():
        st.rerun()


def describe_source(source: Source) -> None:
    """The screen with a table."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.title(plain(source.title))
        if st.button(
            "Other data", icon=":material/folder_open:", key="another", disabled=pending_table.is_open(sources.PLACE)
        ):
            pending_table.drop(sources.PLACE)
            footer.lies_under_dialog()
            choose_another()
    footer.link()
    if sources.show_reading():
        st.rerun()
    st.caption(plain(table_sentence(source.table), 500))
    left, right = st.columns([2.1, 1], gap="large")
    with right:
        request = outcome_form.show(source)
    with left:
        steps.set_aside(source, request.target if request else None)
        findings = st.container()
        footer.link()
        request = columns_table.show(source, request)
        footer.link()
        if columns_table.offer_dictionary(source):
            st.rerun()
        rows_report.show_readings(source)
        preparation_panel.show(source)
        if request:
            next_run.choose(request)
        with findings:
            findings_panel.show(source, state.prepared())
        if trouble := state.session().trouble:
            st.error(plain(trouble, 600), icon=":material/error:")
        elif rows := state.prepared():
            rows_report.show(rows)
        rows_report.preview(source)
    finish()


def finish() -> None:
    """The footer: a status sentence and the next step."""
    rows, trouble = state.prepared(), state.session().trouble
    if rows is not None:
        sentence = data_sentence(rows)
    else:
        sentence = "Correct the error above." if trouble else "Choose the outcome to predict."
    solve, design = footer.show(sentence, "Solve", key="next", disabled=rows is None, aside="Set size and limits")
    if design:
        st.switch_page("pages/design.py")
    if solve:
        launch.start()


source = state.session().source
if source is None:
    choose_source()
else:
    describe_source(source)
