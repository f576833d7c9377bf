"""Export a model as a PMML 4.4 TreeModel, the exchange format of the Data Mining Group.

Weighted sums and joined levels are derived fields; codes for missing values are part of the data fields. PMML trees
have no shared nodes, so shared nodes are copied; the number of a leaf is the part of the node id before the point.
Numbers and dates (days since 1970-01-01) are doubles; levels are texts, which PMML compares exactly. A row without a
prediction has no node, or an invalid value.
"""

import math
import sys
from collections.abc import Iterable, Iterator
from functools import reduce
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ...errors import DiagramError
from ...problem import Column, LinearPredicate, MissingPolicy, Op, Unknown
from ...problem.preparation import Rename, Replace, SetType
from ...problem.texts import parse_numbers
from ..diagram import Diagram, Leaf, NodeId, Split
from ..program import about, count_unfolded, level_texts, refusable, sound, without_steps
from ..spellings import missing_marks
from ..words import plain

_LARGEST = repr(sys.float_info.max)
_LEVEL = {"optype": "categorical", "dataType": "string"}
_CARRIED = (Rename, SetType, Replace)
"""The preparation steps that a document holds."""


def to_pmml(diagram: Diagram, unknown: Unknown = Unknown.ERROR) -> str:
    """The model as a PMML document; `unknown` is its rule for values that no training row has.

    Raises `DiagramError` if copying shared nodes gives too many leaves, the model needs preparation steps other than
    missing codes, joined levels and names, or a name has a character that XML cannot represent.
    """
    return _Document(diagram, unknown).text()


class _Document:
    """A document under construction."""

    def __init__(self, diagram: Diagram, unknown: Unknown) -> None:
        without_steps(diagram, "PMML", lambda step: isinstance(step, _CARRIED))
        count_unfolded(diagram, "PMML")
        self.diagram, self.unknown = diagram, unknown
        self.used = [diagram.schema[name] for name in diagram.features]
        self.raw = {column.name: diagram.preparation.raw([column.name])[0] for column in self.used}
        self.cells = {column.name: self._cells(column) for column in self.used}
        texts = (text for cells in self.cells.values() for text in cells)
        names = (*diagram.features, *self.raw.values(), diagram.outcome, *diagram.classes, *texts)
        for name in names:
            if any(ord(char) < 32 and char not in "\t\n\r" for char in sound(name, "PMML")) or "\ufffe" in name:
                raise DiagramError(f"XML cannot hold the name {name!a}. Rename it, or choose JSON.")
        self.outcome = diagram.outcome
        while self.outcome in (*diagram.features, *self.raw.values()):
            self.outcome += "_"
        # the field of each column: a raw one, or one that is derived because levels are joined
        self.fields = {name: name if self._joins(name) else raw for name, raw in self.raw.items()}
        for name in filter(self._joins, self.fields):
            while self.fields[name] in (*self.raw.values(), self.outcome):
                self.fields[name] += "_"
        self.written: dict[NodeId, int] = {}
        self.sums: dict[LinearPredicate, str] = {}

    def _cells(self, column: Column) -> dict[str, str]:
        """The raw texts that steps name, and the levels, each with its text after the steps; '' if missing."""
        out = {}
        steps = self.diagram.preparation.leading_to([column.name], self.diagram.outcome).steps
        named = [value for step in steps if isinstance(step, Replace) for value in step.values]
        for raw in dict.fromkeys((*named, *column.levels)):
            text = raw
            for step in steps:
                if isinstance(step, Replace) and text in step.values:
                    text = step.to
            out[raw] = text
        if not column.kind.has_levels and any(out.values()):
            without_steps(self.diagram, "PMML", lambda step: not (isinstance(step, Replace) and step.to))
        return {raw: text for raw, text in out.items() if text in ("", *column.levels)}

    def _joins(self, name: str) -> bool:
        return any(text not in ("", raw) for raw, text in self.cells[name].items())

    def _joined(self, name: str) -> Element:
        """A derived field with the level of each raw text; a missing value stays missing."""
        known = {raw: text for raw, text in self.cells[name].items() if text}
        return _of("DerivedField", _mapped(self.raw[name], known, "string"), name=self.fields[name], **_LEVEL)

    def text(self) -> str:
        """The whole document."""
        diagram, names = self.diagram, list(filter(self._joins, self.raw))
        gone = "returnInvalid" if diagram.schema.missing is MissingPolicy.COMPLETE else "asIs"
        rules = {"usageType": "active", "invalidValueTreatment": "returnInvalid", "missingValueTreatment": gone}
        mined = [_of("MiningField", name=name, **rules) for name in self.raw.values()]
        sums = dict.fromkeys(split.predicate for _, split in diagram.splits)
        derived = [*map(self._joined, names), *(self._sum(p) for p in sums if isinstance(p, LinearPredicate))]
        top = self._node(0)
        top.append(Element("True"))
        self._below(top, 0)
        classes = [_of("Value", value=name) for name in diagram.classes]
        model = _of(
            "TreeModel",
            _of("MiningSchema", *mined, _of("MiningField", name=self.outcome, usageType="target")),
            self._output(),
            *([_of("LocalTransformations", *derived)] if derived else []),
            top,
            functionName="classification",
            missingValueStrategy="none",
            noTrueChildStrategy="returnNullPrediction",
            splitCharacteristic="multiSplit",
        )
        description = " ".join(about(diagram)).replace("\ufffd", "?")
        root = _of(
            "PMML",
            _of("Header", _of("Application", name="Espalier"), description=description),
            _of(
                "DataDictionary",
                *map(self._field, self.used),
                _of("DataField", *classes, name=self.outcome, **_LEVEL),
                numberOfFields=str(len(self.used) + 1),
            ),
            model,
            xmlns="http://www.dmg.org/PMML-4_4",
            version="4.4",
        )
        ElementTree.indent(root)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"

    def _field(self, column: Column) -> Element:
        name, cells = {"name": self.raw[column.name]}, self.cells[column.name]
        if column.heading != column.name:
            name["displayName"] = column.heading
        if not column.kind.has_levels:
            codes = [code for code in cells if not math.isnan(parse_numbers([code])[0])]
            margins = _of("Interval", closure="closedClosed", leftMargin=f"-{_LARGEST}", rightMargin=_LARGEST)
            return _of(
                "DataField", margins, *map(_missing_value, codes), **name, optype="continuous", dataType="double"
            )
        exact, _ = level_texts(column)
        marks = [text for mark in missing_marks() for text in dict.fromkeys((mark, mark.upper(), mark.capitalize()))]
        values = [_of("Value", value=text) if level else _missing_value(text) for text, level in cells.items()]
        values += [_missing_value(text) for text in marks if text not in exact and text not in cells]
        return _of("DataField", *values, **name, **_LEVEL)

    def _output(self) -> Element:
        kinds = {"feature": "probability", "dataType": "double", "optype": "continuous"}
        return _of(
            "Output",
            _of("OutputField", name="prediction", feature="predictedValue", dataType="string"),
            _of("OutputField", name="leaf", feature="entityId", dataType="string"),
            *(
                _of("OutputField", name=f"probability of {plain(name)}", value=name, **kinds)
                for name in self.diagram.classes
            ),
        )

    def _sum(self, predicate: LinearPredicate) -> Element:
        """A derived field with the weighted sum, added in the order of its terms."""
        name = f"sum {len(self.sums) + 1}"
        while name in (*self.raw.values(), *self.fields.values(), self.outcome):
            name += "_"
        self.sums[predicate] = name
        terms = (
            _of("Apply", _constant(weight), self._value(column, level), function="*")
            for column, level, weight in predicate.terms
        )
        total = reduce(lambda one, other: _of("Apply", one, other, function="+"), terms)
        return _of("DerivedField", total, name=name, optype="continuous", dataType="double")

    def _value(self, name: str, level: int | None) -> Element:
        schema, column, field = self.diagram.schema, self.diagram.schema[name], self.fields[name]
        if column.kind.has_levels:
            # a level counts by its position among the levels, or 1 if it is the level of the term
            numbers = {text: repr(float(i if level is None else i == level)) for i, text in enumerate(column.levels)}
            value = _mapped(field, numbers, "double")
        else:
            value = _of("FieldRef", field=field)
        fill = column.fill if schema.missing is MissingPolicy.IMPUTE else None
        if fill is None:
            return value
        gone = _of("Apply", _of("FieldRef", field=field), function="isMissing")
        return _of("Apply", gone, _constant(fill if level is None else float(fill == level)), value, function="if")

    def _node(self, at: NodeId) -> Element:
        self.written[at] = self.written.get(at, 0) + 1
        again = "" if self.written[at] == 1 else f".{self.written[at]}"
        node = Element("Node", {"id": f"{at}{again}"})
        leaf = self.diagram.nodes[at]
        if isinstance(leaf, Leaf):
            node.set("score", self.diagram.classes[leaf.label])
            node.set("recordCount", repr(float(sum(leaf.counts))))
        return node

    def _below(self, top: Element, start: NodeId) -> None:
        """Write all descendants of a node, without recursion: diagrams may be deep."""
        stack = [(top, start)]
        while stack:
            parent, at = stack.pop()
            reached = self.diagram.nodes[at]
            if isinstance(reached, Leaf):
                for name, count, share in zip(self.diagram.classes, reached.counts, reached.shares, strict=True):
                    counted = {"recordCount": repr(float(count)), "probability": repr(share)}
                    parent.append(_of("ScoreDistribution", value=name, **counted))
                continue
            for answer, child in ((True, reached.yes), (False, reached.no)):
                node = self._node(child)
                node.append(_all([*self._known(reached), *([self._question(reached)] if answer else [])]))
                parent.append(node)
                stack.append((node, child))

    def _known(self, split: Split) -> Iterator[Element]:
        """The conditions on the values of a split under which it can be evaluated."""
        for column in refusable(split, self.diagram.schema, self.unknown):
            field = self.fields[column.name]
            if column.unseen_levels:
                texts = [column.levels[i].replace("\\", "\\\\").replace('"', '\\"') for i in column.unseen_levels]
                array = _of("Array", text=" ".join(f'"{text}"' for text in texts), type="string", n=str(len(texts)))
                seen = _of("SimpleSetPredicate", array, field=field, booleanOperator="isNotIn")
                yield _any([seen, _is_missing(field)]) if column.has_missing else seen
            if not column.has_missing:
                yield _of("SimplePredicate", field=field, operator="isNotMissing")

    def _question(self, split: Split) -> Element:
        predicate = split.predicate
        if isinstance(predicate, LinearPredicate):
            return _claim(self.sums[predicate], "lessOrEqual", [repr(predicate.threshold)], predicate.missing)
        if predicate.op is Op.MISSING:
            return _is_missing(self.fields[predicate.column])
        column, operand = self.diagram.schema[predicate.column], predicate.operand
        field = self.fields[column.name]
        if not column.kind.has_levels:
            return _claim(field, "lessOrEqual", [repr(float(operand))], predicate.missing)
        is_level = predicate.op is Op.IS
        levels = [column.levels[int(operand)]] if is_level else column.levels[: max(math.floor(operand) + 1, 0)]
        return _claim(field, "equal", levels, predicate.missing)


def _of(tag: str, *children: Element, text: str | None = None, **attributes: str) -> Element:
    """An element with its content."""
    element = Element(tag, attributes)
    element.text = text
    element.extend(children)
    return element


def _mapped(field: str, texts: dict[str, str], kind: str) -> Element:
    """The value of each text of a field, looked up in a table."""
    rows = [_of("row", _of("in", text=text), _of("out", text=value)) for text, value in texts.items()]
    pair = _of("FieldColumnPair", field=field, column="in")
    return _of("MapValues", pair, _of("InlineTable", *rows), outputColumn="out", dataType=kind)


def _missing_value(text: str) -> Element:
    return _of("Value", value=text, property="missing")


def _constant(value: float) -> Element:
    return _of("Constant", text=repr(float(value)), dataType="double")


def _claim(field: str, operator: str, values: Iterable[str], missing: bool) -> Element:
    """Whether the comparison of a field with one of the values holds, or the field may be missing and is."""
    claims = [_of("SimplePredicate", field=field, operator=operator, value=value) for value in values]
    claims += [_is_missing(field)] * missing
    return _any(claims) if claims else Element("False")


def _is_missing(field: str) -> Element:
    return _of("SimplePredicate", field=field, operator="isMissing")


def _any(claims: list[Element]) -> Element:
    return claims[0] if len(claims) == 1 else _of("CompoundPredicate", *claims, booleanOperator="or")


def _all(claims: list[Element]) -> Element:
    if len(claims) < 2:
        return claims[0] if claims else Element("True")
    return _of("CompoundPredicate", *claims, booleanOperator="and")
