"""A separate dashboard for the tests, on a free port, and a page of it in headless Chromium."""

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

UNUSED = (
    *("WebUIOmniboxPopup", "WebUIOmniboxFullPopup", "WebUIOmniboxAimPopup"),
    *("HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "PaintHolding", "DestroyProfileOnBrowserClose"),
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "ThirdPartyStoragePartitioning", "OptimizationHints"),
)
"""Parts of Chromium that no test needs: address-bar suggestions, which take a process per page, and the features in
Playwright's own list, which this list replaces."""

FLAGS = (
    f"--disable-features={','.join(UNUSED)}",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # loading and using a page takes 2.2 instead of 3.6 s of processor time if another page was open before
    "--process-per-site",
    # no test page lives long enough to repay the optimization of its scripts, a tenth of the total time
    "--js-flags=--no-opt --no-maglev",
)

STILL = """
const still = new CSSStyleSheet()
still.replaceSync("*, *::before, *::after { animation: none !important; transition: none !important }")
document.adoptedStyleSheets.push(still)
"""
"""Keeps a page still while it waits: frames that nobody sees are a tenth of the cost of a browser test."""


class Dashboard(NamedTuple):
    """A running dashboard: its address and process id."""

    url: str
    pid: int


def free_port() -> int:
    """A free port of this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextmanager
def started(
    runs: Path, log: Path, *options: str, port: int | None = None, variables: Mapping[str, str] | None = None
) -> Iterator[Dashboard]:
    """A dashboard in a separate process, which ends with the block.

    `options` are Streamlit's and `variables` an administrator's. By default a browser needs no token, whatever accounts
    the machine has, and runs begin at once.
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
    """Any Streamlit program in a separate process, which ends with the block."""
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
    """Headless Chromium: that of `ESPALIER_CHROMIUM`, or the installed one."""
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
    """A browser that caches the program's own files, most of the cost of a page, between pages.

    A hidden page keeps the process of the site alive, and with it the compiled scripts.
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
    """A page of the dashboard, which must have no error when it is closed."""
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
    """Retry a failed browser test once and report this at the end of the run: browsers stall on a busy machine."""
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
    """Add the text of the screens to the report of a failed browser test."""
    report = yield
    if report.when == "call" and report.failed:
        for name, page in getattr(item, "funcargs", {}).items():
            # an error in here would end the whole run; a page may be closed, stalled, or from another site
            with suppress(Error):
                if isinstance(page, Page):
                    state = page.evaluate(f"document.querySelector('[{AT_REST[0]}]')?.getAttribute('{AT_REST[0]}')")
                    report.sections.append((f"{name}: {page.url}, {state}", page.locator("body").inner_text()))
    return report


AT_REST = ("data-test-script-state", "notRunning")
"""Attribute of Streamlit's screen while no script is running or requested."""


def come_to_rest(page: Page) -> None:
    """Wait until nothing on the screen is being computed, loaded or redrawn."""
    unsettled = page.locator("[data-testid=stSkeleton]:visible, [data-stale=true]:visible")
    # on a slow machine a script requests the next run some time after it has ended
    for _ in range(3):
        expect(page.get_by_test_id("stApp")).to_have_attribute(*AT_REST)
        expect(unsettled).to_have_count(0)
        page.wait_for_timeout(150)


def _is_error(message: ConsoleMessage) -> bool:
    # after F5 Streamlit first looks for its server at the address of the screen
    return message.type == "error" and not re.search("/[a-z]+/_stcore/(health|host-config)$", message.location["url"])


def _is_own(url: str, dashboard: Dashboard) -> bool:
    return url.startswith((dashboard.url, dashboard.url.replace("http", "ws"), "data:", "blob:"))
