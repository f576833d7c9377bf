"""The parts of docs/constraints.md and docs/constraints/kinds.md that are made: `python -m docs.constraints.table`."""

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
from solvers.methods import Unsupported, get, names
from solvers.problem import Dataset, Problem, Shape, sample_dataset

PAGE = Path(__file__).parent.with_name("constraints.md")
DETAILS = Path(__file__).with_name("kinds.md")


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
        "Made from the code by `python -m docs.constraints.table`. [constraints.md](../constraints.md) explains how\n"
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


def with_parts(text: str) -> str:
    """The text of the page with the present tables between their marks."""
    for name, make in (("overview", overview), ("matrix", matrix)):
        begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
        before, rest = text.split(begin)
        _, after = rest.split(end)
        text = before + begin + make() + end + after
    return text


if __name__ == "__main__":
    PAGE.write_text(with_parts(PAGE.read_text("utf-8")), "utf-8")
    DETAILS.write_text(details(), "utf-8")
