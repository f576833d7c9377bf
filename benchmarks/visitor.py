"""A simulated user of the dashboard: loads a table, solves a tree, inspects and compares it, with pauses between.

Each next step of a visitor is drawn at random from a seed, so that a visit can be repeated. Each click is timed from
the click until the screen shows the result. The pages are those of Playwright's asynchronous API.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from benchmarks.browsing import ON_INSPECT, button, node
from solvers.metrics.words import count
from solvers.problem import samples

PATIENCE = 30.0
"""Seconds after which a missing result counts as an error."""

SOLVING = 240.0
"""Seconds after which a run counts as lost: it may wait for the runs of others, each of up to a minute."""

TABS = ("Evidence", "Proof", "Alternatives", "Export")
TROUBLE = "[data-testid=stException]:visible, [data-testid=stAlertContentError]:visible"
"""Elements that Streamlit shows after an error."""

Act = Callable[[], Awaitable[Any]]


class Click(NamedTuple):
    """A click: its purpose, its time (seconds of `time.monotonic`), and the seconds until the result was shown."""

    name: str
    at: float
    seconds: float


@dataclass
class Diary:
    """The record of all visitors.

    Attributes
    ----------
    clicks : in the order of their results.
    solved : the seconds from each press of Solve to its proved tree, with the time in the queue.
    errors : error messages.
    visits : number of opened sessions.
    """

    clicks: list[Click] = field(default_factory=list)
    solved: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    visits: int = 0


class Visitor:
    """A session in the browser.

    Parameters
    ----------
    name : of the visitor, for messages.
    page : of a separate browser context.
    think : the mean seconds between a result and the next click; from two thirds to four thirds of it.
    chance : draws the next step.
    diary : records the events.
    """

    def __init__(self, name: str, page: Any, think: float, chance: random.Random, diary: Diary) -> None:
        self._name, self._page, self._think, self._chance, self._diary = name, page, think, chance, diary
        self._title = ""
        self._runs = 0
        page.set_default_timeout(1000 * PATIENCE)
        page.on("pageerror", lambda error: self._complain(f"error in the page: {error}"))
        page.on("console", lambda said: self._complain(f"console: {said.text}") if said.type == "error" else None)
        page.on("response", lambda got: self._complain(f"{got.status} of {got.url}") if got.status >= 400 else None)
        page.on("requestfailed", self._failed)

    async def visit(self, url: str, until: float, tables: int | None = None) -> None:
        """Inspect one table after the other, and leave at a time (`time.monotonic`) or after some tables."""
        self._diary.visits += 1
        first = self._page.locator(".st-key-upload_1_0")
        await self._click("the first screen", lambda: self._page.goto(url, wait_until="commit"), first)
        while time.monotonic() < until and tables != 0:
            for step in (self._load, self._design, self._solve, self._inspect, self._compare, self._elsewhere):
                if time.monotonic() < until:
                    await step()
            tables = None if tables is None else tables - 1

    async def _load(self) -> None:
        page = self._page
        place = page
        sample = self._chance.choice([one for one in samples() if one.title != self._title])
        if self._title:
            title = page.get_by_role("heading", name=self._title, exact=True)
            await self._click("to Data", page.get_by_role("link", name="Data").click, title)
            place = page.get_by_role("dialog")
            await self._click("other tables", button(page, "Another table").click, place.locator(".st-key-sample_iris"))
        use = place.locator(f".st-key-sample_{sample.key}").get_by_role("button", name="Use", exact=True)
        await self._click(
            "a sample", use.click, page.get_by_role("heading", name=sample.title, exact=True), button(page, "Solve")
        )
        self._title = sample.title

    async def _design(self) -> None:
        page = self._page
        slider = page.locator(".st-key-design_max_depth").get_by_role("slider")
        await self._click("to Design", button(page, "Set size and limits").click, slider, button(page, "Solve"))
        depth, wanted = int(await slider.get_attribute("aria-valuetext")), self._chance.choice((2, 3, 4))
        step, key = (1, "ArrowRight") if wanted > depth else (-1, "ArrowLeft")
        for reached in range(depth + step, wanted + step, step) if wanted != depth else ():
            said = page.get_by_text(f"tree of depth {reached},")
            await self._click("another depth", lambda: slider.press(key), said)

    async def _solve(self) -> None:
        page, self._runs = self._page, self._runs + 1
        begun = time.monotonic()
        panel = page.get_by_text(re.compile(f"^Run {self._runs}: ")).first
        await self._click("Solve, to the panel of the run", button(page, "Solve").click, panel)
        done = page.get_by_role("button", name="Inspect the tree", disabled=False)
        await done.wait_for(timeout=1000 * SOLVING)
        self._diary.solved.append(time.monotonic() - begun)

    async def _inspect(self) -> None:
        page = self._page
        panel = page.locator(".st-key-explorer_panel")
        await self._click("to Inspect", button(page, "Inspect the tree").click, panel, node(page, 0))
        for _ in range(self._chance.randint(2, 4)):
            await self._look_at_a_node()
        await self._change_rows()
        for name in self._chance.sample(TABS, 3):
            await self._tab(name)
            if name == "Evidence":
                risks = page.get_by_role("radio", name="Risks", exact=True)
                await self._click("a part of a tab", risks.click, _first_visible(page.get_by_text("Observed")))
                choice = page.get_by_role("radio", name="Decision curve")
                await self._click("the decision curve", choice.click, _first_visible(page.get_by_text("Net benefit:")))

    async def _look_at_a_node(self) -> None:
        """Choose a leaf with a number of rows other than the shown one, so that its arrival is visible."""
        page = self._page
        save = page.get_by_role("button", name=re.compile(r"^Download \d[\d,]* rows? "))
        shown = _number(await save.text_content())
        leaves = page.locator(f"{ON_INSPECT} g.node.leaf")
        sizes = [_number(re.search(r" of ([\d,]+)", text)) for text in await leaves.all_text_contents()]
        offered = [i for i, n in enumerate(sizes) if n not in (shown, 0, None)]
        if offered:
            i = self._chance.choice(offered)
            words = f"Download {count(sizes[i], 'row')} (CSV)"
            await self._click("a node", leaves.nth(i).click, page.get_by_role("button", name=words))

    async def _change_rows(self) -> None:
        page = self._page
        for rows in ("Training", "Held-out"):
            choice = page.get_by_role("radio", name=re.compile(f"^{rows} rows"))
            n = _number(await choice.text_content())
            root = node(page, 0).filter(has_text=f"n = {n:,}")
            await self._click("other rows", choice.click, root)

    async def _tab(self, name: str) -> None:
        tab = self._page.get_by_role("tab", name=name, exact=True)
        if await tab.count() and await tab.get_attribute("aria-selected") != "true":
            # closed tabs are empty until the dashboard has computed them
            content = self._page.get_by_role("tabpanel", name=name, exact=True).get_by_test_id("stElementContainer")
            await self._click("a tab of Inspect or Compare", tab.click, _first_visible(content))

    async def _compare(self) -> None:
        page = self._page
        link = page.get_by_role("link", name="Compare", exact=True)
        await self._click("to Compare", link.click, *self._compared())
        for name in self._chance.sample(("Metrics", "Changed predictions", "Constraints"), 2):
            await self._tab(name)

    def _compared(self) -> tuple[Any, ...]:
        page = self._page
        return page.get_by_text("Models to compare"), page.locator("[class*=st-key-] #node0").nth(1)

    async def _elsewhere(self) -> None:
        """Look at the runs, at the lessons, or back at the tree; or do nothing."""
        page = self._page
        places = {
            "Runs": page.locator("[class*=st-key-runs_table]"),
            "Learn": page.get_by_role("heading", name="Learn", exact=True),
            "Inspect": node(page, 0),
        }
        place = self._chance.choice((*places, None))
        if place:
            await self._click(f"to {place}", page.get_by_role("link", name=place).click, places[place])

    async def _click(self, name: str, act: Act, *seen: Any) -> None:
        """Pause, act, wait until all of the result is shown, and record the time."""
        await asyncio.sleep(self._think * self._chance.uniform(2 / 3, 4 / 3))
        begun = time.monotonic()
        await act()
        for one in seen:
            await one.wait_for()
        self._diary.clicks.append(Click(name, begun, time.monotonic() - begun))
        for text in await self._page.locator(TROUBLE).all_text_contents():
            self._complain(f"on the screen after '{name}': {text[:200]}")

    def _failed(self, request: Any) -> None:
        # requests of a screen are aborted when it is left
        if "ERR_ABORTED" not in (request.failure or ""):
            self._complain(f"{request.failure} of {request.url}")

    def _complain(self, what: str) -> None:
        self._diary.errors.append(f"{self._name}: {what}")


def _first_visible(found: Any) -> Any:
    """The first visible one of several elements."""
    return found.locator("visible=true").first


def _number(found: Any) -> int | None:
    """The number in a text or in the group of a match, without thousands separators."""
    text = found[1] if isinstance(found, re.Match) else found
    digits = re.search(r"\d[\d,]*", text or "")
    return int(digits[0].replace(",", "")) if digits else None
