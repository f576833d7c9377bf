"""Docstrings as the site reads them: `name : what it is`, since types stand in the annotations alone."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

_SECTION = re.compile(r"^(Parameters|Attributes)\n-+\n((?:(?!\n\S+\n-+\n).|\n(?!\S+\n-+\n))*)", re.MULTILINE)
_ENTRY = re.compile(r"^([\w*]+(?:, [\w*]+)*) : (.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
_NEXT = re.compile(r";\s+(?=[\w*]+(?:, [\w*]+)* : )")


class Descriptions(Extension):
    """Moves what stands behind the colon into the description."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite the docstring of an object."""
        if obj.docstring:
            obj.docstring.value = _SECTION.sub(_section, obj.docstring.value)


def _section(found: re.Match[str]) -> str:
    entries = _NEXT.sub("\n", found[2])
    return f"{found[1]}\n{'-' * len(found[1])}\n" + _ENTRY.sub(_entry, entries)


def _entry(found: re.Match[str]) -> str:
    return f"{found[1]}\n    " + " ".join(found[2].split())
