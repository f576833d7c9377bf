"""A table being read for a place of the screen: the file, reading options, progress, a button to stop, the result."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import streamlit as st

from components.messages.text import label_with, plain, seconds
from components.session import state
from components.workers import jobs
from solvers.errors import DataError, EspalierError
from solvers.problem import ReadingOptions
from solvers.problem.sources import sheet_names
from solvers.problem.sources.file_text import ENCODINGS
from solvers.run import Reading, ReadingLimits, ReadTable, TableFile, TableReader
from solvers.settings import settings

_REFRESH_SECONDS = 0.5
_READING, _SEEN = "_reading_", "_seen_"
"""Prefixes of the state keys, by place, of the reading and of the file that was read."""


_TYPES = [
    *("csv", "txt", "tsv", "data", "gz", "parquet", "feather", "arrow", "xlsx", "xlsm", "xlsb", "xls", "ods"),
    *("sqlite", "sqlite3", "db"),
]
"""File extensions that can be chosen; the format is detected from the content."""

_HEADER: dict[bool | None, str] = {None: "automatic", True: "names", False: "values"}
_DECIMAL: dict[Literal[".", ","] | None, str] = {
    None: "automatic",
    ".": "point: 1,125 is 1125",
    ",": "comma: 1,125 is 1.125",
}
_DATES: dict[bool | None, str] = {None: "automatic", True: "day first", False: "month first"}
_ENCODINGS: dict[str | None, str] = {None: "automatic", **{name: name for name in ENCODINGS}}


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
    file = st.file_uploader(label, type=_TYPES, key=f"upload_{fields}", help=help)
    options = _ask_options(fields, file)
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
                _show_ways(fields, error)
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


def _ask_options(place: str, file: Any) -> ReadingOptions | None:
    """Draw the options in an expander, and above it the sheets of a workbook; `None` until one of several is chosen.

    `place` distinguishes the keys of the widgets in different places.
    """
    sheets = () if file is None else _sheets_of(file.file_id, file)
    sheet = None
    if len(sheets) > 1:
        sheet = st.selectbox(
            "Sheet",
            sheets,
            format_func=label_with(sheets),
            index=None,
            key=f"sheet_{place}",
            placeholder=f"Choose one of {len(sheets)}",
        )
    with st.expander("Reading options", key=f"how_{place}"):
        with st.container(horizontal=True):
            help = "What the first line of the file contains."
            header = st.selectbox(
                "First line", list(_HEADER), key=f"header_{place}", format_func=_HEADER.__getitem__, help=help
            )
            line = _count("Line with names", f"header_line_{place}", 1, "Lines above are ignored.", "automatic")
            first = _count("Skip rows below names", f"skip_first_{place}", 0, "For instance units.")
            last = _count("Skip rows at end", f"skip_last_{place}", 0, "For instance totals.")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            encoding = st.selectbox(
                "Encoding", list(_ENCODINGS), key=f"encoding_{place}", format_func=_ENCODINGS.__getitem__
            )
            help = "How dates such as 03/04/2024 are read."
            dates = st.selectbox(
                "Dates", list(_DATES), key=f"day_first_{place}", format_func=_DATES.__getitem__, help=help
            )
            decimal = st.selectbox(
                "Decimal mark", list(_DECIMAL), key=f"decimal_{place}", format_func=_DECIMAL.__getitem__
            )
            help = "Reads '<0.5' as 0.5 and '>1000' as 1000 in columns of numbers."
            limits = st.checkbox("Read <0.5 as 0.5", key=f"limits_{place}", help=help)
        query = st.text_area(
            "SQL query",
            placeholder='SELECT * FROM "patients" WHERE age > 17',
            key=f"query_{place}",
            help="For SQLite files with several tables.",
        )
    if len(sheets) > 1 and sheet is None:
        return None
    return ReadingOptions(
        header=None if line else header,
        header_line=line,
        skip_first=first,
        skip_last=last,
        decimal=decimal,
        day_first=dates,
        parse_censored=limits,
        encoding=encoding,
        sheet=sheet,
        query=query.strip() or None,
    )


def _show_ways(place: str, error: EspalierError) -> None:
    """A button for each reading option that an error offers."""
    if not isinstance(error, DataError) or not error.choices:
        return
    with st.container(horizontal=True):
        for i, way in enumerate(error.choices):
            words = ", ".join(_WORDS[name](value) for name, value in way.items())
            st.button(words, key=f"way_{i}_{place}", on_click=_choose, args=(place, way))


def _choose(place: str, way: Mapping[str, Any]) -> None:
    for name, value in way.items():
        state.put(f"{name}_{place}", value)


_WORDS: dict[str, Callable[[Any], str]] = {
    "header_line": lambda line: f"Take names from line {line}",
    "skip_first": lambda n: "Skip the first row" if n else "Keep the first row",
    "skip_last": lambda n: ("Skip the last row" if n == 1 else f"Skip the last {n} rows") if n else "Keep all rows",
    "decimal": lambda mark: f"Read decimal {_DECIMAL[mark]}",
    "day_first": lambda first: f"Read dates {_DATES[first]}",
    "encoding": lambda name: f"Read as {name}",
    "sheet": lambda name: f"Read sheet '{plain(name, 60)}'",
}


@st.cache_data(show_spinner=False, max_entries=20)
def _sheets_of(file_id: str, _file: Any) -> tuple[str, ...]:
    return sheet_names(_file.getvalue())


def _count(label: str, key: str, least: int, help: str, empty: str = "none") -> int | None:
    value = st.number_input(label, least, value=None, step=1, placeholder=empty, key=key, help=help)
    return None if value is None else int(value)
