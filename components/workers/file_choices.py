"""How a file is read, where it does not say it itself: lines, names, characters, sheet, query."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components.session import state
from components.words.text import labelled, plain
from solvers.errors import DataError, EspalierError
from solvers.problem import ReadingOptions
from solvers.problem.file_text import ENCODINGS
from solvers.problem.sources import MAX_ROWS, sheet_names

TYPES = [
    *("csv", "txt", "tsv", "data", "gz", "parquet", "feather", "arrow", "xlsx", "xlsm", "xlsb", "xls", "ods"),
    *("sqlite", "sqlite3", "db", "duckdb"),
]
"""The endings of files that can be chosen; what is in them says how they are read."""

_RECOGNISED = "recognised"
_DECIMAL = {_RECOGNISED: None, "point: 1,125 is 1125": ".", "comma: 1,125 is 1.125": ","}
_DATES = {_RECOGNISED: None, "day first": True, "month first": False}


class FileChoices(NamedTuple):
    """What was chosen; `mark` differs wherever the file has to be read again, and is `None` until a sheet is chosen."""

    options: ReadingOptions
    mark: object


def show(place: str, file: UploadedFile | None, header: bool | None = None) -> FileChoices:
    """Draw the choices in a part of the screen that can be opened; above it the sheets of a workbook with several.

    Parameters
    ----------
    place : makes the keys of the widgets differ between the places that have them.
    file : what is to be read, once it is there.
    header : whether the first line names the columns; a line that was chosen here goes before.
    """
    sheets = () if file is None else _sheets_of(file.file_id, file)
    sheet = None
    if len(sheets) > 1:
        sheet = st.selectbox(
            "Sheet",
            sheets,
            format_func=labelled(sheets),
            index=None,
            key=f"sheet_{place}",
            placeholder=f"Choose one of {len(sheets)} sheets",
        )
    with st.expander("How the file is read", key=f"how_{place}"):
        with st.container(horizontal=True):
            line = _count("Names in line", f"header_line_{place}", 1, "Lines above it are left out.", _RECOGNISED)
            first = _count("Rows to leave out below the names", f"skip_first_{place}", 0, "Units, for instance.")
            last = _count("Rows to leave out at the end", f"skip_last_{place}", 0, "Totals, for instance.")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            encoding = st.selectbox("Characters", [_RECOGNISED, *ENCODINGS], key=f"encoding_{place}")
            limit = st.number_input("At most rows of a query", 1, value=MAX_ROWS, step=1000, key=f"rows_{place}")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            dates = st.selectbox("Dates such as 03/04/2024", list(_DATES), key=f"dates_{place}")
            decimal = st.selectbox("Decimal mark", list(_DECIMAL), key=f"decimal_{place}")
            numbered = st.checkbox("Number names that come twice", key=f"number_{place}", help="'crp' and 'crp (2)'.")
            limits = st.checkbox("Read <0.5 as 0.5", key=f"limits_{place}", help="And >1000 as 1000, beside numbers.")
        query = st.text_area(
            "Query",
            placeholder='SELECT * FROM "patients" WHERE age > 17',
            key=f"query_{place}",
            help="What an SQLite or DuckDB file is asked; without one, for all of its only table.",
        )
    options = ReadingOptions(
        header=None if line else header,
        header_line=line,
        skip_first=first,
        skip_last=last,
        deduplicate_names=numbered,
        decimal=_DECIMAL[decimal],
        day_first=_DATES[dates],
        parse_censored=limits,
        encoding=None if encoding == _RECOGNISED else encoding,
        sheet=sheet,
        query=query.strip() or None,
        max_rows=int(limit),
    )
    return FileChoices(options, options if sheet is not None or len(sheets) < 2 else None)


def show_ways(place: str, error: EspalierError) -> None:
    """A button for each way to read the file that a refusal names, which makes this choice."""
    if not isinstance(error, DataError) or not error.choices:
        return
    with st.container(horizontal=True):
        for i, way in enumerate(error.choices):
            words = ", ".join(_WORDS[name](value) for name, value in way.items())
            st.button(words, key=f"way_{i}_{place}", on_click=_choose, args=(place, way))


def _choose(place: str, way: Mapping[str, Any]) -> None:
    for name, value in way.items():
        labels: Mapping[str, Any] = _LABELS.get(name, {})
        value = next((label for label, one in labels.items() if one == value), value)
        state.put(f"{_KEYS.get(name, name)}_{place}", value)


_LABELS: dict[str, Mapping[str, Any]] = {"decimal": _DECIMAL, "day_first": _DATES}
"""The labels of widgets that offer values by label."""

_KEYS = {"deduplicate_names": "number", "day_first": "dates"}
"""The keys of widgets that are not called as the option is."""

_WORDS: dict[str, Callable[[Any], str]] = {
    "header_line": lambda line: f"Take the names from line {line}",
    "skip_first": lambda n: "Leave out the first row" if n else "Read the first row as a case",
    "skip_last": lambda n: (
        ("Leave out the last row" if n == 1 else f"Leave out the last {n} rows") if n else "Read all rows"
    ),
    "decimal": lambda mark: next(label for label, one in _DECIMAL.items() if one == mark).capitalize(),
    "day_first": lambda first: "Day first" if first else "Month first",
    "deduplicate_names": lambda _: "Number names that come twice",
    "encoding": lambda name: f"Read all characters as {name}",
    "sheet": lambda name: f"Read the sheet '{plain(name, 60)}'",
}


@st.cache_data(show_spinner=False, max_entries=20)
def _sheets_of(file_id: str, _file: UploadedFile) -> tuple[str, ...]:
    return sheet_names(_file.getvalue())


def _count(label: str, key: str, least: int, help: str, empty: str = "none") -> int | None:
    value = st.number_input(label, least, value=None, step=1, placeholder=empty, key=key, help=help)
    return None if value is None else int(value)
