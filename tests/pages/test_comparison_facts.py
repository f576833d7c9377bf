"""Models on the same rows: figures, differences and sentences against numbers by hand."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from msgspec.structs import replace as replace_fields

from components.compare.facts import (
    Predictions,
    SessionModel,
    changed_rows,
    describe_wrong,
    difference_of_rows,
    entries,
    format_p_value,
    gain,
    sign,
    verdict,
)
from components.compare.structure import shared_questions
from components.session.work import FinishedModel, Prepared, Run
from solvers.diagram import Diagram, Leaf, Split
from solvers.metrics import diagnosis, paired
from solvers.metrics.catalogue import list_metrics
from solvers.problem import Op, Predicate, ShapeKind
from tests.metrics.tables import table
from tests.pages.handmade import ask, prepared_sample, run_of


def predictions(title: str, y: list[int], predicted: list[int], **more: object) -> Predictions:
    """The predictions of a model with this title for rows with the classes `y`."""
    return Predictions(SessionModel(title, title, None, None), table(y, **more), np.array(predicted))


def compared(a: Predictions, b: Predictions) -> dict[str, tuple[object, object, object]]:
    """Each metric of two models by its key, and its difference."""
    data, metrics = a.data, list_metrics(a.data, a.data.positive)
    each = [diagnosis(data, one.predicted, np.eye(data.n_classes)[one.predicted], data.positive) for one in (a, b)]
    pairs = [[metric.figure(one, 0.5) for one in each] for metric in metrics]
    return {metric.key: (*pair, gain(a, b, metric)) for metric, pair in zip(metrics, pairs, strict=True)}


TRUTH = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
FIRST = [1, 1, 1, 0, 0, 0, 0, 0, 1, 1]
SECOND = [1, 0, 0, 1, 0, 0, 0, 0, 0, 1]


def test_figures_and_differences_by_hand():
    """Both are correct in seven of ten rows: three or two of four positive rows, four or five of the others."""
    a, b = predictions("A", TRUTH, FIRST), predictions("B", TRUTH, SECOND)
    found = compared(a, b)
    first, second, against = found["accuracy"]
    assert (first.value, second.value, against.value) == (0.7, 0.7, 0)
    first, second, against = found["sensitivity"]
    assert (first.k, first.n, second.k, second.n) == (3, 4, 2, 4)
    assert against == paired(np.array([1, 1, 1, 0]) > 0, np.array([1, 0, 0, 1]) > 0).difference
    first, second, against = found["specificity"]
    assert (first.k, first.n, second.k, second.n) == (4, 6, 5, 6) and against.value == pytest.approx(1 / 6)
    assert found["balanced_accuracy"][2].value == pytest.approx((-1 / 4 + 1 / 6) / 2)
    first, second, _ = found["ppv"]
    assert (first.k, first.n, second.k, second.n) == (3, 5, 2, 3)
    assert [found[key][2] for key in ("ppv", "npv", "area", "brier")] == [None] * 4


def test_the_difference_of_balanced_accuracies_combines_the_recalls():
    """The interval's ends are at half the root of the sum of squares of the recalls' distances."""
    a, b = predictions("A", TRUTH, FIRST), predictions("B", TRUTH, SECOND)
    found = {key: against for key, (_, _, against) in compared(a, b).items()}
    parts = [found["sensitivity"], found["specificity"]]
    below = np.hypot(*(part.value - part.low for part in parts)) / 2
    joined = found["balanced_accuracy"]
    assert joined.value - joined.low == pytest.approx(below)


def test_a_comparison_on_held_out_rows_has_an_interval_and_p():
    """Twelve rows change, and the first model is correct in ten of them: p is 2 * (1 + 12 + 66) / 4096."""
    y = [1] * 40
    a, b = predictions("A", y, [1] * 38 + [0] * 2), predictions("B", y, [1] * 28 + [0] * 10 + [1] * 2)
    sentence = verdict(a, b, "held-out")
    assert sentence.startswith(
        "Predictions differ in 12 of 40 held-out rows (30.0%). A makes 8 fewer errors than B: +20.0"
    )
    assert "p = 0.039: more than chance explains." in sentence
    assert "B makes 8 more errors than A" in verdict(b, a, "held-out")


def test_training_rows_have_no_p_value():
    """On training rows only the exact count is shown."""
    a, b = predictions("A", TRUTH, FIRST), predictions("B", TRUTH, SECOND)
    sentence = verdict(a, b, "training")
    assert sentence.startswith(
        "Predictions differ in 4 of 10 training rows (40.0%). Both make the same number of errors."
    )
    assert "McNemar" not in sentence and "McNemar" in verdict(a, b, "external")
    assert verdict(a, a, "held-out") == "Both models predict the same class for each of the 10 held-out rows."


def test_weighted_rows_have_a_difference_without_p():
    """McNemar counts rows; for weighted rows only the weighted difference is shown."""
    weight = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 3.0]
    a, b = predictions("A", TRUTH, FIRST, weight=weight), predictions("B", TRUTH, TRUTH, weight=weight)
    sentence = verdict(a, b, "held-out")
    # rows 4, 9 and 10 are errors, together 5 of 12
    assert "\u221241.7 points of accuracy" in sentence and "McNemar" not in sentence


def test_changed_rows_are_sorted_by_the_correct_model():
    """Gained if only the second is correct, lost if only the first is; with three classes both can be wrong."""
    more = {"classes": ("a", "b", "c"), "positive": None}
    a, b = predictions("A", [0, 1, 2, 0], [0, 0, 0, 0], **more), predictions("B", [0, 1, 2, 0], [0, 1, 1, 2], **more)
    found = changed_rows(a, b)
    assert list(found.drop(columns="position").itertuples(name=None)) == [
        (2, "b", "a", "b", "gained"),
        (3, "c", "a", "b", "both wrong"),
        (4, "a", "a", "c", "lost"),
    ]
    assert found["position"].tolist() == [1, 2, 3] and describe_wrong(a) == "2 of 4"


@pytest.mark.parametrize(
    ("p", "shown"), [(0.0004, "< 0.001"), (0.0123, "= 0.012"), (0.0996, "= 0.100"), (0.5, "= 0.50"), (1.0, "= 1.00")]
)
def test_p_values_have_significant_digits(p, shown):
    """Small p-values have three decimals, others two."""
    assert format_p_value(p) == shown


def test_differences_have_a_sign():
    """A plus, a minus sign, and none for zero."""
    assert [sign(d) for d in (0.021, -0.021, 0.0)] == ["+2.1", "\u22122.1", "0.0"]


@cache
def cancer(**choices: object) -> Prepared:
    """The breast cancer sample, prepared once."""
    return prepared_sample("breast_cancer", **choices)


def test_only_models_on_the_same_rows_are_compared():
    """Another table, another division or another positive class is reported; fewer columns are no obstacle."""
    base = cancer()
    assert difference_of_rows(base, base) is None
    other = prepared_sample("iris")
    other = replace(other, source=replace(other.source, number=2))
    assert difference_of_rows(base, other) == "its rows come from another table"
    assert "divided" in difference_of_rows(base, cancer(seed=1))
    assert "divided" in difference_of_rows(base, cancer(test_share=None))
    turned = prepared_rows(base, positive="benign")
    assert difference_of_rows(base, turned) == "its outcome differs"
    fewer = prepared_rows(base, features=base.train.schema.names[:5])
    assert difference_of_rows(base, fewer) is None


def prepared_rows(base: Prepared, **changed: object) -> Prepared:
    """The same table with other choices."""
    from components.session.work import prepare

    return prepare(base.source, replace_fields(base.request, **changed))


def stump(prepared: Prepared, column: str, value: float, below: int) -> Diagram:
    """A tree of one split."""
    data = prepared.train
    nodes = (
        Split(Predicate(column, Op.LE, value, False), 1, 2),
        Leaf(below, (0.0,) * 2),
        Leaf(1 - below, (0.0,) * 2),
    )
    return Diagram(ShapeKind.TREE, data.schema, data.classes, data.outcome, data.positive, nodes)


def own(number: int, title: str, value: float = 100.0) -> tuple[Run, list[FinishedModel]]:
    """A run with one model of this title."""
    run = run_of(cancer(), ask(max_depth=1), stump(cancer(), "worst perimeter", value, 0), number)
    return run, [run.best._replace(title=title)]


def test_titles_have_a_number_if_there_are_several_runs():
    """A single run has no number; the same model is listed once."""
    run, models = own(1, "ConTree")
    assert [(e.key, e.title) for e in entries([(run, [*models, *models])])] == [("1 contree", "ConTree")]
    found = entries([(run, models), own(2, "ConTree")])
    assert [(e.key, e.title) for e in found] == [("1 contree", "ConTree, run 1"), ("2 contree", "ConTree, run 2")]


def test_a_split_is_shared_only_with_the_same_threshold():
    """The same split is found in both; the same column with another threshold is a different split."""
    a, b = stump(cancer(), "worst perimeter", 100.0, 0), stump(cancer(), "worst perimeter", 110.0, 0)
    ((words, nodes),) = shared_questions(a, a).items()
    assert nodes == ((0,), (0,)) and "worst perimeter" in words
    assert shared_questions(a, b) == {}
