"""A table being read for a place of the screen: its progress, a button to stop, and the result."""

from collections.abc import Callable

import streamlit as st

from components.messages.text import plain, seconds
from components.session import state
from components.workers import file_choices, jobs
from solvers.errors import EspalierError
from solvers.run import Reading, ReadingLimits, ReadTable, TableFile, TableReader
from solvers.settings import settings

_REFRESH_SECONDS = 0.5
_READING, _SEEN = "_reading_", "_seen_"
"""Prefixes of the state keys, by place, of the reading and of the file that was read."""


@st.cache_resource(show_spinner=False)
def reader() -> TableReader:
    """The reader of tables, shared by all sessions."""
    return TableReader(settings().max_running)


def _cancel(begun: list[Reading]) -> None:
    for reading in begun:
        reading.cancel()


@st.cache_resource(scope="session", show_spinner=False, on_release=_cancel)
def _begin() -> list[Reading]:
    """The readings of this session; they are cancelled when the session ends."""
    return []


def upload(place: str, fields: str, label: str, help: str, *, types: bool = True) -> bool:
    """Draw the file field and the reading options; True if the reading of a new file begins for a place.

    `fields` is the suffix of the widget keys, and `types` says whether the types of columns are recognised.
    """
    file = st.file_uploader(label, type=file_choices.TYPES, key=f"upload_{fields}", help=help)
    options = file_choices.show(fields, file)
    if file is None or options is None or state.get(_SEEN + place) == (file.file_id, options):
        return False
    drop(place)
    chosen = settings()
    limits = ReadingLimits(chosen.max_reading_seconds, chosen.max_reading_memory_mb)
    reading = reader().read(TableFile(file.getvalue(), file.name.split(".")[0], options, types=types), limits)
    _begin()[:] = [*(one for one in _begin() if not one.done), reading]
    state.put(_READING + place, reading)
    # only now: Streamlit may end the script earlier, and the file would never be read
    state.put(_SEEN + place, (file.file_id, options))
    return True


def is_open(place: str) -> bool:
    """Whether a table is being read for a place."""
    reading = state.get(_READING + place)
    return reading is not None and not reading.done


def drop(place: str) -> None:
    """Discard the result for a place, or cancel its reading."""
    reading = state.get(_READING + place)
    if reading is not None:
        reading.cancel()
        state.put(_READING + place, None)


def show(place: str, use: Callable[[ReadTable], None], *, drawn_again: bool = False, fields: str | None = None) -> bool:
    """Draw the progress of a reading, or its error; True once the table was read and `use` accepted it.

    `use` raises an `EspalierError` to reject a table. `drawn_again` says whether the caller refreshes this, and redraws
    the screen after the reading. With `fields` of `upload`, buttons below an error offer other reading options.
    """
    reading = state.get(_READING + place)
    if reading is None:
        return False
    if not reading.done:
        draw = _line if drawn_again else st.fragment(_line, run_every=_REFRESH_SECONDS, key=f"line_{place}")
        draw(place)
        return False
    try:
        use(reading.result())
    except EspalierError as error:
        reading.refuse(error)
        if reading.cancelled:
            st.caption(plain(error, 200))
        else:
            st.error(plain(error, 600), icon=":material/error:")
            if fields is not None:
                file_choices.show_ways(fields, error)
        return False
    state.put(_READING + place, None)
    return True


def _line(place: str) -> None:
    if not is_open(place):
        st.rerun()
    reading = state.get(_READING + place)
    doing = "Waiting for other tables before reading" if reading.waiting else "Reading"
    words = f"{doing} {plain(reading.name, 60)} ... {seconds(reading.elapsed)}"
    jobs.stoppable(words, reading.cancel, key=f"stop{_READING}{place}")
