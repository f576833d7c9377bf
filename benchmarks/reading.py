"""Time to read tables, and the effect on other sessions: `python -m benchmarks.reading`.

Each unusual table is generated in a temporary folder and uploaded to a separate dashboard in a headless Chromium, while
another session switches between two screens. Needs Playwright and a Chromium, which `ESPALIER_CHROMIUM` may name. With
`--size 1000000x11` a numeric file of this size is instead made into a dataset in a separate process; with
`--format parquet` it is a Parquet file.
"""

from __future__ import annotations

import gzip
import re
import subprocess
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
"""Limit in seconds of the response to a click of another session."""

SETTLED = 6000
"""Milliseconds for a fresh dashboard to prepare its first worker."""

PATIENCE = 300.0
"""Seconds after which reading a table is aborted."""


def grid(rows: int, columns: int) -> bytes:
    """Numbers below a thousand, and a last column of two classes."""
    rng = np.random.default_rng(1)
    values = rng.integers(0, 1000, (rows, columns - 1)).tolist()
    lines = (",".join(map(str, row)) + f",{'ab'[i % 2]}" for i, row in enumerate(values))
    return "\n".join([",".join(f"c{j}" for j in range(columns)), *lines, ""]).encode()


def repeated(part: bytes, size: int) -> bytes:
    """Repeat a text up to a number of bytes."""
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
"""The tables: file suffix and content."""


DATASETS = ("1000000x11", "500x5000", "200x20000")
"""Sizes in rows and columns, for `--size`."""

_INTO_DATASET = """
import os, pathlib, re, sys
from solvers.problem import build_dataset, read_table
read_table(b"a,b\\n1,x\\n2,y\\n")
import pyarrow.csv, pyarrow.parquet
most = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1]) / 1024
before, begun = most(), os.times()
table = read_table(sys.argv[1], max_mb=1e5)
read = os.times()
data = build_dataset(table, table.names[-1])
built = os.times()
spent = [sum(one[:2]) for one in (begun, read, built)]
print(spent[1] - spent[0], spent[2] - spent[1], built.user - begun.user, most() - before, data.X.nbytes / 2**20)
"""
"""Processor seconds of both parts, those in user mode, peak MiB beyond the program's own, MiB of the matrix."""


def into_datasets(sizes: Sequence[str], ending: str) -> Findings:
    """Make a dataset of a file of each size, in a fresh process that has read a small table before."""
    lines = []
    for size in sizes:
        rows, columns = (int(part) for part in size.split("x"))
        with tempfile.TemporaryDirectory(prefix="tables-") as folder:
            file = Path(folder) / f"table.{ending}"
            write_numbers(file, rows, columns)
            done = subprocess.run(
                [sys.executable, "-c", _INTO_DATASET, str(file)], capture_output=True, text=True, check=True
            )
            megabytes = file.stat().st_size / 1e6
        read, built, user, most, matrix = map(float, done.stdout.split())
        shown = (digits(part, 2) for part in (megabytes, read, built, read + built, user))
        lines.append((f"{rows:,} x {columns:,} {ending}", *shown, whole(most), digits(most / matrix, 2)))
        tell(" | ".join(lines[-1]))
    heads = ("file", "MB", "read s", "dataset s", "both s", "of them in user mode s", "most MiB", "times the matrix")
    return Findings((Table("Files that become a dataset, in processor seconds.", heads, tuple(lines)),))


def write_numbers(file: Path, rows: int, columns: int) -> None:
    """A table of alternating whole numbers and decimals, and a last column of two classes."""
    if file.suffix == ".csv":
        file.write_bytes(grid(rows, columns))
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(1)
    made = {f"c{j}": rng.normal(50, 10, rows) if j % 2 else rng.integers(0, 1000, rows) for j in range(columns - 1)}
    pq.write_table(pa.table(made | {"y": pa.array(np.where(np.arange(rows) % 2, "b", "a"))}), file)


class Reading(NamedTuple):
    """The result of reading a table.

    Attributes
    ----------
    seconds : from the upload until the table, including its typed rows, was shown or refused.
    came_out : as text.
    clicks : seconds of each click of the other session.
    server_mb, workers_mb : the peak memory of the dashboard's process and of its workers, in MiB.
    """

    seconds: float
    came_out: str
    clicks: list[float]
    server_mb: float
    workers_mb: float


@contextmanager
def peaks(watch: Watch) -> Iterator[list[float]]:
    """The peak memory of the dashboard and of its workers while the block runs."""
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
    """Go to another screen; the seconds until it is shown."""
    link, there = page.get_by_role("link", name=name), page.get_by_role("heading", name=heading, exact=True)
    return timed(link.first.click, there.wait_for)


def read(browser: Any, url: str, watch: Watch, file: Path) -> Reading:
    """Upload a file, and click in another session until the table is shown or refused."""
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
    """Read the options, measure and report."""
    options = parser("reading", __doc__.splitlines()[0], folder=False)
    options.add_argument("--table", choices=TABLES, action="append", help="a table to take (default: all)")
    options.add_argument(
        "--size", action="append", metavar="ROWSxCOLUMNS", help=f"make a dataset, such as {', '.join(DATASETS)}"
    )
    options.add_argument("--format", choices=("csv", "parquet"), default="csv", help="of the file that --size makes")
    chosen = options.parse_args(arguments)
    for size in chosen.size or ():
        if not re.fullmatch(r"[1-9]\d*x([2-9]|[1-9]\d+)", size):
            options.error(f"a size must be rows x columns, such as {DATASETS[0]}. Got '{size}'")
    if chosen.size:
        return conclude(lambda: into_datasets(chosen.size, chosen.format), chosen.out)
    return conclude(lambda: measure(chosen.table or tuple(TABLES)), chosen.out)


if __name__ == "__main__":
    sys.exit(main())
