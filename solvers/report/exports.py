"""The export formats of a model: the purpose of each, and its bytes."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..diagram import Diagram, LeafNote, NodeId, quantity, render, to_dot, to_json, to_rules
from ..diagram.dialects import Dialect
from ..diagram.languages.javascript import to_javascript
from ..diagram.languages.pmml import to_pmml
from ..diagram.languages.redcap import to_redcap
from ..diagram.onnx_graph import to_onnx
from ..diagram.python_code import to_python
from ..diagram.sql import to_sql
from ..errors import DataError
from ..metrics import describe_risk, describe_shared, leaf_risks, missing_in_leaves, node_counts
from ..metrics.risks import SMALL
from ..problem import Dataset, Unknown
from .bedside import Theme, to_bedside
from .drawing import NO_BARS, Detail, drawn, is_sideways, row_facts
from .suppression import Bounds, Suppressed, suppress, with_guesses

TABLE = "patients"
DOTS_PER_INCH = 200
"""The resolution of printed pictures."""


@dataclass(frozen=True)
class Material:
    """What is exported.

    Attributes
    ----------
    diagram : the model.
    data : its training rows; `None` if only the model is known.
    least : counts below this are hidden; `None` to hide none.
    table, dialect : the name of the table in SQL, and its database.
    unknown : how values that no training row has are treated.
    detail : the detail of its drawing.
    """

    diagram: Diagram
    data: Dataset | None = None
    least: int | None = None
    table: str = TABLE
    dialect: Dialect = Dialect.SQLITE
    unknown: Unknown = Unknown.ERROR
    detail: Detail = Detail.STANDARD

    @cached_property
    def suppressed(self) -> Suppressed | None:
        """Which counts of the training rows are shown; `None` if none is hidden.

        Raises `DataError` if there are no rows and the model counts weights instead of rows.
        """
        if self.least is None:
            return None
        leaves = self.diagram.leaves
        if self.data is None:
            counts = np.array([leaf.counts for _, leaf in leaves])
            if not np.array_equal(counts, np.round(counts)):
                raise DataError("The model holds weights, not row counts. Export from the run.")
        else:
            counts = node_counts(self.diagram, self.data, weighted=False)[[i for i, _ in leaves]]
        return suppress(counts, [leaf.label for _, leaf in leaves], self.least)

    @cached_property
    def written(self) -> Diagram:
        """The model for formats that need numbers."""
        return self.diagram if self.suppressed is None else with_guesses(self.diagram, self.suppressed)

    def drawing(self, background: bool = False) -> str:
        """The model as DOT text."""
        if self.suppressed is not None:
            bare = self.detail is Detail.BARE
            words = describe_leaf(self.diagram, self.suppressed)
            notes = {i: LeafNote(() if bare else lines, False) for i, lines in words.items()}
            return to_dot(
                self.written,
                sideways=is_sideways(self.diagram),
                background=background,
                notes=notes,
                legend=(NO_BARS,) if self.detail is Detail.RICH else (),
                bare=True,
                unknown=self.unknown,
            )
        return drawn(
            self.diagram,
            row_facts(self.diagram, self.data, self.detail),
            background=background,
            unknown=self.unknown,
        )

    def picture(self, form: str, dots: int | None = None) -> bytes:
        """The model drawn as 'svg', 'png' or 'pdf', with a resolution of `dots` per inch for bitmaps.

        Raises `RenderError` if it is too large, or cannot be drawn.
        """
        dot = self.drawing(background=form != "svg")
        return render(dot if dots is None else dot.replace("{", f"{{\n\tgraph [dpi={dots}]", 1), form)

    def bedside(self, theme: Theme | None = None) -> bytes:
        """The bedside page; by default in the theme of the reader's browser."""
        return to_bedside(self.written, self.rules(), *_behind(self), self.unknown, theme)

    def rules(self) -> str:
        """The model as text."""
        words = {} if self.suppressed is None else describe_leaf(self.diagram, self.suppressed)
        support = {i: f"({', '.join(lines)})" for i, lines in words.items()}
        return to_rules(self.diagram, support=support, unknown=self.unknown)


def _behind(material: Material) -> tuple[dict[NodeId, list[str]], dict[NodeId, dict[str, str]]]:
    """The support of each leaf as sentences, and by column the number of its rows with a missing value."""
    diagram, data = material.diagram, material.data
    if data is None or material.suppressed is not None:
        if material.suppressed is None:
            leaf_lines: dict[NodeId, tuple[str, ...]] = {
                i: (f"n = {quantity(sum(leaf.counts))}",) for i, leaf in diagram.leaves
            }
        else:
            leaf_lines = describe_leaf(diagram, material.suppressed)
        return {i: [f"Training rows in this leaf: {', '.join(lines)}."] for i, lines in leaf_lines.items()}, {}
    support, shared, missing = {}, {}, missing_in_leaves(diagram, data)
    for found in leaf_risks(diagram, data):
        i, n = found.node, found.observed.n
        support[i] = [describe_risk(diagram, found, "training")]
        support[i] += [f"Fewer than {SMALL} training rows: the predicted risk is uncertain."] * (0 < n < SMALL)
        titles = {name: diagram.schema[name].title for name in missing[i]}
        shared[i] = {name: describe_shared(titles[name], k, n, "training") for name, k in missing[i].items()}
    return support, shared


def describe_leaf(diagram: Diagram, found: Suppressed) -> dict[NodeId, tuple[str, ...]]:
    """What may be reported of each leaf if small counts are hidden: its rows, and its possible share."""
    out = {}
    for position, (number, leaf) in enumerate(diagram.leaves):
        n = int(found.counts[position].sum())
        words = [f"n {'= ' if found.sizes[position] else ''}{found.size(position)}"]
        if found.sizes[position]:
            words.append(f"share {describe_share(found.bounds(position, leaf.label), n)}")
        out[number] = tuple(words)
    return out


def describe_share(bounds: Bounds, n: int) -> str:
    """The share of a count in n rows, or its possible range."""
    # rounded outwards, so that the true share lies within
    low, high = 100 * bounds.low // n, -(-100 * bounds.high // n)
    if bounds.low == bounds.high:
        exact = 100 * bounds.low / n
        return f"{exact:.0f}%" if exact in (0, 100) or 0.5 <= exact < 99.5 else "<1%" if exact < 50 else ">99%"
    return f"{low} to {high}%"


class Export(NamedTuple):
    """An export format.

    Attributes
    ----------
    key : its name on the command line.
    label : its name on the screen.
    purpose : its purpose, in a sentence.
    ending, mime : of the file.
    is_text : whether a terminal can show it.
    note : a remark for models with preparation steps; '' if the format includes these steps.
    make : makes the bytes; raises like the function of the format.
    is_partial : whether it does not support every model; its error says why.
    """

    key: str
    label: str
    purpose: str
    ending: str
    mime: str
    is_text: bool
    make: Callable[[Material], bytes]
    is_partial: bool = False
    note: str = ""


PREPARED = "Without preparation steps: needs prepared columns."
ASKS_PREPARED = "Needs values after the preparation steps."


def _text(write: Callable[[Material], str]) -> Callable[[Material], bytes]:
    return lambda material: write(material).encode("utf-8", "backslashreplace")


EXPORTS: tuple[Export, ...] = (
    Export("svg", "SVG", "Picture for web pages and slides.", "svg", "image/svg+xml", True,
           lambda m: m.picture("svg")),
    Export("png", "PNG", "Picture for documents.", "png", "image/png", False,
           lambda m: m.picture("png", DOTS_PER_INCH)),
    Export("pdf", "PDF", "Figure for printing or a paper.", "pdf", "application/pdf", False,
           lambda m: m.picture("pdf")),
    Export("rules", "Rules", "Plain text, for instance for a guideline.", "txt", "text/plain", True,
           _text(Material.rules)),
    Export("json", "JSON", "The model file, which Espalier reads.", "json",
           "application/json", True, _text(lambda m: to_json(m.written))),
    Export("python", "Python", "Module without dependencies that predicts from a dict.", "py",
           "text/x-python", True, _text(lambda m: to_python(m.written, m.unknown))),
    Export("sql", "SQL", "Query that adds predictions to a table.", "sql", "application/sql", True,
           _text(lambda m: to_sql(m.written, table=m.table, dialect=m.dialect, unknown=m.unknown)), is_partial=True),
    Export("javascript", "JavaScript", "Script without dependencies, for Node and web pages.", "js",
           "text/javascript", True, _text(lambda m: to_javascript(m.written, m.unknown))),
    Export("onnx", "ONNX", "For model servers and other languages, in 64-bit floats.", "onnx",
           "application/octet-stream", False, lambda m: to_onnx(m.written, m.unknown), note=PREPARED),
    Export("pmml", "PMML", "For scoring engines.", "pmml", "application/xml", True,
           _text(lambda m: to_pmml(m.written, m.unknown)), is_partial=True),
    Export("redcap", "REDCap", "Data dictionary with a calculated field.", "redcap.csv",
           "text/csv", True, _text(lambda m: to_redcap(m.written, m.unknown)), is_partial=True, note=ASKS_PREPARED),
    Export("bedside", "Bedside page", "One question at a time: offline, on a phone, on paper.",
           "bedside.html", "text/html", True, Material.bedside, note=ASKS_PREPARED),
    Export("dot", "DOT", "Drawing source for Graphviz.", "dot", "text/vnd.graphviz", True,
           _text(Material.drawing)),
)  # fmt: skip
"""The formats, in the order of the screen; to add one, add an entry here."""


def export(material: Material, key: str) -> bytes:
    """The model in the format with this name.

    Raises `EspalierError` if there is no such format, or it does not support this model; the message says why.
    """
    found = next((one for one in EXPORTS if one.key == key), None)
    if found is None:
        raise DataError(f"There is no format '{key}'. Choose one of {', '.join(one.key for one in EXPORTS)}.")
    return found.make(material)
