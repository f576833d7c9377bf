"""Where a table comes from: a sample, a file, or OpenML. A table that cannot be read leaves the former one in use."""

from __future__ import annotations

import streamlit as st

from components import ownership, segments, state
from components.text import plain
from solvers.errors import EspalierError
from solvers.problem import Sample, fetch_openml_table, load_sample, read_table, samples

_COLUMNS = 3


def show() -> bool:
    """Offer samples, upload and OpenML; True once a table was taken into use."""
    return _upload() | _samples() | _openml()


def _take(load, *, sample: Sample | None = None) -> bool:
    try:
        state.load(load(), sample)
    except EspalierError as error:
        st.error(plain(error, 600), icon=":material/error:")
        return False
    return True


_FIRST_LINE = {"decide": None, "names": True, "values": False}
"""What the first line of a file holds; `None` leaves it to the reader."""


def _upload() -> bool:
    # The first screen and the dialog above a table must not share these widgets: when one replaces the other while the
    # user clicks on, Streamlit may drop their values as stale.
    place = f"{state.visit()}_{state.source().number if state.source() else 0}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        file = st.file_uploader(
            "Your own table: a CSV file with a row a case",
            type=["csv", "txt", "tsv", "data", "gz"],
            key=f"upload_{place}",
            help="Comma, semicolon, tab or blanks; decimal point or comma; with or without a header; gzip. "
            f"{ownership.promise()}",
        )
        header = segments.show(
            "First line",
            list(_FIRST_LINE),
            key=f"first_line_{place}",
            shown=True,
            help="Whether the first line of the file holds the names of the columns.",
        )
    if file is None or state.get("_upload_seen") == (file.file_id, header):
        return False
    name = file.name.split(".")[0]
    taken = _take(lambda: read_table(file.getvalue(), name=name, header=_FIRST_LINE[header]))
    if taken:
        state.put("_upload_seen", (file.file_id, header))
    return taken


def _samples() -> bool:
    st.subheader("Or a sample")
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
    return chosen is not None and _take(lambda: load_sample(chosen.key), sample=chosen)


def _openml() -> bool:
    with st.expander("Or load a public data set from OpenML by its name"), st.form("openml", border=False):
        name = st.text_input("Name", placeholder="for instance: diabetes", key="openml_name")
        wanted = st.form_submit_button("Load from OpenML")
        if not (wanted and name.strip()):
            return False
        with st.spinner("Asking openml.org ..."):
            return _take(lambda: fetch_openml_table(name.strip()))
