"""Diagrams as DOT text, parsed by Graphviz itself, and the colours of classes, leaves and text."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pygraphviz
import pytest
from hypothesis import given, settings
from msgspec import structs

from solvers.diagram import THEMES, Excerpt, LeafNote, Split, class_colours, to_dot
from solvers.diagram.dot import summary
from solvers.diagram.labels import QUESTION_LINES, QUESTION_WIDTH, answer, spoken
from solvers.diagram.palette import OKABE_ITO, certainty, contrast, mix, text_on
from solvers.diagram.row_weights import training_counts
from solvers.errors import DiagramError, RenderError
from solvers.problem import Column, Kind, LinearPredicate, Op, Predicate, Schema
from tests.case_count import case_count
from tests.diagram.models import case, diagrams, diamond, tree


def parsed(dot: str) -> pygraphviz.AGraph:
    """The graph that Graphviz parses from DOT text."""
    return pygraphviz.AGraph(string=dot)


def label(graph: pygraphviz.AGraph, node: str) -> list[str]:
    """The lines of text on a node, with ordinary spaces."""
    text = re.sub(r"</TD></TR>|<BR/>", "\n", graph.get_node(node).attr["label"]).replace("\xa0", " ")
    return [line for line in re.sub(r"<[^>]*>", "", text).split("\n") if line]


def test_a_tree_is_drawn_in_the_words_of_the_user():
    """The drawing shows splits, samples, and leaves with class, count and share; arcs are labelled yes and no, yes
    first.
    """
    graph = parsed(to_dot(tree()))
    assert label(graph, "node0") == ["age at most 40.5,", "or missing?", "n = 100"]
    assert label(graph, "node1") == ["sex is female?", "n = 50"]
    assert label(graph, "node4") == ["diagnosis: healthy", "12 of 20 · 60%"]
    assert label(graph, "node6") == ["diagnosis: ill", "47 of 47 · 100%"]
    assert [(e[0], e[1], e.attr["label"].strip()) for e in graph.edges()][:2] == [
        ("node0", "node1", "yes"),
        ("node0", "node2", "no"),
    ]


def test_colour_shows_class_and_lightness_shows_certainty():
    """A certain leaf is closer to the colour of its class than an uncertain one; the positive class is vermilion."""

    def distance(fill: str, colour: str) -> int:
        return sum(abs(int(fill[i : i + 2], 16) - int(colour[i : i + 2], 16)) for i in (1, 3, 5))

    for theme in THEMES:
        graph = parsed(to_dot(tree(), theme=theme))
        fill = {i: graph.get_node(f"node{i}").attr["fillcolor"] for i in (3, 4, 6)}
        assert distance(fill[3], OKABE_ITO[1]) < distance(fill[4], OKABE_ITO[1])
        assert distance(fill[6], OKABE_ITO[0]) < distance(fill[6], OKABE_ITO[1])


def test_wide_arcs_have_many_samples():
    """The width of an arc grows with its samples."""
    graph = parsed(to_dot(tree()))
    width = {e.attr["id"]: float(e.attr["penwidth"]) for e in graph.edges()}
    assert width["arc2-yes"] < width["arc1-no"] < width["arc1-yes"] < width["arc2-no"] < width["arc0-yes"]


def test_counts_of_other_rows_can_be_shown():
    """With the counts of held-out rows the drawing shows those, also for a leaf without rows."""
    counts = np.array([[3, 1], [3, 1], [0, 0], [3, 0], [0, 1], [0, 0], [0, 0]])
    graph = parsed(to_dot(tree(), counts=counts))
    assert label(graph, "node0")[2] == "n = 4"
    assert label(graph, "node3")[1] == "3 of 3 · 100%"
    assert label(graph, "node4")[1] == "0 of 1 · 0%"
    assert label(graph, "node6")[1] == "no rows"
    with pytest.raises(DiagramError, match="7 nodes x 2 classes"):
        to_dot(tree(), counts=counts[:3])


def test_a_traced_path_is_bold():
    """Exactly the nodes and arcs of the path are bold."""
    diagram = tree()
    graph = parsed(to_dot(diagram, highlight=diagram.path(case(age=30, sex=1))))
    bold = {n for n in graph.nodes() if "on-path" in n.attr["class"]}
    assert bold == {"node0", "node1", "node4"}
    assert {e.attr["id"] for e in graph.edges() if "on-path" in e.attr["class"]} == {"arc0-yes", "arc1-no"}


def test_small_leaves_are_marked():
    """A leaf with a note about few rows is striped, in every format, and its text stays readable."""
    graph = parsed(to_dot(tree(), notes={5: LeafNote(("2 of 3: <b>few</b> rows",), True)}))
    small = {n for n in graph.nodes() if "small" in n.attr["class"]}
    assert small == {"node5"}
    assert "&lt;b&gt;few" in graph.get_node("node5").attr["label"]
    assert graph.get_node("node5").attr["style"] == "striped"
    text = re.search(r'COLOR="(#\w+)"', graph.get_node("node5").attr["label"])[1]
    stripes = set(graph.get_node("node5").attr["fillcolor"].split(":"))
    assert len(stripes) == 2 and min(contrast(text, stripe) for stripe in stripes) >= 4.5


def test_deep_levels_can_be_folded():
    """At the given depth, a split represents everything below it."""
    graph = parsed(to_dot(tree(), excerpt=Excerpt(1)))
    assert set(graph.nodes()) == {"node0", "node1", "node2"}
    assert label(graph, "node1")[-1] == "+ 2 leaves, 50 rows"
    graph = parsed(to_dot(tree(), excerpt=Excerpt(0)))
    assert set(graph.nodes()) == {"node0"}
    with pytest.raises(DiagramError, match="0 or more"):
        Excerpt(-1)


def test_a_diagram_is_ranked_by_layer_with_dashed_no():
    """Shared nodes are drawn once, layers share a rank, and only no-arcs are dashed."""
    graph = parsed(to_dot(diamond()))
    assert len(graph.nodes()) == 5
    ranks = [set(s.nodes()) for s in graph.subgraphs()]
    assert ranks == [{"node0"}, {"node1", "node2"}, {"node3", "node4"}]
    assert {e.attr["id"] for e in graph.edges() if e.attr["style"] == "dashed"} == {f"arc{i}-no" for i in range(3)}


def test_samples_of_shared_nodes_are_not_invented():
    """The counts of shared leaves do not determine how many rows pass the splits above them, so no number is shown."""
    assert [None if c is None else c.tolist() for c in training_counts(diamond())[:3]] == [None, None, None]
    assert [c.sum() for c in training_counts(tree())] == [100, 50, 50, 30, 20, 3, 47]
    graph = parsed(to_dot(diamond(), counts=np.array([[4, 6], [2, 3], [2, 3], [4, 0], [0, 6]])))
    shared = {e.attr["penwidth"] for e in graph.edges() if e[1] in ("node3", "node4")}
    assert shared == {"1.20"}
    assert "n = " not in "".join(e.attr["tooltip"] for e in graph.edges() if e[1] in ("node3", "node4"))
    graph = parsed(to_dot(diamond()))
    assert label(graph, "node1") == ["b is on?"]


def test_long_names_are_shortened_except_in_the_tooltip():
    """The threshold stays visible, and lines are short."""
    name = "mean_concavity_of_the_nucleus_" * 12
    graph = parsed(to_dot(tree(names=(name, "sex"))))
    lines = label(graph, "node0")
    assert "at most 40.5" in " ".join(lines)
    assert "…" in " ".join(lines)
    assert len(lines) <= QUESTION_LINES + 2
    assert max(map(len, lines)) <= QUESTION_WIDTH
    assert name in graph.get_node("node0").attr["tooltip"]


def test_a_threshold_is_not_broken_across_lines():
    """A number and its comparison are on one line."""
    for length in range(1, 40):
        graph = parsed(to_dot(tree(names=("a" * length, "sex"))))
        assert any("at most 40.5" in line for line in label(graph, "node0"))


def test_the_background_is_transparent_unless_asked_for():
    """On screen the page shows through; a file has the background of the theme."""
    page, file = parsed(to_dot(tree())), parsed(to_dot(tree(), theme="dark", background=True))
    assert page.graph_attr["bgcolor"] == "transparent"
    assert file.graph_attr["bgcolor"] == THEMES["dark"].background
    with pytest.raises(RenderError, match="light, dark"):
        to_dot(tree(), theme="blue")


def test_the_summary_describes_the_drawing():
    """Screen readers get the size of the model and its first split."""
    assert summary(tree()) == (
        "Decision tree for diagnosis",
        "3 questions, 4 leaves, depth 2. It first asks whether age is at most 40.5, or missing.",
    )


def test_text_that_looks_like_html_is_plain_text():
    """A tooltip entirely in angle brackets is still plain text."""
    columns = (Column("<b", Kind.BINARY, ("x>", "y>")), Column("b", Kind.BINARY, ("off", "on")))
    renamed = {"a": "<b", "b": "b"}
    nodes = tuple(
        structs.replace(n, predicate=structs.replace(n.predicate, column=renamed[n.predicate.column]))
        if isinstance(n, Split)
        else n
        for n in diamond().nodes
    )
    graph = parsed(to_dot(replace(diamond(), schema=Schema(columns), nodes=nodes)))
    assert {e.attr["tooltip"] for e in graph.edges()} >= {"<b is y>", "<b is x>"}
    # Graphviz writes HTML without quotes
    assert 'tooltip="<b is y>"' in graph.to_string()


@settings(derandomize=True, deadline=None, max_examples=case_count(100))
@given(diagrams())
def test_no_name_can_change_the_graph(diagram):
    """Whatever the names are, Graphviz parses exactly the diagram's nodes and arcs, without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dot = to_dot(diagram, legend=())
    graph = parsed(dot)
    arcs = {
        (f"node{i}", f"node{child}", f"arc{i}-{word}")
        for i, node in enumerate(diagram.nodes)
        if isinstance(node, Split)
        for word, child in (("yes", node.yes), ("no", node.no))
    }
    assert set(graph.nodes()) == {f"node{i}" for i in range(diagram.n_nodes)}
    assert {(e[0], e[1], e.attr["id"]) for e in graph.edges()} == arcs
    allowed = {"id", "label", "tooltip", "class", "color", "fillcolor", "style", "penwidth", "fontname", "fontsize"}
    assert set(graph.node_attr.keys()) <= allowed | {"shape", "margin"}
    assert all(n.attr["id"] == str(n) for n in graph.nodes())


def test_every_prediction_names_its_outcome():
    """'yes' and 'no' follow the name of the outcome; 0 and 1 are explained as no and yes, other classes are
    unchanged.
    """
    assert [answer(tree(classes=("no", "yes"), outcome="died"), k) for k in (0, 1)] == ["died: no", "died: yes"]
    assert [answer(tree(classes=("0", "1"), outcome="died"), k) for k in (0, 1)] == ["died: no (0)", "died: yes (1)"]
    assert answer(tree(classes=("1", "2"), outcome="grade"), 0) == "grade: 1"


def test_splits_are_described_in_words():
    """Integers have no decimals, and dates and levels their own comparisons; both branches are words, not symbols."""
    columns = (
        Column("age", Kind.NUMERIC, integral=True),
        Column("temperature", Kind.NUMERIC, has_missing=True),
        Column("admitted", Kind.DATE),
        Column("stage", Kind.ORDERED, ("I", "II", "III")),
        Column("sex", Kind.BINARY, ("female", "male")),
    )
    schema = Schema(columns)
    words = {
        Predicate("age", Op.LE, 62.5, False): ("age is at most 62", "age is more than 62"),
        Predicate("age", Op.LE, -0.5, False): ("age is at most -1", "age is more than -1"),
        Predicate("temperature", Op.LE, 37.5, True): (
            "temperature is at most 37.5, or missing",
            "temperature is more than 37.5",
        ),
        Predicate("admitted", Op.LE, 18262.0, False): (
            "admitted is 2020-01-01 or earlier",
            "admitted is after 2020-01-01",
        ),
        Predicate("stage", Op.LE, 1.0, False): ("stage is I or II", "stage is III"),
        Predicate("sex", Op.IS, 1.0, False): ("sex is male", "sex is female"),
        LinearPredicate(("age", "temperature"), (0.5, -2.0), 3.0, False): (
            "0.5 age - 2 temperature is at most 3",
            "0.5 age - 2 temperature is more than 3, or missing",
        ),
    }
    for predicate, (yes, no) in words.items():
        assert spoken(predicate, schema) == spoken(predicate, schema, True) == yes
        assert spoken(predicate, schema, False) == no
        assert spoken(predicate, schema, missing=False) == yes.removesuffix(", or missing")


def test_a_legend_explains_colours_and_lines():
    """The legend lists the predicted classes with their colours, the positive one first, and the lines; it is
    optional.
    """
    text = to_dot(tree(), legend=("Paler: less sure.",)).partition("node0")[0]
    shown = re.findall(r'<FONT COLOR="([^"]*)"[^>]*>([^<]*)', text)
    assert [colour if words == "■" else words for colour, words in shown] == [
        *(OKABE_ITO[0], "diagnosis: ill", OKABE_ITO[1], "diagnosis: healthy", "Paler: less sure.")
    ]
    assert "label=" not in to_dot(tree()).partition("node0")[0]


def test_a_tree_can_be_drawn_sideways():
    """The root is at the left, and yes stays the first branch."""
    graph = parsed(to_dot(tree(), sideways=True))
    assert graph.graph_attr["rankdir"] == "LR"
    assert [e[1] for e in graph.edges()][:2] == ["node1", "node2"]


def test_the_positive_class_has_the_first_colour():
    """The positive class comes first, the others keep their order."""
    assert class_colours(3, 1) == (OKABE_ITO[1], OKABE_ITO[0], OKABE_ITO[2])
    assert class_colours(3, None) == OKABE_ITO[:3]
    assert len(class_colours(11, 10)) == 11


def test_contrast_agrees_with_the_standard():
    """Black on white is 21, equal colours are 1, and a known grey pair has the published value."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#777777") == 1
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize("theme", THEMES)
def test_text_can_be_read_on_every_leaf(theme):
    """In both themes, text on any class colour at any certainty has a contrast of at least 4.5."""
    for colour in OKABE_ITO:
        for step in range(101):
            fill = mix(colour, THEMES[theme].background, step / 100)
            assert contrast(text_on(fill), fill) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_neutral_text_can_be_read(theme):
    """Splits and secondary text have enough contrast on the surface and on the background."""
    t = THEMES[theme]
    assert min(contrast(a, b) for a in (t.ink, t.muted) for b in (t.surface, t.background)) >= 4.5


def test_certainty_rises_from_an_equal_share_to_a_pure_leaf():
    """Certainty is 0 at an equal share and 1 in a pure leaf, for any number of classes."""
    assert certainty(0.5, 2) == 0
    assert certainty(1.0, 3) == 1
    assert certainty(2 / 3, 3) == pytest.approx(0.5)
    assert certainty(0.2, 3) == 0
    assert certainty(1.0, 1) == 1
