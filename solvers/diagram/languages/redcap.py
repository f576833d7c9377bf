"""Export a model as a REDCap instrument: a data dictionary whose last field calculates the leaf of a record.

REDCap calculates with numbers, so levels are coded from 1 and dates are converted to days. Its calculations have no
shared nodes, so shared nodes are copied. A record without a prediction has an empty field. A blank is a missing value;
the missing-value marks of tables do not exist there.
"""

import csv
import io
from decimal import Decimal

from ...problem import Column, Kind, LinearPredicate, MissingPolicy, Op, Predicate, Schema, Unknown
from ..diagram import Diagram, Leaf, NodeId
from ..program import about, count_unfolded, refusable, variable_names
from ..words import plain

FIELDS = (
    "Variable / Field Name", "Form Name", "Section Header", "Field Type", "Field Label",
    "Choices, Calculations, OR Slider Labels", "Field Note", "Text Validation Type OR Show Slider Number",
    "Text Validation Min", "Text Validation Max", "Identifier?", "Branching Logic (Show field only if...)",
    "Required Field?", "Custom Alignment", "Question Number (surveys only)", "Matrix Group Name", "Matrix Ranking?",
    "Field Annotation",
)  # fmt: skip
"""The columns of a data dictionary."""


def to_redcap(diagram: Diagram, unknown: Unknown = Unknown.ERROR) -> str:
    """The data dictionary as CSV for upload: one field per column, and 'espalier_leaf' and 'espalier_class'.

    The fields have the values after preparation steps, which the note of the calculated field lists. Raises
    `DiagramError` if copying shared nodes gives too many leaves.
    """
    count_unfolded(diagram, "REDCap")
    names = variable_names(diagram, ("espalier_leaf", "espalier_class"))
    out = io.StringIO()
    table = csv.DictWriter(out, FIELDS, restval="", lineterminator="\n")
    table.writeheader()
    shared = {"Form Name": "espalier"}
    for name in diagram.features:
        table.writerow(shared | _field(diagram.schema[name], names[name]))
    steps = [f"Enter values after these steps: {', '.join(map(plain, diagram.preparation.words))}"]
    notes = "; ".join(line.rstrip(".") for line in (*about(diagram), *steps * bool(diagram.preparation)))
    calculated = {"Field Type": "calc", "Field Label": "Leaf of the model", "Field Note": notes}
    calculated["Choices, Calculations, OR Slider Labels"] = _calculation(diagram, names, unknown)
    table.writerow(shared | calculated | {"Variable / Field Name": "espalier_leaf"})
    words = "''"
    for i, leaf in reversed(diagram.leaves):
        # REDCap's text function has no escapes
        name = plain(diagram.classes[leaf.label]).replace("'", "\u2019").replace('"', "\u201d").replace(")", "]")
        words = f"if([espalier_leaf] = {i}, '{name}', {words})"
    label = {"Field Type": "text", "Field Label": plain(diagram.outcome), "Field Annotation": f"@CALCTEXT({words})"}
    table.writerow(shared | label | {"Variable / Field Name": "espalier_class"})
    return out.getvalue()


def _field(column: Column, name: str) -> dict[str, str]:
    field = {"Variable / Field Name": name, "Field Label": plain(column.title), "Field Type": "text"}
    field |= {"Field Note": plain(column.unit), "Section Header": plain(column.family)}
    validation = "Text Validation Type OR Show Slider Number"
    if column.kind.has_levels:
        choices = (f"{i}, {plain(level).replace('|', '/')}" for i, level in enumerate(column.levels, 1))
        return field | {"Field Type": "radio", "Choices, Calculations, OR Slider Labels": " | ".join(choices)}
    return field | {validation: "date_ymd" if column.kind is Kind.DATE else "number"}


def _calculation(diagram: Diagram, names: dict[str, str], unknown: Unknown) -> str:
    """The leaf as one expression."""
    parts: list[str] = []
    closing = ""
    if diagram.schema.missing is MissingPolicy.COMPLETE and names:
        parts.append(f"if({' or '.join(_blank(names[name]) for name in diagram.features)}, '', ")
        closing = ")"
    stack: list[NodeId | str] = [closing, 0]
    while stack:
        at = stack.pop()
        if isinstance(at, str):
            parts.append(at)
        elif isinstance(node := diagram.nodes[at], Leaf):
            parts.append(str(at))
        else:
            stops = [
                stop
                for column in refusable(node, diagram.schema, unknown)
                for stop in (
                    *[_blank(names[column.name])] * (not column.has_missing),
                    *(f"[{names[column.name]}] = {level + 1}" for level in column.unseen_levels),
                )
            ]
            parts.append(f"if({' or '.join(stops)}, '', " if stops else "")
            parts.append(f"if({_condition(node.predicate, diagram.schema, names)}, ")
            stack += ["))" if stops else ")", node.no, ", ", node.yes]
    return "".join(parts)


def _blank(name: str) -> str:
    return f"[{name}] = ''"


def _condition(predicate: Predicate | LinearPredicate, schema: Schema, names: dict[str, str]) -> str:
    """A split; blanks are tested first, since a blank counts as 0 in a comparison."""
    if isinstance(predicate, Predicate):
        column, name = schema[predicate.column], names[predicate.column]
        if predicate.op is Op.MISSING:
            return _blank(name)
        limit = predicate.operand + column.kind.has_levels
        claim = f"{_value(column, name)} {'<=' if predicate.op is Op.LE else '='} {_number(limit)}"
        return _known_or([name], claim, predicate.missing)
    terms: list[str] = []
    compared: dict[str, None] = {}
    for column_name, level, weight in predicate.terms:
        column, name = schema[column_name], names[column_name]
        value = _value(column, name)
        if column.kind.has_levels:
            value = f"({value} - 1)" if level is None else f"if({value} = {level + 1}, 1, 0)"
        if schema.missing is MissingPolicy.IMPUTE and column.fill is not None:
            fill = column.fill if level is None else float(column.fill == level)
            value = f"if({_blank(name)}, {_number(fill)}, {value})"
        else:
            compared[name] = None
        terms.append(f"{_number(weight)} * {value}")
    return _known_or([*compared], f"{' + '.join(terms)} <= {_number(predicate.threshold)}", predicate.missing)


def _known_or(names: list[str], claim: str, missing: bool) -> str:
    """A condition on variables, with the result if one of them is blank."""
    if missing:
        return " or ".join((*map(_blank, names), claim))
    return " and ".join((*(f"[{name}] <> ''" for name in names), claim))


def _value(column: Column, name: str) -> str:
    return f"datediff('1970-01-01', [{name}], 'd', 'ymd', true)" if column.kind is Kind.DATE else f"[{name}]"


def _number(value: float) -> str:
    # no exponents: REDCap's notation does not have them
    return format(Decimal(repr(float(value))), "f")
