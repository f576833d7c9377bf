"""BDDs drawn by split, diagrams by layer: the nodes of each line, and the labels of arcs."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pygraphviz
import pytest
from msgspec import structs

from solvers.diagram import Excerpt, Split, levels, question_order, render, to_dot
from solvers.diagram.labels import QUESTION_WIDTH
from solvers.errors import DiagramError
from solvers.problem import Schema, ShapeKind
from tests.diagram.models import HOSTILE, combined, diamond, majority, tree
from tests.diagram.test_dot import label, parsed

COUNTS = np.array([[60, 40], [20, 35], [40, 5], [30, 10], [50, 2], [10, 38]])
FLOWS = np.array([[55, 45], [25, 30], [10, 35], [23, 17], [0, 0], [0, 0]])


def lines(graph: pygraphviz.AGraph) -> list[set[str]]:
    """The names of the nodes on each line."""
    return [set(row.nodes()) for row in graph.subgraphs()]


def test_a_bdd_has_a_level_for_each_split():
    """Each split has its line, in the order of the paths; all terminals are below."""
    found = levels(majority())
    assert [level.nodes for level in found] == [(0,), (1, 2), (3,), (4, 5)]
    assert [level.question and level.question.column for level in found] == ["fever", "cough", "rash", None]


def test_the_order_of_splits_holds_on_all_paths():
    """A split that one path skips keeps its position; if paths disagree there is no order, and layers are used."""
    fever, cough, rash = (majority().nodes[i].predicate for i in (0, 1, 3))
    leaves = majority().nodes[4:]
    skipping = (Split(fever, 2, 1), Split(cough, 2, 3), Split(rash, 4, 3), *leaves)
    assert question_order(replace(majority(), nodes=skipping)) == (fever, cough, rash)
    parts = (Split(rash, 1, 2), Split(fever, 3, 5), Split(cough, 4, 6), Split(cough, 5, 6), Split(fever, 5, 6))
    crossed = replace(majority(), nodes=(*parts, *leaves))
    assert question_order(crossed) is None
    assert [level.nodes for level in levels(crossed)] == [(0,), (1, 2), (3, 4), (5, 6)]


def test_leaves_of_a_diagram_are_below_all_layers():
    """A long arc from the first layer ends on the same line as a short one from the last."""
    first, second = diamond().nodes[0].predicate, diamond().nodes[1].predicate
    long = replace(diamond(), nodes=(Split(first, 1, 2), Split(second, 2, 3), *diamond().nodes[3:]))
    assert [level.nodes for level in levels(long)] == [(0,), (1,), (2, 3)]
    assert [level.nodes for level in levels(tree())] == [(0,), (1, 2), (3, 4, 5, 6)]


def test_the_split_of_a_level_is_at_its_side():
    """The nodes of a BDD show how many rows reach them, and the split is shown once, left of the first of them."""
    graph = parsed(to_dot(majority(), counts=COUNTS, flows=FLOWS))
    assert label(graph, "level1") == ["cough is yes?"]
    assert label(graph, "node1") == ["n = 55 · 55%"]
    assert lines(graph) == [
        {"level0", "node0"},
        {"level1", "node1", "node2"},
        {"level2", "node3"},
        {"level3", "node4", "node5"},
    ]
    assert "dashed: no" in label(graph, "level3")[0]


def test_high_is_solid_and_low_is_dashed():
    """The arcs of a BDD have no labels but line styles, and their width is the share of their rows."""
    graph = parsed(to_dot(majority(), counts=COUNTS, flows=FLOWS))
    arcs = {e.attr["id"]: e for e in graph.edges() if e.attr["id"]}
    assert {name for name, arc in arcs.items() if arc.attr["style"] == "dashed"} == {f"arc{i}-no" for i in range(4)}
    assert not any(arc.attr["label"] for arc in arcs.values())
    width = {name: float(arc.attr["penwidth"]) for name, arc in arcs.items()}
    assert width["arc2-yes"] < width["arc3-no"] < width["arc3-yes"] < width["arc2-no"] < width["arc0-yes"]
    assert "n = 10 · 10%" in arcs["arc2-yes"].attr["tooltip"]


def test_every_arc_of_a_diagram_shows_its_share():
    """Arcs to shared nodes, too, show the share of all rows that take them."""
    counts = np.array([[5, 5], [3, 2], [2, 3], [4, 1], [1, 4]])
    flows = np.array([[5, 5], [4, 1], [1, 4], [0, 0], [0, 0]])
    graph = parsed(to_dot(combined(), counts=counts, flows=flows))
    labels = {e.attr["id"]: e.attr["label"].strip() for e in graph.edges()}
    assert labels["arc0-yes"] == "yes 50%" and labels["arc1-yes"] == "yes 40%" and labels["arc2-yes"] == "yes 10%"
    assert label(graph, "node0") == ["0.3 age + 0.7 bmi", "at most 42?", "n = 10 · 100%"]


def test_a_long_sum_is_shortened():
    """A split on many columns shows its threshold and its number of columns; the tooltip has the full text."""
    graph = parsed(to_dot(combined(9)))
    assert label(graph, "node0") == ["a sum of 9 columns", "at most 42?"]
    assert max(len(line) for line in label(graph, "node0")) <= QUESTION_WIDTH
    assert "blood value 9" in graph.get_node("node0").attr["tooltip"]


def test_flows_need_a_pair_for_each_node():
    """Flows of another shape are refused."""
    with pytest.raises(DiagramError, match="6 nodes x 2 branches"):
        to_dot(majority(), flows=FLOWS[:3])


def test_a_bdd_without_rows_has_its_splits_in_the_nodes():
    """If there are no counts of rows, nodes show splits, arcs have labels, and the levels stay."""
    graph = parsed(to_dot(majority()))
    assert label(graph, "node1") == label(graph, "node2") == ["cough is yes?"]
    assert lines(graph) == [{"node0"}, {"node1", "node2"}, {"node3"}, {"node4", "node5"}]
    assert {e.attr["label"].strip() for e in graph.edges()} == {"yes", "no"}
    assert sum(e.attr["style"] == "dashed" for e in graph.edges()) == 4


def test_deep_levels_of_a_bdd_can_be_folded():
    """Levels are counted by split, not by the longest path; arcs to terminals stay."""
    graph = parsed(to_dot(majority(), counts=COUNTS, excerpt=Excerpt(1)))
    assert {n for n in graph.nodes() if n.startswith("node")} == {"node0", "node1", "node2"}
    graph = parsed(to_dot(majority(), counts=COUNTS, excerpt=Excerpt(2)))
    assert {n for n in graph.nodes() if n.startswith("node")} == {f"node{i}" for i in range(6)}
    assert label(graph, "node3")[-1] == "+ 2 leaves, 40 rows"


def test_the_nodes_of_a_level_are_at_one_height():
    """Graphviz places the nodes of a level at one height, the split to their left, and later splits lower."""
    svg = render(to_dot(majority(), counts=COUNTS)).decode()
    places = {
        name: (float(x), float(y))
        for name, x, y in re.findall(r'<g id="((?:node|level)\d)".*?<text[^>]*? x="([-.\d]+)" y="([-.\d]+)"', svg, re.S)
    }
    heights = [[places[f"node{i}"][1] for i in level.nodes] for level in levels(majority())]
    assert all(len(set(row)) == 1 for row in heights)
    assert [row[0] for row in heights] == sorted(row[0] for row in heights)
    for k, level in enumerate(levels(majority())):
        assert all(places[f"level{k}"][0] < places[f"node{i}"][0] for i in level.nodes)


@pytest.mark.parametrize("name", [name for name in HOSTILE if name])
def test_no_name_can_change_the_levels(name):
    """Whatever a column is called, the graph has its nodes and levels, and the image nothing that is executed."""
    names = {"fever": name, "cough": f"{name}2", "rash": "rash"}
    columns = tuple(replace(column, name=names[column.name]) for column in majority().schema.columns)
    nodes = tuple(
        structs.replace(n, predicate=structs.replace(n.predicate, column=names[n.predicate.column]))
        if isinstance(n, Split)
        else n
        for n in majority().nodes
    )
    hostile = replace(majority(), schema=Schema(columns), nodes=nodes)
    dot = to_dot(hostile, counts=COUNTS, flows=FLOWS)
    assert set(parsed(dot).nodes()) == {*(f"node{i}" for i in range(6)), *(f"level{k}" for k in range(4))}
    for element in ElementTree.fromstring(render(dot)).iter():
        assert element.tag.rpartition("}")[2] not in ("script", "a", "image", "foreignObject", "style")
        assert not any(key.startswith("on") or "href" in key for key in element.attrib)


def test_the_title_names_the_kind():
    """The title names the kind of model and the outcome."""
    assert majority().kind is ShapeKind.BDD
    assert b"<title>Binary decision diagram for state</title>" in render(majority())
