"""Access control: each request is checked before it reaches Streamlit.

A request must name this machine or a host of `ESPALIER_HOSTS`, and come from a page of the dashboard itself. If
others could reach the dashboard, it must also carry the token that was created at start. Responses may be neither
framed nor cached.
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
"""Query parameter of the token."""

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
    """Arguments of `st.App` that admit only authorized requests; call it once, before the server starts.

    Raises `SystemExit` if a setting has an invalid value: access is never guessed.
    """
    try:
        chosen = settings()
    except SettingError as error:
        sys.exit(f"The dashboard cannot start. {error}")
    _admit(chosen.hosts)
    token = start_token(chosen)
    return {"middleware": [Middleware(Access, token=token)], "lifespan": announce(token)}


def _admit(hosts: tuple[str, ...]) -> None:
    """Let Streamlit accept requests to these hosts and to its listening address, in addition to configured hosts."""

    def add() -> None:
        known = st.get_option("server.allowedHosts")
        names = [*hosts, *filter(None, [st.get_option("server.address")])]
        config.set_option("server.allowedHosts", [*known, *(name for name in names if name not in known)])

    add()
    # Streamlit reads its config file again whenever it changes
    config.on_config_parsed(add, force_connect=True)


def start_token(chosen: Settings) -> str | None:
    """A new token, or `None` if none is needed.

    Unless `ESPALIER_TOKEN` decides, no token is needed if users sign in, or if the machine has a single user and the
    dashboard is reachable only from it.
    """
    wanted = chosen.token
    if wanted is None:
        strangers = bool(chosen.hosts) or not ownership.only_this_machine() or not is_personal()
        wanted = strangers and ownership.sign_in() is None
    return secrets.token_urlsafe(32) if wanted else None


class Access:
    """ASGI middleware in front of the dashboard.

    A browser must send the token in its first address, or in the cookie set in response; `None` means that no token is
    needed.
    """

    def __init__(self, app: _Application, token: str | None) -> None:
        self._app, self._token = app, token

    async def __call__(self, scope: dict[str, Any], receive: _Receive, send: _Send) -> None:
        """Respond to a request, or pass it to the dashboard."""
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
    """The lifespan of the dashboard: print its address and open a browser, with the token included."""

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
        # without this, the signal that stopped the server would end it here and skip the cleanup at exit
        ignore_end_signals()

    return lifespan


def _leading_to(address: str, folder: Path) -> str:
    """A local file that redirects to an address: process arguments can be read by all accounts of a machine."""
    page = folder / "open.html"
    page.touch(mode=0o600)
    page.write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={html.escape(address)}">')
    return page.as_uri()


def _guard(send: _Send) -> _Send:
    """Add the security headers to responses of the dashboard."""

    async def guarded(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            fields = [(name.lower(), value) for name, value in message["headers"] if name.lower() not in _HEADERS]
            # public responses are the program's own scripts, styles and fonts, the same for all users
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
    """URL prefix of the files and pictures of a screen, which belong to one user."""
    base = st.get_option("server.baseUrlPath").strip("/")
    return f"/{base}/media/" if base else "/media/"


def _cookies(headers: Mapping[str, str]) -> dict[str, str]:
    pairs = (cookie.strip().partition("=") for cookie in headers.get("cookie", "").split(";"))
    return {name: value for name, _, value in pairs}


def _cookie(scope: Mapping[str, Any]) -> str:
    """The name of the cookie; it includes the port, because cookies are shared by all ports of a host."""
    return f"espalier_token_{scope['server'][1]}"
