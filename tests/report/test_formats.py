"""Every format of a model, and its content if small counts are hidden."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from solvers.cli.app import parse
from solvers.diagram import from_json, to_json
from solvers.errors import DataError, DiagramError
from solvers.report.exports import EXPORTS, Material, describe_share, export
from solvers.report.suppression import Bounds
from tests.diagram.models import combined, diamond, ladder, majority, tree

STARTS = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "json": b"{", "python": b'"""', "dot": b"digraph"}


@pytest.mark.parametrize("form", EXPORTS, ids=lambda form: form.key)
@pytest.mark.parametrize("model", [tree(), majority(), diamond()], ids=["tree", "bdd", "diagram"])
@pytest.mark.parametrize("least", [None, 5])
def test_every_model_has_every_format(form, model, least):
    """Trees, BDDs and diagrams are written in all formats, with and without small counts."""
    content = export(Material(model, least=least), form.key)
    assert content.startswith(STARTS.get(form.key, b""))
    assert len(content) > 100


@pytest.mark.parametrize(("model", "partial"), [(combined(5), set()), (ladder(16), {"pmml", "redcap"})])
def test_only_partial_formats_refuse_a_model(model, partial):
    """Formats marked as partial refuse shared nodes, and name other formats; all write sums."""
    refused = set()
    for form in EXPORTS:
        try:
            form.make(Material(model))
        except DiagramError as error:
            assert form.is_partial and "Choose JavaScript" in str(error)
            refused.add(form.key)
    assert refused == partial


def test_the_command_line_knows_all_formats():
    """The options of `export --format` are the formats."""
    for form in EXPORTS:
        assert parse(["export", "model.json", "--format", form.key]).args[0].format == form.key
    with pytest.raises(DataError, match="Choose one of svg, png"):
        export(Material(tree()), "docx")


def test_small_counts_appear_in_no_text():
    """With hiding, rules and drawings show the known range instead of a count below the limit."""
    hidden = Material(tree(), least=5)
    rules, dot, svg = (export(hidden, key).decode() for key in ("rules", "dot", "svg"))
    assert "n <5" in rules and "n = 3," not in rules and "n hidden" in rules
    for text in (rules, dot, svg):
        assert not re.search(r"\b[1-4] of \d|n = [1-4]\b|: [1-4] of", text)
    assert "n = 30" in export(Material(tree()), "rules").decode()


def test_models_with_hidden_counts_predict_the_same_classes():
    """The JSON can be read; its classes are those of the model, and its shares follow from the shown counts alone."""
    again = from_json(export(Material(tree(), least=5), "json"))
    rows = np.array([[20.0, 0], [20, 1], [50, 0], [70, 1]])
    assert (again.predict(rows) == tree().predict(rows)).all()
    counts = [node["counts"] for node in json.loads(to_json(again))["model"]["nodes"] if "counts" in node]
    assert [2.0, 1.0] not in counts and [2.0, 2.0] not in counts


@pytest.mark.parametrize(
    ("bounds", "n", "words"),
    [((0, 4), 30, "0 to 14%"), ((26, 30), 30, "86 to 100%"), ((15, 15), 30, "50%"), ((1, 1), 900, "<1%")],
)
def test_known_shares_are_numbers_and_unknown_ones_ranges(bounds, n, words):
    """A range is rounded outwards."""
    assert describe_share(Bounds(*bounds), n) == words


def test_small_counts_of_weighted_rows_cannot_be_hidden():
    """The error for a model of weighted rows says where the rows are needed."""
    weighted = tree()
    leaf = weighted.nodes[3].__class__(0, (30.5, 0.0))
    nodes = (*weighted.nodes[:3], leaf, *weighted.nodes[4:])
    model = weighted.__class__(weighted.kind, weighted.schema, weighted.classes, weighted.outcome, 1, nodes)
    with pytest.raises(DataError, match="Export from the run"):
        export(Material(model, least=5), "json")
