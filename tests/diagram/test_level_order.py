"""Descriptions of splits on ordered levels are correct, whatever order the user declared."""

from __future__ import annotations

import html
import json
import re

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from solvers.diagram import Diagram, Leaf, Split, to_dot, to_rules
from solvers.diagram.languages.javascript import to_javascript
from solvers.diagram.python_code import to_python
from solvers.diagram.sql import to_sql
from solvers.problem import Column, Kind, LinearPredicate, Op, Predicate, Schema, ShapeKind
from solvers.report.bedside import to_bedside
from tests.case_count import case_count
from tests.diagram.exported import by_python, by_sqlite

NAMES = ("low", "medium", "high", "very high", "I", "II", "IV", "A1", "jan", "feb", "<20", "20-29", "30+")
ORDERS = st.one_of(
    st.lists(st.sampled_from(NAMES), min_size=2, max_size=9, unique=True),
    st.lists(st.integers(-3, 12).map(str), min_size=2, max_size=9, unique=True),
    st.lists(st.integers(0, 40).map(lambda n: str(n / 4)), min_size=2, max_size=6, unique=True),
)


def meant(claim: str, levels: tuple[str, ...]) -> set[str]:
    """The levels for which a reader expects a claim to hold; 'lower' and 'above' refer to numbers."""
    claim = claim.replace("\N{NO-BREAK SPACE}", " ").removesuffix("?").removesuffix(", or missing")

    def named(text: str) -> set[str]:
        found = {name for part in text.split(" or ") for name in part.split(", ")}
        assert found <= set(levels), claim
        return found

    if found := re.fullmatch(r"is above (\S+), up to (\S+)", claim):
        return {level for level in levels if float(found[1]) < float(level) <= float(found[2])}
    if found := re.fullmatch(r"is (\S+) or lower", claim):
        return {level for level in levels if float(level) <= float(found[1])}
    if found := re.fullmatch(r"is above (\S+)", claim):
        return {level for level in levels if float(level) > float(found[1])}
    if claim.startswith("is not "):
        return set(levels) - named(claim.removeprefix("is not "))
    return named(claim.removeprefix("is "))


def model(levels: tuple[str, ...], first: int, second: int, kind: ShapeKind, missing: bool) -> Diagram:
    """Two successive splits on one column."""
    nodes = (
        Split(Predicate("it", Op.LE, float(first), missing), 1, 2),
        Leaf(0, (3.0, 1.0)),
        Split(Predicate("it", Op.LE, float(second), missing), 3, 4),
        Leaf(1, (1.0, 4.0)),
        Leaf(0, (5.0, 1.0)),
    )
    schema = Schema((Column("it", Kind.ORDERED, levels, has_missing=missing),))
    return Diagram(kind, schema, ("home", "intensive"), "goes to", 1, nodes)


def levels_on_the_yes_branch(diagram: Diagram, levels: tuple[str, ...], node: int) -> set[str]:
    """The levels that take the yes branch of a split."""
    yes = diagram.split(node).predicate.answer(np.arange(len(levels), dtype=float))
    return {level for level, is_yes in zip(levels, yes, strict=True) if is_yes}


@settings(derandomize=True, deadline=None, max_examples=case_count(100))
@given(ORDERS, st.data(), st.sampled_from(ShapeKind), st.booleans())
def test_descriptions_of_splits_name_the_correct_levels(levels, data, kind, missing):
    """In rules, drawing, bedside page, and comments of programs; the programs themselves agree with the model."""
    levels = tuple(levels)
    first = data.draw(st.integers(0, len(levels) - 2))
    second = data.draw(st.integers(first, len(levels) - 2))
    check(levels, first, second, kind, missing)


@example(("5", "4", "3", "2", "1"), 2)
@example(("high", "medium", "low"), 1)
@example(("IV", "III", "II", "I"), 0)
@settings(derandomize=True, max_examples=1)
@given(st.just(("1", "2", "3")), st.just(1))
def test_levels_declared_in_descending_order_are_not_reversed(levels, cut):
    """'triage is 3 or lower' for the levels 5, 4 and 3 would send the most severe patients home."""
    check(levels, cut, cut, ShapeKind.TREE, False)


def check(levels, first, second, kind, missing):
    """Check that all descriptions of both splits of `model` agree with `predict`."""
    diagram = model(levels, first, second, kind, missing)
    leaves = [int(leaf) for leaf in diagram.apply(np.arange(len(levels), dtype=float)[:, None])]
    by_leaf = {i: {level for level, leaf in zip(levels, leaves, strict=True) if leaf == i} for i in (1, 3, 4)}
    yes = {node: levels_on_the_yes_branch(diagram, levels, node) for node in (0, 2)}

    indented, _, lines = to_rules(diagram).partition("\n\n")
    asked = re.findall(r"^ *(?:else )?if it (.*?)(?:, then .*|:)$", indented, re.M)
    assert [meant(claim, levels) for claim in asked] == [yes[0], yes[2]]
    merged = [meant(claim, levels) for claim in re.findall(r"^IF it (.*) THEN", lines, re.M)]
    assert merged == [by_leaf[i] for i in (1, 3, 4) if by_leaf[i]]

    dot = to_dot(diagram)
    tooltips = dict(re.findall(r'id=node(\d) tooltip="it (is [^?]*)\?', dot))
    assert {int(node): meant(claim, levels) for node, claim in tooltips.items()} == yes
    labels = re.findall(r">it ([^<]*)\?</FONT>", dot.replace("<BR/>", " "))
    for label, holding in zip(labels, (yes[0], yes[2]), strict=True):
        assert "…" in label or meant(html.unescape(label), levels) == holding

    page = to_bedside(diagram, "", {i: [] for i in by_leaf}, {}).decode()
    (words,) = re.findall(r'id="words">(.*?)</script>', page)
    for node, told in enumerate(json.loads(words)["nodes"]):
        if node in yes:
            assert meant(told["ask"].removeprefix("it "), levels) == yes[node]
            assert meant(told["yes"].removeprefix("it "), levels) == yes[node]
            assert meant(told["no"].removeprefix("it "), levels) == set(levels) - yes[node]

    remarks = (
        (to_python(diagram), r"if .*:  # it (.*)$"),
        (to_javascript(diagram), r"if \(.*\) \{ // it (.*)$"),
        (to_sql(diagram), r"/\* it (.*?)\? \*/"),
    )
    for text, pattern in remarks:
        found = [meant(claim, levels) for claim in re.findall(pattern, text, re.M) if "…" not in claim]
        assert found == [yes[0], yes[2]]
    cases = [{"it": level} for level in levels]
    assert [one.leaf for one in by_python(diagram, cases)] == leaves
    assert [one.leaf for one in by_sqlite(diagram, cases)] == leaves


def test_a_weighted_sum_lists_the_values_of_levels():
    """The levels 5 < 4 < 3 count 0, 1 and 2 in a sum, independent of their names."""
    schema = Schema((Column("triage", Kind.ORDERED, ("5", "4", "3")), Column("age", Kind.NUMERIC)))
    asked = LinearPredicate(("triage", "age"), (2.0, 0.5), 30.0, False)
    assert asked.words(schema) == "2 triage (5 = 0, 4 = 1, 3 = 2) + 0.5 age is at most 30"
