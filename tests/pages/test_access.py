"""Who may reach the dashboard: each request is judged by its host and its origin."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

import pytest
from streamlit import config

from components import access


class Answer(NamedTuple):
    """What came back: the status of a page, or whether a websocket was taken."""

    status: int
    headers: dict[str, str]
    body: str


def asked(path: str = "/", kind: str = "http", **told: str) -> Answer:
    """What a browser gets with these headers; the dashboard behind says 'inside', with what `X-Sets` names."""
    sent: list[dict[str, Any]] = []

    async def dashboard(scope: dict[str, Any], receive: Any, send: Any) -> None:
        kept = [(b"Cache-Control", told.get("cache", "no-cache").encode())]
        await send({"type": "http.response.start", "status": 200, "headers": kept})
        await send({"type": "http.response.body", "body": b"inside"})

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    headers = [(name.encode(), value.encode()) for name, value in {"host": "localhost:8501", **told}.items()]
    asyncio.run(access.Access(dashboard)({"type": kind, "path": path, "headers": headers}, None, send))
    if sent[0]["type"] == "websocket.close":
        return Answer(403, {}, "")
    got = [(name.decode().lower(), value.decode()) for name, value in sent[0]["headers"]]
    assert len(dict(got)) == len(got), "a header is told twice"
    return Answer(sent[0]["status"], dict(got), sent[1]["body"].decode())


@pytest.mark.parametrize("host", ["localhost:8501", "127.0.0.1", "[::1]:8501", "LOCALHOST"])
def test_this_machine_may_be_asked(host: str) -> None:
    """By its own names, at any port."""
    assert asked(host=host).body == "inside"


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize("host", ["", "clinic.example", "localhost.clinic.example", "127.0.0.1.clinic.example"])
def test_other_names_are_refused(host: str, kind: str) -> None:
    """A name that somebody else may have lead here; the sentence says what to do."""
    answer = asked(host=host, kind=kind)
    assert answer.status == 403
    assert kind == "websocket" or f"ESPALIER_HOSTS. Got '{host}'" in answer.body


def test_hosts_of_a_deployment_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are let in beside this machine, also after Streamlit has read its file again, and once each."""
    before, again = config.get_option("server.allowedHosts"), []
    monkeypatch.setattr(config, "on_config_parsed", lambda add, force_connect: again.append(add))
    try:
        access._admit(("clinic.example",))
        assert asked(host="clinic.example").body == asked(host="localhost:1").body == "inside"
        config.set_option("server.allowedHosts", before)
        assert asked(host="clinic.example").status == 403
        again[0]()
        again[0]()
        assert asked(host="clinic.example").body == "inside"
        assert config.get_option("server.allowedHosts") == [*before, "clinic.example"]
    finally:
        config.set_option("server.allowedHosts", before)


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    "origin", ["null", "", "https://stranger.example", "http://localhost:8502", "http://localhost"]
)
def test_other_pages_are_refused(origin: str, kind: str) -> None:
    """Also those of other programs of this machine."""
    assert asked(origin=origin, kind=kind).status == 403
    assert asked(origin="http://localhost:8501").body == "inside"


@pytest.mark.parametrize("cache", ["no-cache", "max-age=60", "public, max-age=60"])
def test_only_what_is_public_is_kept(cache: str) -> None:
    """Every answer says that nobody may frame it, and that it is not kept unless it is the same for everybody."""
    got = asked(cache=cache).headers
    assert got["content-security-policy"] == "frame-ancestors 'none'"
    assert got["cache-control"] == (cache if "public" in cache else "no-store")


def test_metrics_are_closed() -> None:
    """Below any path at which the program may be served."""
    assert [asked(path).status for path in ("/_stcore/metrics", "/tool/_stcore/metrics", "/")] == [404, 404, 200]


def test_wrong_setting_closes_the_door(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whom to let in is not guessed: the program does not start, and names the setting."""
    monkeypatch.setenv("ESPALIER_HOSTS", "*")
    with pytest.raises(SystemExit, match="ESPALIER_HOSTS must list"):
        access.guard()
