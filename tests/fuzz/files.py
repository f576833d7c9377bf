"""Files as people and programs write them, valid and damaged: what hypothesis draws, and the resulting bytes."""

from __future__ import annotations

import csv
import gzip
import io
import random
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
"""The values of the cells of a column."""

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
ENCODINGS = (
    "utf-8",
    "utf-8",
    "utf-8",
    "utf-8",
    "utf-8-sig",
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "cp1252",
    "latin-1",
    "cp437",
    "utf-32",
)
PACKED = (None, None, None, None, None, "gzip", "gzip", "members", "cut gzip", "gzip twice", "gzip and rubbish")


class Drawn(NamedTuple):
    """A file, whether the first line is declared as a header, and the column declared as the outcome.

    Attributes
    ----------
    content : the bytes.
    header : as for `read_table`.
    outcome : the position of the outcome; `None` leaves the choice to the program.
    """

    content: bytes
    header: bool | None
    outcome: int | None


@st.composite
def files(draw: st.DrawFn) -> Drawn:
    """Files of up to 24 rows and 6 columns, some of them damaged.

    Hypothesis draws and shrinks the properties of the file; a seeded generator fills the cells.
    """
    rng = random.Random(draw(st.integers(0, 2**32 - 1)))
    pools = draw(st.lists(st.sampled_from(sorted(POOLS)), min_size=0, max_size=5))
    n_rows, gaps = draw(st.sampled_from((24, 24, 16, 16, 10, 5, 2, 1))), draw(st.sampled_from((0.0, 0.1, 0.5)))
    columns = [["" if rng.random() < gaps else rng.choice(POOLS[pool]) for _ in range(n_rows)] for pool in pools]
    classes = draw(st.sampled_from((*CLASSES, ("constant",))))
    columns.append([rng.choice(classes) for _ in range(n_rows)])
    names = [f"x{j}" for j in range(len(pools))] + ["outcome"]
    if draw(st.sampled_from((False, False, True))):
        names = [draw(st.sampled_from((*NAMES, *HOSTILE))) for _ in names]
    out = io.StringIO()
    separator, end = draw(st.sampled_from(",;\t ,;|")), draw(st.sampled_from(("\n", "\r\n", "\r")))
    csv.writer(out, delimiter=separator, lineterminator=end).writerows([names, *zip(*columns, strict=True)])
    before = draw(st.sampled_from((*[""] * 8, f"sep={separator}\n", "# made on a Monday\n")))
    raw = (before + out.getvalue()).encode(draw(st.sampled_from(ENCODINGS)), "replace")
    for _ in range(draw(st.sampled_from((0, 0, 0, 0, 1)))):
        raw = spoiled(raw, rng)
    outcome = draw(st.sampled_from((len(columns) - 1, len(columns) - 1, None, 0)))
    return Drawn(_pack(raw, draw(st.sampled_from(PACKED))), draw(st.sampled_from((None, True, True, False))), outcome)


def spoiled(content: bytes, rng: random.Random) -> bytes:
    """The content with a few bytes replaced, removed or duplicated."""
    at, length = rng.randrange(len(content) + 1), rng.randrange(1, 20)
    return rng.choice(
        (
            content[:at],
            content[:at] + rng.randbytes(length) + content[at + length :],
            content[:at] + content[at + length :],
            content[:at] + content[at : at + length] + content[at:],
            content[:at] + rng.choice((b"\0", b"\x1b", b'"', b"\n", b",;\t")) + content[at:],
            b"",
            b"[" * 60_000,
        )
    )


def _pack(raw: bytes, how: str | None) -> bytes:
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
