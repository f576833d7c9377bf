"""Performance in subgroups, for instance women and men, or young and old."""

import streamlit as st

from components.inspect.evidence import judged_rows
from components.inspect.evidence.subgroup_facts import notes, parts_of
from components.messages.text import NOTICE, capitalise, label_with, plain
from components.session.contained import contain
from components.session.work import FinishedModel, Run
from components.widgets import style
from solvers.errors import EspalierError
from solvers.messages.division import describe_independence
from solvers.metrics import subgroup_columns
from solvers.report.risks import subgroup_table


def show(run: Run, model: FinishedModel) -> None:
    """Draw the metrics of each subgroup."""
    st.fragment(contain(_show), key=f"subgroups_{run.number}_{model.key}")(run, model)


def _show(run: Run, model: FinishedModel) -> None:
    train = run.prepared.train
    columns = subgroup_columns(train)
    if not columns:
        st.markdown("No column has few enough levels for subgroups.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        column = st.selectbox(
            "Subgroups by",
            columns,
            format_func=label_with(columns),
            key=f"subgroup_{run.number}",
            width=300,
            help="Levels of a category, or thirds of a measurement in the training data.",
            persist_state="session",
        )
        found = judged_rows.choose(run, model, "subgroups")
    if found is None:
        st.markdown("First fold not finished yet.")
        return
    of_class = train.positive
    try:
        parts = parts_of(found, train, column, of_class)
    except EspalierError as error:
        st.error(plain(error, 400), icon=":material/error:")
        return
    positive = None if of_class is None else train.classes[of_class]
    st.html(style.block(subgroup_table(parts, column, positive, "")))
    for note in notes(parts, found.data, column, of_class):
        st.caption(plain(note, 400))
    caveat = plain(describe_independence(train.division), 300)
    st.caption(f"{plain(capitalise(found.title))}; 95% Wilson intervals. {caveat} {NOTICE}")
