"""The version of the documents in the folders of runs and sweeps: written into each, and checked when it is read."""

from typing import Any

from ..errors import RunError

Data = dict[str, Any]

VERSION = 1
"""The version of all documents. A document of another version is refused."""


def versioned(data: Data) -> Data:
    """A document as it is written."""
    return {"version": VERSION, **data}


def current(data: Data, what: str) -> Data:
    """A document that was read, without its version; `what` names it in a message.

    Raises `RunError` if it has another version.
    """
    version = data.get("version")
    if type(version) is not int or version != VERSION:
        raise RunError(
            f"{what} has version {version}, but this program reads version {VERSION}. "
            "Open it with the program that wrote it, or solve the problem again."
        )
    return {key: value for key, value in data.items() if key != "version"}
