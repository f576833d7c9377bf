"""Performance against scikit-learn and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.metrics import matthews_corrcoef

from solvers.errors import DataError
from solvers.metrics.catalogue import matthews
from tests.case_count import case_count
from tests.metrics.tables import performance, table


def test_a_confusion_matrix_by_hand():
    """8 true and 2 false positives, 85 true and 5 false negatives."""
    y = np.repeat([1, 0, 0, 1], [8, 2, 85, 5])
    predicted = np.repeat([1, 1, 0, 0], [8, 2, 85, 5])
    facts = performance(table(y), predicted)
    assert facts.n == 100
    assert facts.accuracy.value == 0.93
    assert (facts.sensitivity.k, facts.sensitivity.n) == (8, 13)
    assert (facts.specificity.k, facts.specificity.n) == (85, 87)
    assert (facts.ppv.k, facts.ppv.n) == (8, 10)
    assert (facts.npv.k, facts.npv.n) == (85, 90)
    assert facts.confusion.tolist() == [[85, 2], [5, 8]]


@settings(derandomize=True, deadline=None, max_examples=case_count(60))
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.booleans())
@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
def test_figures_agree_with_scikit_learn(seed, n_classes, weighted):
    """Accuracy, balanced accuracy, recall, precision and the confusion matrix, with and without weights."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    y, predicted = rng.integers(0, n_classes, (2, n))
    weight = rng.choice([0.5, 1.0, 3.0], n) if weighted else None
    names = tuple("abcd"[:n_classes])
    facts = performance(table(y, classes=names, weight=weight), predicted)
    assert facts.accuracy.value == pytest.approx(metrics.accuracy_score(y, predicted, sample_weight=weight))
    reference = metrics.balanced_accuracy_score(y, predicted, sample_weight=weight)
    assert facts.balanced_accuracy.value == pytest.approx(reference)
    precision, recall, _, _ = metrics.precision_recall_fscore_support(
        y, predicted, labels=range(n_classes), sample_weight=weight, zero_division=np.nan
    )
    for k, of_class in enumerate(facts.by_class):
        assert of_class.name == names[k]
        assert of_class.recall.value == (None if np.isnan(recall[k]) else pytest.approx(recall[k]))
        assert of_class.precision.value == (None if np.isnan(precision[k]) else pytest.approx(precision[k]))
    if weight is None:
        assert facts.confusion.sum() == n
        assert np.trace(facts.confusion) == np.count_nonzero(y == predicted)
    else:
        assert facts.confusion.sum() == pytest.approx(weight.sum())


def test_rates_without_rows_are_none():
    """Without positive rows there is no sensitivity; without predicted positives there is no PPV."""
    facts = performance(table([0, 0, 0]), np.array([0, 0, 0]))
    assert facts.sensitivity.value is None
    assert facts.ppv.value is None
    assert facts.specificity.value == 1.0
    assert facts.specificity.low < 0.5
    assert facts.balanced_accuracy.value == 1.0


@pytest.mark.parametrize("predicted", [[0, 1], [0, 1, 2], [0, 1, -1], [0.0, 1.0, 1.0], [[0, 1, 1]]])
def test_invalid_predictions_are_refused(predicted):
    """Too few, an unknown class, or not whole numbers."""
    with pytest.raises(DataError):
        performance(table([0, 1, 1]), np.array(predicted))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_matthews_correlation_agrees_with_scikit_learn(n_classes, weighted):
    """For two and more classes, with and without weights."""
    random = np.random.default_rng(n_classes)
    y, predicted = random.integers(0, n_classes, (2, 60))
    weight = random.integers(1, 5, 60).astype(float) if weighted else None
    data = table(y.tolist(), classes=tuple("abc"[:n_classes]), positive=None, weight=weight)
    found = matthews(performance(data, predicted).confusion)
    assert found.value == pytest.approx(matthews_corrcoef(y, predicted, sample_weight=weight))


def test_the_matthews_correlation_by_hand():
    """(6 * 3 - 1 * 2) / sqrt(7 * 8 * 4 * 5); `None` if every row gets the same prediction."""
    assert matthews(np.array([[3.0, 1.0], [2.0, 6.0]])).value == pytest.approx(16 / np.sqrt(7 * 8 * 4 * 5))
    assert matthews(np.array([[4.0, 0.0], [8.0, 0.0]])).value is None
