"""Families of columns in constraints: one constraint for many pairs, and what it says when columns are not used."""

from __future__ import annotations

import io
import itertools

from solvers.constraints import AskedBefore, OnlyAfter, rules_of
from solvers.diagram import Diagram, Leaf, Split
from solvers.methods import get
from solvers.metrics import achieved
from solvers.problem import Dataset, Op, Predicate, Problem, Shape, ShapeKind, build_dataset, read_table
from tests.hospital import HISTORY, LABORATORY, hospital_csv
from tests.methods.running import solve

DICTIONARY = {
    **{name: {"label": name.capitalize(), "family": "history"} for name in HISTORY},
    **{name: {"label": name.capitalize(), "family": "laboratory"} for name in LABORATORY},
}


def hospital(*features: str) -> Dataset:
    """Rows of the hospital export with these features, and the outcome that two laboratory values decide."""
    table = read_table(io.BytesIO(hospital_csv(200).encode()))
    return build_dataset(table, "icu_transfer", features=features, dictionary=DICTIONARY)


def test_history_before_laboratory_is_one_constraint() -> None:
    """It has the optimum of all its pairs, and a sentence with the names of the families."""
    data = hospital("age", "diabetes", "lactate", "crp")
    family = AskedBefore("history", "laboratory")
    pairs = tuple(AskedBefore(*pair) for pair in itertools.product(("age", "diabetes"), ("lactate", "crp")))
    one, many = (Problem(data, Shape(max_depth=3), constraints=made) for made in ((family,), pairs))
    assert {(r.upper, r.lower) for r in rules_of(one).path} == {(r.upper, r.lower) for r in rules_of(many).path}
    found = [solve(get("contree"), problem).solution for problem in (one, many)]
    assert found[0].cost == found[1].cost
    assert str(family) == "history is asked before laboratory"
    assert AskedBefore("age", "laboratory").words(data) == "Age is asked before laboratory"


def test_an_order_that_holds_because_a_column_is_not_used_says_so() -> None:
    """The label of the column, or the family, is named; a model that uses both gets no such sentence."""
    data = hospital("age", "lactate", "crp")
    nodes = (Split(Predicate("lactate", Op.LE, 1.5, True), 1, 2), Leaf(0, (9.0, 1.0)), Leaf(1, (1.0, 9.0)))
    stump = Diagram(ShapeKind.TREE, data.schema, data.classes, data.outcome, data.positive, nodes)
    expected = {
        AskedBefore("history", "laboratory"): "history is not used",
        AskedBefore("lactate", "crp"): "Crp is not used",
        AskedBefore("crp", "age"): "Crp and Age are not used",
        OnlyAfter("lactate", "crp"): "Crp is not used",
    }
    for constraint, words in expected.items():
        found = achieved(constraint, stump, data)
        assert found is not None and (found.holds, found.idle) == (True, words)
    broken = achieved(OnlyAfter("age", "laboratory"), stump, data)
    assert broken is not None and (broken.holds, broken.idle) == (False, "")


def test_a_family_without_features_is_named_before_solving() -> None:
    """The finding says that its features were deselected, and what to do."""
    problem = Problem(hospital("age", "sex"), constraints=(AskedBefore("history", "laboratory"),))
    (finding,) = problem.constraints[0].check(problem)
    assert finding.text.startswith("No feature of the family 'laboratory' is used any more. Use one on the Data screen")
