"""Where a table comes from: a sample or a file.

A table that cannot be read leaves the former one in use.
"""

from collections.abc import Callable
from functools import partial

import streamlit as st

from components.session import next_run, ownership, state
from components.widgets import segments
from components.words.text import plain
from components.workers import file_choices, pending_table
from solvers.errors import EspalierError
from solvers.problem import load_sample, samples
from solvers.run import TableFile

_COLUMNS = 3
_PLACE = "table"


def show() -> bool:
    """Offer upload and samples; True once the screen has to be drawn again for what was chosen."""
    return _upload() | _samples()


def show_reading(ways: Callable[[EspalierError], None] | None = None) -> bool:
    """Draw how far a table is read, or why not and with `ways` how it may be; True once it was taken into use."""
    return pending_table.show(
        _PLACE, lambda found: next_run.load(*found), again=state.session().source is None, ways=ways
    )


def is_reading() -> bool:
    """Whether a table is being read, which will take the place of the one in use."""
    return pending_table.is_open(_PLACE)


def forget_reading() -> None:
    """Say no more why the last table could not be read."""
    pending_table.drop(_PLACE)


_FIRST_LINE = {"Automatic": None, "Names": True, "Values": False}
"""What the first line of a file holds; `None` leaves it to the reader."""


def _upload() -> bool:
    # The first screen and the dialog above a table must not share these widgets: when one replaces the other while the
    # user clicks on, Streamlit may drop their values as stale.
    source = state.session().source
    place = f"{state.visit()}_{source.number if source else 0}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        file = st.file_uploader(
            "Upload a file",
            type=file_choices.TYPES,
            key=f"upload_{place}",
            help="One row per patient or case: CSV, Excel, Parquet, Feather or SQLite, also gzipped. "
            f"{ownership.promise()}",
        )
        header = segments.show(
            "First line",
            list(_FIRST_LINE),
            key=f"first_line_{place}",
            shown=True,
            help="What the first line of the file contains.",
        )
    choices = file_choices.show(place, file, _FIRST_LINE[header])
    mark = None if file is None or choices.mark is None else (file.file_id, choices.mark)
    if file is not None and mark is not None and pending_table.is_new(_PLACE, mark):
        name = file.name.split(".")[0]
        source_file = TableFile(file.getvalue(), name, choices.options)
        pending_table.begin(_PLACE, source_file, mark)
    # what takes longer is shown on the screen, not in a dialog above it
    return (is_reading() and source is not None) or show_reading(partial(file_choices.show_ways, place))


def _samples() -> bool:
    st.subheader("Samples")
    chosen = None
    with st.grid(_COLUMNS, gap="small"):
        for sample in samples():
            with st.container(border=True, gap="xsmall", height="stretch"):
                st.markdown(f"**{plain(sample.title)}**" + (" :gray-badge[synthetic]" if sample.synthetic else ""))
                st.caption(plain(sample.story, 300))
                key = f"sample_{sample.key}"
                st.button("Use", key=key, width="stretch", on_click=state.press, args=(key,))
                if state.pressed(key):
                    chosen = sample
    if chosen is not None:
        forget_reading()
        next_run.load(load_sample(chosen.key), sample=chosen)
    return chosen is not None
