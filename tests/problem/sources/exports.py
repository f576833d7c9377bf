"""Files as hospitals, laboratories and spreadsheets export them, all of the same eight patients."""

from __future__ import annotations

import datetime as dt
import gzip
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from tests.problem.sources.files import as_xls, as_xlsx

NAMES = ["id", "age", "sex", "crp", "seen", "died"]
ROWS = [
    ["P1", 54, "f", 1.5, "2024-01-31", "yes"],
    ["P2", 61, "m", 22.75, "2024-02-01", "no"],
    ["P3", 47, "f", 0.5, "2024-02-13", "no"],
    ["P4", 80, "m", 1234.5, "2024-03-01", "yes"],
    ["P5", 39, "f", 7, "2024-03-02", "no"],
    ["P6", 72, "m", 3.25, "2024-03-17", "yes"],
    ["P7", 66, "f", 48, "2024-04-05", "no"],
    ["P8", 58, "m", 12, "2024-04-30", "yes"],
]
"""Dates of which some are unambiguous, thousands and decimals, and no missing values."""


@dataclass(frozen=True)
class Export:
    """A file, its expected refusal, the options that the sentence suggests, and the expected problem of a column.

    Attributes
    ----------
    content : the file.
    refused : a regular expression for the refusal; `None` if the file is read as it is.
    options : the options chosen from the start or after the refusal.
    rows : the expected cells, by name.
    problem : a regular expression for the problem of a column until the options are chosen.
    """

    content: bytes
    refused: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    rows: list[list[Any]] = field(default_factory=lambda: ROWS)
    names: list[str] = field(default_factory=lambda: NAMES)
    problem: str | None = None


def lines(
    separator: str = ",", rows: list[list[Any]] = ROWS, names: list[str] = NAMES, comma: bool = False, end: str = ""
) -> str:
    """A text file, with or without decimal commas, and something at the end of each line."""

    def spelled(cell: Any) -> str:
        text = "" if cell is None else f"{cell:g}" if isinstance(cell, float) else str(cell)
        return text.replace(".", ",") if comma and isinstance(cell, float) else text

    return "".join(separator.join(map(spelled, row)) + end + "\n" for row in [names, *rows])


def changed(column: str, spelled: Any) -> list[list[Any]]:
    """The rows with another spelling in one column."""
    j = NAMES.index(column)
    return [[*row[:j], spelled(row[j]), *row[j + 1 :]] for row in ROWS]


def _day(cell: str, pattern: str) -> str:
    return dt.date.fromisoformat(cell).strftime(pattern)


_SWISS = changed("crp", lambda x: f"{x:,}".replace(",", "'"))
_UNITS = "id,age,sex,crp,seen,died\n,years,,mg/l,,\n"
_GROUPS = "Patient,,,Laboratory,Stay,\n"
_NUMBERED = [f'"{i}" {" ".join(map(str, row))}\n' for i, row in enumerate(ROWS, 1)]
_BODY = lines().split("\n", 1)[1]
_GERMAN = [*NAMES[:2], "geschlecht", "größe", *NAMES[4:]]
_TYPED = [[*row[:4], dt.date.fromisoformat(row[4]), row[5]] for row in ROWS]

EXPORTS: dict[str, Export] = {
    "commas": Export(lines().encode()),
    "semicolons and decimal commas": Export(lines(";", comma=True).encode()),
    "tabs": Export(lines("\t").encode()),
    "vertical bars": Export(lines("|").encode()),
    "blanks in columns": Export(
        "".join("".join(f"{cell!s:<12}" for cell in row) + "\n" for row in [NAMES, *ROWS]).encode()
    ),
    "byte order mark": Export(lines(";", comma=True).encode("utf-8-sig")),
    "sep=; and carriage returns": Export(("sep=;\n" + lines(";", comma=True)).replace("\n", "\r\n").encode()),
    "UTF-16 of a spreadsheet": Export(lines("\t", comma=True).encode("utf-16")),
    "Windows-1252": Export(lines(names=_GERMAN).encode("cp1252"), names=_GERMAN),
    "two encodings": Export(
        lines(names=_GERMAN).encode() + "P9,50,männlich,1.5,2024-05-01,no\n".encode("cp1252"),
        "mixes two encodings.*--file-encoding.*",
        {"encoding": "latin-1"},
        [*ROWS, ["P9", 50, "männlich", 1.5, "2024-05-01", "no"]],
        [*NAMES[:2], "geschlecht", "gröÃ\x9fe".replace("ö", "Ã¶"), *NAMES[4:]],
    ),
    "packed": Export(gzip.compress(lines().encode())),
    "trailing separator": Export(lines(end=",").encode()),
    "trailing separator in rows only": Export((",".join(NAMES) + "\n" + _BODY.replace("\n", ",\n")).encode()),
    "empty rows at the end": Export((lines(";", comma=True) + ";;;;;\n" * 3).encode()),
    "an empty column": Export(
        lines(rows=[[*row, None, 1] for row in ROWS], names=[*NAMES, "comment", "page"]).encode(),
        rows=[[*row, "", 1] for row in ROWS],
        names=[*NAMES, "comment", "page"],
    ),
    "a column without a name": Export(
        lines(names=["", *NAMES[1:]]).encode(), names=["column 1", *NAMES[1:]]
    ),
    "names of rows, as R writes them": Export(
        "".join([" ".join(f'"{name}"' for name in NAMES), "\n", *_NUMBERED]).encode(),
        rows=[[i, *row] for i, row in enumerate(ROWS, 1)],
        names=["row", *NAMES],
    ),
    "line breaks in quotes": Export(
        lines(
            rows=changed("sex", lambda x: f'"{x}\nby letter"'),
            names=[*NAMES[:3], '"crp\n(mg/l)"', *NAMES[4:]],
        ).encode(),
        rows=changed("sex", lambda x: f"{x}\nby letter"),
        names=[*NAMES[:3], "crp (mg/l)", *NAMES[4:]],
    ),
    "a title above": Export(
        ("Ward 3, discharges\n\n" + lines()).encode(), "begin in line 3.*--header-line 3", {"header_line": 3}
    ),
    "a title with separators": Export(
        ("Ward 3;;;;;\nfrom 2024-01-01;;;;;\n" + lines(";", comma=True)).encode(),
        "begin with a title.*line 3.*--header-line 3",
        {"header_line": 3},
    ),
    "a title and a filter in a spreadsheet's text": Export(
        ("Report\t\t\t\t\t\n\t\t\t\t\t\nFilter:\tWard 3\t\t\t\t\n" + lines("\t")).encode("utf-16"),
        "begin with a title.*--header-line 4",
        {"header_line": 4},
    ),
    "comments above": Export(
        ("# exported 2024-05-01\n# by the registry\n" + lines()).encode(), "--header-line 3", {"header_line": 3}
    ),
    "n at the end": Export((lines() + "n = 8\n").encode(), "--skip-last 1", {"skip_last": 1}),
    "a source at the end, with separators": Export(
        (lines(";", comma=True) + ";;;;;\nSource: registry;;;;;\nprinted 2024-05-01;;;;;\n").encode(),
        "seem to be a footer.*--skip-last 3",
        {"skip_last": 3},
    ),
    "a total": Export((lines() + "Total,477,,1329.5,,\n").encode(), "'Total'.*--skip-last 1", {"skip_last": 1}),
    "a German total and a mean": Export(
        (lines(";", comma=True) + "Mittelwert;59,6;;166,2;;\nn = 8;;;;;\n").encode(), "--skip-last 2", {"skip_last": 2}
    ),
    "title, names, rows and footer": Export(
        ("Registry\n" + lines() + "\nn = 8\nSource: registry, 2024\n").encode(),
        "--header-line 2 --skip-last 2",
        {"header_line": 2, "skip_last": 2},
    ),
    "a line of units": Export((_UNITS + _BODY).encode(), "'years'.*--skip-first 1", {"skip_first": 1}),
    "two headers, groups above": Export((_GROUPS + lines()).encode(), "--header-line 2", {"header_line": 2}),
    "two headers, long names above": Export(
        ("Number,Age in years,Sex,Protein,Admission,Death\n" + lines()).encode(), "--header-line 2", {"header_line": 2}
    ),
    "names that come twice": Export(
        lines(names=["id", "age", "sex", "value", "value", "died"]).encode(),
        names=["id", "age", "sex", "value", "value (2)", "died"],
    ),
    "thousands in English": Export(lines(rows=changed("crp", lambda x: f'"{x:,}"')).encode()),
    "thousands in French": Export(
        lines(";", rows=changed("crp", lambda x: f"{x:,}".replace(",", "\u202f").replace(".", ","))).encode()
    ),
    "thousands in Switzerland": Export(lines(";", rows=_SWISS).encode()),
    "German dates": Export(lines(";", rows=changed("seen", lambda x: _day(x, "%d.%m.%Y")), comma=True).encode()),
    "French dates": Export(lines(";", rows=changed("seen", lambda x: _day(x, "%d/%m/%Y")), comma=True).encode()),
    "American dates": Export(lines(rows=changed("seen", lambda x: _day(x, "%m/%d/%Y"))).encode()),
    "dates that may be either": Export(
        lines(rows=[["P1", 54, "f", 1.5, "03/04/2024", "yes"], ["P2", 50, "m", 2.5, "05/04/2024", "no"]]).encode(),
        rows=[["P1", 54, "f", 1.5, "2024-04-03", "yes"], ["P2", 50, "m", 2.5, "2024-04-05", "no"]],
        options={"day_first": True},
        problem="--day-first or --month-first",
    ),
    "dates as a spreadsheet's numbers": Export(
        lines(rows=changed("seen", lambda x: (dt.date.fromisoformat(x) - dt.date(1899, 12, 30)).days)).encode(),
        rows=changed("seen", lambda x: (dt.date.fromisoformat(x) - dt.date(1899, 12, 30)).days),
    ),
    "percent": Export(
        lines(";", rows=changed("crp", lambda x: f"{x} %".replace(".", ","))).encode(),
        rows=changed("crp", lambda x: float(Decimal(str(x)) / 100)),
    ),
    "marks of missing values": Export(
        lines(rows=[*ROWS, ["P9", "NA", "NULL", "#DIV/0!", "#N/A", "no"], ["P10", "n/a", "?", "-", "", "no"]]).encode(),
        rows=[*ROWS, ["P9", None, None, None, None, "no"], ["P10", None, None, None, None, "no"]],
    ),
    "values at limits of a laboratory": Export(
        lines(rows=changed("crp", lambda x: "<1" if x < 1 else ">1000" if x > 1000 else x)).encode(),
        rows=changed("crp", lambda x: 1 if x < 1 else 1000 if x > 1000 else x),
        options={"parse_censored": True},
        problem="--parse-censored|3 levels|levels without",
    ),
    "labels with codes, as SPSS writes them": Export(
        lines(rows=changed("sex", lambda x: "1 = female" if x == "f" else "2 = male")).encode(),
        rows=changed("sex", lambda x: "1 = female" if x == "f" else "2 = male"),
    ),
    "a workbook": Export(as_xlsx({"data": [NAMES, *_TYPED]})),
    "a workbook of before 2007": Export(as_xls([NAMES, *_TYPED])),
    "a workbook with a second sheet": Export(
        as_xlsx({"read me": [["This is the registry."], ["See the other sheet."]], "data": [NAMES, *_TYPED]}),
        "",
        {"sheet": "data"},
    ),
    "a workbook with a title over all columns": Export(
        as_xlsx({"data": [[], [], NAMES, *_TYPED]}, merged=[(0, 0, 0, 5, "Ward 3")]),
        "begin with a title.*--header-line 3",
        {"header_line": 3},
    ),
    "a workbook with groups of columns": Export(
        as_xlsx(
            {"data": [[], NAMES, *_TYPED]}, merged=[(0, 0, 0, 2, "Patient"), (0, 3, 0, 5, "Stay")]
        ),
        "begin with a title.*--header-line 2",
        {"header_line": 2},
    ),
    "a workbook with merged patients": Export(
        as_xlsx(
            {"data": [NAMES, *[[None, *row[1:]] for row in _TYPED]]},
            merged=[(1, 0, 2, 0, "P1"), (3, 0, 4, 0, "P3"), (5, 0, 6, 0, "P5"), (7, 0, 8, 0, "P7")],
        ),
        rows=[[f"P{i - i % 2 + 1}", *row[1:]] for i, row in enumerate(ROWS)],
    ),
    "a workbook with units and a total": Export(
        as_xlsx({"data": [NAMES, ["", "years", "", "mg/l", "", ""], *_TYPED, ["Total", 477, "", 1329.5, "", ""]]}),
        "--skip-first 1",
        {"skip_first": 1, "skip_last": 1},
    ),
    "a workbook with errors and decimal commas in texts": Export(
        as_xlsx({"data": [NAMES, *[[*row[:3], f"{row[3]}".replace(".", ","), *row[4:]] for row in _TYPED[:7]],
                          ["P8", 58, "m", "#DIV/0!", dt.date(2024, 4, 30), "yes"]]}),
        rows=[*ROWS[:7], ["P8", 58, "m", None, "2024-04-30", "yes"]],
    ),
}  # fmt: skip
