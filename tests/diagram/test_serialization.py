"""Rules as text, and JSON that can be restored."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings

from solvers.diagram import Diagram, Leaf, Split, from_dict, from_json, to_json, to_rules
from solvers.diagram.words import MAX_WAYS
from solvers.errors import DiagramError
from solvers.problem import Column, Kind, Op, Predicate, Schema, ShapeKind, Unknown
from tests.case_count import case_count
from tests.diagram.models import combined, diagrams, diamond, ladder, majority, tree


def test_rules_are_nested_text_and_one_line_per_leaf():
    """The whole text of a small tree."""
    assert to_rules(tree()) == (
        "if age is at most 40.5, or missing:\n"
        "    if sex is female:\n"
        "        diagnosis = healthy  (n = 30, predicted risk 0%)\n"
        "    else:\n"
        "        diagnosis = healthy  (n = 20, predicted risk 40%)\n"
        "else:\n"
        "    if age is at most 60:\n"
        "        diagnosis = ill  (n = 3, predicted risk 33%)\n"
        "    else:\n"
        "        diagnosis = ill  (n = 47, predicted risk 100%)\n"
        "\n"
        "IF age is at most 40.5, or missing AND sex is female THEN diagnosis = healthy (n = 30, predicted risk 0%)\n"
        "IF age is at most 40.5, or missing AND sex is male THEN diagnosis = healthy (n = 20, predicted risk 40%)\n"
        "IF age is more than 40.5, up to 60 THEN diagnosis = ill (n = 3, predicted risk 33%)\n"
        "IF age is more than 60 THEN diagnosis = ill (n = 47, predicted risk 100%)\n"
        "\n"
        "NO PREDICTION if a split needs a value that no training row has:\n"
        "    sex missing, or none of female, male\n"
    )
    assert "\nPREDICTED ANYWAY if" in to_rules(tree(), unknown=Unknown.IGNORE)


def test_a_shared_leaf_has_a_line_for_each_path():
    """A terminal at the end of two paths is written with both, and its rows are stated once, for all paths."""
    lines = to_rules(diamond()).splitlines()
    assert sum(line.startswith("IF") for line in lines) == 4
    assert "IF a is off AND b is on THEN parity = odd" in lines
    assert lines.count("parity = odd (n = 6, share 100%), by any of these paths:") == 1
    assert sum("n = 6" in line for line in lines) == 1


def test_a_shared_split_is_written_once():
    """A split with two parents has its own block, to which both refer."""
    even = diamond()
    nodes = (
        even.nodes[0].__class__(even.nodes[0].predicate, 1, 1),
        even.nodes[1].__class__(even.nodes[1].predicate, 2, 3),
    )
    shared = Diagram(
        even.kind, even.schema, even.classes, "parity", None, (*nodes, Leaf(1, (0.0, 5.0)), Leaf(0, (4.0, 0.0)))
    )
    text = to_rules(shared)
    assert text.count("go to [node 1]") == 2
    assert text.count("\n[node 1]\n") == 1
    assert text.count("if b is on:") == 1


def test_the_number_of_written_paths_is_limited():
    """The lines of a leaf with a million paths end with a note that there are more."""
    lines = [line for line in to_rules(ladder(20)).splitlines() if line.startswith("IF")]
    assert len(lines) == 2 * (MAX_WAYS + 1)
    assert lines[-1] == "IF another of many paths leads here THEN diagnosis = ill"


@pytest.mark.parametrize("yes_first", [False, True])
def test_a_tree_with_an_exit_at_every_split_is_a_rule_list(yes_first):
    """Each line names the branch that ends in a leaf, and the last line the remaining rows."""
    schema = Schema((Column("age", Kind.NUMERIC), Column("sex", Kind.BINARY, ("f", "m"))))
    questions = Predicate("age", Op.LE, 50.0, False), Predicate("sex", Op.IS, 0.0, False)
    first = Split(questions[0], 1, 2) if yes_first else Split(questions[0], 2, 1)
    nodes = (first, Leaf(1, (1.0, 3.0)), Split(questions[1], 3, 4), Leaf(0, (5.0, 0.0)), Leaf(1, (0.0, 2.0)))
    listed = to_rules(Diagram(ShapeKind.TREE, schema, ("well", "ill"), "state", 1, nodes)).partition("\n\n")[0]
    assert listed == (
        f"if age is {'at most 50' if yes_first else 'more than 50'}, then state = ill  (n = 4, predicted risk 75%)\n"
        "else if sex is f, then state = well  (n = 5, predicted risk 0%)\n"
        "else state = ill  (n = 2, predicted risk 100%)"
    )


def test_rules_of_sums_of_columns():
    """A weighted sum is written in full, and its two thresholds are one condition."""
    assert to_rules(combined()) == (
        "if 0.3 age + 0.7 bmi is at most 42:\n"
        "    if 0.3 age + 0.7 bmi is at most 30:\n"
        "        state = healthy\n"
        "    else:\n"
        "        state = ill\n"
        "else:\n"
        "    if age is at most 50:\n"
        "        state = ill\n"
        "    else:\n"
        "        state = healthy\n"
        "\n"
        "state = healthy (n = 10, predicted risk 30%), by any of these paths:\n"
        "IF 0.3 age + 0.7 bmi is at most 30 THEN state = healthy\n"
        "IF 0.3 age + 0.7 bmi is more than 42 AND age is more than 50 THEN state = healthy\n"
        "state = ill (n = 10, predicted risk 90%), by any of these paths:\n"
        "IF 0.3 age + 0.7 bmi is more than 30, up to 42 THEN state = ill\n"
        "IF 0.3 age + 0.7 bmi is more than 42 AND age is at most 50 THEN state = ill\n"
        "\n"
        "NO PREDICTION if a split needs a value that no training row has:\n"
        "    age missing\n"
        "    bmi missing\n"
    )


def test_unseen_levels_survive_json():
    """They survive a round trip, and an index that is not a level is refused."""
    diagram = tree()
    ward = Column("ward", Kind.CATEGORICAL, ("A", "B", "C"), unseen_levels=(1,))
    model = replace(diagram, schema=Schema((*diagram.schema.columns, ward)))
    content = json.loads(to_json(model))
    assert from_dict(content) == model and from_dict(content).schema["ward"].unseen_levels == (1,)
    content["model"]["schema"]["columns"][2]["unseen_levels"] = [3]
    with pytest.raises(DiagramError, match=r"must be some of its levels - at `\$.model.schema.columns\[2\]`"):
        from_dict(content)


@pytest.mark.parametrize("diagram", [combined(), combined(9, missing=True), majority(), diamond()])
def test_graphs_and_sums_survive_json(diagram):
    """Shared nodes and weighted sums survive JSON, to the last bit of a weight."""
    assert from_json(to_json(diagram)) == diagram


@settings(derandomize=True, deadline=None, max_examples=case_count(150))
@given(diagrams())
def test_json_restores_the_same_diagram(diagram):
    """Names of all kinds and numbers survive to the last bit, and a second export gives the same text."""
    text = to_json(diagram)
    again = from_json(text)
    assert again == diagram
    assert to_json(again) == text
    assert text.isascii()


def _changed(**changes: object) -> str:
    content = json.loads(to_json(tree()))
    (content if "version" in changes else content["model"]).update(changes)
    return json.dumps(content)


def _in_list(field: str, position: int, **changes: object) -> str:
    content = json.loads(to_json(tree()))
    model = content["model"]
    item = model["schema"]["columns"][position] if field == "columns" else model["nodes"][position]
    (item["predicate"] if "predicate" in item and item["predicate"].keys() & changes else item).update(changes)
    return json.dumps(content)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not readable JSON"),
        (b"\xff\xfe\x00", "not readable JSON"),
        ("[" * 100_000, "not readable JSON"),
        (to_json(tree())[:-40], "not readable JSON"),
        ('{"format": NaN}', "NaN is not allowed as a number"),
        ("[]", "must be a JSON object"),
        ('{"format": "something else"}', "must be a JSON object with the format"),
        (_changed(version=2), "version 2, but this program reads version 3"),
        (_changed(version="1"), "version '1'"),
        (_changed(kind="forest"), "Invalid enum value 'forest' - at `$.model.kind`"),
        (_changed(classes=[]), "The classes must be different"),
        (_changed(classes=["a", "a"]), "The classes must be different"),
        (_changed(positive=2), "The positive class must be one of the classes"),
        (_changed(positive=True), "got `bool` - at `$.model.positive`"),
        (_changed(nodes=[]), "at least one node"),
        (_in_list("columns", 0, kind="binary"), "has no levels"),
        (_in_list("columns", 1, levels=["x"]), "must have 2 levels"),
        (
            _in_list("columns", 1, fill=2.0),
            "must be one of its levels - at `$.model.schema.columns[1]`",
        ),
        (_in_list("columns", 1, name="age"), "appears twice"),
        (_in_list("nodes", 0, yes=0), "children must come after their parents"),
        (_in_list("nodes", 0, yes=2), "Node 1 cannot be reached"),
        (_in_list("nodes", 0, column="height"), "There is no column 'height'"),
        (_in_list("nodes", 0, value=None), "needs a finite value"),
        (_in_list("nodes", 0, value=10**400), "Number out of range - at `$.model.nodes[0].predicate.value`"),
        (_in_list("nodes", 1, value=2.0), "must be a level of the column 'sex'"),
        (_in_list("nodes", 1, value=0.5), "must be a level of the column 'sex'"),
        (_in_list("nodes", 3, label=2), "does not fit the classes"),
        (_in_list("nodes", 3, counts=[1.0]), "does not fit the classes"),
        (_in_list("nodes", 3, counts=[1.0, -1.0]), "The counts of leaf 3 must not be negative"),
    ],
)
def test_damaged_json_is_refused_with_the_location(text, message):
    """Any fault of a file raises a `DiagramError` that says what is wrong, and where."""
    with pytest.raises(DiagramError, match=re.escape(message)):
        from_json(text)


def test_a_date_outside_the_calendar_is_refused():
    """A date threshold that cannot be written would break every drawing, so the model is invalid."""
    content = json.loads(to_json(tree()))
    content["model"]["schema"]["columns"][0]["kind"] = "date"
    assert "1970-02-10" in to_rules(from_json(json.dumps(content)))
    content["model"]["nodes"][0]["predicate"]["value"] = 1e300
    with pytest.raises(DiagramError, match="Node 0 does not fit the columns: its value must be a date"):
        from_json(json.dumps(content))


@settings(derandomize=True, deadline=None, max_examples=case_count(30))
@given(diagrams(max_splits=3))
def test_a_missing_field_is_refused(diagram):
    """If any field is missing, the content is refused, always with a `DiagramError`."""
    content = json.loads(to_json(diagram))
    for field in content:
        with pytest.raises(DiagramError):
            from_json(json.dumps({k: v for k, v in content.items() if k != field}))
