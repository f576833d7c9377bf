"""Who may reach the dashboard, decided for each request before Streamlit sees it.

A request must name this machine or a host of `ESPALIER_HOSTS`, come from a page of the dashboard itself and, where
strangers could reach it, bring the token that was made at the start. Nobody may frame an answer or keep a copy of it.
"""

import hmac
import html
import secrets
import sys
import tempfile
import webbrowser
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import streamlit as st
from starlette.middleware import Middleware
from streamlit import config
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from components.session import ownership
from solvers.errors import SettingError
from solvers.platforms import ignore_end_signals, is_personal
from solvers.settings import Settings, settings

_Receive = Callable[[], Awaitable[dict[str, Any]]]
_Send = Callable[[dict[str, Any]], Awaitable[None]]
_Application = Callable[[dict[str, Any], _Receive, _Send], Awaitable[None]]

_NAME = "token"
"""Of the token in an address."""

_HEALTH, _METRICS = "/_stcore/health", "/_stcore/metrics"

_HEADERS = {
    b"content-security-policy": b"frame-ancestors 'none'",
    b"referrer-policy": b"same-origin",
    b"x-content-type-options": b"nosniff",
}

_HOST = (
    "The dashboard does not accept the host name '{}'. Use the address that was printed at the start, or ask your "
    "administrator to add this name to ESPALIER_HOSTS.\n"
)
_ORIGIN = "Another web page sent this request. Open the address of the dashboard in a new tab.\n"
_TOKEN = (
    "The address of this dashboard needs a token. Use the address that was printed at the start, which ends with "
    "'?token=...'. To use no token, start the dashboard with ESPALIER_TOKEN=off.\n"
)
_SIGN_IN = "Sign in first, then save the file from its screen.\n"


def guard() -> dict[str, Any]:
    """What `st.App` takes so that only those reach the dashboard who may; called once, before the server starts.

    Raises `SystemExit` where a setting has no value that it can have: who may come in is not guessed.
    """
    try:
        chosen = settings()
    except SettingError as error:
        sys.exit(f"The dashboard cannot start. {error}")
    _admit(chosen.hosts)
    token = start_token(chosen)
    return {"middleware": [Middleware(Access, token=token)], "lifespan": announce(token)}


def _admit(hosts: tuple[str, ...]) -> None:
    """Have Streamlit take requests to these hosts, and to the address at which it listens, beside those of its file."""

    def add() -> None:
        known = st.get_option("server.allowedHosts")
        names = [*hosts, *filter(None, [st.get_option("server.address")])]
        config.set_option("server.allowedHosts", [*known, *(name for name in names if name not in known)])

    add()
    # Streamlit reads its file again whenever it changes
    config.on_config_parsed(add, force_connect=True)


def start_token(chosen: Settings) -> str | None:
    """A new token, or `None` where none is needed.

    Unless `ESPALIER_TOKEN` decides, none is needed if users sign in, or if the machine is plainly one person's and the
    dashboard can be reached from that machine alone.
    """
    wanted = chosen.token
    if wanted is None:
        strangers = bool(chosen.hosts) or not ownership.only_this_machine() or not is_personal()
        wanted = strangers and ownership.sign_in() is None
    return secrets.token_urlsafe(32) if wanted else None


class Access:
    """What stands before the dashboard (ASGI middleware).

    A browser must bring the token in the first address, or in the cookie that this one sets; `None` for no token.
    """

    def __init__(self, app: _Application, token: str | None) -> None:
        self._app, self._token = app, token

    async def __call__(self, scope: dict[str, Any], receive: _Receive, send: _Send) -> None:
        """Answer a request, or have the dashboard do it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        host, origin, path = headers.get("host"), headers.get("origin"), scope["path"]
        if not is_host_allowed(host):
            await _refuse(scope, send, _HOST.format(host))
        elif origin is not None and urlsplit(origin).netloc != host:
            await _refuse(scope, send, _ORIGIN)
        elif path.endswith(_METRICS):
            await _refuse(scope, send, "There are no metrics here.\n", status=404)
        elif path.startswith(_media()) and not ownership.admits(_cookies(headers)):
            await _refuse(scope, send, _SIGN_IN)
        elif path.endswith(_HEALTH) or self._is_token(_cookies(headers).get(_cookie(scope), "")):
            await self._app(scope, receive, _guard(send))
        elif scope["type"] == "http" and self._is_token(dict(_query(scope)).get(_NAME, "")):
            await self._keep(scope, send)
        else:
            await _refuse(scope, send, _TOKEN)

    def _is_token(self, text: str) -> bool:
        return self._token is None or hmac.compare_digest(text.encode(), self._token.encode())

    async def _keep(self, scope: Mapping[str, Any], send: _Send) -> None:
        """Move the token from the address, where it could be copied and kept, into a cookie."""
        rest = urlencode([(name, value) for name, value in _query(scope) if name != _NAME])
        # a second slash at the beginning would name another host
        place = "/" + quote(scope["path"].lstrip("/\\")) + (f"?{rest}" if rest else "")
        secure = "; Secure" if scope["scheme"] == "https" else ""
        cookie = f"{_cookie(scope)}={self._token}; Path=/; HttpOnly; SameSite=Lax{secure}"
        await _answer(send, 303, "", {"location": place, "set-cookie": cookie})


def announce(token: str | None) -> Callable[[Any], AbstractAsyncContextManager[None]]:
    """What the dashboard does when it starts: it says where it is and opens a browser, which has the token already."""

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        listening = st.get_option("server.address")
        shown = listening if listening not in (None, "", "0.0.0.0", "::") else st.get_option("browser.serverAddress")
        scheme = "https" if st.get_option("server.sslCertFile") else "http"
        host, path = f"[{shown}]" if ":" in shown else shown, st.get_option("server.baseUrlPath").strip("/")
        address = f"{scheme}://{host}:{st.get_option('browser.serverPort')}" + (f"/{path}" if path else "")
        address += f"/?{_NAME}={token}" if token else ""
        print(f"\n  Espalier is at {address}\n", flush=True)
        with tempfile.TemporaryDirectory(prefix="espalier-") as folder:
            if not st.get_option("server.headless"):
                webbrowser.open(_leading_to(address, Path(folder)) if token else address)
            yield
        # the server would now end by the signal that stopped it, and what ends with the program would not be done
        ignore_end_signals()

    return lifespan


def _leading_to(address: str, folder: Path) -> str:
    """A file that leads to an address; what a program is started with can be read by all accounts of a machine."""
    page = folder / "open.html"
    page.touch(mode=0o600)
    page.write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={html.escape(address)}">')
    return page.as_uri()


def _guard(send: _Send) -> _Send:
    """Send what the dashboard answers with the headers that keep it to itself."""

    async def guarded(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            fields = [(name.lower(), value) for name, value in message["headers"] if name.lower() not in _HEADERS]
            # what is public is the program's own: scripts, styles and fonts, the same for everybody
            if not any(name == b"cache-control" and b"public" in value for name, value in fields):
                fields = [pair for pair in fields if pair[0] != b"cache-control"] + [(b"cache-control", b"no-store")]
            message = {**message, "headers": [*fields, *_HEADERS.items()]}
        await send(message)

    return guarded


async def _refuse(scope: Mapping[str, Any], send: _Send, words: str, status: int = 403) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
    else:
        await _answer(send, status, words, {"content-type": "text/plain; charset=utf-8"})


async def _answer(send: _Send, status: int, words: str, headers: Mapping[str, str]) -> None:
    fields = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    fields.append((b"content-length", str(len(words.encode())).encode()))
    guarded = _guard(send)
    await guarded({"type": "http.response.start", "status": status, "headers": fields})
    await guarded({"type": "http.response.body", "body": words.encode()})


def _query(scope: Mapping[str, Any]) -> list[tuple[str, str]]:
    return parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)


def _media() -> str:
    """Where the files and pictures are that a screen shows or offers, which belong to one user."""
    base = st.get_option("server.baseUrlPath").strip("/")
    return f"/{base}/media/" if base else "/media/"


def _cookies(headers: Mapping[str, str]) -> dict[str, str]:
    pairs = (cookie.strip().partition("=") for cookie in headers.get("cookie", "").split(";"))
    return {name: value for name, _, value in pairs}


def _cookie(scope: Mapping[str, Any]) -> str:
    """The name of the cookie; cookies are shared by all ports of a host, and each has a dashboard of its own."""
    return f"espalier_token_{scope['server'][1]}"
