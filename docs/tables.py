"""The tables of the documentation that are made from the code: `python -m docs.tables` writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import fields

from solvers.constraints import Constraint, Field, Topic
from solvers.constraints.files import example_of
from solvers.constraints.kinds import KINDS
from solvers.messages.glossary import GLOSSARY
from solvers.methods import REGISTRY, Unsupported, get, names
from solvers.problem import Dataset, Problem, Shape, sample_dataset

DOCS = Path(__file__).parent


def pages() -> dict[Path, str]:
    """Each page that has tables of the code, with its present text."""
    parts = {
        "constraints.md": {"overview": overview, "matrix": matrix},
        "methods/README.md": {"table": methods},
        "glossary.md": {"terms": terms},
    }
    made = {DOCS / "constraints" / "kinds.md": details()}
    for name, makers in parts.items():
        text = (DOCS / name).read_text("utf-8")
        for part, make in makers.items():
            begin, end = f"<!-- {part}: begin -->\n", f"<!-- {part}: end -->\n"
            before, rest = text.split(begin)
            text = before + begin + make() + end + rest.split(end)[1]
        made[DOCS / name] = text
    return made


def terms() -> str:
    """One table per section of the glossary of the screens, with a line per term."""
    return "\n".join(
        f"## {section}\n\n| term | meaning | in the papers |\n|:--|:--|:--|\n"
        + "".join(f"| {term.title} | {term.meaning} | {term.papers} |\n" for term in terms)
        for section, terms in GLOSSARY.items()
    )


def methods() -> str:
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
        lines.append(f"| {' | '.join(map(_cell, cells))} |")
    return "\n".join(lines) + "\n"


def overview() -> str:
    """One line a kind, by topic."""
    lines = ["| about | kind | for instance |", "|---|---|---|"]
    for topic in Topic:
        for kind, cls in KINDS.items():
            if cls.topic is topic:
                preset, constraint = example_of(kind)
                words = constraint.words(_table(preset.sample))
                lines.append(f"| {topic} | [`{kind}`](constraints/kinds.md#{kind}) | {_cell(words)} |")
    return "\n".join(lines) + "\n"


def matrix() -> str:
    """Which method takes which constraint, as its own check says, and why not; kinds with equal rows share one."""
    reasons: dict[str, int] = {}
    rows: dict[tuple[str, ...], list[str]] = {}
    for kind in KINDS:
        cells = []
        for name in names():
            refused = refusals(name, kind)
            notes = [reasons.setdefault(f"{r.reason} {r.remedy}", len(reasons) + 1) for r in refused]
            cells.append(f"no ({', '.join(map(str, notes))})" if notes else "yes")
        rows.setdefault(tuple(cells), []).append(kind)
    largest = max(rows.values(), key=len)
    lines = [f"| kind | {' | '.join(f'`{name}`' for name in names())} |", f"|---|{'---|' * len(names())}"]
    for cells, kinds in sorted(rows.items(), key=lambda row: row[1] is largest):
        first = "all other kinds" if kinds is largest else ", ".join(f"`{kind}`" for kind in kinds)
        lines.append(f"| {first} | {' | '.join(cells)} |")
    lines += ["", *(f"{number}. {_cell(reason)}" for reason, number in reasons.items())]
    return "\n".join(lines) + "\n"


def refusals(method: str, kind: str) -> tuple[Unsupported, ...]:
    """What a method has against the ready-made constraint of a kind, besides what it has against the table itself.

    It is asked for the shape that it makes: of another it would say nothing but that.
    """
    preset, constraint = example_of(kind)
    bound = replace(_free(method, preset.sample), constraints=(constraint,))
    return tuple(reason for reason in get(method).check(bound) if reason not in _before(method, preset.sample))


@cache
def _before(method: str, sample: str) -> tuple[Unsupported, ...]:
    return get(method).check(_free(method, sample))


def _free(method: str, sample: str) -> Problem:
    return Problem(_table(sample), Shape(get(method).kinds[0], max_depth=2))


@cache
def _table(sample: str) -> Dataset:
    return sample_dataset(sample)


def details() -> str:
    """Every kind in full: what it says, formula, fields, an example."""
    parts = [
        "# Kinds of constraints\n\n"
        "Made from the code by `python -m docs.tables`. [constraints.md](../constraints.md) explains how\n"
        'they are used and written. Shares are written as 0.9 or as "9/10", and mean exactly that.\n'
    ]
    for topic in Topic:
        parts.append(f"## {topic}\n")
        parts += [_section(kind, cls) for kind, cls in KINDS.items() if cls.topic is topic]
    return "\n".join(parts)


def _section(kind: str, cls: type[Constraint]) -> str:
    preset, constraint = example_of(kind)
    lines = [
        f'<a id="{kind}"></a>',
        f"### {cls.title}: `{kind}`",
        "",
        cls.summary,
        "",
        f"$${cls.formula}$$",
        "",
        *(_fields(cls) if cls.form() else ()),
        f"On the sample `{preset.sample}`: {constraint.words(_table(preset.sample))}.",
        "",
        f"    {json.dumps(constraint.to_json(), ensure_ascii=False)}",
        f"    {in_python(constraint)}",
        "",
        f"Source: {cls.source}.",
        "",
    ]
    return "\n".join(lines)


def in_python(value: object) -> str:
    """The Python expression that makes a constraint or one of its parts, without fields at their defaults."""
    if isinstance(value, tuple):
        return f"({', '.join(map(in_python, value))}{',' * (len(value) == 1)})"
    if isinstance(value, Fraction):
        return repr(str(value))
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key!r}: {in_python(part)}' for key, part in value.items())}}}"
    if not isinstance(value, Struct):
        return repr(value)
    given = [
        f"{field.name}={in_python(getattr(value, field.name))}"
        for field in fields(value)
        if getattr(value, field.name) != field.default
    ]
    return f"{type(value).__name__}({', '.join(given)})"


def _fields(cls: type[Constraint]) -> list[str]:
    return ["| field | holds | meaning |", "|---|---|---|", *map(_field, cls.form()), ""]


def _field(field: Field) -> str:
    holds = str(field.type)
    if field.choices:
        holds = " or ".join(f'"{value}"' for value, _ in field.choices)
    if field.optional:
        holds += ", optional"
    return f"| `{field.name}` | {holds} | {_cell(f'{field.label}. {field.help}'.strip())} |"


def _cell(text: str) -> str:
    return text.replace("|", "/")


if __name__ == "__main__":
    for page, text in pages().items():
        page.write_text(text, "utf-8")
