"""The address of a database: where it is, and a password that is shown to nobody."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from ...errors import DataError

_SCHEME = re.compile(r"(sqlite|duckdb|postgresql|postgres)(\+\w+)?://", re.IGNORECASE)
_FOREIGN_OPTIONS = ("sslmode",)
"""What may stand behind the '?' of an address that a user of a server has typed: others name files of that server."""

_FORM = "postgresql://user@host:5432/database, sqlite:////folder/file.sqlite or duckdb:////folder/file.duckdb"


@dataclass(frozen=True)
class Address:
    """Where a database is.

    Attributes
    ----------
    kind : 'sqlite', 'duckdb' or 'postgresql'.
    file : the file of SQLite and DuckDB; `None` for a server.
    parts : what PostgreSQL's client library takes: host, port, dbname, user, password and options; never shown.
    """

    kind: str
    file: Path | None = None
    parts: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """What to call a table from it."""
        return (self.file.stem if self.file else self.parts.get("dbname", "")) or "database"

    def masked(self, text: str) -> str:
        """A text of somebody else, such as an error of the server, without the password."""
        for secret in {self.parts.get("password", ""), self.parts.get("sslpassword", "")} - {""}:
            text = text.replace(secret, "***")
        return text


def is_address(text: str) -> bool:
    """Whether a text is meant as the address of a database and not as a path."""
    return _SCHEME.match(text) is not None


def parse_address(text: str, password: str = "") -> Address:
    """Read an address.

    Parameters
    ----------
    text : such as 'postgresql://reader@db.example/ward', 'sqlite:////data/ward.sqlite' (an absolute path) or
        'duckdb:///ward.duckdb' (a relative one).
    password : one that was given apart from the address.

    Raises
    ------
    DataError
        It is no address; the message does not repeat it, since it may hold a password.
    """
    match = _SCHEME.match(text)
    if match is None:
        raise DataError(f"The address of a database must be such as {_FORM}.")
    kind = match.group(1).lower()
    if kind in ("sqlite", "duckdb"):
        path = unquote(text[match.end() :]).removeprefix("/")
        if not path:
            raise DataError(f"The address must name a file, such as {_FORM}.")
        return Address(kind, Path(path).expanduser())
    try:
        url = urlsplit(text.strip())
        given = {
            "host": unquote(url.hostname or ""),
            "port": None if url.port is None else str(url.port),
            "dbname": unquote(url.path.removeprefix("/")),
            "user": unquote(url.username or ""),
            "password": password or unquote(url.password or ""),
        }
    except ValueError:
        raise DataError(f"The address of a database must be such as {_FORM}. Check its host and port.") from None
    return Address(
        "postgresql", None, {name: value for name, value in given.items() if value} | dict(parse_qsl(url.query))
    )


def typed_address(text: str, password: str, own_machine: bool) -> Address:
    """The address of a server that was typed on a screen.

    Parameters
    ----------
    text, password : as they were typed.
    own_machine : whether this is the machine of who has typed it. Elsewhere nothing that the machine knows may be
        used: a socket, a file of passwords, a certificate.

    Raises
    ------
    DataError
        It is no address, that of a file, or one that needs what the machine knows.
    """
    address = parse_address(text, password)
    if address.kind != "postgresql":
        raise DataError(
            "Files of the server cannot be opened by their address. Upload the database, or ask the administrator to "
            "list it in the setting ESPALIER_SOURCES."
        )
    if own_machine:
        return address
    known = {"host", "port", "dbname", "user", "password", *_FOREIGN_OPTIONS}
    odd = [name for name in address.parts if name not in known]
    if odd or "/" in address.parts.get("host", "/") or address.parts["host"].startswith("@"):
        raise DataError(
            "The address must name a host, and behind '?' at most sslmode. Ask the administrator to list what needs "
            "more in the setting ESPALIER_SOURCES."
        )
    if not (address.parts.get("user") and address.parts.get("password")):
        raise DataError("The address must have a user, and a password must be given. Type both.")
    return Address(address.kind, None, {**address.parts, "sslcertmode": "disable", "gssencmode": "disable"})
