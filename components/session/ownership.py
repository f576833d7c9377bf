"""The owner of runs: the signed-in user or the session; on a local machine there is only one owner."""

import hashlib
import logging
import secrets
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

LOCAL = "local"
"""The owner of all runs if the dashboard listens to this machine only, without sign-in."""

LEAST_SECRET = 32
"""Minimum characters of the secret that signs the cookies: with a guessed secret, anyone can pose as any user."""

_COOKIE = "_streamlit_user"
"""The beginning of the names of the cookies that identify a signed-in user: Streamlit splits a long one."""

_ADMITTED: set[str] = set()
"""The hashed cookies of the signed-in users who have opened a screen since the server started."""

_THIS_MACHINE = {"localhost", "127.0.0.1", "::1"}
_SHARED = ("redirect_uri", "cookie_secret")
_NEEDED = ("client_id", "client_secret", "server_metadata_url")


class SignIn(NamedTuple):
    """Sign-in settings: the names of the providers in Streamlit, or a sentence on why sign-in is not possible."""

    providers: tuple[str, ...] = ()
    trouble: str = ""


def sign_in() -> SignIn | None:
    """The sign-in settings of the administrator; `None` without sign-in.

    Unreadable settings count as a sign-in that does not work: a typo must not disable access control.
    """
    try:
        known = st.secrets.to_dict()
    except (OSError, ValueError) as error:
        if any(Path(path).exists() for path in st.get_option("secrets.files")):
            return SignIn(trouble=f"The file of secrets cannot be read ({type(error).__name__}).")
        return None
    return _check_value(known["auth"]) if "auth" in known else None


def _check_value(auth: Any) -> SignIn:
    """The providers of the section [auth], each with all required settings."""
    if not isinstance(auth, Mapping):
        return SignIn(trouble="'auth' must be a section: [auth].")
    sections = {name: value for name, value in auth.items() if isinstance(value, Mapping) and "client_id" in value}
    if not sections or any(name in auth for name in _NEEDED):
        sections = {"default": auth} | sections
    missing = [f"'{name}' under [auth]" for name in _SHARED if not auth.get(name)]
    for title, section in sections.items():
        where = "[auth]" if title == "default" else f"[auth.{title}]"
        missing += [f"'{name}' under {where}" for name in _NEEDED if not section.get(name)]
    if odd := next((title for title in sections if "_" in title), None):
        return SignIn(trouble=f"The name [auth.{odd}] must have no underscore.")
    if missing:
        return SignIn(trouble=f"There is no {' and no '.join(missing)}.")
    if len(str(auth["cookie_secret"])) < LEAST_SECRET:
        return SignIn(
            trouble=f"'cookie_secret' under [auth] must be a random text of {LEAST_SECRET} characters or more."
        )
    if find_spec("authlib") is None or not any(map(find_spec, ("httpx2", "httpx"))):
        return SignIn(trouble="The packages of requirements-server.txt must be installed.")
    return SignIn(tuple(sections))


def inside() -> bool:
    """Whether the session may see anything: its user has signed in, or there is no sign-in."""
    settings = sign_in()
    admitted = _admits(settings)
    if settings is not None and admitted and (identity := _identity(st.context.cookies)):
        _ADMITTED.add(identity)
    return admitted


def admits(cookies: Mapping[str, str]) -> bool:
    """Whether a request outside a session may see files of the screens: a session with its cookies was admitted."""
    settings = sign_in()
    return settings is None or (not settings.trouble and _identity(cookies) in _ADMITTED)


def _identity(cookies: Mapping[str, str]) -> str:
    """The hash of the cookies that identify the user; '' without one."""
    found = sorted(pair for pair in cookies.items() if pair[0].startswith(_COOKIE))
    return _hash(str(found)) if found else ""


def only_this_machine() -> bool:
    """Whether the server listens to this machine only."""
    return st.get_option("server.address") in _THIS_MACHINE


def owner() -> str:
    """The owner of all that this session creates.

    With sign-in it is derived from the identity that the provider vouches for. Without sign-in, if others may reach the
    dashboard, every session is a separate owner; so is a session whose user has not signed in or has signed out.
    """
    settings = sign_in()
    if settings is None and only_this_machine():
        return LOCAL
    if settings is not None and _admits(settings):
        return _of_user()
    return "session:" + _hash(st.session_state.setdefault("_owner", secrets.token_hex()))


def person() -> str:
    """The display name of the signed-in user, shown only on their own screen; '' without sign-in."""
    settings = sign_in()
    if settings is None or not _admits(settings):
        return ""
    claims = st.user.to_dict()
    called = (claims.get(name) for name in ("name", "preferred_username", "email"))
    return next((name for name in called if isinstance(name, str) and name.strip()), "Your account")


def promise() -> str:
    """A sentence on where the user's data goes."""
    if owner() == LOCAL:
        return "Your data stays on this machine."
    return "Your data stays on the server that runs this program, visible to you alone."


def keep_logs_impersonal() -> None:
    """Reduce log records of sign-ins to the event: providers tend to log the names of rejected users."""
    logging.getLogger("streamlit.web.server.starlette.starlette_auth_routes").addFilter(_impersonal)


def _impersonal(record: logging.LogRecord) -> bool:
    cause = record.exc_info[0] if record.exc_info else None
    name = f" ({cause.__name__})" if cause else ""
    record.msg = f"Sign-in: {str(record.msg).replace('%s', '...')}{name}"
    record.args, record.exc_info, record.exc_text = (), None, None
    return True


def _admits(settings: SignIn | None) -> bool:
    return settings is None or (not settings.trouble and _vouch(st.user.to_dict()))


def _vouch(claims: Mapping[str, Any]) -> bool:
    """Whether the provider vouches for the user, by the 'sub' that every OpenID Connect provider must give."""
    return claims.get("is_logged_in") is True and isinstance(claims.get("sub"), str) and bool(claims["sub"])


def _of_user() -> str:
    """A pseudonymous name of the user, the same at every sign-in.

    An email address is not suitable, because it can later be given to another person.
    """
    claims = st.user.to_dict()
    return "user:" + _hash(f"{claims.get('iss', '')} {claims['sub']}")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
