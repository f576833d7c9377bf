"""Export a model as a JavaScript file without dependencies, for Node and browsers.

The script reads a row as an object of raw values, and accepts and rejects the same values as `Diagram.predict`; numbers
are 64-bit floats in both, so the predictions are equal. Names occur in it only as ASCII literals.
"""

import json
import math
import re
from pathlib import Path

from ...problem import Kind, MissingPolicy, Unknown
from ..diagram import Diagram, Split
from ..program import Blocks, Language, about, level_texts, refusable
from ..spellings import missing_marks
from ..step_lines import step_lines

_SCRIPT = Path(__file__).with_name("model.js").read_text("utf-8")
"""The script, with places for the tables, the preparation steps and the splits."""

LANGUAGE = Language(
    missing="Number.isNaN({})",
    equals="{} === {}",
    total=lambda total, limit, missing: f"atMost({total}, {limit}, {str(missing).lower()})",
)

BLOCKS = Blocks(
    start="function node{node}(v) {{",
    branch="if ({condition}) {{ // {words}",
    answer="return {leaf}; // {words}",
    call="return node{node}(v);",
    indent="  ",
)


def to_javascript(diagram: Diagram, unknown: Unknown = Unknown.ERROR) -> str:
    """The model as a script with `predict(row)`, `predictProba(row)` and `leaf(row)`, exported if there are modules.

    Raises nothing. The script's functions throw an Error if `Diagram.predict` raises one, and by the rule `unknown`.
    """
    used = [diagram.schema[name] for name in diagram.features]
    position = {column.name: j for j, column in enumerate(used)}

    def condition(split: Split) -> str:
        values = {name: f"v[{position[name]}]" for name in split.predicate.columns}
        return LANGUAGE.condition(split.predicate, diagram.schema, values)

    def stop(split: Split) -> str:
        calls = (
            f"had(v, {position[c.name]}, {str(not c.has_missing).lower()}, {list(c.unseen_levels)});"
            for c in refusable(split, diagram.schema, unknown)
        )
        return " ".join(calls)

    columns, steps = [], step_lines(diagram, _json, "//", ";")
    for column in used:
        exact, small = level_texts(column) if column.kind.has_levels else ({}, {})
        numbers = list(column.spellings().numbers.items()) if column.kind.has_levels else []
        kind = "level" if column.kind.has_levels else "date" if column.kind is Kind.DATE else "number"
        # pairs, because an object would misread a level '__proto__'
        finite = [(number, i) for number, i in numbers if math.isfinite(number)]
        columns.append([column.name, kind, list(exact.items()), finite, list(small.items())])
    tables = (
        f"const OUTCOME = {_json(diagram.outcome)};",
        f"const CLASSES = {_json(diagram.classes)};",
        f"const MISSING_MARKS = new Set({_json(missing_marks())});",
        f"const COMPLETE_ONLY = {_json(diagram.schema.missing is MissingPolicy.COMPLETE)};",
        f"const RAW = {_json(diagram.preparation.raw(diagram.features))};",
        "// name, type, levels by their text, by their number, and in lower case",
        "const COLUMNS = [",
        *(f"  {_json(column)}," for column in columns),
        "];",
        "// leaf: [position of its class, share of each class]",
        "const LEAVES = new Map([",
        *(f"  [{i}, {_json([int(leaf.label), leaf.shares])}]," for i, leaf in diagram.leaves),
        "]);",
    )
    head = "\n".join(f"// {line}" for line in about(diagram))
    questions = "\n".join(BLOCKS.functions(diagram, condition, stop))
    parts = {"TABLES": "\n".join(tables), "STEPS": "\n  ".join(steps), "SPLITS": questions}
    return f"{head}\n{re.sub('// (TABLES|STEPS|SPLITS)', lambda place: parts[place[1]], _SCRIPT)}"


def _json(value: object) -> str:
    # no text may end a script element
    return json.dumps(value).replace("<", "\\u003c")
