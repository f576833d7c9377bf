"""A model as a FHIR R4 Library that holds it in Clinical Quality Language (CQL 1.5).

The columns are parameters of the library: which codes, value sets and resources they are read from differs from
hospital to hospital, and is for whoever binds them. A question is a definition, so that joined ways are written once.
CQL's decimals have 8 places: limits are rounded down to the largest decimal that answers yes, which changes the answer
of no value that CQL can hold. Weighted sums would be rounded otherwise than the model's, and are refused.
"""

import base64
import datetime
import json
import math
from decimal import ROUND_FLOOR, Context, Decimal

from solvers.diagram.diagram import Diagram, Split
from solvers.diagram.labels import comment
from solvers.diagram.program import Language, about, level_texts, refusable, sound, variable_names, without_steps
from solvers.diagram.spellings import REFUSED, missing_marks
from solvers.diagram.words import plain
from solvers.errors import DiagramError
from solvers.problem import Column, Kind, LinearPredicate, MissingPolicy, Unknown

PLACES = Decimal("1e-8")
_LARGEST = Decimal(10) ** 20
_TYPES = {Kind.NUMERIC: ("Decimal", "decimal"), Kind.DATE: ("DateTime", "dateTime")}


def to_fhir_library(diagram: Diagram, unknown: Unknown = Unknown.REFUSE) -> str:
    """The library as JSON, with `to_cql` as its content; raises `DiagramError` as that does."""
    text, names = to_cql(diagram, unknown), variable_names(diagram)
    kinds = {name: _TYPES.get(diagram.schema[name].kind, ("String", "string"))[1] for name in names}
    given = [{"name": names[name], "use": "in", "min": 0, "max": "1", "documentation": plain(name), "type": kinds[name]}
             for name in names]  # fmt: skip
    found = [{"name": name, "use": "out", "min": 0, "max": "1", "type": kind}
             for name, kind in (("leaf", "integer"), ("prediction", "string"))]  # fmt: skip
    coding = {"system": "http://terminology.hl7.org/CodeSystem/library-type", "code": "logic-library"}
    title, *rest = about(diagram)
    library = {
        "resourceType": "Library",
        "name": "EspalierModel",
        "version": "1.0.0",
        "title": title,
        "status": "draft",
        "experimental": True,
        "type": {"coding": [coding]},
        "description": " ".join(rest),
        "parameter": given + found,
        "content": [{"contentType": "text/cql", "data": base64.b64encode(text.encode()).decode()}],
    }
    return json.dumps(library, indent=2) + "\n"


def to_cql(diagram: Diagram, unknown: Unknown = Unknown.REFUSE) -> str:
    """The text of the library, which defines "leaf", "prediction" and the share of each class.

    Raises
    ------
    DiagramError
        Steps that prepare the table, a weighted sum, a limit beyond CQL's decimals and years, or a name that cannot
        stand in a text.
    """
    without_steps(diagram, "CQL")
    names = variable_names(diagram)
    used = [diagram.schema[name] for name in diagram.features]
    lines = [*(f"// {comment(line)}" for line in about(diagram)), "library EspalierModel version '1.0.0'", ""]
    lines += [
        "// bind these to your own codes; a text that is no level, and what the model must not answer, gives null"
    ]
    for column in used:
        lines += [
            f"// {comment(column.name)}",
            f'parameter "{names[column.name]}" {_TYPES.get(column.kind, ("String",))[0]}',
        ]
    lines.append("")
    lines += [_levels(column, names[column.name]) for column in used if column.kind.has_levels]
    refused = [f"{_value(c, names)} = {REFUSED}" for c in used if c.kind.has_levels]
    if diagram.schema.missing is MissingPolicy.COMPLETE:
        refused += [f"{_value(column, names)} is null" for column in used]
    for i, split in diagram.splits:
        lines.append(f"// {comment(split.predicate.words(diagram.schema))}?")
        lines.append(f'define "node {i}": {_question(diagram, split, names, unknown)}')
    stop = f"if {' or '.join(f'({claim})' for claim in refused)} then null else " if refused else ""
    lines += [f'define "leaf": {stop}{_reference(diagram, 0)}']
    lines += [_by_leaf("prediction", [(i, _text(diagram.classes[leaf.label])) for i, leaf in diagram.leaves])]
    for k, name in enumerate(diagram.classes):
        shares = [(i, format(Decimal(leaf.shares[k]).quantize(PLACES), "f")) for i, leaf in diagram.leaves]
        lines += [f"// {comment(name)}", _by_leaf(f"share of class {k + 1}", shares)]
    return "\n".join(lines) + "\n"


def _value(column: Column, names: dict[str, str]) -> str:
    name = names[column.name]
    return f'"level of {name}"' if column.kind.has_levels else f'"{name}"'


def _levels(column: Column, name: str) -> str:
    exact, small = level_texts(column)
    marks = ", ".join(map(_text, missing_marks()))
    cases = [f'when "{name}" = {_text(text)} then {i}' for text, i in exact.items()]
    cases.append(f'when "{name}" is null or Lower("{name}") in {{ {marks} }} then null')
    cases += [f'when Lower("{name}") = {_text(text)} then {i}' for text, i in small.items()]
    return f'define "level of {name}": case {" ".join(cases)} else {REFUSED} end'


def _reference(diagram: Diagram, node: int) -> str:
    return f'"node {node}"' if isinstance(diagram.nodes[node], Split) else str(node)


def _question(diagram: Diagram, split: Split, names: dict[str, str], unknown: Unknown) -> str:
    predicate, schema = split.predicate, diagram.schema
    if isinstance(predicate, LinearPredicate):
        raise DiagramError(
            "CQL counts in decimals of 8 places, which would round a weighted sum otherwise than the model. Choose "
            "JavaScript, Python or SQL, or make a model without weighted sums."
        )
    column = schema[predicate.column]
    language = Language(
        number=_moment if column.kind is Kind.DATE else _decimal,
        missing="{} is null",
        at_most="({} <= {})",
        equals="({} = {})",
        either="({1} or {0})",
    )
    value = _value(column, names)
    stops = [
        claim
        for one in refusable(split, schema, unknown)
        for claim in (*[f"{value} is null"] * (not one.has_missing), *(f"{value} = {i}" for i in one.unseen_levels))
    ]
    stop = f"if {' or '.join(f'({claim})' for claim in stops)} then null else " if stops else ""
    claim = language.condition(predicate, schema, {column.name: value})
    return f"{stop}if {claim} then {_reference(diagram, split.yes)} else {_reference(diagram, split.no)}"


def _decimal(limit: float) -> str:
    """The largest decimal of 8 places that is read as a float of at most the limit."""
    exact = Context(prec=2000)
    middle = exact.divide(exact.add(Decimal(limit), Decimal(math.nextafter(limit, math.inf))), Decimal(2))
    if not abs(middle) < _LARGEST:
        raise DiagramError(f"CQL has no decimal as large as {limit!r}. Choose JavaScript, Python or SQL.")
    found = middle.quantize(PLACES, ROUND_FLOOR, exact)
    # the middle of two floats is read as either
    return format(found if float(found) <= limit else exact.subtract(found, PLACES), "f")


def _moment(limit: float) -> str:
    """The last millisecond until a limit in days since 1970-01-01."""
    millis = math.floor(Decimal(limit) * 86_400_000)
    while (millis + 1) * 1000 / 86_400_000_000 <= limit:
        millis += 1
    try:
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=millis)
    except OverflowError:
        raise DiagramError("CQL has no date beyond the years 1 to 9999. Choose another format.") from None
    return f"@{moment.isoformat(timespec='milliseconds')}+00:00"


def _by_leaf(name: str, found: list[tuple[int, str]]) -> str:
    cases = " ".join(f"when {leaf} then {value}" for leaf, value in found)
    return f'define "{name}": case "leaf" {cases} else null end'


def _text(text: str) -> str:
    """A text as a literal in ASCII."""
    escaped = sound(text, "CQL").replace("\\", "\\\\").replace("'", "\\'")
    units = escaped.encode("utf-16-be")
    codes = (int.from_bytes(units[k : k + 2]) for k in range(0, len(units), 2))
    return "'" + "".join(chr(code) if 32 <= code < 127 else f"\\u{code:04x}" for code in codes) + "'"
