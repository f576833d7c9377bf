"""Right-to-left text for PDFs.

fpdf2 places the characters of a line from left to right in the given order. Right-to-left text, such as Arabic, needs
joined letters in visual order; a name that is broken across two lines is reordered as one.
"""

import re
import unicodedata
from functools import cache
from itertools import chain

from ..diagram.labels import LEFT_TO_RIGHT, runs_leftwards

_FORMS = chain(range(0xFB50, 0xFC00), range(0xFE80, 0xFEFD))
"""Unicode's presentation forms: Arabic letters in isolated, initial, medial and final form."""

_UNIT = re.compile("\u0644[\u0622\u0623\u0625\u0627]|.", re.DOTALL)
"""A letter, or lam with alef, which form a ligature."""


def visual(line: str) -> str:
    """A line in visual order, from left to right, with the letters in their visual forms."""
    line = line.replace(LEFT_TO_RIGHT, "")
    if not runs_leftwards(line):
        return line
    from fpdf.bidi import BidiParagraph
    from fpdf.enums import TextDirection

    return str(BidiParagraph(joined(line), base_direction=TextDirection.LTR).get_reordered_string())


def joined(text: str) -> str:
    """Arabic letters in the forms that their neighbours require."""
    forms, units = _forms(), _UNIT.findall(text)
    known = [forms.get(unit, {}) for unit in units]
    bare = [i for i, unit in enumerate(units) if unicodedata.bidirectional(unit[0]) != "NSM"]
    for before, i, after in zip([None, *bare], bare, [*bare[1:], None], strict=False):
        from_before = before is not None and "initial" in known[before] and "final" in known[i]
        to_after = after is not None and "initial" in known[i] and "final" in known[after]
        form = ("isolated", "final", "initial", "medial")[from_before + 2 * to_after]
        units[i] = known[i].get(form, units[i])
    return "".join(units)


@cache
def _forms() -> dict[str, dict[str, str]]:
    """The forms of each letter by their names."""
    found: dict[str, dict[str, str]] = {}
    for char in map(chr, _FORMS):
        form, *letters = unicodedata.decomposition(char).split() or [""]
        if form in ("<isolated>", "<final>", "<initial>", "<medial>"):
            found.setdefault("".join(chr(int(code, 16)) for code in letters), {})[form[1:-1]] = char
    return found
