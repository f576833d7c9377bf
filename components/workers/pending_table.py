"""A table that is being read for a place of the screen: its progress, a way to stop, and the result."""

from collections.abc import Callable

import streamlit as st

from components.session import state
from components.words.text import plain, seconds
from components.workers import jobs
from solvers.errors import EspalierError
from solvers.run import Reading, ReadingLimits, ReadTable, TableFile, TableReader
from solvers.settings import settings

_REFRESH_SECONDS = 0.5
_READING, _SEEN, _AGAIN = "_reading_", "_seen_", "_again_"
"""Before a place: under which the session has its reading, what was read, and whether it can be read again."""


@st.cache_resource(show_spinner=False)
def reader() -> TableReader:
    """What reads the tables of all sessions."""
    return TableReader(settings().max_running)


@st.cache_resource(scope="session", show_spinner=False, on_release=lambda begun: [one.cancel() for one in begun])
def _begun() -> list[Reading]:
    """What this session reads; a session that ends stops its readings."""
    return []


def is_new(place: str, mark: object) -> bool:
    """Whether no reading has begun of what has this mark, such as the number of an uploaded file."""
    return state.get(_SEEN + place) != mark


def begin(place: str, source: TableFile, mark: object = None) -> Reading:
    """Begin to read a table for a place of the screen, instead of what was being read for it."""
    drop(place)
    chosen = settings()
    limits = ReadingLimits(chosen.max_reading_seconds, chosen.max_reading_memory_mb)
    reading = reader().read(source, limits)
    _begun()[:] = [*(one for one in _begun() if not one.done), reading]
    state.put(_READING + place, reading)
    # not before: Streamlit may end the script in between, and the file would never be read
    if mark is not None:
        state.put(_SEEN + place, mark)
    state.put(_AGAIN + place, mark is not None)
    return reading


def is_open(place: str) -> bool:
    """Whether a table is being read for a place."""
    reading = state.get(_READING + place)
    return reading is not None and not reading.done


def drop(place: str) -> None:
    """Forget what was read for a place, or end its reading."""
    reading = state.get(_READING + place)
    if reading is not None:
        reading.cancel()
        state.put(_READING + place, None)


def show(
    place: str,
    use: Callable[[ReadTable], None],
    *,
    drawn_again: bool = False,
    again: bool = True,
    ways: Callable[[EspalierError], None] | None = None,
) -> bool:
    """Draw how far a table is read, or why there is none; True once it was read and `use` took it, which may refuse it.

    `drawn_again` says whether the caller draws this again and again, and the whole screen once the reading is over;
    `again` whether a file whose reading was stopped is still there to be read; `ways` draws below a refusal how else
    the file may be read.
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
        if not reading.cancelled:
            st.error(plain(error, 600), icon=":material/error:")
            if ways is not None:
                ways(error)
            return False
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(plain(error, 200), width="content")
            if again and state.get(_AGAIN + place):
                key = f"again{_READING}{place}"
                st.button("Read again", key=key, icon=":material/replay:", on_click=_forget, args=(place,))
        return False
    state.put(_READING + place, None)
    return True


def _forget(place: str) -> None:
    drop(place)
    state.put(_SEEN + place, None)


def _line(place: str) -> None:
    if not is_open(place):
        st.rerun()
    reading = state.get(_READING + place)
    doing = "Waiting for other tables before reading" if reading.waiting else "Reading"
    words = f"{doing} {plain(reading.name, 60)} ... {seconds(reading.elapsed)}"
    jobs.stoppable(words, reading.cancel, key=f"stop{_READING}{place}")
