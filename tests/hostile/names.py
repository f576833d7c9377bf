"""Malicious names and cells, a table of them, and the elements that a page may contain."""

from __future__ import annotations

import csv
import io
from html.parser import HTMLParser

from solvers.problem import Dataset, build_dataset, read_table

SCRIPTS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "[click](javascript:alert(1))",
    "![x](http://evil.example/x.png)",
    "http://evil.example/?q=1",
    "</style><style>*{display:none}",
    "{{7*7}}${7*7}<%= 7*7 %>",
    ":red[b] :material/delete: $x^2$",
)
"""Markup that a page or a Markdown renderer would interpret."""

DRAWINGS = ('"];evil[label="x', "<B>bold</B>", "a -> b; c {rank=same}", "\\N \\G \\l", "<<TABLE></TABLE>>", "&#60;&lt;")
"""The same for Graphviz."""

QUERIES = (
    "'; DROP TABLE patients; --",
    '"; DELETE FROM patients; --',
    "x' OR '1'='1",
    "/* x */",
    "`x`",
    "[x]",
    "a\\'b",
)
"""The same for databases."""

FORMULAS = ("=1+1", '=HYPERLINK("http://evil.example")', "+1+cmd|' /C calc'!A0", "-2+3+cmd", "@SUM(1)", "＝1+1", "＠x")
"""Formulas that spreadsheets calculate."""

PATHS = ("../../etc/passwd", "..\\..\\x", "/dev/null", "con.txt", "a" * 3000, "~root", "%2e%2e%2f", ".hidden")
"""Names that would lead out of a folder if used in a path."""

UNSEEN = ("\u202egnp.exe", "zero\u200bwidth", "\u2066isolated\u2069", "soft\u00adhyphen", "a\u0300\u0301\u0302" * 20)
"""Characters that are invisible, or change how others are displayed."""

NAMES = SCRIPTS + DRAWINGS + QUERIES + FORMULAS + PATHS + UNSEEN

CODE = '__import__("os").system("touch pwned")'
"""Code that must not run if a name is part of a program."""


def hostile_csv(name: str, n_rows: int = 40) -> bytes:
    """A table whose columns, levels and classes are called `name`, with suffixes if they must differ.

    The outcome follows the first column, except in every seventh row.
    """
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    write([name, f"{name} 2", f"{name} outcome"])
    for i in range(n_rows):
        ill = (i % 10 > 4) != (i % 7 == 0)
        write([i % 10, (name, f"{name} b", f"{name} c")[i % 3], f"{name} ill" if ill else name])
    return out.getvalue().encode()


def hostile_dataset(name: str) -> Dataset:
    """The same as a dataset."""
    table = read_table(hostile_csv(name), header=True, name=name)
    return build_dataset(table, table.names[-1], types={table.names[1]: "categorical"}, features=table.names[:2])


class Page(HTMLParser):
    """The elements of a piece of HTML.

    Attributes
    ----------
    tags : the names of its elements.
    attributes : (element, attribute, value) of each attribute.
    """

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        """Record an element and its attributes."""
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def faults(self) -> list[str]:
        """The parts that could run or load something."""
        found = sorted(
            self.tags & {"script", "iframe", "img", "object", "embed", "link", "form", "base", "image", "use"}
        )
        for tag, name, value in self.attributes:
            own = name == "href" and value.startswith("#")
            acts = name.startswith("on") or name in ("href", "xlink:href", "src", "srcdoc", "action", "formaction")
            if (acts and not own) or (name == "style" and "url(" in value):
                found.append(f"<{tag} {name}={value!r}>")
        return found
