"""A small provider of OpenID Connect in the test process: any named user is signed in, without a password.

It implements the standard code flow with PKCE, including discovery, keys and end of session, so that the dashboard's
sign-in runs as with a real provider. Some of its users are faulty on purpose.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "espalier", "a secret of the client"
CODES = 60.0
"""Seconds for which a code can be exchanged."""


class User(NamedTuple):
    """A user who can sign in: the claims, and the fault of the token.

    `fault` is '' for a valid token, 'key' for one signed by a stranger, or the name of a false claim.
    """

    claims: dict[str, Any]
    fault: str = ""


USERS = {
    "Ada": User({"sub": "u-1001", "name": "Ada Ashdown", "email": "ada.ashdown@clinic.example"}),
    "Namesake": User({"sub": "u-1004", "name": "Ada Ashdown", "email": "ada.ashdown@clinic.example"}),
    "Forged": User({"sub": "u-1001", "name": "Ada Ashdown"}, "key"),
    "Late": User({"sub": "u-1001", "name": "Ada Ashdown"}, "exp"),
    "Elsewhere": User({"sub": "u-1001", "name": "Ada Ashdown"}, "aud"),
    "Replayed": User({"sub": "u-1001", "name": "Ada Ashdown"}, "nonce"),
    "Stranger": User({"sub": "u-1001", "name": "Ada Ashdown"}, "iss"),
    "Nobody": User({"name": "Ada Ashdown", "email": "ada.ashdown@clinic.example"}),
    "Refused": User({"email": "rose.refused@clinic.example"}, "refused"),
}


class Provider:
    """The state of the provider: its keys, and the single-use codes that it issued."""

    def __init__(self, port: int) -> None:
        self.issuer = f"http://127.0.0.1:{port}"
        self.key, self.strange = (RSAKey.generate_key(2048, {"kid": "one"}) for _ in range(2))
        self.codes: dict[str, tuple[User, dict[str, str], float]] = {}

    def discovery(self) -> dict[str, Any]:
        """The discovery document."""
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/jwks",
            "end_session_endpoint": f"{self.issuer}/end",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
        }

    def chosen(self, name: str, request: dict[str, str]) -> str:
        """The redirect address of a user after sign-in."""
        user = USERS[name]
        if user.fault == "refused":
            reply = {"error": "access_denied", "error_description": f"{user.claims['email']} may not use this program."}
        else:
            code = secrets.token_urlsafe(16)
            self.codes[code] = user, request, time.monotonic()
            reply = {"code": code}
        return f"{request['redirect_uri']}?{urlencode(reply | {'state': request['state']})}"

    def token(self, form: dict[str, str], login: str) -> dict[str, Any] | None:
        """The tokens for a code; `None` for a wrong client, code, address or verifier."""
        user, request, when = self.codes.pop(form.get("code", ""), (None, {}, 0.0))
        known = base64.b64encode(f"{quote(CLIENT)}:{quote(SECRET)}".encode()).decode()
        plain = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if user is None or time.monotonic() - when > CODES or login not in (f"Basic {known}", f"Basic {plain}"):
            return None
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if (challenge, form.get("redirect_uri")) != (request["code_challenge"], request["redirect_uri"]):
            return None
        id_token = self._vouched(user, request)
        return {
            "access_token": secrets.token_urlsafe(16),
            "token_type": "Bearer",
            "expires_in": 300,
            "id_token": id_token,
        }

    def _vouched(self, user: User, request: dict[str, str]) -> str:
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": request["nonce"]}
        false = {"aud": "another", "exp": now - 3600, "nonce": "another", "iss": "http://evil.example"}
        if user.fault in false:
            claims[user.fault] = false[user.fault]
        key = self.strange if user.fault == "key" else self.key
        return jwt.encode({"alg": "RS256", "kid": "one"}, claims | user.claims, key, algorithms=["RS256"])


class Handler(BaseHTTPRequestHandler):
    """The endpoints of the provider."""

    provider: Provider

    def do_GET(self) -> None:
        """Discovery, keys, the sign-in page, and the end of a session."""
        parts = urlsplit(self.path)
        query = dict(parse_qsl(parts.query))
        match parts.path:
            case "/.well-known/openid-configuration":
                self._answer(self.provider.discovery())
            case "/jwks":
                self._answer({"keys": [self.provider.key.as_dict(private=False, use="sig", alg="RS256")]})
            case "/authorize" if query.get("client_id") == CLIENT and "openid" in query.get("scope", "").split():
                links = (f'<p><a href="/chosen/{name}?{escape(parts.query)}">{name}</a></p>' for name in USERS)
                self._answer("<!doctype html><title>Who are you?</title>" + "".join(links))
            case path if path.removeprefix("/chosen/") in USERS:
                self._send_to(self.provider.chosen(path.removeprefix("/chosen/"), query))
            case "/end":
                self._send_to(query["post_logout_redirect_uri"])
            case _:
                self.send_error(404)

    def do_POST(self) -> None:
        """Tokens for a code."""
        form = dict(parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        tokens = self.provider.token(form, self.headers.get("Authorization", "")) if self.path == "/token" else None
        self._answer({"error": "invalid_grant"} if tokens is None else tokens, 400 if tokens is None else 200)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""

    def _send_to(self, address: str) -> None:
        self.send_response(302)
        self.send_header("Location", address)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _answer(self, body: dict[str, Any] | str, status: int = 200) -> None:
        page = isinstance(body, str)
        content = (body if page else json.dumps(body)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8" if page else "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def provided() -> Iterator[Provider]:
    """A provider on a free port of this machine, which ends with the block."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        provider = Provider(server.server_port)
        server.RequestHandlerClass = type("OwnHandler", (Handler,), {"provider": provider})
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield provider
        server.shutdown()


def secrets_toml(provider: Provider, dashboard: str, cookie_secret: str) -> str:
    """The administrator's file of secrets for this provider."""
    values = {
        "redirect_uri": f"{dashboard}/oauth2callback",
        "cookie_secret": cookie_secret,
        "client_id": CLIENT,
        "client_secret": SECRET,
        "server_metadata_url": f"{provider.issuer}/.well-known/openid-configuration",
    }
    return "[auth]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())
