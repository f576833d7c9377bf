"""The conditions of nodes in words."""

import re

import numpy as np
import pytest
from hypothesis import given, settings

from solvers.diagram import Diagram, Leaf, Split, conditions, describe, percent, plain, quantity
from solvers.diagram.words import MAX_WAYS
from solvers.problem import Column, Kind, LinearPredicate, Op, Predicate, Schema, ShapeKind
from tests.case_count import case_count
from tests.diagram.models import combined, diamond, ladder, tree
from tests.strategies import datasets


def chain(column: Column, *questions: tuple[Op, float | None, bool, bool]) -> Diagram:
    """A chain of splits (op, value, missing, branch); the last node is at the end of these branches."""
    nodes = []
    for i, (op, value, missing, answer) in enumerate(questions):
        on, off = 2 * i + 2, 2 * i + 1
        nodes += [
            Split(Predicate(column.name, op, value, missing), *((on, off) if answer else (off, on))),
            Leaf(0, (1.0,)),
        ]
    nodes.append(Leaf(0, (1.0,)))
    return Diagram(ShapeKind.TREE, Schema((column,)), ("only",), "y", None, tuple(nodes))


AGE = Column("age", Kind.NUMERIC, has_missing=True)
YEARS = Column("age", Kind.NUMERIC, integral=True)
STAGE = Column("stage", Kind.ORDERED, ("I", "II", "III", "IV"))
SCORE = Column("score", Kind.ORDERED, ("1", "2", "3", "4"))
TRIAGE = Column("triage", Kind.ORDERED, ("5", "4", "3", "2", "1"))
MONTH = Column("month", Kind.ORDERED, ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep"))
BLOOD = Column("blood", Kind.CATEGORICAL, ("0", "A", "B", "AB"), has_missing=True)
SEX = Column("sex", Kind.BINARY, ("female", "male"))
GRADE = Column("grade", Kind.CATEGORICAL, ("a", "b", "c", "d", "e"))
DAY = Column("seen", Kind.DATE)


@pytest.mark.parametrize(
    ("column", "questions", "words"),
    [
        (AGE, [(Op.LE, 40.0, False, False), (Op.LE, 60.0, False, True)], "age is more than 40, up to 60"),
        (AGE, [(Op.LE, 40.0, False, False), (Op.LE, 60.0, True, True)], "age is more than 40, up to 60, or missing"),
        (AGE, [(Op.LE, 60.0, True, True), (Op.LE, 40.0, True, True)], "age is at most 40, or missing"),
        (AGE, [(Op.LE, 60.0, True, True), (Op.LE, 40.0, True, False)], "age is more than 40, up to 60"),
        (AGE, [(Op.LE, 60.5, True, False)], "age is more than 60.5"),
        (AGE, [(Op.MISSING, None, True, True)], "age is missing"),
        (AGE, [(Op.MISSING, None, True, False)], "age is known"),
        (AGE, [(Op.MISSING, None, True, False), (Op.LE, 3.0, True, True)], "age is at most 3"),
        (AGE, [(Op.LE, 40.0, True, True), (Op.MISSING, None, True, True)], "age is missing"),
        (AGE, [(Op.LE, 40.0, False, True), (Op.LE, 50.0, False, False)], "no row can reach this node"),
        (AGE, [(Op.LE, 40.0, False, True), (Op.MISSING, None, True, True)], "no row can reach this node"),
        (YEARS, [(Op.LE, 60.5, False, False)], "age is more than 60"),
        (YEARS, [(Op.LE, 40.5, False, False), (Op.LE, 60.5, False, True)], "age is 41 to 60"),
        (YEARS, [(Op.LE, 40.5, False, False), (Op.LE, 41.5, False, True)], "age is 41"),
        (YEARS, [(Op.LE, 40.2, False, False), (Op.LE, 40.6, False, True)], "age is more than 40.2, up to 40.6"),
        (STAGE, [(Op.LE, 1.0, False, True)], "stage is I or II"),
        (STAGE, [(Op.LE, 1.0, False, False)], "stage is III or IV"),
        (STAGE, [(Op.LE, 0.0, False, False), (Op.LE, 2.0, False, True)], "stage is II or III"),
        (STAGE, [(Op.LE, 1.0, False, False), (Op.LE, 2.0, False, True)], "stage is III"),
        (SCORE, [(Op.LE, 1.0, False, True)], "score is 2 or lower"),
        (SCORE, [(Op.LE, 0.0, False, False), (Op.LE, 2.0, False, True)], "score is above 1, up to 3"),
        (TRIAGE, [(Op.LE, 2.0, False, True)], "triage is 5, 4 or 3"),
        (TRIAGE, [(Op.LE, 2.0, False, False)], "triage is 2 or 1"),
        (TRIAGE, [(Op.LE, 0.0, False, False), (Op.LE, 2.0, False, True)], "triage is 4 or 3"),
        (MONTH, [(Op.LE, 1.0, False, False)], "month is not jan or feb"),
        (BLOOD, [(Op.IS, 1.0, False, True)], "blood is A"),
        (BLOOD, [(Op.IS, 1.0, True, False)], "blood is not A"),
        (BLOOD, [(Op.IS, 1.0, False, False), (Op.IS, 3.0, False, False)], "blood is not A or AB, or missing"),
        (BLOOD, [(Op.IS, k, False, False) for k in (0.0, 1.0, 3.0)], "blood is B, or missing"),
        (GRADE, [(Op.IS, k, False, False) for k in (0.0, 2.0, 4.0)], "grade is b or d"),
        (SEX, [(Op.IS, 1.0, False, False)], "sex is female"),
        (DAY, [(Op.LE, 0.0, False, False), (Op.LE, 31.0, False, True)], "seen is after 1970-01-01, up to 1970-02-01"),
    ],
)
def test_splits_on_one_column_merge_into_one_condition(column, questions, words):
    """The conditions of several splits on a column are stated once, including missing values."""
    diagram = chain(column, *questions)
    assert describe(diagram, diagram.n_nodes - 1) == words


def test_conditions_follow_the_order_of_the_splits():
    """Each column has one condition, and they are joined with 'and'."""
    assert describe(tree(), 3) == "age is at most 40.5, or missing and sex is female"
    assert describe(tree(), 5) == "age is more than 40.5, up to 60"
    assert describe(tree(), 0) == "all rows"
    assert conditions(tree(), 0)[0] == ((),)


def test_a_shared_node_is_described_by_all_its_paths():
    """The description of a node with two parents includes both paths."""
    assert describe(diamond(), 4) == "(a is on and b is off) or (a is off and b is on)"


def test_sums_of_columns_are_one_condition():
    """Two thresholds of the same weighted sum give one interval; another split on a column is a separate condition."""
    assert describe(combined(), 1) == "0.3 age + 0.7 bmi is at most 42"
    assert describe(combined(), 2) == "0.3 age + 0.7 bmi is more than 42"
    ways, _ = conditions(combined(), 4)
    assert ways == (
        ("0.3 age + 0.7 bmi is more than 30, up to 42",),
        ("0.3 age + 0.7 bmi is more than 42", "age is at most 50"),
    )


def test_missing_values_of_a_sum_are_described():
    """If any column of a sum may be missing, the condition says whether such rows satisfy it."""
    assert describe(combined(missing=True), 1) == "0.3 age + 0.7 bmi is at most 42, or missing"
    assert conditions(combined(missing=True), 4)[0][0] == ("0.3 age + 0.7 bmi is more than 30, up to 42",)


def test_contradictory_conditions_on_a_sum_are_impossible():
    """No row has a sum of at most 30 and above 42, unless the sum is missing and both branches take missing values."""
    names, weights = ("a", "b"), (1.0, 2.0)
    for missing, words in ((False, "no row can reach this node"), (True, "a + 2 b is missing")):
        high = LinearPredicate(names, weights, 42.0, not missing if missing else True)
        nodes = (
            Split(high, 1, 2),
            Leaf(0, (1.0,)),
            Split(LinearPredicate(names, weights, 30.0, missing), 3, 4),
            Leaf(0, (1.0,)),
            Leaf(0, (1.0,)),
        )
        schema = Schema(tuple(Column(name, Kind.NUMERIC, has_missing=True) for name in names))
        assert describe(Diagram(ShapeKind.TREE, schema, ("only",), "y", None, nodes), 3) == words


def test_the_number_of_described_paths_is_limited():
    """A leaf with a million paths is described at once, by some of them and a note that there are more."""
    words = describe(ladder(20), 39)
    assert words.startswith("(x0 ")
    assert words.endswith("or another value")
    assert len(conditions(ladder(20), 39)[0]) == MAX_WAYS


def _holds(words: str, schema: Schema, row: np.ndarray) -> bool:
    """Whether a condition in words holds for a row, as a reader would understand it."""
    missing_too = words.endswith(", or missing")
    words = words.removesuffix(", or missing")
    name = next(name for name in re.findall(r"x\d", words))
    column, value = schema[name], row[schema.index(name)]
    if words == f"{name} is missing":
        return bool(np.isnan(value))
    if np.isnan(value):
        return missing_too
    if words == f"{name} is known":
        return True
    if match := re.fullmatch(rf"{name} is (?:more than|above) (.*?)(?:, up to (.*))?", words):
        low, high = match.groups()
    elif match := re.fullmatch(rf"{name} is (?:at most (.*)|(.*) or lower)", words):
        low, high = None, match[1] or match[2]
    else:
        match = re.fullmatch(rf"{name} is (not )?(.*)", words)
        listed = re.split(", | or ", match[2])
        return (column.levels[int(value)] in listed) != bool(match[1])
    number = column.levels.index if column.kind.has_levels else float
    return (low is None or value > number(low)) and (high is None or value <= number(high))


@settings(derandomize=True, deadline=None, max_examples=case_count(60))
@given(datasets(kinds=[kind for kind in Kind if kind is not Kind.DATE], weights=False))
def test_conditions_describe_exactly_the_rows_of_a_node(dataset):
    """For every node, the rows that satisfy its conditions in words are those that reach it."""
    rng = np.random.default_rng(dataset.n_samples)
    nodes, depth = [], 4
    for i in range(2**depth - 1):
        column = dataset.schema.columns[rng.integers(dataset.n_columns)]
        cells = dataset.X[:, dataset.schema.index(column.name)]
        known = cells[~np.isnan(cells)]
        if len(known) and rng.random() < 0.8:
            op = Op.IS if column.kind in (Kind.BINARY, Kind.CATEGORICAL) else Op.LE
            predicate = Predicate(column.name, op, float(rng.choice(known)), bool(rng.integers(2)))
        else:
            predicate = Predicate(column.name, Op.MISSING, None, True)
        nodes.append(Split(predicate, 2 * i + 1, 2 * i + 2))
    nodes += [Leaf(0, (0.0,) * dataset.n_classes)] * 2**depth
    diagram = Diagram(ShapeKind.TREE, dataset.schema, dataset.classes, "y", None, tuple(nodes))
    reach = diagram.reach(dataset.X)
    for i in range(diagram.n_nodes):
        ways, _ = conditions(diagram, i)
        described = [any(all(_holds(w, dataset.schema, row) for w in way) for way in ways) for row in dataset.X]
        assert described == reach[:, i].tolist(), (i, ways)


def test_percent_distinguishes_none_and_all_from_nearly():
    """0% and 100% are shown only if they are exact."""
    assert percent(0, 5) == "0%"
    assert percent(5, 5) == "100%"
    assert percent(1, 1000) == "<1%"
    assert percent(999, 1000) == ">99%"
    assert percent(1, 3) == "33%"
    assert percent(0, 0) == "no rows"


def test_quantities_are_short():
    """Integers have no decimals, others at most two."""
    assert [quantity(v) for v in (3.0, 0.0, 2.5, 1.239, 1e6)] == ["3", "0", "2.5", "1.24", "1000000"]


def test_plain_text_is_one_printable_line():
    """Line breaks become spaces, and unprintable or direction-changing characters become a mark; emoji stay intact."""
    assert plain("a\nb\tc\u2028d") == "a b c d"
    assert plain("\x00\x1b\ud800\u202e\ufffe") == "\ufffd" * 5
    assert plain("👩‍⚕️ é <b>") == "👩‍⚕️ é <b>"
