"""How a file is read, where it does not say it itself: lines, names, characters, sheet, query, data dictionary."""

from typing import NamedTuple

import streamlit as st

from solvers.language import msgid, tr
from solvers.problem import ReadingOptions
from solvers.problem.file_text import ENCODINGS
from solvers.problem.sources import MAX_ROWS

TYPES = [
    *("csv", "txt", "tsv", "data", "gz", "parquet", "feather", "arrow", "xlsx", "xlsm", "xlsb", "xls", "ods"),
    *("sqlite", "sqlite3", "db", "duckdb"),
]
"""The endings of files that can be chosen; what is in them says how they are read."""

_RECOGNISED = msgid("recognised")
_DATES = {_RECOGNISED: None, msgid("day first"): True, msgid("month first"): False}


class FileChoices(NamedTuple):
    """What was chosen; `mark` differs wherever the file has to be read again."""

    options: ReadingOptions
    dictionary: bytes | None
    mark: object


def show(place: str, header: bool | None = None) -> FileChoices:
    """Draw the choices in a part of the screen that can be opened.

    Parameters
    ----------
    place : makes the keys of the widgets differ between the places that have them.
    header : whether the first line names the columns; a line that was chosen here goes before.
    """
    with st.expander(tr("How the file is read"), key=f"how_{place}"):
        with st.container(horizontal=True):
            line = _count(
                tr("Names in line"), f"header_line_{place}", 1, tr("Lines above it are left out."), _RECOGNISED
            )
            first = _count(
                tr("Rows to leave out below the names"), f"skip_first_{place}", 0, tr("Units, for instance.")
            )
            last = _count(tr("Rows to leave out at the end"), f"skip_last_{place}", 0, tr("Totals, for instance."))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            encoding = st.selectbox(
                tr("Characters"), [_RECOGNISED, *ENCODINGS], format_func=tr, key=f"encoding_{place}"
            )
            sheet = st.text_input(
                tr("Sheet"), placeholder=tr("the first with cells"), key=f"sheet_{place}", help=tr("Name or number.")
            )
            limit = st.number_input(tr("At most rows of a query"), 1, value=MAX_ROWS, step=1000, key=f"rows_{place}")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            dates = st.selectbox(tr("Dates such as 03/04/2024"), list(_DATES), format_func=tr, key=f"dates_{place}")
            numbered = st.checkbox(
                tr("Number names that come twice"), key=f"number_{place}", help=tr("'crp' and 'crp (2)'.")
            )
            limits = st.checkbox(
                tr("Read <0.5 as 0.5"), key=f"limits_{place}", help=tr("And >1000 as 1000, beside numbers.")
            )
        query = st.text_area(
            tr("Query"),
            placeholder=tr('SELECT * FROM "patients" WHERE age > 17'),
            key=f"query_{place}",
            help=tr("What an SQLite or DuckDB file is asked; without one, for all of its only table."),
        )
        dictionary = st.file_uploader(
            tr("REDCap data dictionary"),
            type=["csv"],
            key=f"dictionary_{place}",
            help=tr("The CSV file that REDCap offers as 'Data Dictionary': it names columns and what codes mean."),
        )
    options = ReadingOptions(
        header=None if line else header,
        header_line=line,
        skip_first=first,
        skip_last=last,
        number_names=numbered,
        day_first=_DATES[dates],
        limits_as_numbers=limits,
        encoding=None if encoding == _RECOGNISED else encoding,
        sheet=sheet.strip() or None,
        query=query.strip() or None,
        max_rows=int(limit),
    )
    content = None if dictionary is None else dictionary.getvalue()
    return FileChoices(options, content, (options, dictionary and dictionary.file_id))


def _count(label: str, key: str, least: int, help: str, empty: str = msgid("none")) -> int | None:
    value = st.number_input(label, least, value=None, step=1, placeholder=tr(empty), key=key, help=help)
    return None if value is None else int(value)
