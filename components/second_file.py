"""External validation: a second file with the same columns, which any model on these rows is then judged on."""

from __future__ import annotations

import streamlit as st

from components import ownership, state
from components.text import count, plain
from components.work import Run
from solvers.errors import EspalierError
from solvers.problem import read_table


def show(run: Run) -> None:
    """Draw the field for the file, or what is in use; a file that does not fit is explained and nothing changes."""
    found = state.external_file(run)
    if found is not None:
        st.markdown(f"**{plain(found.dataset.name)}**: {count(found.dataset.n_samples, 'row')}.")
        for note in found.notes:
            st.caption(plain(note, 400))
        st.button("Remove", key=f"remove_second_{run.number}", on_click=state.drop_external, args=(run,))
        return
    file = st.file_uploader(
        "A second file",
        type=["csv", "txt", "tsv", "data", "gz"],
        key=f"second_{run.prepared.source.number}_{run.number}",
        help="A table of other people with the same columns: the outcome, and what the models ask about. Types, levels "
        f"and the policy for missing values are those of the first file. {ownership.promise()}",
    )
    if file is None or state.get("_second_seen") == file.file_id:
        _trouble()
        return
    state.put("_second_seen", file.file_id)
    state.put("_second_trouble", None)
    try:
        state.load_external(run, read_table(file.getvalue(), name=file.name.split(".")[0]))
    except EspalierError as error:
        state.put("_second_trouble", str(error))
        _trouble()
        return
    # the other tabs and the choice of rows show it, too
    st.rerun(scope="app")


def _trouble() -> None:
    if state.get("_second_trouble"):
        st.error(plain(state.get("_second_trouble"), 600), icon=":material/error:")
