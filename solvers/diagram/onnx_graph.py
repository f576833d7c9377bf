"""Export a model as an ONNX graph, built from plain operators, so that it computes in 64-bit floats throughout.

One input per column, of shape (rows, 1), with the column's name: numbers and dates (days since 1970-01-01) as doubles,
NaN if missing, and levels as texts. Three outputs: `label` (the class), `probabilities` (the proportion of each class
among the training rows of the leaf) and `leaf` (its number). A row without a prediction has the leaf -1, an empty label
and NaN as probabilities.

Preparation steps cannot be exported, because ONNX has no dates and not all conversions of texts: the inputs are the
columns after the steps, and the file says so.

A converter of trees would not suffice: ONNX's own operator for trees compares 32-bit floats in most runtimes, and
supports no graphs with shared nodes, no weighted sums and no texts.
"""

import json
import math
from typing import Any

import numpy as np

from ..errors import DiagramError, MissingPackageError
from ..problem import Column, Kind, LinearPredicate, MissingPolicy, Op, Predicate, Unknown
from ..problem.texts import format_number
from .diagram import Diagram, NodeId, Split
from .dot import summary
from .spellings import NOTICE, REFUSED, missing_marks, missing_spellings
from .words import plain

OPSET, LEVELS_OPSET, IR_VERSION = 17, 3, 8
OUTPUTS = ("label", "probabilities", "leaf")
_MISSING = -2


def to_onnx(diagram: Diagram, unknown: Unknown = Unknown.ERROR) -> bytes:
    """The model as an ONNX file (opset 17); `unknown` is its rule for a value that no training row has.

    Raises
    ------
    DiagramError
        The model has no columns, so that there is no input.
    MissingPackageError
        The package onnx is not installed.
    """
    try:
        import onnx
    except ImportError as error:
        raise MissingPackageError(
            f"ONNX needs the package onnx ({error}). Install it with 'pip install onnx'."
        ) from None
    if not len(diagram.schema):
        raise DiagramError("A model without columns has no input for ONNX. Choose another format.")
    graph = _Graph(diagram, unknown)
    graph.build()
    written: bytes = graph.model(onnx).SerializeToString(deterministic=True)
    return written


def input_names(diagram: Diagram) -> dict[str, str]:
    """The input name of each required column, by column: its name if that is a printable text, or 'column 3'.

    A model without splits has its first column as input, which gives the number of rows.
    """
    taken, out = {""} | set(OUTPUTS), {}
    for j, name in enumerate(diagram.schema.names):
        if name in (diagram.features or diagram.schema.names[:1]):
            given = name if plain(name) == name and not name.startswith("/") else f"column {j}"
            while given in taken:
                given += "_"
            taken.add(given)
            out[name] = given
    return out


def describe_prepared(diagram: Diagram) -> str:
    """A note that the inputs are columns after the preparation steps, which ONNX cannot represent; '' without steps."""
    if not diagram.preparation:
        return ""
    listed = "; ".join(plain(words) for words in diagram.preparation.words)
    return f"The inputs are prepared columns. Apply these steps to a row first: {listed}."


class _Graph:
    """A graph under construction; names that begin with '/' are internal."""

    def __init__(self, diagram: Diagram, unknown: Unknown) -> None:
        from onnx import helper, numpy_helper

        self.diagram, self.unknown, self.helper, self.numpy_helper = diagram, unknown, helper, numpy_helper
        self.inputs = input_names(diagram)
        self.nodes: list[Any] = []
        self.constants: dict[tuple[str, tuple[int, ...], bytes], str] = {}
        self.tensors: list[Any] = []
        self.values: dict[str, str] = {}
        self.missing: dict[str, str] = {}

    def build(self) -> None:
        """Add all operators."""
        refused = [
            name for column in self.diagram.schema.columns if column.name in self.inputs for name in self._read(column)
        ]
        first = next(iter(self.inputs.values()))
        everywhere = self.helper.make_tensor("value", self._type("BOOL"), [1], [True])
        always = self.add("ConstantOfShape", self.add("Shape", first), value=everywhere)
        arrived = self._walk(always, refused)
        self._answer(arrived, refused, always)

    def add(self, op: str, *inputs: str, domain: str = "", output: str | None = None, **attributes: Any) -> str:
        """Add an operator; return the name of its result."""
        out = output or f"/{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(op, list(inputs), [out], domain=domain, **attributes))
        return out

    def constant(self, values: Any, dtype: type = np.float64) -> str:
        """Add a constant tensor; return its name."""
        array: np.ndarray = np.asarray(values, dtype)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self.constants:
            self.constants[key] = f"/constant{len(self.constants)}"
            self.tensors.append(self.numpy_helper.from_array(array, self.constants[key]))
        return self.constants[key]

    def _texts(self, name: str, texts: list[str]) -> str:
        values: Any = [_bytes(text) for text in texts]  # onnx's type hints omit texts
        self.tensors.append(self.helper.make_tensor(name, self._type("STRING"), [len(values)], values))
        return name

    def _type(self, name: str) -> int:
        from onnx import TensorProto

        number: int = getattr(TensorProto, name)
        return number

    def _read(self, column: Column) -> list[str]:
        """Convert an input to the model's number; return the masks of the rows that it rejects."""
        given = self.inputs[column.name]
        if column.kind.has_levels:
            keys, codes = _codes(column)
            table: dict[str, Any] = {"keys_strings": keys, "values_int64s": codes, "default_int64": REFUSED}
            code = self.add("LabelEncoder", given, domain="ai.onnx.ml", **table)
            number = self.add("Cast", code, to=self._type("DOUBLE"))
            gone = self.add("Equal", number, self.constant(_MISSING))
            self.values[column.name] = self.add("Where", gone, self.constant(math.nan), number)
            refused = [self.add("Equal", number, self.constant(REFUSED))]
        else:
            self.values[column.name], gone = given, self.add("IsNaN", given)
            refused = [self.add("IsInf", given)]
        self.missing[column.name] = gone
        used = column.name in self.diagram.features
        complete = self.diagram.schema.missing is MissingPolicy.COMPLETE
        return (refused + ([gone] if complete else [])) if used else []

    def _walk(self, always: str, refused: list[str]) -> dict[NodeId, str]:
        """The mask of the rows that reach each node; masks of rows rejected there are added to `refused`."""
        arrived: dict[NodeId, list[str]] = {0: [always]}
        out = {}
        for i, node in enumerate(self.diagram.nodes):
            here, *others = arrived.pop(i)
            for other in others:
                here = self.add("Or", here, other)
            out[i] = here
            if isinstance(node, Split):
                predicate = node.predicate
                refused += [self.add("And", here, mask) for mask in self._never_had(predicate)]
                yes = self._sum(predicate) if isinstance(predicate, LinearPredicate) else self._claim(predicate)
                arrived.setdefault(node.yes, []).append(self.add("And", here, yes))
                arrived.setdefault(node.no, []).append(self.add("And", here, self.add("Not", yes)))
        return out

    def _never_had(self, predicate: Predicate | LinearPredicate) -> list[str]:
        """The masks of the rows for which a split needs a value that no training row has."""
        found = []
        for name in dict.fromkeys(predicate.columns) if self.unknown is Unknown.ERROR else ():
            column = self.diagram.schema[name]
            found += [self.missing[name]] * (not column.has_missing)
            found += [self.add("Equal", self.values[name], self.constant(level)) for level in column.unseen_levels]
        return found

    def _claim(self, predicate: Predicate) -> str:
        gone = self.missing[predicate.column]
        if predicate.op is Op.MISSING:
            return gone
        # comparisons with NaN are false
        op = "LessOrEqual" if predicate.op is Op.LE else "Equal"
        holds = self.add(op, self.values[predicate.column], self.constant(predicate.operand))
        return self.add("Or", holds, gone) if predicate.missing else holds

    def _sum(self, predicate: LinearPredicate) -> str:
        """The sum in the order of its terms, which determines its rounding."""
        schema, total = self.diagram.schema, ""
        for name, level, weight in predicate.terms:
            value, gone, fill = self.values[name], self.missing[name], schema[name].fill
            if schema.missing is MissingPolicy.IMPUTE and fill is not None:
                value = self.add("Where", gone, self.constant(fill), value)
                gone = self.add("IsNaN", value)
            if level is not None:
                has = self.add("Cast", self.add("Equal", value, self.constant(level)), to=self._type("DOUBLE"))
                value = self.add("Where", gone, self.constant(math.nan), has)
            term = self.add("Mul", self.constant(weight), value)
            total = self.add("Add", total, term) if total else term
        holds = self.add("LessOrEqual", total, self.constant(predicate.threshold))
        return self.add("Or", holds, self.add("IsNaN", total)) if predicate.missing else holds

    def _answer(self, arrived: dict[NodeId, str], refused: list[str], always: str) -> None:
        """Look up the results of each row's leaf; row 0 of the tables is for rows without a prediction."""
        diagram, leaves = self.diagram, self.diagram.leaves
        stopped = self.add("Not", always)
        for mask in refused:
            stopped = self.add("Or", stopped, mask)
        masks = [arrived[i] for i, _ in leaves]
        # ArgMax returns the first of several true values
        table = self.add("Cast", self.add("Concat", stopped, *masks, axis=1), to=self._type("FLOAT"))
        place = self.add("ArgMax", table, axis=1, keepdims=0)
        labels = self._texts("/labels", ["", *(diagram.classes[leaf.label] for _, leaf in leaves)])
        shares = self.constant([[math.nan] * len(diagram.classes), *(leaf.shares for _, leaf in leaves)])
        numbers = self.constant([REFUSED, *(i for i, _ in leaves)], np.int64)
        for tensor, name in zip((labels, shares, numbers), OUTPUTS, strict=True):
            self.add("Gather", tensor, place, output=name, axis=0)

    def model(self, onnx: Any) -> Any:
        """The model with its description."""
        helper, diagram = self.helper, self.diagram
        given = [
            helper.make_tensor_value_info(
                name, self._type("STRING" if diagram.schema[column].kind.has_levels else "DOUBLE"), ["rows", 1]
            )
            for column, name in self.inputs.items()
        ]
        shapes = (("STRING", ["rows"]), ("DOUBLE", ["rows", len(diagram.classes)]), ("INT64", ["rows"]))
        out = [
            helper.make_tensor_value_info(name, self._type(kind), shape)
            for name, (kind, shape) in zip(OUTPUTS, shapes, strict=True)
        ]
        graph = helper.make_graph(self.nodes, "espalier", given, out, self.tensors)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", LEVELS_OPSET)]
        made = helper.make_model(graph, producer_name="Espalier", opset_imports=opsets, ir_version=IR_VERSION)
        made.doc_string = "\n".join(filter(None, (*summary(diagram), describe_prepared(diagram), NOTICE)))
        helper.set_model_props(made, _properties(diagram, self.inputs, self.unknown))
        onnx.checker.check_model(made)
        return made


def _codes(column: Column) -> tuple[list[bytes], list[int]]:
    """The texts of levels and missing values, each with its code."""
    found = column.spellings()
    # ONNX's lower-case operator needs locales that are not always installed
    codes = {_bytes(mark): _MISSING for mark in missing_spellings()}
    for number, i in found.numbers.items():
        if math.isfinite(number):
            codes |= {_bytes(text): i for text in (format_number(number), repr(number))}
    for small, i in found.letters.items():
        if small not in missing_marks():
            level = column.levels[i]
            codes |= {_bytes(text): i for text in (small, level.lower(), level.upper(), level.capitalize())}
    codes |= {_bytes(text): i for text, i in found.exact.items()}
    return list(codes), list(codes.values())


def _properties(diagram: Diagram, inputs: dict[str, str], unknown: Unknown) -> dict[str, str]:
    """Metadata for readers of the file, as JSON in ASCII."""
    columns = [
        {"input": given, "column": name, "kind": diagram.schema[name].kind, "levels": diagram.schema[name].levels}
        for name, given in inputs.items()
    ]
    dates = any(diagram.schema[name].kind is Kind.DATE for name in inputs)
    return {
        "outcome": json.dumps(diagram.outcome),
        "classes": json.dumps(diagram.classes),
        "inputs": json.dumps(columns),
        "missing": diagram.schema.missing.words,
        "unknown": unknown.words,
        "notice": NOTICE,
        "preparation": describe_prepared(diagram),
    } | ({"dates": "days since 1970-01-01"} if dates else {})


def _bytes(text: str) -> bytes:
    # lone surrogates, which no file can contain, have no bytes of their own
    return text.encode("utf-8", "backslashreplace")
