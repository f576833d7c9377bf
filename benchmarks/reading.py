"""How long odd tables take to be read, and what others notice of it: `python -m benchmarks.reading`.

Each table is made in a temporary folder, and uploaded to a dashboard of its own in a headless Chromium, while
another session goes to and fro between two screens. Needs Playwright and a Chromium, which may be named in
`ESPALIER_CHROMIUM`.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from benchmarks.browsing import VIEW, button, dashboard, launching
from benchmarks.cli import Findings, conclude, parser, tell
from benchmarks.reaction import timed
from benchmarks.tables import Table, digits, whole
from benchmarks.watching import Watch
from solvers.errors import DataError

ASKED = 1.0
"""Seconds within which a click of another session must be answered."""

SETTLED = 6000
"""Milliseconds that a fresh dashboard has to prepare its first worker."""

PATIENCE = 300.0
"""Seconds after which a table is given up."""


def grid(rows: int, columns: int) -> bytes:
    """Numbers below a thousand, and a last column of two classes."""
    rng = np.random.default_rng(1)
    values = rng.integers(0, 1000, (rows, columns - 1)).tolist()
    lines = (",".join(map(str, row)) + f",{'ab'[i % 2]}" for i, row in enumerate(values))
    return "\n".join([",".join(f"c{j}" for j in range(columns)), *lines, ""]).encode()


def repeated(part: bytes, size: int) -> bytes:
    """A part again and again, up to so many bytes."""
    return part * (size // len(part))


TABLES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "200 x 20,000": ("csv", lambda: grid(200, 20_000)),
    "100 x 50,000": ("csv", lambda: grid(100, 50_000)),
    "100 x 100,000": ("csv", lambda: grid(100, 100_000)),
    "a million empty columns": ("csv", lambda: (b"," * 999_999 + b"\n") * 3),
    "a million empty cells": ("csv", lambda: (b"," * 99 + b"\n") * 10_000),
    "40 MB of gzip members": ("csv.gz", lambda: repeated(gzip.compress(b"1,2\n"), 40_000_000)),
    "10 MB that unpack to 10 GB": ("csv.gz", lambda: gzip.compress(repeated(b"1,2\n", 100_000_000)) * 100),
    "one quote and 150 MB": ("csv", lambda: b'a,b\n"' + repeated(b"1,2\n", 150_000_000)),
    "1,386,000 x 20": ("csv", lambda: grid(2000, 20) + repeated(grid(2000, 20).split(b"\n", 1)[1], 105_000_000)),
}
"""The tables: the ending of their file, and their content."""


class Reading(NamedTuple):
    """What became of a table.

    Attributes
    ----------
    seconds : from the upload until it stood on the screen, its typed rows included, or was refused.
    came_out : in words.
    clicks : seconds that each click of the other session took.
    server_mb, workers_mb : the most memory of the dashboard's process and of its workers, in MiB.
    """

    seconds: float
    came_out: str
    clicks: list[float]
    server_mb: float
    workers_mb: float


@contextmanager
def peaks(watch: Watch) -> Iterator[list[float]]:
    """The most memory of the dashboard and of its workers while the block runs."""
    most, over = [0.0, 0.0], threading.Event()

    def look() -> None:
        while not over.wait(0.1):
            now = watch.sample(0.0, 0)
            most[:] = max(most[0], now.server_mb), max(most[1], now.workers_mb)

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    try:
        yield most
    finally:
        over.set()
        looking.join()


def screen(page: Any, name: str, heading: str) -> float:
    """Go to another screen; the seconds until it is there."""
    link, there = page.get_by_role("link", name=name), page.get_by_role("heading", name=heading, exact=True)
    return timed(link.first.click, there.wait_for)


def read(browser: Any, url: str, watch: Watch, file: Path) -> Reading:
    """Upload a file, and click in another session until the table stands on the screen or is refused."""
    mine, other = (browser.new_context(viewport=VIEW).new_page() for _ in range(2))
    for page in (mine, other):
        page.set_default_timeout(60_000)
        page.goto(url)
    other.locator(".st-key-sample_iris").get_by_role("button", name="Use", exact=True).click()
    other.get_by_role("heading", name="Iris", exact=True).wait_for()
    # the rows must be there, and the first visit of a screen imports what it needs
    other.wait_for_timeout(SETTLED)
    screen(other, "Design", "Size of the tree")
    screen(other, "Data", "Iris")
    field = mine.locator("[class*=st-key-upload_] input[type=file]")
    field.last.wait_for(state="attached")
    clicks: list[float] = []
    alert = mine.get_by_role("alert")
    heading = mine.get_by_role("heading", name=file.name.split(".")[0], exact=True)
    ended = False
    with peaks(watch) as most:
        begun = time.monotonic()
        field.last.set_input_files(file)
        while not ended:
            if time.monotonic() - begun > PATIENCE:
                raise DataError(f"'{file.name}' was not read within {PATIENCE:g} s.")
            clicks.append(screen(other, "Design", "Size of the tree"))
            clicks.append(screen(other, "Data", "Iris"))
            ended = alert.count() or (heading.count() and button(mine, "Another table").count())
        seconds = time.monotonic() - begun
    words = alert.first.inner_text() if alert.count() else mine.get_by_text(" rows").first.inner_text()
    for page in (mine, other):
        page.context.close()
    return Reading(seconds, words.splitlines()[-1].split(". ")[0], clicks, *most)


def measure(wanted: Sequence[str]) -> Findings:
    """Read each table in a fresh dashboard."""
    from playwright.sync_api import sync_playwright

    rows, faults = [], []
    with tempfile.TemporaryDirectory(prefix="tables-") as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launching())
        for name in wanted:
            ending, content = TABLES[name]
            file = Path(folder) / f"table.{ending}"
            file.write_bytes(content())
            megabytes = file.stat().st_size / 1e6
            with dashboard() as running:
                found = read(browser, running.url, Watch(running.pid, running.runs), file)
            file.unlink()
            slowest = max(found.clicks)
            if slowest > ASKED:
                faults.append(f"{name}: a click of another session took {digits(slowest)} s, more than {ASKED:g} s")
            rows.append(
                (
                    *(name, digits(megabytes, 2), digits(found.seconds, 2)),
                    *(digits(median(found.clicks), 2), digits(slowest, 2)),
                    *(whole(found.server_mb), whole(found.workers_mb), found.came_out),
                )
            )
            tell(" | ".join(rows[-1]))
        browser.close()
    heads = ("table", "MB", "shown or refused after s", "others' median click s", "slowest s")
    heads += ("dashboard MiB", "workers MiB", "what came out")
    return Findings((Table("Tables that are uploaded, while another session clicks.", heads, tuple(rows)),), (*faults,))


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the options, measure, tell."""
    options = parser("reading", __doc__.splitlines()[0], folder=False)
    options.add_argument("--table", choices=TABLES, action="append", help="a table to take (default: all)")
    chosen = options.parse_args(arguments)
    return conclude(lambda: measure(chosen.table or tuple(TABLES)), chosen.out)


if __name__ == "__main__":
    sys.exit(main())
