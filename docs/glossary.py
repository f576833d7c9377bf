"""The tables of docs/glossary.md, made from the glossary of the screens: `python -m docs.glossary`."""

from __future__ import annotations

from pathlib import Path

from solvers.messages.glossary import GLOSSARY

PAGE = Path(__file__).with_suffix(".md")
BEGIN, END = "<!-- terms: begin -->\n", "<!-- terms: end -->\n"


def tables() -> str:
    """One table per section, with a line per term."""
    return "\n".join(
        f"## {section}\n\n| term | meaning | in the papers |\n|:--|:--|:--|\n"
        + "".join(f"| {term.title} | {term.meaning} | {term.papers} |\n" for term in terms)
        for section, terms in GLOSSARY.items()
    )


def with_tables(text: str) -> str:
    """The text of the page with the present tables between its marks."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + tables() + END + after


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text("utf-8")), "utf-8")
