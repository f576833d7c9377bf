"""Attacks from outside in a real browser: access to the dashboard from other pages, host names and machines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PATIENCE, Dashboard, started
from tests.browser.journeys import open_part, press, solve_sample, upload

pytestmark = pytest.mark.browser

HERE = Path(__file__).parent


class Guarded(NamedTuple):
    """A dashboard that requires its token: its address, runs, log, opened pages, and connections."""

    url: str
    runs: Path
    log: Path
    opened: Path
    connections: Path


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """A freshly started dashboard that has opened a browser; the file for the browser is removed at the end."""
    folder = tmp_path_factory.mktemp("guarded")
    log, opened, connections = (folder / name for name in ("log.txt", "opened.txt", "connections.jsonl"))
    browser = folder / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}.part && mv {opened}.part {opened}\n')
    browser.chmod(0o755)
    environment = {"ESPALIER_TOKEN": "on", "BROWSER": str(browser)}
    environment |= {"PYTHONPATH": str(HERE / "connections"), "ESPALIER_TEST_CONNECTIONS": str(connections)}
    with started(folder / "runs", log, "--server.headless=false", variables=environment) as running:
        yield Guarded(running.url, folder / "runs", log, opened, connections)
    assert not Path(urlsplit(opened.read_text()).path).exists()


@contextmanager
def visitor(browser: Browser) -> Iterator[Page]:
    """A browser without history that lets foreign pages reach this machine, as many do."""
    context = browser.new_context(viewport={"width": 1366, "height": 768}, permissions=["local-network-access"])
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    expect.set_options(timeout=1000 * PATIENCE)
    yield page
    context.close()


def answer_to(program: Dashboard | Guarded, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """The status, headers and body of a program's response."""
    connection = HTTPConnection(urlsplit(program.url).netloc, timeout=PATIENCE)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    received = {name.lower(): value for name, value in answer.getheaders()}
    body = answer.read()
    connection.close()
    return answer.status, received, body


def printed(log: Path) -> str:
    """The address that a dashboard printed."""
    return re.search(r"Espalier is at (\S+)", log.read_text())[1]


def test_without_the_token_nothing_is_served(browser: Browser, guarded: Guarded) -> None:
    """Without the token there is no screen, upload or websocket; the printed address admits a browser permanently.

    The first visit may follow any link: a lesson has the navigation of the program and its own settings. The token does
    not remain in the address.
    """
    with visitor(browser) as page, visitor(browser) as other:
        address = printed(guarded.log)
        token = address.partition("?token=")[2]
        assert len(token) > 40
        upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
        upgrade["Sec-WebSocket-Key"] = "MDEyMzQ1Njc4OWFiY2RlZg=="
        assert answer_to(guarded, "/_stcore/stream", **upgrade)[0] == 403
        for path in ("/", "/runs", "/media/x.csv", "/_stcore/upload_file/a/b", "/?token=", f"/?token={token[:-1]}"):
            status, _, body = answer_to(guarded, path)
            assert status == 403 and b"the address that was printed" in body
        other.goto(guarded.url)
        expect(other.get_by_text("the address that was printed")).to_be_visible()

        page.goto(f"{guarded.url}/learn?lesson=xor&token={token}&noise=0.2")
        expect(page.get_by_role("link", name="Design")).to_be_visible()
        expect(page.get_by_role("slider", name="Noise")).to_have_value("20")
        assert "token" not in page.url and "lesson=xor" in page.url


def test_the_opened_browser_has_the_token(browser: Browser, guarded: Guarded) -> None:
    """The token is passed in a file that only the user can read, because all accounts can read a command line."""
    with visitor(browser) as page:
        address = guarded.opened.read_text()
        assert address.startswith("file://") and printed(guarded.log).partition("=")[2] not in address
        file = Path(urlsplit(address).path)
        assert (file.stat().st_mode & 0o077, file.parent.stat().st_mode & 0o077) == (0, 0)
        page.goto(address)
        expect(page.get_by_role("heading", name="Choose data")).to_be_visible()


def test_the_program_connects_to_this_machine_only(browser: Browser, guarded: Guarded) -> None:
    """This holds for a sample, a proved tree, an export, a file, and foreign requests.

    Nothing of that is stored or logged with the token.
    """
    with visitor(browser) as page:
        page.goto(printed(guarded.log))
        solve_sample(page, "Iris")
        press(page, "next")
        expect(page.get_by_text("All rows", exact=True)).to_be_visible()
        open_part(page, "Export")
        with page.expect_download():
            page.get_by_role("button", name="SVG").click()
        page.get_by_role("link", name="Data", exact=True).click()
        press(page, "another")
        upload(page, "own.csv", b"a,b,y\n" + b"".join(b"%d,%d,%d\n" % (i, i % 7, i % 2) for i in range(40)))
        expect(page.get_by_role("heading", name="own", exact=True)).to_be_visible()
        upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
        upgrade |= {"Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg=="}
        upgrade |= {"Cookie": "; ".join(f"{one['name']}={one['value']}" for one in page.context.cookies())}
        assert answer_to(guarded, "/_stcore/stream", **upgrade)[0] == 101
        assert answer_to(guarded, "/_stcore/stream", **upgrade, Origin="https://stranger.example")[0] == 403
    token = printed(guarded.log).partition("?token=")[2]
    contents = [path.read_bytes() for path in guarded.runs.rglob("*") if path.is_file()]
    assert contents and not any(token.encode() in content for content in contents)
    assert guarded.log.read_text().count(token) == 1
    lines = [json.loads(line) for line in guarded.connections.read_text().splitlines()]
    programs = [words for _, event, words in lines if event == "start"]
    assert any("streamlit" in words for words in programs) and any("solvers.run.worker" in words for words in programs)
    outside = [line for line in lines if line[1] != "start" and not at_home(line[2])]
    assert not outside


def at_home(host: str) -> bool:
    """Whether an address is local: loopback, none at all, or a file."""
    return host in ("localhost", "127.0.0.1", "::1", "None", "") or host.startswith(("/", "\0", "b'"))
