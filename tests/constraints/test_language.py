"""Texts of constraints: words, errors with similar names, checks before solving, files."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from solvers.constraints import (
    AskedBefore,
    CannotLink,
    Constraint,
    DemographicParity,
    FixedTop,
    MaxExpectedCost,
    MaxMissed,
    MaxPathCost,
    MinAccuracy,
    MinLeafPrecision,
    MinSamplesLeaf,
    MinSensitivity,
    MonotoneIn,
    MustAppear,
    MustLink,
    NeverBothOnPath,
    OnlyAfter,
    Questions,
    Severity,
    ThresholdsWithin,
    Who,
    constraints_of,
    findings,
    from_json,
    impossibility,
    rules_of,
)
from solvers.constraints.base import steps
from solvers.constraints.files import constraints_file
from solvers.constraints.links import check_rows
from solvers.errors import ConstraintError
from solvers.magnitude import LARGEST_SUM
from solvers.problem import Dataset, Group, Kind, Limits, Problem, Shape
from tests.constraints.trees import random_tree
from tests.strategies import make_dataset

NAN = float("nan")


def clinic(**changes: object) -> Dataset:
    """Ten patients."""
    dataset = make_dataset(
        {
            "age": (Kind.NUMERIC, [31, 44, 58, 60, 67, 29, 50, 71, 64, 38]),
            "bilirubin": (Kind.NUMERIC, [0.7, 1.1, 3.2, NAN, 2.4, 0.6, 0.9, 5.0, 1.4, NAN]),
            "sex": (Kind.BINARY, [0, 1, 0, 1, 1, 0, 0, 1, 0, 1]),
            "grade": (Kind.ORDERED, [0, 1, 2, 3, 2, 0, 1, 3, 1, 0]),
            "ward": (Kind.CATEGORICAL, [0, 1, 2, 0, 1, 2, 0, 1, 2, 3]),
            "seen": (Kind.DATE, [19000, 19001, 19002, 19003, 19004, 19005, 19006, 19007, 19008, 19009]),
            "always": (Kind.NUMERIC, [1] * 10),
        },
        [0, 0, 1, 1, 1, 0, 0, 1, 1, 0],
    )
    return replace(dataset, classes=("well", "ill"), outcome="state", positive=1, **changes)


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        (AskedBefore("age", "bilirubin"), "age is asked before bilirubin"),
        (
            MinSensitivity(0.9, Who("sex", "level 0")),
            "sensitivity for state = ill among rows with sex = level 0 is at least 90%",
        ),
        (MaxMissed(1), "at most 1 of the rows with state = ill are missed"),
        (MinAccuracy("0.825", Who("age", low=60)), "accuracy among rows with age from 60 is at least 82.5%"),
        (
            DemographicParity("sex", 0.05),
            "the shares of 'ill' predictions differ by at most 5% between the groups of sex",
        ),
        (MaxPathCost({"bilirubin": 12.5}, 100), "tests for any one row cost at most 100"),
        (ThresholdsWithin("age", 40, 70), "thresholds of age are between 40 and 70"),
        (ThresholdsWithin("seen", high="2022-01-12"), "thresholds of seen are at most 2022-01-12"),
        (MustLink([[3, 5], [1, 2, 4]]), "rows 3 and 5; rows 1, 2 and 4 share a leaf"),
        (
            FixedTop(Questions("age", value=50, yes=Questions("sex", "is", "level 1"))),
            "the first questions are: age is at most 50; if yes: sex is level 1",
        ),
        (MonotoneIn("age"), "if age increases, all else equal, the prediction (well < ill) never decreases"),
    ],
)
def test_constraints_are_described_in_words(constraint: Constraint, words: str) -> None:
    """A constraint is described with the names of the table."""
    assert constraint.words(clinic()) == words


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("age first", 'must be an object with a "kind"'),
        ({"kind": "asked-befor"}, "Did you mean 'asked-before'"),
        ({"kind": "asked-before", "first": "age"}, "needs the field 'then'"),
        ({"kind": "asked-before", "first": "age", "then": "age"}, "cannot come before itself"),
        (
            {"kind": "asked-before", "first": "age", "then": "bmi", "last": 1},
            "has no field 'last'. Its fields: first, then",
        ),
        ({"kind": "min-sensitivity", "share": 90}, "Enter a share between 0 and 1"),
        ({"kind": "min-sensitivity", "share": "most"}, "Minimum sensitivity: Enter a number, not 'most'"),
        ({"kind": "min-sensitivity", "share": True}, "Enter a number"),
        ({"kind": "min-sensitivity", "share": 0.5, "who": {"column": "sex"}}, "either a value or a range"),
        ({"kind": "min-sensitivity", "share": 0.5, "who": {"is": "f"}}, "Write the selected rows as"),
        ({"kind": "max-leaves", "leaves": 2.5}, "Enter a whole number"),
        ({"kind": "max-leaves", "leaves": 0}, "Enter a value of at least 1, not 0"),
        ({"kind": "max-depth", "depth": 21}, "between 0 and 20"),
        ({"kind": "max-path-cost", "costs": {"age": -1}, "budget": 3}, "Enter a cost between 0"),
        ({"kind": "max-path-cost", "costs": [1, 2], "budget": 3}, "Write costs as column and cost"),
        ({"kind": "max-path-cost", "costs": {}, "budget": 3, "shared": [["a"]]}, "Write shared costs"),
        ({"kind": "never-both-on-path", "columns": []}, "Choose at least two features, or a family"),
        ({"kind": "never-columns", "columns": "age"}, "Enter a list of names"),
        ({"kind": "never-columns", "columns": ["age", "age"]}, "'age' is named twice"),
        ({"kind": "must-link", "rows": [[3]]}, "at least two different rows"),
        ({"kind": "must-link", "rows": []}, "Enter at least one set"),
        ({"kind": "thresholds-within", "column": "age"}, "Enter at least one end"),
        ({"kind": "monotone", "column": "age", "direction": "up"}, "Choose one of rising, falling"),
        ({"kind": "fixed-top", "questions": {"op": "<="}}, "Write a question as"),
        ({"kind": "fixed-top", "questions": {"column": "age", "op": "=="}}, "A question has no '=='"),
        ({"kind": "fixed-top", "questions": {"column": "age", "op": "<="}}, "needs a value"),
    ],
)
def test_malformed_constraints_are_refused(data: object, message: str) -> None:
    """Errors name the field, the given value, and the permitted ones."""
    with pytest.raises(ConstraintError, match=message.replace("(", r"\(").replace("?", r"\?")):
        from_json(data)


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        (AskedBefore("age", "bilirubine"), "no feature or family 'bilirubine'. Did you mean 'bilirubin'?"),
        (AskedBefore("age", "odd column"), "no feature or family 'odd column'. Did you mean 'odd columns'?"),
        (AskedBefore("even columns", "age"), "'age' belongs to two of 'even columns', 'age'. Name it once."),
        (OnlyAfter("even columns", "sex"), "'even columns' is a family. Choose one of its features: age"),
        (NeverBothOnPath(("age",)), "Choose at least two features, or a family of two."),
        (MaxPathCost({"agee": 1}, 3), "Did you mean 'age'?"),
        (MaxPathCost({"age": 1}, 3, [{"columns": ["grad"], "cost": 2}]), "Did you mean 'grade'?"),
        (MinSensitivity(0.9, positive="il"), "'state' has no class 'il'. Did you mean 'ill'?"),
        (MinSensitivity(0.9, Who("sex", "level 7")), "'sex' has no level 'level 7'. Did you mean 'level 1'?"),
        (MinLeafPrecision(0.9, positive="iill"), "'state' has no class 'iill'. Did you mean 'ill'?"),
        (MonotoneIn("age", order=("well", "iill")), "Did you mean 'ill'?"),
        (MinSensitivity(0.9, Who("town", "x")), "There is no column 'town'"),
        (MinAccuracy(0.9, Who("ward", low=1)), "have no order. Choose a level"),
        (MinAccuracy(0.9, Who("seen", low="soon")), "Write 'soon' as year-month-day"),
        (MinAccuracy(0.9, Who("age", low="old")), "holds numbers, but 'old' is not a number"),
        (DemographicParity("always sometimes", 0), "There is no column 'always sometimes'"),
        (ThresholdsWithin("ward", 1, 2), "has no thresholds"),
        (ThresholdsWithin("age", 70, 40), "is empty: 70 to 40"),
        (MonotoneIn("ward"), "have no order"),
        (MonotoneIn("age", order=("ill",)), "Missing: well"),
        (FixedTop(Questions("ward", value="level 1")), "have no order"),
        (FixedTop(Questions("age", "is", 50)), "has no levels"),
        (FixedTop(Questions("ward", "is", "level 9")), "has no level 'level 9'"),
    ],
)
def test_names_that_the_table_lacks_are_an_error(constraint: Constraint, message: str) -> None:
    """Unknown names are reported before solving, with the most similar name; the rules raise the same error."""
    problem = Problem(clinic(), constraints=(constraint,))
    assert constraint.words(clinic())
    (error,) = constraint.check(problem)
    assert error.severity is Severity.ERROR
    assert message in error.text
    with pytest.raises(ConstraintError, match="cannot be used with this table"):
        rules_of(problem)


@pytest.mark.parametrize(
    ("constraint", "shape", "message"),
    [
        (MinSamplesLeaf(11), Shape(), "the table has 10 rows, and every leaf must have at least 11"),
        (MustAppear("always"), Shape(), "the same value in all rows"),
        (MustAppear("age"), Shape(max_depth=0), "allow no split"),
        (CannotLink([[1, 2, 3]]), Shape(max_depth=1), "3 rows need 3 leaves; the limit is 2"),
        (FixedTop(Questions("age", value=80)), Shape(), "is no for 0 rows"),
        (
            FixedTop(Questions("age", value=50, no=Questions("sex", "is", "level 1"))),
            Shape(max_depth=1),
            "have depth 2",
        ),
        (FixedTop(Questions("age", value=50)), Shape(max_leaf_nodes=1), "need 2 leaves; the limit is 1"),
    ],
)
def test_cheap_checks_find_impossible_constraints(constraint: Constraint, shape: Shape, message: str) -> None:
    """Constraints that no tree can satisfy are reported before solving."""
    problem = Problem(clinic(), shape, constraints=(constraint,))
    assert message in (impossibility(problem) or "")
    (found,) = (f for f in findings(problem) if f.finding.severity is Severity.IMPOSSIBLE)
    assert found.constraint is constraint


def test_equal_rows_limit_accuracy() -> None:
    """Two equal rows of different classes cannot both be predicted correctly, or be in different leaves."""
    dataset = make_dataset({"x": (Kind.NUMERIC, [1, 1, 2, 3])}, [0, 1, 0, 1])
    problem = Problem(dataset)
    (found,) = MinAccuracy("0.8").check(problem)
    assert found.severity is Severity.IMPOSSIBLE
    assert "At least 1 of them cannot be predicted correctly" in found.text
    assert [f.severity for f in MinAccuracy("0.75").check(problem)] == [Severity.NOTE]
    (found,) = CannotLink([[1, 2]]).check(problem)
    assert "Rows 1 and 2 have the same values" in found.text


def test_a_share_is_explained_in_rows() -> None:
    """90% of 5 ill patients means that none may be missed, 80% that one may."""
    problem = Problem(clinic())
    for share, missed in ((0.9, 0), (0.8, 1)):
        (note,) = MinSensitivity(share).check(problem)
        assert note.text == f"There are 5 training rows with state = ill. At most {missed} of them may be missed."
        (rule,) = MinSensitivity(share).rules(problem)
        assert rule.limit == missed
    (note,) = MinSensitivity(0.9, Who("age", high=40)).check(problem)
    assert "There are no rows with state = ill and age up to 40" in note.text


def test_costs_are_exact() -> None:
    """Decimals become integers; a path pays a test once, and a shared cost once for all tests that share it."""
    costs = MaxExpectedCost({"age": 0.1, "grade": 0.25}, 1.5, [{"columns": ["bilirubin", "grade"], "cost": 2}])
    (rule,) = costs.rules(Problem(clinic()))
    assert rule.tests.scale == 20
    assert (rule.tests.own[0], rule.tests.own[3]) == (2, 5)
    assert rule.limit == 300
    assert costs.price(frozenset({"age", "bilirubin", "grade"}), clinic()) == Fraction(235, 100)
    assert costs.price(frozenset({"sex"}), clinic()) == 0


def test_rows_are_identified_by_their_numbers_in_the_file() -> None:
    """Row numbers stay correct if rows were left out; numbers of absent rows are ignored and reported."""
    dataset = clinic().take(np.array([2, 4, 9]))
    (rule,) = MustLink([[3, 5], [5, 7]]).rules(Problem(dataset))
    assert rule.pairs == ((0, 1),)
    (note,) = MustLink([[3, 5], [5, 7]]).check(Problem(dataset))
    assert note.severity is Severity.NOTE
    assert note.text.endswith("are ignored: 7.")


def test_row_numbers_beyond_the_table_are_refused() -> None:
    """Row numbers are at least 1 and at most the number of rows in the file."""
    check_rows((MinSensitivity("0.9"), MustLink([[1, 10]])), 10)
    for row in (0, 11):
        with pytest.raises(ConstraintError, match=f"there is no row {row}. The table has rows 1 to 10"):
            check_rows((CannotLink([[1, row]]),), 10)


def test_groups_of_columns_that_are_not_features_can_be_selected() -> None:
    """Rows may be selected by a group column that the model never uses."""
    dataset = clinic(groups=(Group("country", ("A", "B"), [0, 1] * 5),)).select(["age"])
    assert Who("country", "B").members(dataset).tolist() == [False, True] * 5
    with pytest.raises(ConstraintError, match="No group of 'country' is called 'C'"):
        Who("country", "C").members(dataset)
    with pytest.raises(ConstraintError, match="The groups of 'country' have no order"):
        Who("country", low=1).members(dataset)
    assert Who("age", 44).members(dataset).nonzero()[0].tolist() == [1], "a number may be meant, too"


def test_the_top_of_a_model_can_be_fixed() -> None:
    """The splits at the top of a model become a constraint that the model itself satisfies, at any depth."""
    dataset, rng = clinic(), np.random.default_rng(3)
    for _ in range(20):
        tree = random_tree(dataset, rng, depth=3)
        for n_levels in (1, 2, 3):
            questions = Questions.top_of(tree, n_levels)
            if questions is not None:
                top = FixedTop(questions)
                assert not top.violations(tree, dataset)
                assert top.depth <= n_levels
                assert not FixedTop.from_json(top.to_json()).violations(tree, dataset)


def test_errors_in_files_name_the_constraint(tmp_path: Path) -> None:
    """A file is a list, or an object with a list; errors give the file and the number of the constraint."""
    path = tmp_path / "constraints.json"
    path.write_text('{"title": "t", "constraints": [{"kind": "max-leaves", "leaves": 4}]}', "utf-8")
    assert [str(c) for c in constraints_of(constraints_file(path), f"The file '{path}'")] == ["at most 4 leaves"]
    path.write_text('[{"kind": "max-leaves", "leaves": 4}, {"kind": "max-leaves"}]', "utf-8")
    with pytest.raises(
        ConstraintError, match=r"constraints.json', constraint 2: 'max-leaves' needs the field 'leaves'"
    ):
        constraints_of(constraints_file(path), f"The file '{path}'")
    newer = '{"version": 2, "constraints": [{"kind": "max-leaves", "leaves": 4, "of": "each group"}]}'
    for text, message in (
        ("{", "is not valid JSON"),
        ("{}", "must hold a list"),
        ("3", "must hold a list"),
        (newer, "has the version 2; this program reads version 1"),
    ):
        with pytest.raises(ConstraintError, match=message):
            constraints_of(text)


def test_equal_constraints_make_equal_problems() -> None:
    """0.9, '0.9' and 9/10 are equal; another limit, or linked rows with other numbers, give another problem."""
    dataset = clinic()
    ids = {Problem(dataset, constraints=(MinSensitivity(share),)).id for share in (0.9, "0.9", Fraction(9, 10))}
    assert len(ids) == 1
    assert Problem(dataset, constraints=(MinSensitivity(0.8),)).id not in ids
    assert Problem(dataset).id not in ids
    moved = replace(dataset, rows=dataset.rows + 1)
    linked = (MustLink([[3, 4]]),)
    assert Problem(dataset, constraints=linked).id != Problem(moved, constraints=linked).id
    assert Problem(dataset).id == Problem(moved).id
    assert Limits().gap_cost(Problem(dataset, constraints=linked)) == 0


def test_steps_end_at_the_last_value() -> None:
    """Steps always include the last value, and none go in the wrong direction."""
    assert list(steps(1, 3, 1)) == [1, 2, 3]
    assert list(steps(Fraction(1, 2), 2, 1)) == [Fraction(1, 2), Fraction(3, 2), 2]
    assert list(steps(Fraction(9, 10), 0, Fraction(-1, 2))) == [Fraction(9, 10), Fraction(2, 5), 0]
    assert list(steps(2, 1, 1)) == []


@pytest.mark.parametrize("kind", [MaxPathCost, MaxExpectedCost])
def test_a_large_budget_becomes_the_cost_of_all_tests(kind: type[Constraint]) -> None:
    """Any number within the integer range may be a budget; the rule's limit is at most the cost of all tests."""
    problem = Problem(clinic(), Shape(max_depth=2))
    rules = [kind({"age": 0.000001, "sex": 10**9}, budget).rules(problem)[0] for budget in (LARGEST_SUM, 2 * 10**9)]
    assert rules[0].limit == rules[1].limit <= LARGEST_SUM
    with pytest.raises(ConstraintError, match="at most 1,152,921,504,606,846,976"):
        kind({"age": 1}, LARGEST_SUM + 1)
    with pytest.raises(ConstraintError, match="between 0 and 1,000,000,000"):
        kind({"age": 10**9 + 1}, 1)
