"""Who may reach the dashboard, decided for each request before Streamlit sees it.

A request must name this machine or a host of `ESPALIER_HOSTS`, and come from a page of the dashboard itself. Nobody may
frame an answer or keep a copy of it.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from starlette.middleware import Middleware
from streamlit import cli_util, config
from streamlit.web.server.server_util import get_display_address, get_url
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from solvers.errors import SettingError
from solvers.settings import settings

_Receive = Callable[[], Awaitable[dict[str, Any]]]
_Send = Callable[[dict[str, Any]], Awaitable[None]]
_Application = Callable[[dict[str, Any], _Receive, _Send], Awaitable[None]]

_METRICS = "/_stcore/metrics"

_HEADERS = {
    b"content-security-policy": b"frame-ancestors 'none'",
    b"referrer-policy": b"same-origin",
    b"x-content-type-options": b"nosniff",
}

_HOST = (
    "The dashboard must be asked by a name that it knows: this machine's own, or one of the setting ESPALIER_HOSTS. "
    "Got '{}'. Use the address that was printed at the start, or ask your administrator to add this name.\n"
)
_ORIGIN = "Only pages of the dashboard itself may ask it for anything. Open its address in a tab of its own.\n"


def guard() -> dict[str, Any]:
    """What `st.App` takes so that only those reach the dashboard who may; called once, before the server starts.

    Raises
    ------
    SystemExit
        A setting has no value that it can have: who may come in is not guessed.
    """
    try:
        chosen = settings()
    except SettingError as error:
        sys.exit(f"The dashboard cannot start. {error}")
    _admit(chosen.hosts)
    return {"middleware": [Middleware(Access)], "lifespan": announced}


def _admit(hosts: tuple[str, ...]) -> None:
    """Have Streamlit take requests to these hosts, and to the address at which it listens, beside those of its file."""

    def add() -> None:
        known = config.get_option("server.allowedHosts")
        names = [*hosts, *filter(None, [config.get_option("server.address")])]
        config.set_option("server.allowedHosts", [*known, *(name for name in names if name not in known)])

    add()
    # Streamlit reads its file again whenever it changes
    config.on_config_parsed(add, force_connect=True)


class Access:
    """What stands before the dashboard (ASGI middleware)."""

    def __init__(self, app: _Application) -> None:
        self._app = app

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
        else:
            await self._app(scope, receive, _guarded(send))


@asynccontextmanager
async def announced(_: Any) -> AsyncIterator[None]:
    """What the dashboard does when it starts: it says where it is and opens a browser."""
    listening = config.get_option("server.address")
    shown = get_display_address(listening) if listening else config.get_option("browser.serverAddress")
    address = get_url(f"[{shown}]" if ":" in shown else shown)
    print(f"\n  Espalier is at {address}\n", flush=True)
    if not config.get_option("server.headless"):
        cli_util.open_browser(address)
    yield
    # the server would now end by the signal that stopped it, and what ends with the program would not be done
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})


def _guarded(send: _Send) -> _Send:
    """Send what the dashboard answers with the headers that keep it to itself."""

    async def guarded(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            kept = [(name.lower(), value) for name, value in message["headers"] if name.lower() not in _HEADERS]
            # what is public is the program's own: scripts, styles and fonts, the same for everybody
            if not any(name == b"cache-control" and b"public" in value for name, value in kept):
                kept = [pair for pair in kept if pair[0] != b"cache-control"] + [(b"cache-control", b"no-store")]
            message = {**message, "headers": [*kept, *_HEADERS.items()]}
        await send(message)

    return guarded


async def _refuse(scope: Mapping[str, Any], send: _Send, words: str, status: int = 403) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
    else:
        await _answer(send, status, words, {"content-type": "text/plain; charset=utf-8"})


async def _answer(send: _Send, status: int, words: str, headers: Mapping[str, str]) -> None:
    told = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    told.append((b"content-length", str(len(words.encode())).encode()))
    guarded = _guarded(send)
    await guarded({"type": "http.response.start", "status": status, "headers": told})
    await guarded({"type": "http.response.body", "body": words.encode()})
