"""What the site makes of the pages: formulas become MathML, which browsers draw without a script from elsewhere."""

from __future__ import annotations

import re
from typing import Any

from latex2mathml.converter import convert

_BLOCK = re.compile(r"^```math\n(.*?)^```|^\$\$\n?(.*?)\$\$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"\$`([^`]+)`\$")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The text of a page with its formulas written out."""
    markdown = _BLOCK.sub(lambda found: convert(found[1] or found[2], display="block"), markdown)
    return _INLINE.sub(lambda found: convert(found[1]), markdown)
