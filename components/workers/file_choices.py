"""Reading options of a file: lines, names, encoding, sheet, query."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import streamlit as st

from components.messages.text import label_with, plain
from components.session import state
from solvers.errors import DataError, EspalierError
from solvers.problem import ReadingOptions
from solvers.problem.sources import sheet_names
from solvers.problem.sources.file_text import ENCODINGS

TYPES = [
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


def show(place: str, file: Any) -> ReadingOptions | None:
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


def show_ways(place: str, error: EspalierError) -> None:
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
