"""The source of a table: a draft, a sample or a file.

If a table cannot be read, the former one stays in use.
"""

import streamlit as st

from components.messages.text import plain
from components.session import next_run, ownership, state
from components.workers import left_off, pending_table
from solvers.problem import load_sample, samples

_COLUMNS = 3
PLACE = "table"
"""Place name of the reading of the table in use."""


def show() -> bool:
    """Offer earlier work, upload and samples; True if the screen must be redrawn because of the choice."""
    continued = left_off.show()
    if continued:
        pending_table.drop(PLACE)
    return continued | _upload() | _samples()


def show_reading(fields: str | None = None) -> bool:
    """Draw the progress of reading a table, or its error; True once the table is in use. See `pending_table.show`."""
    return pending_table.show(PLACE, lambda found: next_run.load(*found), fields=fields)


def _upload() -> bool:
    # The first screen and the dialog above a table must not share these widgets: when one replaces the other while the
    # user clicks on, Streamlit may drop their values as stale.
    source = state.session().source
    fields = f"{state.visit()}_{source.number if source else 0}"
    help = f"One row per patient or case: CSV, Excel, Parquet, Feather or SQLite. {ownership.promise()}"
    pending_table.upload(PLACE, fields, "Upload a file", help)
    # slower readings are shown on the screen, not in a dialog above it
    return (pending_table.is_open(PLACE) and source is not None) or show_reading(fields)


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
        pending_table.drop(PLACE)
        next_run.load(load_sample(chosen.key), sample=chosen)
    return chosen is not None
