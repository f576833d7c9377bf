"""Screens, errors, `--help` and docs are in plain English: no word of the list, and few long sentences."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

FORBIDDEN = re.compile(
    r"\b(told|tells|came to|comes? to the same|anew|besides|meanwhile|so many|so much|dear(er|est)?|gone on with|"
    r"until then|of before|none of which|who(ever)? does|whoever|nobody but|to be had|held against|foremost|"
    r"stands? (for itself|at|in|on|by))\b",
    re.IGNORECASE,
)
"""Words and idioms that are hard to read."""

HISTORY = re.compile(r"\b(used to be|was tried|were tried|since then|in earlier versions|no longer|formerly)\b", re.I)
"""Words about how the program was made."""

LONGEST = 35
"""A sentence with more words is long."""

MADE = {"docs/constraints/kinds.md", "docs/performance.md"}
"""Generated pages."""


def pages() -> list[Path]:
    """README and the pages for users."""
    docs = (page for page in (ROOT / "docs").rglob("*.md") if "api" not in page.parts)
    return [ROOT / "README.md", *sorted(docs)]


def stories() -> list[Path]:
    """The texts of lessons and samples, which the screens show."""
    folders = (ROOT / "solvers" / "teaching" / "lessons", ROOT / "sample_data")
    return sorted(file for folder in folders for end in ("md", "json") for file in folder.rglob(f"*.{end}"))


def words(page: Path) -> int:
    """The number of words written by hand: without generated tables and Markdown signs."""
    if page.name == "kinds.md":
        return 0
    text = re.sub(r"<!-- (\w+): begin -->.*?<!-- \1: end -->", "", page.read_text("utf-8"), flags=re.DOTALL)
    return sum(1 for word in text.split() if re.search(r"\w", word))


def prose(page: Path) -> str:
    """The text of a page without code, formulas, tables and headings."""
    text = re.sub(r"```.*?```|\$\$.*?\$\$|<!--.*?-->", "", page.read_text("utf-8"), flags=re.DOTALL)
    return re.sub(r"^( {4}|\||#).*$", "\n", text, flags=re.MULTILINE)


def sentences(page: Path) -> Iterator[str]:
    """The sentences of a page; a list item is at least one."""
    text = re.sub(r"^\s*([-*]|\d+\.) ", "\n\n", prose(page), flags=re.MULTILINE)
    for paragraph in re.split(r"\n\s*\n", text):
        yield from re.split(r"(?<=[.!?:;])\s+", paragraph.strip().replace("\n", " "))


def texts(file: Path) -> Iterator[tuple[int, str]]:
    """The strings of a module that a user may read, with their lines: no docstrings, names or keys."""
    tree = ast.parse(file.read_text("utf-8"))
    ignored = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in ignored
        if is_text and " " in node.value.strip():
            yield node.lineno, node.value


@pytest.mark.parametrize("place", ["app.py", "pages", "components", "solvers"])
def test_no_forbidden_word_reaches_a_user(place: str) -> None:
    """Labels, messages, errors and help texts."""
    files = [ROOT / place] if place.endswith(".py") else sorted((ROOT / place).rglob("*.py"))
    found = [
        f"{file.relative_to(ROOT)}:{line}: '{match[0]}' in: {text.strip()[:90]}"
        for file in files
        for line, text in texts(file)
        if (match := FORBIDDEN.search(text))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_has_no_forbidden_word_and_no_history(page: Path) -> None:
    """Pages describe the current program in plain words."""
    found = [match[0] for pattern in (FORBIDDEN, HISTORY) for match in pattern.finditer(prose(page))]
    assert not found


@pytest.mark.parametrize("file", stories(), ids=lambda file: file.name)
def test_a_lesson_or_sample_has_no_forbidden_word(file: Path) -> None:
    """Stories are in plain words as well."""
    assert not FORBIDDEN.findall(file.read_text("utf-8"))


def test_few_sentences_are_long() -> None:
    """At most 3 of 100 sentences of the docs have more than 35 words."""
    every = [sentence for page in pages() for sentence in sentences(page) if " " in sentence]
    long = [sentence for sentence in every if len(sentence.split()) > LONGEST]
    assert len(long) <= 0.03 * len(every), "\n".join(long)


def test_the_docs_are_short() -> None:
    """A page has at most 1,500 words, all pages 45,000; README takes three minutes to read."""
    readme, *docs = pages()
    assert words(readme) <= 700
    assert [page.name for page in docs if words(page) > 1500] == []
    assert sum(map(words, docs)) <= 45_000
