"""Tables of measurements: numbers in a few digits, Markdown and CSV, and the machine."""

from __future__ import annotations

import csv
import io
import math
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

NOTHING = "–"
"""The cell of a value that was not measured."""


@dataclass(frozen=True)
class Table:
    """A table of texts with a title.

    Attributes
    ----------
    title : what it shows, in one sentence.
    headers : one per column.
    rows : one cell per column; the first column names the row.
    """

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            assert len(row) == len(self.headers), f"{len(row)} cells under {len(self.headers)} headers: {row}"

    @property
    def markdown(self) -> str:
        """The table in Markdown: names left-aligned, figures right-aligned."""
        lines = [self.title, "", _line(self.headers), _line((":--", *["--:"] * (len(self.headers) - 1)))]
        return "\n".join(lines + [_line(row) for row in self.rows]) + "\n"

    @property
    def csv(self) -> str:
        """The headers and the rows as comma-separated values."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.headers, *self.rows])
        return text.getvalue()


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"


class Ratio(NamedTuple):
    """Time of another run as a multiple of ours; `sign` is '>' or '<' if only a bound is known."""

    value: float
    sign: str = ""

    def __str__(self) -> str:
        return f"{self.sign} {digits(self.value, 2)}".strip()


def ratio(ours: float, theirs: float, ours_late: bool, theirs_late: bool) -> Ratio | None:
    """Theirs over ours; a run that was late has only a lower bound of its time. `None` if both were late."""
    if ours_late and theirs_late:
        return None
    return Ratio(theirs / ours, "<" if ours_late else ">" if theirs_late else "")


def geometric_mean(ratios: Sequence[Ratio]) -> Ratio | None:
    """The geometric mean; a bound if one of the ratios is, `None` for no ratios or bounds in both directions."""
    signs = {entry.sign for entry in ratios} - {""}
    if not ratios or len(signs) > 1:
        return None
    return Ratio(math.exp(sum(math.log(entry.value) for entry in ratios) / len(ratios)), "".join(signs))


def digits(value: float, count: int = 3) -> str:
    """A positive number in at least `count` significant digits, without an exponent."""
    if value <= 0 or not math.isfinite(value):
        return f"{value:g}"
    places = count - 1 - math.floor(math.log10(value))
    return f"{value:.{max(places, 0)}f}"


def whole(value: float | None) -> str:
    """A number without decimals, with thousands separators."""
    return NOTHING if value is None else f"{value:,.0f}"


def machine() -> str:
    """The machine and the versions of a table, in one sentence."""
    system = f"{platform.system()} {platform.machine()}"
    memory = f", {_memory_gb():.0f} GiB" if _memory_gb() else ""
    packages = ", ".join(f"{name} {found}" for name in ("numba", "numpy") if (found := _version(name)))
    return f"{_processor()}, {os.cpu_count()} cores{memory}, {system}, Python {platform.python_version()}, {packages}"


def versions(packages: Iterable[str]) -> str:
    """The installed versions of some packages."""
    return ", ".join(f"{name} {found}" for name in packages if (found := _version(name)))


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    described = Path("/proc/cpuinfo")
    if described.exists():
        for line in described.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown processor"


def _memory_gb() -> float:
    import psutil

    return psutil.virtual_memory().total / 2**30
