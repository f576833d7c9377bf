"""How a source is read, where its content alone does not say it."""

from dataclasses import dataclass

from ...errors import DataError
from ..texts import Spelling

MAX_ROWS = 1_000_000
"""A query may give so many rows unless `max_rows` says otherwise."""


@dataclass(frozen=True)
class ReadingOptions:
    """What a person decides about the reading of a table; `None` leaves a choice to the reader.

    Attributes
    ----------
    header : whether the first line names the columns.
    header_line : the line of a text file, or the row of a sheet, that names the columns, counted from 1; what stands
        above it is left out.
    skip_first : the rows below the names that are left out, such as a line of units.
    skip_last : the rows at the end that are left out, such as totals and sources.
    deduplicate_names : whether names that come twice are numbered: 'crp', 'crp (2)'.
    decimal : the decimal mark, '.' or ',', where a column does not show it: whether '1,125' is 1.125 or 1125.
    day_first : whether 03/04/2024 is the third of April, where a column does not show it.
    parse_censored : whether '<0.5' in a column of numbers is read as 0.5.
    encoding : the character encoding of a text file, one of `solvers.problem.file_text.ENCODINGS`.
    sheet : the sheet of a workbook, by its name or by its number from 1 on; by default the first one with cells.
    query : what a database is asked, in SQL.
    max_rows : the most rows that a query may give.
    seconds : how long a query may take.
    """

    header: bool | None = None
    header_line: int | None = None
    skip_first: int | None = None
    skip_last: int | None = None
    deduplicate_names: bool = False
    decimal: str | None = None
    day_first: bool | None = None
    parse_censored: bool = False
    encoding: str | None = None
    sheet: str | None = None
    query: str | None = None
    max_rows: int = MAX_ROWS
    seconds: float = 60.0

    def __post_init__(self) -> None:
        for name, least in (("header_line", 1), ("skip_first", 0), ("skip_last", 0), ("max_rows", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise DataError(f"{name} must be a whole number of at least {least}. Got {value}.")
        if self.decimal not in (None, ".", ","):
            raise DataError(f"The decimal mark must be '.' or ','. Got '{self.decimal}'.")
        if not 0 < self.seconds < float("inf"):
            raise DataError(f"The seconds of a query must be more than 0. Got {self.seconds:g}.")
        if self.header_line is not None and self.header is False:
            raise DataError("header_line names the line with the names of the columns. Leave it out, or header=False.")

    @property
    def chosen(self) -> Spelling:
        """How cells that allow two readings are read."""
        return Spelling(self.decimal or "", day_first=self.day_first)

    @property
    def cuts(self) -> bool:
        """Whether lines are left out."""
        return self.header_line is not None or bool(self.skip_first) or bool(self.skip_last)
