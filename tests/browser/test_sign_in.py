"""Several users behind an OpenID Connect provider: outsiders see nothing, users see only their own data."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from itsdangerous import TimestampSigner, URLSafeTimedSerializer
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import PATIENCE, come_to_rest, free_port, started
from tests.browser.journeys import button, open_part, press, upload
from tests.browser.provider import USERS, Provider, provided, secrets_toml

pytestmark = pytest.mark.browser

COOKIE, COOKIE_SECRET = "_streamlit_user", "k7" * 20
DAY = 24 * 3600
SCREENS = ("", "inspect", "runs")


class Department(NamedTuple):
    """A dashboard behind a provider, with the folder of its runs and its log."""

    url: str
    runs: Path
    log: Path
    provider: Provider


@contextmanager
def department(folder: Path) -> Iterator[Department]:
    """A department with an empty folder of runs."""
    port = free_port()
    with provided() as provider:
        secrets_file = folder / "secrets.toml"
        secrets_file.write_text(secrets_toml(provider, f"http://127.0.0.1:{port}", COOKIE_SECRET))
        runs, log = folder / "runs", folder / "log.txt"
        with started(runs, log, f"--secrets.files={secrets_file}", port=port) as dashboard:
            yield Department(dashboard.url, runs, log, provider)


@pytest.fixture(scope="module")
def clinic(tmp_path_factory) -> Iterator[Department]:
    """The department of most tests."""
    with department(tmp_path_factory.mktemp("clinic")) as found:
        yield found


@contextmanager
def visitor(browser: Browser, clinic: Department) -> Iterator[Page]:
    """A user in a separate browser; no dialog opens, no script fails, nothing is refused, no other host requested."""
    context = browser.new_context(viewport={"width": 1366, "height": 768}, accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    expect.set_options(timeout=1000 * PATIENCE)
    complaints: list[str] = []
    own = (clinic.url, clinic.url.replace("http", "ws"), clinic.provider.issuer, "data:", "blob:")
    page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (complaints.append(f"says {dialog.message}"), dialog.dismiss()))
    page.on("response", lambda got: None if got.status != 403 else complaints.append(f"is refused {got.url}"))
    page.on(
        "request", lambda request: None if request.url.startswith(own) else complaints.append(f"asks {request.url}")
    )
    yield page
    context.close()
    assert not complaints


def sign_in(page: Page, clinic: Department, who: str) -> None:
    """From the first screen through the provider to the Data screen."""
    page.goto(clinic.url)
    button(page, "Sign in").click()
    page.get_by_role("link", name=who, exact=True).click()
    expect(page.get_by_role("heading", name="Choose data")).to_be_visible()


def sign_out(page: Page) -> None:
    """By the account in the navigation, to the sign-in screen."""
    come_to_rest(page)
    page.get_by_test_id("stTopNavSection").last.click()
    page.get_by_text("Sign out", exact=True).click()
    assert_outside(page)


def assert_outside(page: Page) -> None:
    """The screen offers to sign in and nothing else: no other screen, no table, no run."""
    expect(page.get_by_role("heading", name="Sign in to Espalier")).to_be_visible()
    expect(button(page, "Sign in")).to_be_visible()
    expect(page.get_by_role("link", name=re.compile("Data|Runs|Sign out"))).to_have_count(0)
    expect(page.locator("input[type=file], [data-testid=stDataFrame]")).to_have_count(0)


def solve(page: Page, name: str, mark: str) -> None:
    """Upload a table whose levels are called `mark`, and solve it."""
    rows = "".join(f"{mark}{i % 3},{i % 10},{'ill' if (i % 10 > 4) != (i % 7 == 0) else 'well'}\n" for i in range(60))
    upload(page, f"{name}.csv", f"ward,lactate,outcome\n{rows}".encode())
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    press(page, "next")
    expect(page.get_by_text("Optimal on training data", exact=True).first).to_be_visible()


def list_runs(page: Page) -> None:
    """The Runs screen, once its list is loaded."""
    page.get_by_role("link", name="Runs", exact=True).click()
    expect(page.get_by_role("heading", name="Runs")).to_be_visible()
    expect(page.get_by_text(re.compile("your runs use|Runs that you start are listed here")).first).to_be_visible()


def cell(page: Page, text: str) -> Locator:
    """The cells of the list with this text; they are behind the canvas that draws them."""
    return page.locator("td[role=gridcell]", has_text=text)


def test_users_see_only_their_own_data(browser: Browser, clinic: Department) -> None:
    """Ada's run is in no list, at no address and in no file of her namesake, and is there when she returns.

    The namesake has the same name and e-mail address, but another number: only the number identifies a user.
    """
    with visitor(browser, clinic) as ada, visitor(browser, clinic) as other:
        for screen in SCREENS:
            ada.goto(f"{clinic.url}/{screen}")
            assert_outside(ada)
        sign_in(ada, clinic, "Ada")
        solve(ada, "adas patients", "AdaWard")
        list_runs(ada)
        expect(cell(ada, "adas patients")).to_have_count(1)
        (folder,) = (path.parent for path in clinic.runs.glob("*/run.json"))

        sign_in(other, clinic, "Namesake")
        list_runs(other)
        expect(other.get_by_text("Runs that you start are listed here.").first).to_be_visible()
        secret = ("adas patients", "AdaWard")
        run = folder.name.rpartition("-")[2]
        for address in (
            f"runs?run={run}",
            f"inspect?run={run}&folder={folder.name}",
            f"solve?run_id={run}",
            folder.name,
        ):
            other.goto(f"{clinic.url}/{address}")
            expect(other.get_by_role("link", name="Runs", exact=True)).to_be_visible()
            other.wait_for_timeout(500)
            assert not [text for text in secret if text in other.content()], address
        for path in (f"media/{run}", f"media/{folder.name}/cells.arrow", f"app/static/{folder.name}/cells.arrow",
                     f"static/..%2f..%2f{folder.name}/problem.json", f"runs/{folder.name}/problem.json"):  # fmt: skip
            answer = other.request.get(f"{clinic.url}/{path}").body()
            assert not [text for text in secret if text.encode() in answer] and b"ARROW1" not in answer, path

        other.goto(clinic.url)
        solve(other, "other patients", "OtherWard")
        press(other, "next")
        other.locator("g.node.leaf").last.click()
        come_to_rest(other)
        with other.expect_download() as saved:
            other.get_by_role("button", name=re.compile(r"Download \d+ rows?")).click()
        rows = Path(saved.value.path()).read_text("utf-8-sig")
        assert "OtherWard" in rows and "AdaWard" not in rows

        sign_out(ada)
        ada.go_back()
        ada.goto(f"{clinic.url}/runs")
        assert_outside(ada)
        sign_in(ada, clinic, "Ada")
        list_runs(ada)
        row = cell(ada, "adas patients")
        expect(row).to_have_count(1)
        expect(cell(ada, "other patients")).to_have_count(0)
        come_to_rest(ada)
        ada.get_by_test_id("stDataFrame").click(position={"x": 16, "y": 52}, force=True)
        ada.locator(".st-key-runs_open").get_by_role("button").click()
        expect(ada.get_by_text("Optimal on training data", exact=True).first).to_be_visible()
        expect(ada.get_by_text("All rows", exact=True)).to_be_visible()
    owners = {json.loads(path.read_text())["owner"] for path in clinic.runs.glob("*/run.json")}
    assert len(owners) == 2 and all(re.fullmatch("user:[0-9a-f]{32}", owner) for owner in owners)
    assert_impersonal(clinic)


def assert_impersonal(clinic: Department) -> None:
    """The logs of the server and its workers contain no name, address, row or token."""
    logs = clinic.log.read_text() + "".join(path.read_text("utf-8", "replace") for path in clinic.runs.glob("*/*.log"))
    personal = ["adas patients", "AdaWard", "OtherWard", "@", "Ashdown", "eyJ", COOKIE_SECRET]
    assert "Espalier is at" in logs and not [text for text in personal if text in logs], logs


def test_users_without_a_valid_token_stay_outside(browser: Browser, clinic: Department) -> None:
    """A token that is forged, expired, for another program or without a number admits nobody; logs say nothing."""
    with visitor(browser, clinic) as page:
        page.goto(clinic.url)
        for name in (name for name, user in USERS.items() if user.fault or "sub" not in user.claims):
            before = clinic.log.read_text().count("Sign-in: ")
            button(page, "Sign in").click()
            page.get_by_role("link", name=name, exact=True).click()
            assert_outside(page)
            assert clinic.log.read_text().count("Sign-in: ") == before + 1, name
        page.goto(f"{clinic.url}/runs")
        assert_outside(page)
    assert_impersonal(clinic)


class Aged(TimestampSigner):
    """Signs as if it were some days earlier."""

    days = 0

    def get_timestamp(self) -> int:
        """The time, in seconds."""
        return int(time.time()) - self.days * DAY


def cookie(clinic: Department, secret: str = COOKIE_SECRET, days: int = 0, **more) -> str:
    """A cookie that identifies its bearer as Ada."""
    claims = {**USERS["Ada"].claims, "iss": clinic.provider.issuer, "origin": clinic.url, "is_logged_in": True} | more
    signer = type("Signer", (Aged,), {"days": days})
    return URLSafeTimedSerializer(secret, salt=COOKIE, signer=signer).dumps(json.dumps(claims))


def test_files_open_only_with_the_cookie_of_a_user(browser: Browser, clinic: Department) -> None:
    """The address of a file offered by a screen is refused without a valid cookie."""
    with visitor(browser, clinic) as page:
        sign_in(page, clinic, "Ada")
        solve(page, "own", "w")
        press(page, "next")
        open_part(page, "Export")
        with page.expect_download() as offered:
            press(page, "export_svg")
        address = offered.value.url
        assert page.request.get(address).status == 200
    for value in (None, cookie(clinic, secret="guessed"), cookie(clinic, days=40)):
        with visitor(browser, clinic) as stranger:
            if value is not None:
                stranger.context.add_cookies([{"name": COOKIE, "value": value, "url": clinic.url}])
            assert stranger.request.get(address).status == 403
