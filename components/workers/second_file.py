"""External validation data: a file with the same columns, on which all models of these rows are then tested."""

from functools import partial

import streamlit as st

from components.messages.text import count, plain
from components.session import ownership, run_actions, state
from components.session.work import Run
from components.workers import pending_table
from solvers.run import ReadTable


def show(run: Run) -> None:
    """Draw the file field, or the file in use; a file that does not fit shows an error and changes nothing."""
    second = state.external_file(run)
    if second is not None:
        st.markdown(f"**{plain(second.dataset.name)}**: {count(second.dataset.n_samples, 'row')}.")
        for note in second.notes:
            st.caption(plain(note, 400))
        st.button("Remove", key=f"remove_second_{run.number}", on_click=run_actions.drop_external, args=(run,))
        return
    place, fields = _place(run), f"second_{run.prepared.source.number}_{run.number}"
    help = f"A file of other patients with the same columns as the training data. {ownership.promise()}"
    if pending_table.upload(place, fields, "External validation data", help, types=False) and is_reading(run):
        # from now on this is refreshed
        st.rerun(scope="app")
    take = partial(_take, run)
    if pending_table.show(place, take, drawn_again=True, fields=fields):
        # the other tabs and the choice of rows show the new rows, too
        st.rerun(scope="app")


def _take(run: Run, second: ReadTable) -> None:
    run_actions.load_external(run, second.table)


def show_differences(run: Run) -> None:
    """Show how the external data differ from the training data, if at all."""
    second = state.external_file(run)
    if second is not None and second.differs:
        lines = (f"- {plain(one, 400)}" for one in second.differs)
        title = "The external data differs from the training data:\n"
        st.warning("\n".join((title, *lines)), icon=":material/warning:")


def is_reading(run: Run) -> bool:
    """Whether external data are being read for a run."""
    return pending_table.is_open(_place(run))


def _place(run: Run) -> str:
    return f"second_{run.number}"
