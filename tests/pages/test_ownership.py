"""Ownership of runs, and the administrator's settings: a misconfiguration never grants access."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit import config
from streamlit.runtime.secrets import secrets_singleton
from streamlit.testing.v1 import AppTest

from components.session import ownership
from tests.pages.journey import APP, SECONDS, words

AUTH = {
    "redirect_uri": "http://localhost:8501/oauth2callback",
    "cookie_secret": "0123456789abcdef" * 2,
    "client_id": "espalier",
    "client_secret": "s3cr3t",
    "server_metadata_url": "http://localhost:1/.well-known/openid-configuration",
}
ADA = {"is_logged_in": True, "iss": "http://clinic.example", "sub": "u-1001", "name": "Ada Ashdown"}


def visited(auth: Any = None, user: dict[str, Any] | None = None) -> AppTest:
    """The dashboard for a user with this identity, with this section [auth] written by an administrator."""
    app = AppTest.from_file(APP, default_timeout=SECONDS)
    if auth is not None:
        app.secrets = {"auth": auth}
    app.user = user or {}
    return app.run()


def owner_of(auth: Any = None, user: dict[str, Any] | None = None) -> str:
    """The owner of the runs of such a session."""

    def script() -> None:
        import streamlit as st

        from components.session import ownership

        st.text(ownership.owner())

    app = AppTest.from_function(script)
    if auth is not None:
        app.secrets = {"auth": auth}
    app.user = user or {}
    return app.run().text[0].value


@pytest.fixture
def secrets_at() -> Iterator[Callable[[Path], None]]:
    """Make Streamlit look for the file of secrets at a path."""
    before = config.get_option("secrets.files")

    def look_at(path: Path) -> None:
        config._set_option("secrets.files", [str(path)], "a test")
        secrets_singleton._reset()

    yield look_at
    config._set_option("secrets.files", before, "a test")
    secrets_singleton._reset()


def outside(app: AppTest) -> bool:
    """Whether the screen is the sign-in screen."""
    assert not app.exception, app.exception
    return app.title[0].value == "Sign in to Espalier" and not app.get("file_uploader")


def test_without_sign_in_all_runs_are_local() -> None:
    """On a personal machine nobody signs in, and all runs belong to the local user."""
    assert not outside(visited())
    assert owner_of() == ownership.LOCAL


def test_signed_in_users_own_their_runs() -> None:
    """The owner is the same at every sign-in, differs by number and provider, and identifies nobody."""
    assert not outside(visited(AUTH, ADA))
    owner = owner_of(AUTH, ADA)
    assert owner == owner_of(AUTH, ADA | {"name": "Ada Brown", "email": "a@b.example"}) and owner.startswith("user:")
    others = {owner_of(AUTH, ADA | change) for change in ({"sub": "u-1002"}, {"iss": "http://other.example"})}
    assert len(others | {owner}) == 3
    assert not any(str(value) in owner for value in ADA.values())


NOBODY = [{}, {"is_logged_in": True, "email": "a@b.example"}]
NOBODY += [ADA | change for change in ({"is_logged_in": False}, {"is_logged_in": "yes"}, {"sub": ""}, {"sub": None})]


@pytest.mark.parametrize("user", NOBODY, ids=range(len(NOBODY)))
def test_users_without_a_number_have_no_access(user: dict[str, Any]) -> None:
    """Without a number confirmed by the provider a user is not admitted, and shares ownership with no session."""
    app = visited(AUTH, user)
    assert outside(app) and [button.label for button in app.button] == ["Sign in"]
    assert owner_of(AUTH, user).startswith("session:")


TROUBLES = [
    ("on", r"must be a section"),
    ({**AUTH, "cookie_secret": ""}, r"'cookie_secret' under [auth]"),
    ({**AUTH, "cookie_secret": "xxx"}, "random text of 32 characters"),
    ({**AUTH, "client_secret": ""}, r"'client_secret' under [auth]"),
    ({key: AUTH[key] for key in ("redirect_uri", "cookie_secret")}, "'client_id'"),
    ({**AUTH, "my_clinic": {**AUTH}}, "no underscore"),
    ({"cookie_secret": AUTH["cookie_secret"], "redirect_uri": "x", "clinic": {"client_id": "x"}}, "[auth.clinic]"),
]


@pytest.mark.parametrize(("auth", "reason"), TROUBLES, ids=range(len(TROUBLES)))
def test_invalid_settings_block_access(auth: Any, reason: str) -> None:
    """The screen shows the fault without the secrets; it offers no sign-in, and signed-in users have no access."""
    for user in ({}, ADA):
        app = visited(auth, user)
        assert outside(app) and not app.button
        assert "Contact your administrator" in words(app) and reason in words(app)
        assert "s3cr3t" not in words(app) and AUTH["cookie_secret"] not in words(app)


@pytest.mark.parametrize("content", [b"[auth\nclient_id = 'x'", b"auth = ", b"[auth]\nclient_id = \xff"])
def test_an_unreadable_file_blocks_access(content: bytes, tmp_path: Path, secrets_at: Callable) -> None:
    """A syntax error in the file of secrets blocks access; without the file nobody needs to sign in."""
    path = tmp_path / "secrets.toml"
    secrets_at(path)
    assert not outside(visited())
    path.write_bytes(content)
    secrets_at(path)
    app = visited(user=ADA)
    assert outside(app) and not app.button
    assert "cannot be read" in words(app)


def test_missing_packages_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the packages of the sign-in the screen names the file that lists them."""
    monkeypatch.setattr(ownership, "find_spec", lambda name: None)
    assert "requirements-server.txt" in words(visited(AUTH, ADA))


def test_each_provider_has_a_button() -> None:
    """In addition to the default provider, providers with a separate section are offered by name."""
    own = {key: AUTH[key] for key in ("client_id", "client_secret", "server_metadata_url")}
    app = visited({**AUTH, "clinic": own, "school": own})
    assert [button.label for button in app.button] == ["Sign in", "Sign in with Clinic", "Sign in with School"]


def test_logs_of_the_sign_in_have_no_names() -> None:
    """The provider's claims of a refused user, and texts quoted by an exception, are omitted from the log."""
    ownership.keep_logs_impersonal()
    ownership.keep_logs_impersonal()
    logger, out = logging.getLogger("streamlit.web.server.starlette.starlette_auth_routes"), io.StringIO()
    handler = logging.StreamHandler(out)
    logger.addHandler(handler)
    try:
        logger.error("Error during authentication: %s. Error description: %s", "denied", "ada@clinic.example may not")
        try:
            raise ValueError("ada@clinic.example is unknown")
        except ValueError:
            logger.warning("Exchange failed for '%s'", "ada", exc_info=True)
    finally:
        logger.removeHandler(handler)
    assert out.getvalue().splitlines() == [
        "Sign-in: Error during authentication: .... Error description: ...",
        "Sign-in: Exchange failed for '...' (ValueError)",
    ]


def test_the_destination_of_a_table_is_stated() -> None:
    """On a personal machine the table stays local; on a server the screen says that it goes to the server."""
    assert "stays on this machine" in words(visited())
    shared = words(visited(AUTH, ADA))
    assert "stays on the server" in shared
    assert "this machine" not in shared
