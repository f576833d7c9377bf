"""External validation data: a file with the same columns, on which any model of these rows is then tested."""

from functools import partial

import streamlit as st

from components.session import ownership, run_actions, state
from components.session.work import Run
from components.words.text import count, plain
from components.workers import file_choices, pending_table
from solvers.run import TableFile


def show(run: Run) -> None:
    """Draw the field for the file, or what is in use; a file that does not fit gives an error and changes nothing."""
    second = state.external_file(run)
    if second is not None:
        st.markdown(f"**{plain(second.dataset.name)}**: {count(second.dataset.n_samples, 'row')}.")
        for note in second.notes:
            st.caption(plain(note, 400))
        st.button("Remove", key=f"remove_second_{run.number}", on_click=run_actions.drop_external, args=(run,))
        return
    file = st.file_uploader(
        "External validation data",
        type=file_choices.TYPES,
        key=f"second_{run.prepared.source.number}_{run.number}",
        help=f"A file of other patients with the same columns as the training data. {ownership.promise()}",
    )
    choices = file_choices.show(_place(run), file)
    mark = None if file is None or choices.mark is None else (file.file_id, choices.mark)
    if file is not None and mark is not None and pending_table.is_new(_place(run), mark):
        name = file.name.split(".")[0]
        source = TableFile(file.getvalue(), name, choices.options, types=False)
        reading = pending_table.begin(_place(run), source, mark)
        if not reading.done:
            # from now on this is drawn again and again
            st.rerun(scope="app")
    if pending_table.show(
        _place(run),
        lambda second: run_actions.load_external(run, second.table),
        drawn_again=True,
        ways=partial(file_choices.show_ways, _place(run)),
    ):
        # the other tabs and the choice of rows show it, too
        st.rerun(scope="app")


def show_differences(run: Run) -> None:
    """Say how the external data differs from the training data, if there is some and it does."""
    second = state.external_file(run)
    if second is not None and second.differs:
        lines = (f"- {plain(one, 400)}" for one in second.differs)
        title = "The external data differs from the training data:\n"
        st.warning("\n".join((title, *lines)), icon=":material/warning:")


def is_reading(run: Run) -> bool:
    """Whether external data is being read for a run."""
    return pending_table.is_open(_place(run))


def _place(run: Run) -> str:
    return f"second_{run.number}"
