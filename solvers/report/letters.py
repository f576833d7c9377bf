"""Letters beyond those of Latin: which of them a picture can show, and how they stand in a PDF.

A page of fpdf2 has the characters of a line one beside the other as they stand. Text that runs from right to left, such
as Arabic, needs its letters joined and in visual order; a name that is broken across two lines is put in order as one.
"""

import re
import subprocess
import unicodedata
from functools import cache
from itertools import chain

from ..diagram.labels import LEFT_TO_RIGHT, runs_leftwards

_FORMS = chain(range(0xFB50, 0xFC00), range(0xFE80, 0xFEFD))
"""Unicode's presentation forms: Arabic letters alone, and at the beginning, in the middle and at the end of a word."""

_LATIN = 0x24F
"""The last of the Latin letters that every font has."""

_NAMED = 12
"""Letters that are named where they cannot be shown."""

_UNIT = re.compile("\u0644[\u0622\u0623\u0625\u0627]|.", re.DOTALL)
"""A letter, or lam with alef, which are written as one."""


def visual(line: str) -> str:
    """A line from left to right in the order and the forms in which it is seen."""
    line = line.replace(LEFT_TO_RIGHT, "")
    if not runs_leftwards(line):
        return line
    from fpdf.bidi import BidiParagraph
    from fpdf.enums import TextDirection

    return str(BidiParagraph(joined(line), base_direction=TextDirection.LTR).get_reordered_string())


def joined(text: str) -> str:
    """Arabic letters in the forms that their neighbours give them."""
    forms, units = _forms(), _UNIT.findall(text)
    known = [forms.get(unit, {}) for unit in units]
    bare = [i for i, unit in enumerate(units) if unicodedata.bidirectional(unit[0]) != "NSM"]
    for before, i, after in zip([None, *bare], bare, [*bare[1:], None], strict=False):
        from_before = before is not None and "initial" in known[before] and "final" in known[i]
        to_after = after is not None and "initial" in known[i] and "final" in known[after]
        form = ("isolated", "final", "initial", "medial")[from_before + 2 * to_after]
        units[i] = known[i].get(form, units[i])
    return "".join(units)


def unshown(text: str) -> tuple[str, ...]:
    """The letters of a text that no font of this computer has, where its fonts can be listed; a picture has boxes."""
    rare = {char for char in text if ord(char) > _LATIN and char.isprintable()}
    fonts = _fonts() if rare else ()
    return tuple(sorted(char for char in rare if fonts and not any(ord(char) in known for known in fonts)))


def unshown_words(letters: tuple[str, ...]) -> tuple[str, ...]:
    """What a picture says of letters that it cannot show, in lines."""
    codes = [f"U+{ord(char):04X}" for char in letters[:_NAMED]] + ["..."] * (len(letters) > _NAMED)
    lines = (", ".join(codes[i : i + _NAMED // 2]) for i in range(0, len(codes), _NAMED // 2))
    return "Boxes are letters that no font of this computer has; the SVG shows them:", *lines


@cache
def _fonts() -> tuple[range, ...]:
    """The characters of all fonts that Fontconfig knows, by which Graphviz draws; none where it does not say so."""
    command = ("fc-list", ":", "charset")
    try:
        listed = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ()
    ends = (part.split("-") for part in set(re.findall(r"[0-9a-f]+(?:-[0-9a-f]+)?", listed.replace("charset=", ""))))
    return tuple(range(int(first, 16), int((last or [first])[0], 16) + 1) for first, *last in ends)


@cache
def _forms() -> dict[str, dict[str, str]]:
    """The forms of each letter by their names."""
    found: dict[str, dict[str, str]] = {}
    for char in map(chr, _FORMS):
        form, *letters = unicodedata.decomposition(char).split() or [""]
        if form in ("<isolated>", "<final>", "<initial>", "<medial>"):
            found.setdefault("".join(chr(int(code, 16)) for code in letters), {})[form[1:-1]] = char
    return found
