"""Facts of BDDs and diagrams: nodes with several parents, alternatives, fragmentation, sweeps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from components.compare.structure import shared_columns
from components.inspect.near_facts import near_bdds_of
from components.model.structure_facts import describe_sharing, structure
from components.session.work import AllRows, FinishedModel, Prepared
from solvers.diagram import Diagram, Leaf, Split
from solvers.metrics import unfolded
from solvers.problem import Dataset, Op, Predicate, Problem, Shape, ShapeKind
from solvers.solution import NearOptimalBdd
from tests.diagram.models import majority
from tests.metrics.test_unfolded_tree import patients
from tests.pages.handmade import solution_of


def some(rows: list[int]) -> Dataset:
    """The patients of `patients()` with these numbers."""
    return patients().take(np.array(rows))


def prepared(train: Dataset, test: Dataset | None = None) -> Prepared:
    """Rows as the Data screen prepares them."""
    return Prepared(None, None, AllRows(train), train, test, ())


def model_of(diagram: Diagram, data: Dataset, **known: object) -> FinishedModel:
    """A model with this diagram that is not proved, with further details."""
    kind = diagram.kind
    problem = Problem(
        data, Shape(kind, max_depth=3) if kind is not ShapeKind.DIAGRAM else Shape(kind, widths=(1, 2, 1))
    )
    return FinishedModel("method", "Method", solution_of(problem, diagram, "method", **known), True, problem)


def entries() -> list[NearOptimalBdd]:
    """Two BDDs as the search lists them: two of three signs, and fever alone."""
    questions = tuple(Predicate(name, Op.IS, 1.0, False) for name in ("fever", "cough", "rash"))
    words = tuple(f"{name} is yes" for name in ("fever", "cough", "rash"))
    return [
        NearOptimalBdd(0, 4, words, questions, (0, 0, 0, 1, 0, 1, 1, 1)),
        NearOptimalBdd(2, 1, words[:1], questions[:1], (0, 1)),
    ]


def test_alternatives_are_listed_with_their_changes():
    """Fever alone changes two training rows, and has two more errors than two of three signs."""
    best = model_of(majority(), patients(), near_optimal=tuple(entries()), all_near_optimal=True)
    near = near_bdds_of(best, prepared(patients(), some([1, 3, 5])))
    shown = near.models[["cost", "splits", "changed"]]
    assert list(shown.itertuples(name=None)) == [(1, 0, 4, 0), (2, 2, 1, 2)]
    assert near.models["test"].tolist() == pytest.approx([1, 2 / 3])
    assert near.sentence == (
        "2 BDDs with different splits: 1 as good as the best, the others cost at most 2 errors more. These are all."
    )
    assert near.models["features"][2] == ("fever",)
    assert near_bdds_of(model_of(majority(), patients()), prepared(patients())) is None


def test_fragmentation_is_compared_with_the_unfolded_tree():
    """Each split of the BDD has at least half of the patients; the tree repeats one split with a quarter each."""
    table = structure([("", majority(), patients()), ("same", unfolded(majority()), patients())], 3)
    found = {name: cells for name, *cells in table.rows}
    assert found["Splits"] == ["4", "5"] and found["Splits under 3 rows"] == ["0", "2"]
    assert found["Fewest rows per split"] == ["4 (50%)", "2 (25%)"]
    assert found["Median rows per split"] == ["4 (50%)", "4 (50%)"]
    sentence = describe_sharing(majority(), patients())
    assert "4 rows" in sentence and "5 splits instead of 4" in sentence


def test_a_diagram_without_splits_has_a_sentence():
    """There is nothing to draw, and nothing to repeat."""
    alone = replace(majority(), nodes=(Leaf(0, (4.0, 4.0)),))
    assert describe_sharing(alone, patients()) == "This BDD has no splits."


def test_the_structure_of_a_bdd_is_compared_with_its_tree():
    """A BDD and its tree use the same columns; the tree has more splits and no shared one."""
    tree = unfolded(majority())
    table = structure([("BDD", majority(), patients()), ("Tree", tree, patients())])
    assert table.rows == (
        ("Shape", "Binary decision diagram", "Decision tree"),
        ("Splits", "4", "5"),
        ("Different splits", "3", "3"),
        ("Features", "3", "3"),
        ("Leaves", "2", "6"),
        ("Splits if drawn as a tree", "5", "5"),
        ("Maximum depth", "3", "3"),
        ("Mean splits per row", "2.5", "2.5"),
        ("Fewest rows per split", "4 (50%)", "2 (25%)"),
        ("Median rows per split", "4 (50%)", "4 (50%)"),
    )
    assert shared_columns(majority(), tree) == "Both use the same features."


def test_columns_used_by_one_model_only_are_named():
    """A model with fever alone has this column in common and lacks the others."""
    fever = replace(majority(), nodes=(Split(majority().nodes[0].predicate, 2, 1), *majority().nodes[4:]))
    assert shared_columns(majority(), fever) == "Both use fever; only the first uses cough, rash."
    assert shared_columns(fever, fever) == "Both use the same features."


def test_models_with_the_same_title_have_a_column_each():
    """Two searches can list alternatives with the same title."""
    fever = replace(majority(), nodes=(Split(majority().nodes[0].predicate, 2, 1), *majority().nodes[4:]))
    table = structure([("Alternative 1", one, patients()) for one in (majority(), fever)])
    assert table.head == ("", "Alternative 1", "Alternative 1") and ("Splits", "4", "1") in table.rows
