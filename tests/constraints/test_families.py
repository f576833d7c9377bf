"""Families of columns in constraints: one constraint for many pairs, and what it says when columns are not used."""

from __future__ import annotations

import io
from itertools import product

from solvers.constraints import AskedBefore, OnlyAfter, rules_of
from solvers.diagram import Diagram, Leaf, Split
from solvers.metrics import achieved
from solvers.problem import Dataset, Op, Predicate, Problem, ShapeKind, build_dataset, read_table
from tests.hospital import HISTORY, LABORATORY, hospital_csv

FAMILIES = dict.fromkeys(HISTORY, "history") | dict.fromkeys(LABORATORY, "laboratory")
ORDER = AskedBefore("history", "laboratory")


def hospital(*features: str) -> Dataset:
    """Rows of the hospital export with these features."""
    dictionary = {name: {"label": name.capitalize(), "family": family} for name, family in FAMILIES.items()}
    table = read_table(io.BytesIO(hospital_csv(200).encode()))
    return build_dataset(table, "icu_transfer", features=features, dictionary=dictionary)


def test_history_before_laboratory_is_one_constraint() -> None:
    """It has the rules of all its pairs, and a sentence with the names of the families."""
    data = hospital("age", "diabetes", "lactate", "crp")
    pairs = tuple(AskedBefore(*pair) for pair in product(("age", "diabetes"), ("lactate", "crp")))
    one, many = (rules_of(Problem(data, constraints=made)).path for made in ((ORDER,), pairs))
    assert len(one) == 4 and {(r.upper, r.lower) for r in one} == {(r.upper, r.lower) for r in many}
    assert ORDER.words(data) == "history is asked before laboratory"
    assert AskedBefore("age", "laboratory").words(data) == "Age is asked before laboratory"


def test_an_order_that_holds_because_a_column_is_not_used_says_so() -> None:
    """The label of the column, or the family, is named; a constraint that is violated gets no such sentence."""
    data = hospital("age", "lactate", "crp")
    nodes = (Split(Predicate("lactate", Op.LE, 1.5, True), 1, 2), Leaf(0, (9.0, 1.0)), Leaf(1, (1.0, 9.0)))
    stump = Diagram(ShapeKind.TREE, data.schema, data.classes, data.outcome, data.positive, nodes)
    expected = {
        ORDER: "history is not used",
        AskedBefore("crp", "age"): "Crp and Age are not used",
        OnlyAfter("lactate", "crp"): "Crp is not used",
        OnlyAfter("age", "laboratory"): "",
    }
    for constraint, words in expected.items():
        found = achieved(constraint, stump, data)
        assert found is not None and (found.holds, found.idle) == (bool(words), words)


def test_a_family_without_features_is_named_before_solving() -> None:
    """The finding says that its features were deselected, and what to do."""
    (finding,) = ORDER.check(Problem(hospital("age", "sex")))
    assert finding.text.startswith("No feature of the family 'laboratory' is used any more. Use one on the Data screen")
