"""Packages and docstrings as the site reads them.

A package offers what it imports from its own modules. An entry of a docstring is `name : what it is`, since types stand
in the annotations alone.
"""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Module, Object

_SECTION = re.compile(r"^(Parameters|Attributes)\n-+\n((?:(?!\n\S+\n-+\n).|\n(?!\S+\n-+\n))*)", re.MULTILINE)
_ENTRY = re.compile(r"^([\w*]+(?:, [\w*]+)*) : (.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
_NEXT = re.compile(r";\s+(?=[\w*]+(?:, [\w*]+)* : )")


class Descriptions(Extension):
    """Moves what stands behind the colon into the description, and says what packages offer."""

    def on_module_members(self, *, mod: Module, **_: Any) -> None:
        """Note what a package offers."""
        if mod.is_init_module and mod.exports is None:
            own = f"{mod.path}."
            mod.exports = [
                name for name, one in mod.members.items() if one.is_alias and one.target_path.startswith(own)
            ]

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite the docstring of an object."""
        if obj.docstring:
            obj.docstring.value = _SECTION.sub(_section, obj.docstring.value)


def _section(found: re.Match[str]) -> str:
    entries = _NEXT.sub("\n", found[2])
    return f"{found[1]}\n{'-' * len(found[1])}\n" + _ENTRY.sub(_entry, entries)


def _entry(found: re.Match[str]) -> str:
    return f"{found[1]}\n    " + " ".join(found[2].split())
