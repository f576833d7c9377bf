"""Export a model as a PMML 4.4 TreeModel, the exchange format of the Data Mining Group.

Weighted sums and joined levels are derived fields; codes for missing values are part of the data fields. PMML trees
have no shared nodes, so shared nodes are copied; the number of a leaf is the part of the node id before the point.
Numbers and dates (days since 1970-01-01) are doubles; levels are texts, which PMML compares exactly. A row without a
prediction has no node, or an invalid value.
"""

import math
import sys
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from ...errors import DiagramError
from ...problem import Column, LinearPredicate, MissingPolicy, Op, Predicate, Unknown
from ...problem.preparation import JoinLevels, Rename, SetType, TreatAsMissing
from ...problem.texts import parse_numbers
from ..diagram import Diagram, Leaf, NodeId, Split
from ..program import about, count_unfolded, level_texts, refusable, sound, without_steps
from ..spellings import missing_marks
from ..words import plain

_LARGEST = repr(sys.float_info.max)
_CARRIED = (Rename, SetType, TreatAsMissing, JoinLevels)
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
        without_steps(diagram, "PMML", _CARRIED)
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
        named = [value for step in steps if isinstance(step, TreatAsMissing | JoinLevels) for value in step.values]
        for raw in dict.fromkeys((*named, *column.levels)):
            text = raw
            for step in steps:
                if isinstance(step, TreatAsMissing | JoinLevels) and text in step.values:
                    text = step.to if isinstance(step, JoinLevels) else ""
            out[raw] = text
        if not column.kind.has_levels and any(out.values()):
            without_steps(self.diagram, "PMML", (Rename, SetType, TreatAsMissing))
        return {raw: text for raw, text in out.items() if text in ("", *column.levels)}

    def _joins(self, name: str) -> bool:
        return any(text not in ("", raw) for raw, text in self.cells[name].items())

    def _joined(self, derived: Element, name: str) -> None:
        """A derived field with the level of each raw text; a missing value stays missing."""
        about = {"name": self.fields[name], "optype": "categorical", "dataType": "string"}
        known = {raw: text for raw, text in self.cells[name].items() if text}
        self._mapped(SubElement(derived, "DerivedField", about), self.raw[name], known, "string")

    def _mapped(self, parent: Element, field: str, texts: dict[str, str], kind: str) -> None:
        mapped = SubElement(parent, "MapValues", {"outputColumn": "out", "dataType": kind})
        SubElement(mapped, "FieldColumnPair", {"field": field, "column": "in"})
        table = SubElement(mapped, "InlineTable")
        for text, value in texts.items():
            row = SubElement(table, "row")
            SubElement(row, "in").text = text
            SubElement(row, "out").text = value

    def text(self) -> str:
        """The whole document."""
        diagram = self.diagram
        root = Element("PMML", {"xmlns": "http://www.dmg.org/PMML-4_4", "version": "4.4"})
        header = SubElement(root, "Header", {"description": " ".join(about(diagram)).replace("\ufffd", "?")})
        SubElement(header, "Application", {"name": "Espalier"})
        fields = SubElement(root, "DataDictionary", {"numberOfFields": str(len(self.used) + 1)})
        for column in self.used:
            self._field(fields, column)
        target = {"name": self.outcome, "optype": "categorical", "dataType": "string"}
        outcome = SubElement(fields, "DataField", target)
        for name in diagram.classes:
            SubElement(outcome, "Value", {"value": name})
        model = SubElement(
            root,
            "TreeModel",
            {
                "functionName": "classification",
                "missingValueStrategy": "none",
                "noTrueChildStrategy": "returnNullPrediction",
                "splitCharacteristic": "multiSplit",
            },
        )
        schema = SubElement(model, "MiningSchema")
        gone = "returnInvalid" if diagram.schema.missing is MissingPolicy.COMPLETE else "asIs"
        for name in self.raw.values():
            rules = {"invalidValueTreatment": "returnInvalid", "missingValueTreatment": gone}
            SubElement(schema, "MiningField", {"name": name, "usageType": "active", **rules})
        SubElement(schema, "MiningField", {"name": self.outcome, "usageType": "target"})
        self._output(model)
        derived = SubElement(model, "LocalTransformations")
        for name in filter(self._joins, self.raw):
            self._joined(derived, name)
        for _, split in diagram.splits:
            if isinstance(split.predicate, LinearPredicate) and split.predicate not in self.sums:
                self._sum(derived, split.predicate)
        if not len(derived):
            model.remove(derived)
        top = self._node(model, 0)
        SubElement(top, "True")
        self._below(top, 0)
        ElementTree.indent(root)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"

    def _field(self, fields: Element, column: Column) -> None:
        about, cells = {"name": self.raw[column.name]}, self.cells[column.name]
        if column.heading != column.name:
            about["displayName"] = column.heading
        if not column.kind.has_levels:
            field = SubElement(fields, "DataField", about | {"optype": "continuous", "dataType": "double"})
            margins = {"closure": "closedClosed", "leftMargin": f"-{_LARGEST}", "rightMargin": _LARGEST}
            SubElement(field, "Interval", margins)
            for code in cells:
                if not math.isnan(parse_numbers([code])[0]):
                    SubElement(field, "Value", {"value": code, "property": "missing"})
            return
        field = SubElement(fields, "DataField", about | {"optype": "categorical", "dataType": "string"})
        for text, level in cells.items():
            SubElement(field, "Value", {"value": text} if level else {"value": text, "property": "missing"})
        exact, _ = level_texts(column)
        for mark in missing_marks():
            for text in dict.fromkeys((mark, mark.upper(), mark.capitalize())):
                if text not in exact and text not in cells:
                    SubElement(field, "Value", {"value": text, "property": "missing"})

    def _output(self, model: Element) -> None:
        output = SubElement(model, "Output")
        SubElement(output, "OutputField", {"name": "prediction", "feature": "predictedValue", "dataType": "string"})
        SubElement(output, "OutputField", {"name": "leaf", "feature": "entityId", "dataType": "string"})
        for name in self.diagram.classes:
            about_class = {"feature": "probability", "value": name, "dataType": "double", "optype": "continuous"}
            SubElement(output, "OutputField", {"name": f"probability of {plain(name)}", **about_class})

    def _sum(self, derived: Element, predicate: LinearPredicate) -> None:
        """A derived field with the weighted sum, added in the order of its terms."""
        name = f"sum {len(self.sums) + 1}"
        while name in (*self.raw.values(), *self.fields.values(), self.outcome):
            name += "_"
        self.sums[predicate] = name
        field = SubElement(derived, "DerivedField", {"name": name, "optype": "continuous", "dataType": "double"})
        terms: Element | None = None
        for column, level, weight in predicate.terms:
            term = Element("Apply", {"function": "*"})
            _constant(term, weight)
            self._value(term, column, level)
            if terms is None:
                terms = term
            else:
                total = Element("Apply", {"function": "+"})
                total.extend((terms, term))
                terms = total
        assert terms is not None
        field.append(terms)

    def _value(self, parent: Element, name: str, level: int | None) -> None:
        schema, column = self.diagram.schema, self.diagram.schema[name]
        fill = column.fill if schema.missing is MissingPolicy.IMPUTE else None
        if fill is not None:
            parent = SubElement(parent, "Apply", {"function": "if"})
            gone = SubElement(parent, "Apply", {"function": "isMissing"})
            SubElement(gone, "FieldRef", {"field": self.fields[name]})
            _constant(parent, fill if level is None else float(fill == level))
        if not column.kind.has_levels:
            SubElement(parent, "FieldRef", {"field": self.fields[name]})
            return
        # a level counts by its position among the levels, or 1 if it is the level of the term
        numbers = {text: repr(float(i if level is None else i == level)) for i, text in enumerate(column.levels)}
        self._mapped(parent, self.fields[name], numbers, "double")

    def _node(self, parent: Element, at: NodeId) -> Element:
        self.written[at] = self.written.get(at, 0) + 1
        again = "" if self.written[at] == 1 else f".{self.written[at]}"
        node = SubElement(parent, "Node", {"id": f"{at}{again}"})
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
                    shown = {"value": name, "recordCount": repr(float(count)), "probability": repr(share)}
                    SubElement(parent, "ScoreDistribution", shown)
                continue
            for answer, child in ((True, reached.yes), (False, reached.no)):
                node = self._node(parent, child)
                parts = [*self._known(reached), *([self._question(reached)] if answer else [])]
                node.insert(0, _all(parts))
                stack.append((node, child))

    def _known(self, split: Split) -> Iterator[Element]:
        """The conditions on the values of a split under which it can be evaluated."""
        for column in refusable(split, self.diagram.schema, self.unknown):
            field = self.fields[column.name]
            if column.unseen_levels:
                seen = Element("SimpleSetPredicate", {"field": field, "booleanOperator": "isNotIn"})
                texts = [column.levels[i].replace("\\", "\\\\").replace('"', '\\"') for i in column.unseen_levels]
                array = SubElement(seen, "Array", {"type": "string", "n": str(len(texts))})
                array.text = " ".join(f'"{text}"' for text in texts)
                yield _any([seen, _is_missing(field)]) if column.has_missing else seen
            if not column.has_missing:
                yield Element("SimplePredicate", {"field": field, "operator": "isNotMissing"})

    def _question(self, split: Split) -> Element:
        predicate = split.predicate
        if isinstance(predicate, LinearPredicate):
            return self._claim(self.sums[predicate], "lessOrEqual", repr(predicate.threshold), predicate.missing)
        if predicate.op is Op.MISSING:
            return _is_missing(self.fields[predicate.column])
        column = self.diagram.schema[predicate.column]
        if not column.kind.has_levels:
            return self._claim(
                self.fields[column.name], "lessOrEqual", repr(float(predicate.operand)), predicate.missing
            )
        return self._of_levels(column, predicate)

    def _of_levels(self, column: Column, predicate: Predicate) -> Element:
        if predicate.op is Op.IS:
            level = column.levels[int(predicate.operand)]
            return self._claim(self.fields[column.name], "equal", level, predicate.missing)
        claims = [
            Element("SimplePredicate", {"field": self.fields[column.name], "operator": "equal", "value": level})
            for level in column.levels[: max(math.floor(predicate.operand) + 1, 0)]
        ]
        claims += [_is_missing(self.fields[column.name])] * predicate.missing
        return _any(claims) if claims else Element("False")

    def _claim(self, field: str, operator: str, value: str, missing: bool) -> Element:
        claim = Element("SimplePredicate", {"field": field, "operator": operator, "value": value})
        return _any([claim, _is_missing(field)]) if missing else claim


def _constant(parent: Element, value: float) -> None:
    SubElement(parent, "Constant", {"dataType": "double"}).text = repr(float(value))


def _is_missing(field: str) -> Element:
    return Element("SimplePredicate", {"field": field, "operator": "isMissing"})


def _joined(claims: list[Element], operator: str) -> Element:
    if len(claims) == 1:
        return claims[0]
    both = Element("CompoundPredicate", {"booleanOperator": operator})
    both.extend(claims)
    return both


def _any(claims: list[Element]) -> Element:
    return _joined(claims, "or")


def _all(claims: list[Element]) -> Element:
    return _joined(claims, "and") if claims else Element("True")
