"""Small interpreters of formats that no program here runs: PMML and REDCap calculations, by their specifications."""

from __future__ import annotations

import csv
import io
import re
from datetime import date
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from solvers.diagram.languages.pmml import to_pmml
from solvers.diagram.languages.redcap import to_redcap
from solvers.diagram.program import variable_names
from tests.diagram.exported import REFUSED, Found
from tests.diagram.tasks import Task

_DMG = "{http://www.dmg.org/PMML-4_4}"


class _InvalidError(Exception):
    """The data dictionary does not permit the value."""


def by_pmml(task: Task) -> list[Found]:
    """The results of a PMML consumer (DMG, PMML 4.4: DataDictionary, Transformations, TreeModel)."""
    root = ElementTree.fromstring(to_pmml(task.diagram, task.unknown))
    for element in root.iter():
        element.tag = element.tag.removeprefix(_DMG)
    model = root.find("TreeModel")
    target = next(field.get("name") for field in model.iter("MiningField") if field.get("usageType") == "target")
    fields = [field for field in root.iter("DataField") if field.get("name") != target]
    complete = any(field.get("missingValueTreatment") == "returnInvalid" for field in model.iter("MiningField"))
    derived = list(model.iter("DerivedField"))
    out = []
    for case in task.cases:
        try:
            row = {field.get("name"): _valid(field, case[field.get("name")], complete) for field in fields}
        except _InvalidError:
            out.append(REFUSED)
            continue
        for field in derived:
            row[field.get("name")] = _derived(field[0], row)
        node = model.find("Node")
        while node is not None and node.find("Node") is not None:
            node = next((child for child in node.findall("Node") if _holds(child[0], row) is True), None)
        shares = () if node is None else tuple(float(s.get("probability")) for s in node.iter("ScoreDistribution"))
        found = REFUSED if node is None else Found(int(node.get("id").partition(".")[0]), node.get("score"), shares)
        out.append(found)
    return out


def _valid(field: Element, value: Any, complete: bool) -> Any:
    codes = [v.get("value") for v in field.findall("Value") if v.get("property") == "missing"]
    if value in (codes if field.get("optype") == "categorical" else map(float, codes)):
        value = None
    if value is None:
        if complete:
            raise _InvalidError
        return None
    if field.get("optype") == "continuous":
        margins = field.find("Interval")
        good = float(margins.get("leftMargin")) <= value <= float(margins.get("rightMargin"))
    else:
        good = any(v.get("value") == value and v.get("property") is None for v in field.findall("Value"))
    if not good:
        raise _InvalidError
    return value


def _derived(term: Element, row: dict[str, Any]) -> Any:
    if term.tag == "Constant":
        return float(term.text)
    if term.tag == "FieldRef":
        return row[term.get("field")]
    if term.tag == "MapValues":
        value, read = row[term[0].get("field")], str if term.get("dataType") == "string" else float
        return next((read(r.find("out").text) for r in term.iter("row") if (r.find("in").text or "") == value), None)
    if term.get("function") == "isMissing":
        return row[term[0].get("field")] is None
    if term.get("function") == "if":
        return _derived(term[1 if _derived(term[0], row) else 2], row)
    left, right = (_derived(part, row) for part in term)
    if left is None or right is None:
        return None
    return left * right if term.get("function") == "*" else left + right


def _holds(claim: Element, row: dict[str, Any]) -> bool | None:
    if claim.tag in ("True", "False"):
        return claim.tag == "True"
    if claim.tag == "CompoundPredicate":
        parts = [_holds(part, row) for part in claim]
        sure = claim.get("booleanOperator") == "or"
        return sure if sure in parts else None if None in parts else not sure
    value, operator = row[claim.get("field")], claim.get("operator")
    if operator in ("isMissing", "isNotMissing"):
        return (value is None) is (operator == "isMissing")
    if value is None:
        return None
    if claim.tag == "SimpleSetPredicate":
        texts = re.findall(r'"((?:[^"\\]|\\.)*)"', claim.find("Array").text, re.S)
        return value not in [re.sub(r"\\(.)", r"\1", text, flags=re.S) for text in texts]
    return value <= float(claim.get("value")) if operator == "lessOrEqual" else value == claim.get("value")


def by_redcap(task: Task) -> list[Found]:
    """The results of a calculated field of REDCap, which are leaves only."""
    dictionary = list(csv.DictReader(io.StringIO(to_redcap(task.diagram, task.unknown))))
    names = variable_names(task.diagram, ("espalier_leaf", "espalier_class"))
    calculation = next(row for row in dictionary if row["Variable / Field Name"] == "espalier_leaf")
    program = compile(_of_redcap(calculation["Choices, Calculations, OR Slider Labels"]), "calc", "eval")
    schema, out = task.diagram.schema, []
    for case in task.cases:
        values = {}
        for name, variable in names.items():
            cell, column = case[name], schema[name]
            values[variable] = "" if cell is None else 1 + column.levels.index(cell) if column.kind.has_levels else cell
        scope = {"V": values.__getitem__, "IF": lambda c, a, b: a() if c() else b(), "datediff": _datediff}
        leaf = eval(program, scope)
        out.append(REFUSED if leaf == "" else Found(leaf, "", ()))
    return out


def _datediff(first: str, second: str, unit: str, form: str, signed: bool) -> int:
    assert (unit, form, signed) == ("d", "ymd", True)
    return (date.fromisoformat(second) - date.fromisoformat(first)).days


def _of_redcap(text: str) -> str:
    """A calculation as a Python expression that evaluates only the taken branch of an `if`."""
    out, stack = [], []
    for token in re.findall(r"'[^']*'|\[\w+\]|if\(|<=|<>|\w+(?:\.\d+)?|\S|\s+", text):
        if token == "if(":
            stack.append(True)
            out.append("IF(lambda: ")
            continue
        if token == "(":
            stack.append(False)
        elif token == ")":
            stack.pop()
        elif token == "," and stack[-1]:
            token = ", lambda: "
        elif token[0] == "[":
            token = f"V('{token[1:-1]}')"
        out.append({"=": "==", "<>": "!=", "true": "True"}.get(token, token))
    return "".join(out)
