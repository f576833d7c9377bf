"""Random command lines and constraints: mostly well-formed, with values that no form would offer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from solvers.constraints import KINDS
from solvers.constraints.fields import FieldType
from solvers.problem import Dataset, build_dataset, read_table
from tests.constraints.examples import example

WARD = "ward.csv"
FLAGS = "flags.csv"
STRANGE = "strange.csv"
TARGETS = {WARD: "state", FLAGS: "class", STRANGE: "=out|come"}
"""The tables of the commands, and the outcome of each."""

STRANGE_COLUMN = "<b>a\"'`;--</b>"


def write_tables(folder: Path) -> dict[str, Dataset]:
    """Write the tables into a folder; returns their datasets by file name."""
    random = np.random.default_rng(11)
    lines = ["age,bmi,ward,stage,seen,score,state"]
    for i in range(30):
        age, ward = int(random.integers(20, 90)), "ABC"[i % 3]
        ill = (age > 55 and ward != "C") ^ (random.random() < 0.1)
        bmi = "" if random.random() < 0.2 else f"{random.normal(27, 4):.1f}"
        seen = f"2024-01-{1 + i % 28:02d}"
        lines.append(f"{age},{bmi},{ward},{('low', 'medium', 'high')[i % 3]},{seen},{1 + i % 3},{['well', 'ill'][ill]}")
    (folder / WARD).write_text("\n".join(lines))
    bits = random.integers(0, 2, (24, 4))
    lines = ["a;b;c;d;class", *(";".join(map(str, [*row, "xyz"[row[0] + row[1]]])) for row in bits)]
    (folder / FLAGS).write_text("\n".join(lines))
    quoted = STRANGE_COLUMN.replace('"', '""')
    lines = [f'"{quoted}",\u202eturned,=out|come']
    lines += [
        f"{i % 7},{('=1+1', '<i>', '@x')[i % 3]},{'javascript:alert(1)' if i % 7 > 3 else '-no'}" for i in range(21)
    ]
    (folder / STRANGE).write_text("\n".join(lines), "utf-8")
    return {name: build_dataset(read_table(folder / name), target) for name, target in TARGETS.items()}


NUMBERS: tuple[Any, ...] = (
    0,
    1,
    2,
    3,
    5,
    0.5,
    0.9,
    1.0,
    -1,
    1e9,
    1e308,
    10**30,
    -0.0,
    "1/3",
    "1/0",
    "0.25",
    "1e999999999",
)
ODD: tuple[Any, ...] = (
    None,
    True,
    "",
    "age",
    "no such",
    [],
    {},
    [[]],
    [0],
    ["a", "a"],
    {"column": "age"},
    float("nan"),
    float("inf"),
    "\0",
    "../x",
    "<script>",
    "9" * 5000,
    10**400,
)
NAMES = ("age", "bmi", "ward", "stage", "seen", "a", "b", STRANGE_COLUMN, "AGE", "state")
VALUES = (
    "A",
    "ill",
    "well",
    "x",
    "low",
    "2024-01-05",
    "2024-13-45",
    50,
    27.5,
    "<i>",
    True,
    None,
    -1e300,
    "1e999999999",
)


def _who() -> st.SearchStrategy[Any]:
    value, column = st.sampled_from(VALUES), st.sampled_from(NAMES)
    return st.one_of(
        st.fixed_dictionaries({"column": column, "is": value}),
        st.fixed_dictionaries({"column": column, "from": value, "to": value}),
        st.fixed_dictionaries({"column": column, "is": value, "more": value}),
    )


def _questions() -> st.SearchStrategy[Any]:
    fields = {
        "column": st.sampled_from(NAMES),
        "op": st.sampled_from(("<=", "is", "is missing", ">", None)),
        "value": st.sampled_from(VALUES),
    }
    one = st.fixed_dictionaries(fields, optional={"missing": st.sampled_from((True, False, "yes"))})
    return st.recursive(
        one, lambda below: st.fixed_dictionaries(fields, optional={"yes": below, "no": below}), max_leaves=4
    )


_NAMES = st.lists(st.sampled_from(NAMES), max_size=4)
_NUMBER = st.sampled_from(NUMBERS)
_BY_TYPE: dict[FieldType, st.SearchStrategy[Any]] = {
    FieldType.COLUMN: st.sampled_from(NAMES),
    FieldType.FAMILY: st.sampled_from(NAMES),
    FieldType.COLUMNS: _NAMES,
    FieldType.COUNT: _NUMBER,
    FieldType.NUMBER: _NUMBER,
    FieldType.SHARE: st.sampled_from((0, 0.1, 0.5, 0.9, 1, 1.1, -0.1, "1/3", 1e-12)),
    FieldType.CHOICE: st.sampled_from(("rows", "up", "down", "rising", "falling", "no such")),
    FieldType.CLASS: st.sampled_from(("ill", "well", "x", "no such")),
    FieldType.CLASSES: st.permutations(("ill", "well")),
    FieldType.WHO: _who(),
    FieldType.GROUPING: st.sampled_from(NAMES),
    FieldType.COSTS: st.dictionaries(st.sampled_from(NAMES), _NUMBER, max_size=3),
    FieldType.UNITS: st.dictionaries(st.sampled_from(NAMES), _NUMBER, max_size=3),
    FieldType.SHARED_COSTS: st.lists(st.fixed_dictionaries({"columns": _NAMES, "cost": _NUMBER}), max_size=2),
    FieldType.ROW_SETS: st.lists(st.lists(st.sampled_from((1, 2, 3, 9, 30, 31, 0, -1, 10**9)), max_size=4), max_size=3),
    FieldType.VALUE: st.sampled_from(VALUES),
    FieldType.QUESTIONS: _questions(),
}


@st.composite
def constraints(draw: st.DrawFn, dataset: Dataset) -> Any:
    """One constraint: of any kind with fields of the right type, one that fits the table, or something invalid."""
    if draw(st.sampled_from((False,) * 9 + (True,))):
        return draw(st.sampled_from((*ODD, {"kind": []}, {"kind": "no such"}, {"kind": {}, "by": "age"})))
    kind = KINDS[draw(st.sampled_from(list(KINDS)))]
    if draw(st.booleans()):
        drawn = example(kind, dataset, np.random.default_rng(draw(st.integers(0, 99))))
        constraint = {"kind": kind.kind} if drawn is None else drawn.to_json()
    else:
        constraint = {"kind": kind.kind}
        for field in kind.form():
            choices = st.sampled_from([value for value, _ in field.choices]) if field.choices else None
            constraint[field.name] = draw(_BY_TYPE[field.type] if choices is None else choices)
    if draw(st.sampled_from((False, False, False, True))):
        name = draw(st.sampled_from((*[field.name for field in kind.form()], "by", "rows", "more")))
        constraint[name] = draw(st.sampled_from((*ODD, *NUMBERS)))
    return constraint


_COUNTS = ("1", "2", "3", "0", "-1", "20", "21", "99999999999999999999", "2.5", "", "x", "nan")
_SHARES = ("0.3", "0.5", "0", "1", "-0.5", "1.5", "nan", "inf", "1e308", "x", "")
_OPTIONS: dict[str, tuple[str, ...]] = {
    "--max-depth": ("1", "2", "2", "0", "-1", "21", "x", "1e1", "99999999999999999999"),
    "--max-leaf-nodes": _COUNTS,
    "--max-splits": _COUNTS,
    "--min-samples-leaf": _COUNTS,
    "--min-weight-leaf": _SHARES,
    "--split-penalty": _SHARES,
    "--min-samples-split": _COUNTS,
    "--alpha": _SHARES,
    "--skeleton": ("I", "1,2", "II", "1,1,1", "0", "1,2,4,8,16,32,64", "-1", "x", "", "1,99999999999"),
    "--split-features": _COUNTS,
    "--shape": ("tree", "bdd", "diagram", "x"),
    "--positive": ("ill", "well", "x", "no such", ""),
    "--features": ("age,bmi", "a,b", "age", "age,age", "no such", ",", "", STRANGE_COLUMN, "state"),
    "--drop": ("age", "bmi", "no such", "a,b,c,d", "state"),
    "--weight": ("score", "age", "a", "state", "no such", "ward"),
    "--groups": ("ward", "age", "no such", "state", "seen"),
    "--missing": ("information", "complete", "impute", "x"),
    "--test-share": _SHARES,
    "--class-costs": (
        '{"ill": {"well": 5}}',
        '{"ill": 5}',
        "{",
        "[]",
        '{"ill": {"well": -1}}',
        '{"x": {"y": 1e308}}',
        "no such file",
        "\0",
        '{"ill": {"well": NaN}}',
        "[" * 3000,
    ),
    "--gap": _SHARES,
    "--threads": ("1", "0", "-1", "x", "1"),
    "--memory-mb": ("4096", "0", "-5", "255", "x"),
    "--seed": ("0", "7", "-1", "99999999999999999999", "x"),
    "--time-limit": ("0.5", "1", "0", "-1", "nan", "x", "1e-9"),
    "--no such": ("1",),
}
_METHODS = ("contree", "contree", "contree", "cart", "c45", "no such", "")


@st.composite
def commands(draw: st.DrawFn, datasets: dict[str, Dataset]) -> tuple[str, ...]:
    """A command that fits models to these tables, with settings and constraints."""
    name = draw(st.sampled_from((WARD, WARD, FLAGS, STRANGE)))
    command = draw(st.sampled_from(("fit", "fit", "fit", "fit", "explain", "recommend", "sweep")))
    target = draw(st.sampled_from((TARGETS[name],) * 9 + ("no such", "")))
    options = {"--max-depth": "2", "--time-limit": "0.5"}
    for option in draw(st.lists(st.sampled_from(sorted(_OPTIONS)), max_size=4, unique=True)):
        options[option] = draw(st.sampled_from(_OPTIONS[option]))
    if "--skeleton" in options or command == "recommend":
        options.pop("--max-depth")
    if command != "sweep" and draw(st.booleans()):
        options["--method"] = draw(st.sampled_from(_METHODS))
    found = draw(st.lists(constraints(datasets[name]), max_size=3))
    if found and command != "recommend":
        options["--constraints"] = _json(draw, found)
    if command == "explain":
        options |= draw(
            st.sampled_from(({}, {"--trade-off": "1"}, {"--trade-off": "max-leaves"}, {"--trade-off": "9"}))
        )
        options["--time-per-model"] = draw(st.sampled_from(("0.2", "0.2", "0", "-1", "nan")))
    if command == "recommend":
        options |= {"--outer-folds": "0", "--repeats": "1"}
        options["--choice-time"] = draw(st.sampled_from(("0.2", "0.2", "0", "-1", "nan")))
        options["--folds"] = draw(st.sampled_from(("2", "1", "x", "-3", "")))
    if command == "sweep":
        options["--methods"] = draw(st.sampled_from(("contree,cart", "cart", "no such", "", "contree")))
        options["--depths"] = draw(st.sampled_from(("1,2", "1", "0", "x", "", "-3")))
        options["--folds"] = draw(st.sampled_from(("0", "2", "1", "-1", "999", "x")))
    words = [command, name, "--target", target, *(f"{key}={value}" for key, value in options.items())]
    return (*words, "--json") if draw(st.booleans()) else tuple(words)


def _json(draw: st.DrawFn, found: list[Any]) -> str:
    form = draw(st.sampled_from(("list", "list", "list", "object", "cut", "nested")))
    text = json.dumps(found)
    if form == "object":
        return json.dumps({"title": "x", "constraints": found})
    if form == "nested":
        return "[" * 50_000 + "]" * 50_000
    return text[: len(text) // 2] if form == "cut" else text
