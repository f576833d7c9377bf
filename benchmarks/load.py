"""A shared dashboard under load: `python -m benchmarks.load`.

The dashboard is started in shared mode (every session is a different user, without sign-in), and many people use it at
once in headless Chromium: each loads samples, sets the depth of a tree, solves, inspects, compares, and waits some
seconds before each click (`benchmarks.visitor`). Reported are the seconds from each kind of click to its result, all
errors, and memory and processor time of the dashboard, its workers and the browsers, which share the machine. Needs
Linux, Playwright and a Chromium, which `ESPALIER_CHROMIUM` may name.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from benchmarks.browsing import VIEW, Dashboard, dashboard, launching
from benchmarks.cli import Findings, conclude, number, parser, seconds, tell
from benchmarks.tables import Table, digits, whole
from benchmarks.visitor import Click, Diary, Visitor
from benchmarks.watching import Processors, Sample, Watch, by_minute, growth
from solvers.settings import settings

SHARED = "127.0.0.2"
"""An address that does not count as local, so that sessions are strangers, and that is not reachable from outside.
Linux has it by default.
"""

ASKED = 2.0
"""Limit in seconds of the median response to a click."""

EVERY = 10.0
"""Seconds between two samples of the memory."""

WARM = 300.0
"""Seconds in which memory may still settle; in a short measurement the first third."""

SHOWN_ERRORS = 20


class Plan(NamedTuple):
    """The plan of a measurement.

    Attributes
    ----------
    sessions : people at once.
    lasts : seconds.
    think : the mean seconds between a result and the next click.
    tables : number of tables after which a visitor leaves and another one comes; `None` if all stay.
    seed : of what the visitors do.
    """

    sessions: int
    lasts: float
    think: float
    tables: int | None
    seed: int


class Result(NamedTuple):
    """The results: the visitors' diary, memory over time, processor time, and the total seconds."""

    diary: Diary
    samples: list[Sample]
    processors: Processors
    took: float


async def _crowd(plan: Plan, running: Dashboard) -> Result:
    """Start the visitors, monitor, and wait until all have left."""
    from playwright.async_api import async_playwright

    diary, samples, watch = Diary(), [], Watch(running.pid, running.runs)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**launching())
        begun, before = time.monotonic(), watch.processors()
        watching = asyncio.create_task(_look(watch, browser, begun, samples))
        places = (_place(plan, i, browser, running, diary, begun + plan.lasts) for i in range(plan.sessions))
        await asyncio.gather(*places)
        took, used = time.monotonic() - begun, watch.processors().since(before)
        watching.cancel()
        await browser.close()
    said = running.log.read_text("utf-8", "replace")
    if "Traceback" in said:
        diary.errors.append(f"the dashboard's log has a traceback: {said[said.index('Traceback') :][:2000]}")
    return Result(diary, samples, used, took)


async def _look(watch: Watch, browser: Any, begun: float, samples: list[Sample]) -> None:
    """Take a sample of the memory every few seconds, until cancelled."""
    while True:
        at = time.monotonic() - begun
        samples.append(watch.sample(at, len(browser.contexts)))
        if len(samples) % 6 == 0:
            now = samples[-1]
            tell(f"{at / 60:.0f} min: {now.server_mb:.0f} MiB, {now.sessions} sessions, {now.folders} runs")
        await asyncio.sleep(EVERY)


async def _place(plan: Plan, i: int, browser: Any, running: Dashboard, diary: Diary, until: float) -> None:
    """One visitor after the other: a visitor who sees an error leaves, and another one comes."""
    from playwright.async_api import Error

    await asyncio.sleep(i * min(plan.think, plan.lasts / 3 / plan.sessions))
    turn = 0
    while time.monotonic() < until:
        name = f"visitor {i + 1}.{turn + 1}"
        context = await browser.new_context(viewport=VIEW, reduced_motion="reduce")
        page = await context.new_page()
        try:
            chance = random.Random(f"{plan.seed} {i} {turn}")
            await Visitor(name, page, plan.think, chance, diary).visit(running.url, until, plan.tables)
        except Error as error:
            diary.errors.append(f"{name}: {str(error).strip()[:500]}")
            # the next visitor must not add load while the dashboard is slow
            await asyncio.sleep(plan.think)
        await context.close()
        turn += 1


def measure(plan: Plan) -> Findings:
    """The response times of every kind of click, the errors, and the memory."""
    with dashboard(SHARED) as running:
        return findings(plan, asyncio.run(_crowd(plan, running)))


def findings(plan: Plan, result: Result) -> Findings:
    """The measurements as tables, and the faults."""
    diary, faults = result.diary, []
    asked = [click.seconds for click in diary.clicks]
    tables = [_clicks_table(plan, diary), _memory_table(result.samples), _whole_table(plan, result)]
    if not asked:
        faults.append("No click was answered")
    elif median(asked) > ASKED:
        faults.append(f"The median click took {digits(median(asked))} s, more than {ASKED:g} s")
    if diary.errors:
        counted = Counter(error.partition(": ")[2] for error in diary.errors).most_common(SHOWN_ERRORS)
        faults += [f"{len(diary.errors)} errors", *(f"{n} times {error}" for error, n in counted)]
    return Findings(tuple(tables), tuple(faults))


def _clicks_table(plan: Plan, diary: Diary) -> Table:
    names = list(dict.fromkeys(click.name for click in diary.clicks))
    rows = [_times(name, [click for click in diary.clicks if click.name == name]) for name in names]
    waits = [Click("", 0.0, wait) for wait in diary.solved]
    rows += [_times("**all**", diary.clicks), _times("from Solve to the proved tree, with the queue", waits)]
    title = (
        f"Seconds from a click to its answer, {plan.sessions} sessions, {2 * plan.think / 3:.3g} to "
        f"{4 * plan.think / 3:.3g} s of thought before each click, {settings().max_running} runs at a time."
    )
    return Table(title, ("click", "n", "median s", "90th percentile s", "slowest s"), tuple(rows))


def _times(name: str, clicks: Sequence[Click]) -> tuple[str, ...]:
    if not clicks:
        return name, "0", "–", "–", "–"
    found = [click.seconds for click in clicks]
    return name, str(len(found)), *(digits(float(np.quantile(found, share)), 2) for share in (0.5, 0.9, 1.0))


def _memory_table(samples: Sequence[Sample]) -> Table:
    heads = ("minute", "dashboard MiB", "workers MiB", "workers", "threads", "run folders", "sessions")
    rows = (
        (f"{sample.at / 60:.1f}", *map(whole, (sample.server_mb, sample.workers_mb)), *map(str, sample[3:]))
        for sample in by_minute(samples)
    )
    return Table("What is in use, at the end of each minute.", heads, tuple(rows))


def _whole_table(plan: Plan, result: Result) -> Table:
    """Errors, growth of memory, and processor time by process."""
    grown = growth(result.samples, min(WARM, plan.lasts / 3))
    hours = "–" if grown is None else f"{grown.mb_an_hour / plan.sessions:+.1f}"
    ends = "–" if grown is None else f"{grown.first_mb:.0f} to {grown.last_mb:.0f} ({grown.share:+.1%})"
    named = zip(("the dashboard", "its workers", "Chromium and what drives it"), result.processors, strict=True)
    rows = [
        ("errors", str(len(result.diary.errors))),
        ("visits", str(result.diary.visits)),
        ("runs", str(len(result.diary.solved))),
        ("minutes", f"{result.took / 60:.1f}"),
        ("dashboard after the start, MiB", ends),
        ("growth, MiB a session and hour", hours),
    ]
    rows += [(f"cores in use by {name}", f"{used / result.took:.2f}") for name, used in named]
    return Table("The whole.", ("what", "figure"), tuple(rows))


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the options, measure and report."""
    options = parser("load", __doc__.splitlines()[0], folder=False)
    options.add_argument("--sessions", type=number, default=20, metavar="N", help="people at once (default: 20)")
    options.add_argument("--minutes", type=seconds, default=30.0, metavar="N", help="how long (default: 30)")
    options.add_argument(
        "--think", type=seconds, default=7.5, metavar="SECONDS", help="mean time before a click (default: 7.5)"
    )
    options.add_argument(
        "--tables", type=number, metavar="N", help="leave after so many tables (default: nobody leaves)"
    )
    options.add_argument("--seed", type=number, default=1, metavar="N", help="of what they do (default: 1)")
    chosen = options.parse_args(arguments)
    plan = Plan(chosen.sessions, 60 * chosen.minutes, chosen.think, chosen.tables, chosen.seed)
    return conclude(lambda: measure(plan), chosen.out)


if __name__ == "__main__":
    sys.exit(main())
