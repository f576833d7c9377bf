"""The table of methods in docs/methods/README.md, made from the registry: `python -m docs.methods.table`."""

from __future__ import annotations

from pathlib import Path

from solvers.methods import REGISTRY, get

PAGE = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- table: begin -->\n", "<!-- table: end -->\n"


def table() -> str:
    """One line a method, in the order of the registry."""
    lines = [
        "| method | title | shapes | proves the optimum | needs | what it does | source |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, entry in REGISTRY.items():
        method = get(name)
        cells = (
            f"[`{name}`]({name}.md)",
            method.title,
            ", ".join(method.kinds),
            "yes" if method.exact else "no",
            ", ".join(entry.requires) or "numpy only",
            method.summary,
            method.source,
        )
        lines.append(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |")
    return "\n".join(lines) + "\n"


def with_table(text: str) -> str:
    """The text of the page with the present table between its marks."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + table() + END + after


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")
