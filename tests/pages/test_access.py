"""Access to the dashboard: each request is checked by host, origin and token."""

from __future__ import annotations

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from streamlit import config

from components.server import access
from components.session import ownership
from solvers.platforms import is_personal
from solvers.settings import settings

TOKEN = "a-token-that-is-long-enough"
COOKIE = f"espalier_token_8501={TOKEN}"


class Answer(NamedTuple):
    """The response: the status of a page, or whether a websocket was accepted."""

    status: int
    headers: dict[str, str]
    body: str


def answer_to(
    path: str = "/", query: str = "", token: str | None = None, kind: str = "http", scheme: str = "http", **fields: str
) -> Answer:
    """A browser's response with these headers; the dashboard behind says 'inside', with what `X-Sets` names."""
    sent: list[dict[str, Any]] = []

    async def dashboard(scope: dict[str, Any], receive: Any, send: Any) -> None:
        response_headers = [(b"Cache-Control", fields.get("cache", "no-cache").encode())]
        await send({"type": "http.response.start", "status": 200, "headers": response_headers})
        await send({"type": "http.response.body", "body": b"inside"})

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    headers = [(name.encode(), value.encode()) for name, value in {"host": "localhost:8501", **fields}.items()]
    scope = {"type": kind, "path": path, "query_string": query.encode(), "headers": headers, "scheme": scheme}
    answering = access.Access(dashboard, token)(scope | {"server": ("127.0.0.1", 8501)}, None, send)
    with ThreadPoolExecutor(1) as thread:  # a browser test before this one may have left its loop in the main thread
        thread.submit(asyncio.run, answering).result()
    if sent[0]["type"] == "websocket.close":
        return Answer(403, {}, "")
    got = [(name.decode().lower(), value.decode()) for name, value in sent[0]["headers"]]
    assert len(dict(got)) == len(got), "a header is told twice"
    return Answer(sent[0]["status"], dict(got), sent[1]["body"].decode())


ADMITTED = [
    *({"host": name} for name in ("localhost:8501", "127.0.0.1", "[::1]:8501", "LOCALHOST")),
    {"origin": "http://localhost:8501"},
    *({"token": TOKEN, "cookie": one} for one in (COOKIE, f"a=b; {COOKIE}", f'a="; {COOKIE}')),
    # the monitoring of a deployment requests it; the response contains nothing else
    {"path": "/_stcore/health", "token": TOKEN},
]
REFUSED = [
    # a foreign name may resolve to this machine
    *({"host": name} for name in ("", "clinic.example", "localhost.clinic.example", "127.0.0.1.clinic.example")),
    # pages of other origins, also those of other programs of this machine
    *({"origin": one} for one in ("null", "", "https://stranger.example", "http://localhost:8502", "http://localhost")),
    # a missing or wrong token, or one of a dashboard at another port
    *(
        {"token": TOKEN, "cookie": one}
        for one in ("", COOKIE[:-1], COOKIE + "x", COOKIE.replace("8501", "8502"), "espalier_token_8501=")
    ),
    # a wrong token is refused even if the right one precedes it
    *(
        {"token": TOKEN, "query": one}
        for one in ("token=", "token=x", f"Token={TOKEN}", f"token={TOKEN}&token=x", "token=%ff")
    ),
]


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize("asked", ADMITTED, ids=str)
def test_requests_of_users_are_admitted(asked: dict[str, str], kind: str) -> None:
    """Any port of this machine, its own pages, and the cookie beside others of the host."""
    assert answer_to(kind=kind, **asked).body == "inside"


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize("asked", REFUSED, ids=str)
def test_requests_of_strangers_are_refused(asked: dict[str, str], kind: str) -> None:
    """Other hosts, other pages and wrong tokens; a sentence names the host."""
    answer = answer_to(kind=kind, **asked)
    assert answer.status == 403
    assert kind == "websocket" or "host" not in asked or f"host name '{asked['host']}'" in answer.body


def test_hosts_of_a_deployment_are_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are listed once each, also after Streamlit rereads its file."""
    before, again = config.get_option("server.allowedHosts"), []
    monkeypatch.setattr(config, "on_config_parsed", lambda add, force_connect: again.append(add))
    try:
        access._admit(("clinic.example",))
        assert answer_to(host="clinic.example").body == answer_to(host="localhost:1").body == "inside"
        config.set_option("server.allowedHosts", before)
        assert answer_to(host="clinic.example").status == 403
        again[0]()
        again[0]()
        assert answer_to(host="clinic.example").body == "inside"
        assert config.get_option("server.allowedHosts") == [*before, "clinic.example"]
    finally:
        config.set_option("server.allowedHosts", before)


@pytest.mark.parametrize("cache", ["no-cache", "max-age=60", "public, max-age=60"])
def test_only_public_responses_may_be_stored(cache: str) -> None:
    """Every response forbids framing, and forbids storing unless it is the same for everybody."""
    got = answer_to(cache=cache).headers
    assert got["content-security-policy"] == "frame-ancestors 'none'"
    assert got["cache-control"] == (cache if "public" in cache else "no-store")


def test_metrics_are_not_accessible() -> None:
    """The metrics endpoint is closed below any path at which the program may be served."""
    assert [answer_to(path).status for path in ("/_stcore/metrics", "/tool/_stcore/metrics", "/")] == [404, 404, 200]


def test_the_token_moves_from_the_address_into_a_cookie() -> None:
    """The rest of the address is kept, and no script, other site or unencrypted connection can read the cookie."""
    answer = answer_to("/learn", f"lesson=xor&token={TOKEN}&names=a%20b", token=TOKEN)
    assert (answer.status, answer.headers["location"]) == (303, "/learn?lesson=xor&names=a+b")
    assert answer.headers["set-cookie"] == f"{COOKIE}; Path=/; HttpOnly; SameSite=Lax"
    assert answer.headers["cache-control"] == "no-store"
    assert answer_to(query=f"token={TOKEN}", token=TOKEN, scheme="https").headers["set-cookie"].endswith("; Secure")


@pytest.mark.parametrize("path", ["//stranger.example/", "/\\stranger.example", "///stranger.example"])
def test_the_token_redirects_to_no_other_host(path: str) -> None:
    """Two leading slashes would name another host."""
    assert answer_to(path, f"token={TOKEN}", token=TOKEN).headers["location"].startswith("/stranger.example")


MINE, SERVICE = "ada:x:1000:1000::/people/ada:/bin/bash", "www:x:33:33::/var/www:/bin/sh"
NOBODY, CLOSED = "nobody:x:65534:65534::/:/bin/sh", "old:x:1001:1001::/people/old:/usr/sbin/nologin"
OTHER = "grace:x:1001:1001::/people/grace:/usr/bin/zsh"


@pytest.mark.parametrize(
    ("services", "accounts", "expected"),
    [
        ("passwd: files systemd\n", [MINE, SERVICE, NOBODY, CLOSED], True),
        ("# comment\npasswd:\tfiles # local\n", [SERVICE], True),
        ("passwd: files\n", [MINE, OTHER], False),
        ("passwd: files\n", [MINE, "+@staff::::::"], False),
        ("passwd: files sss\n", [MINE], False),
        ("passwd: compat nis\n", [MINE], False),
        ("group: files\n", [MINE], False),
        (None, [MINE], False),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no machine counts as personal")
def test_a_machine_with_other_accounts_is_not_personal(
    services: str | None, accounts: list[str], expected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: a service that did not list its accounts left the dashboard without a token."""
    monkeypatch.setattr("os.getuid", lambda: 1000)
    (tmp_path / "passwd").write_text("\n".join(accounts) + "\n")
    if services is not None:
        (tmp_path / "nsswitch.conf").write_text(services)
    assert is_personal(tmp_path) is expected


def test_the_accounts_of_a_directory_service_are_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: with many thousands of accounts this delayed each start."""

    def listed() -> list[object]:
        raise AssertionError("all accounts were listed")

    monkeypatch.setattr("pwd.getpwall", listed)
    access.start_token(settings({}))


@pytest.mark.parametrize(
    ("told", "alone", "address", "signing_in", "expected"),
    [
        ({}, True, "localhost", False, False),
        ({}, False, "localhost", False, True),
        ({}, True, "0.0.0.0", False, True),
        ({}, True, None, False, True),
        ({"ESPALIER_HOSTS": "clinic.example"}, True, "localhost", False, True),
        ({}, False, "0.0.0.0", True, False),
        ({"ESPALIER_TOKEN": "off"}, False, "0.0.0.0", False, False),
        ({"ESPALIER_TOKEN": "on"}, True, "localhost", True, True),
    ],
)
def test_a_token_is_needed_if_others_have_access(
    told: dict[str, str],
    alone: bool,
    address: str | None,
    signing_in: bool,
    expected: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A token is not needed on a personal machine or with sign-in; an explicit setting takes precedence."""
    monkeypatch.setattr(access, "is_personal", lambda: alone)
    monkeypatch.setattr(ownership, "sign_in", lambda: ownership.SignIn() if signing_in else None)
    monkeypatch.setattr("streamlit.get_option", lambda name: address)
    made = {access.start_token(settings(told)) for _ in range(2)}
    assert (None not in made) is expected and len(made) == (2 if expected else 1)


def test_an_invalid_setting_prevents_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program does not guess who has access; it does not start, and names the setting."""
    monkeypatch.setenv("ESPALIER_TOKEN", "no")
    with pytest.raises(SystemExit, match="ESPALIER_TOKEN must be"):
        access.guard()
