"""A dashboard of the tests' own, on a free port, and a page of it in headless Chromium."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, NamedTuple

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, expect, sync_playwright

ROOT = Path(__file__).parents[2]
PATIENCE = 60
FOREIGN = "rebound.example"
"""A name that is not this machine's, and leads to it."""

UNUSED = (
    *("WebUIOmniboxPopup", "WebUIOmniboxFullPopup", "WebUIOmniboxAimPopup"),
    *("HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "PaintHolding", "DestroyProfileOnBrowserClose"),
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "ThirdPartyStoragePartitioning", "OptimizationHints"),
)
"""Parts of Chromium that no test needs: suggestions for its address line, which take a process for each page, and what
Playwright turns off, whose list this one replaces."""

FLAGS = (
    f"--disable-features={','.join(UNUSED)}",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # of 3.6 s of its processor time a page took 2.2 to be loaded and used, once another one had been there
    "--process-per-site",
    # no page of a test lives long enough to earn back what optimising its scripts takes: a tenth of all
    "--js-flags=--no-opt --no-maglev",
    f"--host-resolver-rules=MAP {FOREIGN} 127.0.0.1",
)

STILL = """
const still = new CSSStyleSheet()
still.replaceSync("*, *::before, *::after { animation: none !important; transition: none !important }")
document.adoptedStyleSheets.push(still)
"""
"""Has a page stand still while it waits: a tenth of what a test in a browser costs is frames that nobody looks at."""


class Dashboard(NamedTuple):
    """A running dashboard: its address and the number of its process."""

    url: str
    pid: int


def free_port() -> int:
    """A port of this machine that nobody listens to."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextmanager
def started(
    runs: Path, log: Path, *options: str, port: int | None = None, variables: Mapping[str, str] | None = None
) -> Iterator[Dashboard]:
    """A dashboard in a process of its own, which ends with the block.

    `options` are Streamlit's and `variables` an administrator's. Without a word about it a browser needs no token,
    whoever has an account on this machine, and runs begin at once.
    """
    port = free_port() if port is None else port
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}"]
    command += ["--server.address=127.0.0.1", "--server.headless=true", *options]
    defaults = {"ESPALIER_TOKEN": "off", "ESPALIER_RECOMMEND_SECONDS": "0"}
    environment = {"ESPALIER_RUNS": str(runs), **defaults, **(variables or {})}
    with served(command, port, log, ROOT, environment) as running:
        yield running


@contextmanager
def served(
    command: Sequence[str], port: int, log: Path, cwd: Path, environment: Mapping[str, str] | None = None
) -> Iterator[Dashboard]:
    """Any program of Streamlit in a process of its own, which ends with the block."""
    with log.open("w") as out:
        process = subprocess.Popen(command, cwd=cwd, env={**os.environ, **(environment or {})}, stdout=out, stderr=out)
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{url}/_stcore/health", process, log)
        yield Dashboard(url, process.pid)
    finally:
        process.terminate()
        try:
            code = process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
        else:
            assert code == 0, f"ended with {code}, so that what ends with the program was not done"


@pytest.fixture(scope="session")
def dashboard(tmp_path_factory) -> Iterator[Dashboard]:
    """The dashboard of most tests."""
    log = tmp_path_factory.mktemp("log") / "dashboard.txt"
    with started(tmp_path_factory.mktemp("runs"), log) as running:
        yield running


def _wait_for(address: str, process: subprocess.Popen, log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text()
        try:
            urllib.request.urlopen(address, timeout=1)
            return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"The dashboard did not start:\n{log.read_text()}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium: that of `ESPALIER_CHROMIUM`, or the one that is installed."""
    found = (
        os.environ.get("ESPALIER_CHROMIUM"),
        "/usr/bin/chromium",
        shutil.which("chromium"),
        shutil.which("google-chrome"),
    )
    path = next((path for path in found if path and Path(path).exists()), None)
    if path is None:
        pytest.skip("There is no Chromium. Install it, or name it in ESPALIER_CHROMIUM.")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def visited(browser: Browser, dashboard: Dashboard) -> Iterator[BrowserContext]:
    """A browser that keeps the program's own files from page to page, which are most of what a page costs.

    A page that nobody looks at keeps the process of the site alive, and with it the compiled scripts.
    """
    context = browser.new_context(viewport={"width": 1366, "height": 768}, accept_downloads=True)
    context.add_init_script(STILL)
    context.new_page().goto(f"{dashboard.url}/_stcore/health")
    yield context
    context.close()


@pytest.fixture
def page(request, dashboard: Dashboard, visited: BrowserContext) -> Iterator[Page]:
    """A fresh session of the dashboard; the test fails on any error in the browser or any request to another host."""
    with opened(dashboard, visited, getattr(request, "param", "light")) as fresh:
        yield fresh


@contextmanager
def opened(dashboard: Dashboard, visited: BrowserContext, theme: Literal["light", "dark"] = "light") -> Iterator[Page]:
    """A page of the dashboard, on which there must be no error when it is closed."""
    fresh = visited.new_page()
    fresh.emulate_media(color_scheme=theme)
    fresh.set_default_timeout(1000 * PATIENCE)
    expect.set_options(timeout=1000 * PATIENCE)
    complaints: list[str] = []
    fresh.on("pageerror", lambda error: complaints.append(f"error: {error}"))
    fresh.on(
        "console",
        lambda message: complaints.append(f"{message.text} {message.location}") if _is_error(message) else None,
    )
    fresh.on(
        "request", lambda request: None if _is_own(request.url, dashboard) else complaints.append(f"asks {request.url}")
    )
    fresh.goto(dashboard.url)
    yield fresh
    fresh.evaluate("localStorage.clear()")
    fresh.close()
    visited.clear_cookies()
    assert not complaints


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give a test in a browser a second try, of which the run tells in the end: on a busy machine browsers stall."""
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
    """Has a test that failed in a browser tell what its screens said."""
    report = yield
    if report.when == "call" and report.failed:
        for name, page in getattr(item, "funcargs", {}).items():
            # an error in here would end the whole run; a page may be closed, stalled, or none of the dashboard
            with suppress(Error):
                if isinstance(page, Page):
                    state = page.evaluate(f"document.querySelector('[{AT_REST[0]}]')?.getAttribute('{AT_REST[0]}')")
                    report.sections.append((f"{name}: {page.url}, {state}", page.locator("body").inner_text()))
    return report


AT_REST = ("data-test-script-state", "notRunning")
"""What Streamlit says of its screen while no script runs for it and none is asked for."""


def come_to_rest(page: Page) -> None:
    """Wait until nothing on the screen is still being computed, loaded or drawn again."""
    unsettled = page.locator("[data-testid=stSkeleton]:visible, [data-stale=true]:visible")
    # on a slow machine a script asks for the next one some time after it has ended
    for _ in range(3):
        expect(page.get_by_test_id("stApp")).to_have_attribute(*AT_REST)
        expect(unsettled).to_have_count(0)
        page.wait_for_timeout(150)


def _is_error(message: ConsoleMessage) -> bool:
    # after F5 Streamlit seeks its server at the address of the screen first
    return message.type == "error" and not re.search("/[a-z]+/_stcore/(health|host-config)$", message.location["url"])


def _is_own(url: str, dashboard: Dashboard) -> bool:
    return url.startswith((dashboard.url, dashboard.url.replace("http", "ws"), "data:", "blob:"))
