"""Files as people and their programs make them, whole and broken: what hypothesis draws, and the bytes it becomes."""

from __future__ import annotations

import gzip
import random
from collections.abc import Sequence
from typing import NamedTuple

from hypothesis import strategies as st

from tests.diagram.models import HOSTILE

CLASSES = ("yes", "no"), ("0", "1"), ("ill", "well"), ("A", "B", "C"), ("1.5", "2.5"), ("=1", "+2"), ("é", "ü")

POOLS: dict[str, tuple[str, ...]] = {
    "whole": tuple(str(n) for n in range(-3, 12)),
    "decimal": ("0.5", "1.25", "-0.001", ".5", "3.", "1e-3", "+7"),
    "comma": ("1,5", "2,25", "1.234,5", "0,1"),
    "grouped": ("1,234.5", "1 234", "1'234'567", "12,345"),
    "percent": ("12 %", "5%", "0.5 %", "100 %"),
    "huge": ("1e308", "-1e308", "1e309", "9" * 400, "123456789012345678901", "5e-324", "1e999999999", "0x1F", "1_000"),
    "not finite": ("inf", "-inf", "Infinity", "nan", "NaN"),
    "date": ("2024-01-02", "2024-02-29", "1970-01-01 12:30", "0001-01-01", "9999-12-31", "2024-13-45"),
    "european": ("31.12.2024", "1.1.1900", "29.02.2023", "5.6.2020 7:08"),
    "ambiguous": ("01/02/2024", "03/04/2024", "12/11/2010"),
    "month first": ("12/31/2024", "1/2/2024", "2/30/2024", "99/99/9999"),
    "scale": ("low", "medium", "high"),
    "marked scale": ("none", "mild", "severe"),
    "roman": ("I", "II", "III", "IV"),
    "span": ("<20", "20-29", "30+"),
    "text": ("a", "b", "ward 7", "Größe", "漢字"),
    "mark": ("", "?", "NA", "n/a", "null", ".", "-", "unknown", "#N/A"),
    "one": ("7",),
    "mixed": ("1", "x", "2024-01-01", "", "5 %", "-", "1,5"),
    "bool": ("true", "False", "TRUE", "0"),
    "formula": ("=1+1", "@sum(a)", "-2+3", "+cmd", '=HYPERLINK("x")'),
    "hostile": HOSTILE,
    "digits": ("٣", "²", "½", "१२", "１２"),
    "long": ("x" * 5000, "1" * 5000, " " * 300 + "y"),
}
"""What the cells of a column are taken from."""

NAMES = (
    "age",
    "bmi",
    "sex",
    "id",
    "0",
    "1",
    "",
    " ",
    "outcome",
    "class",
    "Patient name",
    "größe",
    "AGE",
    "sep=",
    "a.b",
)
ENCODINGS = ("utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1", "cp437", "utf-32")
FAULTS = (
    "duplicate name",
    "short row",
    "long row",
    "nul",
    "control",
    "open quote",
    "bytes in the middle",
    "cut off",
    "empty lines",
    "separator at the end",
    "sep line",
    "comment line",
    "no rows",
    "two tables",
    "mixed line ends",
    "constant outcome",
)
PACKED = (None, None, None, None, None, "gzip", "gzip", "members", "cut gzip", "gzip twice", "gzip and rubbish")


class Drawn(NamedTuple):
    """A file, whether the reader is told that its first line is a header, and the column that is said to be predicted.

    Attributes
    ----------
    content : the bytes.
    header : as `read_table` takes it.
    outcome : the position of the column to predict; `None` leaves it to the program.
    """

    content: bytes
    header: bool | None
    outcome: int | None


@st.composite
def files(draw: st.DrawFn) -> Drawn:
    """Files of up to 24 rows and 6 columns, half of them with faults.

    Hypothesis draws what the file is like and shrinks that; which cell comes where is left to a seeded generator.
    """
    rng = random.Random(draw(st.integers(0, 2**32 - 1)))
    separator = draw(st.sampled_from((",", ";", "\t", " ", ",", ";", "|")))
    pools = draw(st.lists(st.sampled_from(sorted(POOLS)), min_size=0, max_size=5))
    n_rows = draw(st.sampled_from((24, 16, 10, 5, 3, 2, 1)))
    faults = draw(st.one_of(st.just(()), st.lists(st.sampled_from(FAULTS), min_size=1, max_size=2, unique=True)))
    gaps = draw(st.sampled_from((0.0, 0.1, 0.5)))
    columns = [_cells(POOLS[pool], n_rows, gaps, rng) for pool in pools]
    classes = draw(st.sampled_from(CLASSES))
    columns.append([classes[0] if "constant outcome" in faults else rng.choice(classes) for _ in range(n_rows)])
    names = _names(draw, len(columns))
    if "duplicate name" in faults:
        names = [names[0]] * len(names)
    rows = [names, *map(list, zip(*columns, strict=True))]
    text = _text(rows, separator, draw(st.sampled_from(("\n", "\r\n", "\r"))), faults, rng)
    raw = text.encode(draw(st.sampled_from(ENCODINGS)), "replace")
    content = _packed(_spoiled(raw, faults, rng), draw(st.sampled_from(PACKED)))
    outcome = draw(st.sampled_from((len(columns) - 1, len(columns) - 1, None, 0)))
    return Drawn(content, draw(st.sampled_from((None, True, True, False))), outcome)


def _cells(pool: Sequence[str], n_rows: int, gaps: float, rng: random.Random) -> list[str]:
    return ["" if rng.random() < gaps else rng.choice(pool) for _ in range(n_rows)]


def _names(draw: st.DrawFn, width: int) -> list[str]:
    strange = draw(st.sampled_from((False, False, True)))
    if not strange:
        return [f"x{j}" for j in range(width - 1)] + ["outcome"]
    return [draw(st.sampled_from((*NAMES, *HOSTILE))) for _ in range(width)]


def _text(rows: list[list[str]], separator: str, end: str, faults: Sequence[str], rng: random.Random) -> str:
    """The lines, with quotes where a field needs them; some faults leave them out."""
    lines = [separator.join(_field(cell, separator) for cell in row) for row in rows]
    at = rng.randrange(len(lines))
    if "short row" in faults:
        lines[at] = lines[at].rpartition(separator)[0]
    if "long row" in faults:
        lines[at] += separator + "1"
    if "open quote" in faults:
        lines[at] = '"' + lines[at]
    if "no rows" in faults:
        lines = lines[:1]
    if "empty lines" in faults:
        lines = [part for line in lines for part in (line, "", "  ")]
    if "separator at the end" in faults:
        lines = [line + separator for line in lines]
    if "comment line" in faults:
        lines.insert(0, "# made on a Monday")
    if "two tables" in faults:
        lines += ["", *lines]
    if "sep line" in faults:
        lines.insert(0, f"sep={separator}")
    ends = ("\n", "\r\n", "\r", "\x0b", "\u2028") if "mixed line ends" in faults else (end,)
    return "".join(line + rng.choice(ends) for line in lines)


def _field(cell: str, separator: str) -> str:
    quoted = any(mark in cell for mark in (separator, '"', "\n", "\r")) or (separator == " " and not cell)
    doubled = cell.replace('"', '""')
    return f'"{doubled}"' if quoted else cell


def _spoiled(raw: bytes, faults: Sequence[str], rng: random.Random) -> bytes:
    at = rng.randrange(len(raw) + 1)
    for fault, inserted in (("nul", b"\0"), ("control", b"\x1b"), ("bytes in the middle", rng.randbytes(5))):
        if fault in faults:
            raw = raw[:at] + inserted + raw[at:]
    return raw[:at] if "cut off" in faults else raw


def _packed(raw: bytes, how: str | None) -> bytes:
    if how is None:
        return raw
    packed = gzip.compress(raw, 1, mtime=0)
    if how == "members":
        half = len(raw) // 2
        return gzip.compress(raw[:half], 1, mtime=0) + gzip.compress(raw[half:], 1, mtime=0)
    return {
        "gzip": packed,
        "cut gzip": packed[:-9],
        "gzip twice": gzip.compress(packed, 1, mtime=0),
        "gzip and rubbish": packed + b"rubbish",
    }[how]
