"""Hidden small counts cannot be computed by addition and subtraction."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import null_space

from solvers.errors import DataError
from solvers.report.suppression import HIDDEN, Suppressed, suppress, with_guesses
from tests.diagram.models import tree


def divisions(total: int, parts: int) -> np.ndarray:
    """All divisions of a total into parts, int (n_divisions, parts)."""
    bars = itertools.combinations(range(total + parts - 1), parts - 1)
    return np.array([np.diff((-1, *ends, total + parts - 1)) - 1 for ends in bars])


def _sums(found: Suppressed, table: np.ndarray):
    """All sums of a table, and whether they are shown."""
    m = table.shape[1]
    yield table[np.arange(m)[None, :] != found.answers[:, None]].sum(), found.errors
    yield from zip(table.ravel(), found.cells.ravel(), strict=True)
    yield from zip(table.sum(1), found.sizes, strict=True)
    yield from zip(table.sum(0), found.classes, strict=True)
    for g in range(m):
        here = table[found.answers == g]
        yield here.sum(), found.answered[g]
        yield from zip(here.sum(0), found.confusion[:, g], strict=True)


@st.composite
def small_tables(draw) -> tuple[np.ndarray, list[int], int]:
    """Counts of a few leaves, the class that each leaf predicts, and k."""
    n, m = draw(st.sampled_from([(2, 2), (3, 2), (2, 3)]))
    counts = draw(st.lists(st.integers(0, 6), min_size=n * m, max_size=n * m).filter(lambda one: 0 < sum(one) <= 14))
    answers = draw(st.lists(st.integers(0, m - 1), min_size=n, max_size=n))
    return np.array(counts).reshape(n, m), answers, draw(st.integers(3, 5))


@settings(derandomize=True, deadline=None, max_examples=200)
@given(small_tables())
def test_no_hidden_count_can_be_computed(case):
    """Among all tables that show the same, some differ in each hidden sum, except zero and the total."""
    counts, answers, k = case
    found = suppress(counts, answers, k)
    n, m = counts.shape
    visible = np.array([shown for _, shown in _sums(found, counts)])
    cells = np.array([[value for value, _ in _sums(found, one)] for one in np.eye(n * m, dtype=int).reshape(-1, n, m)])
    truth, sums = counts.ravel() @ cells, divisions(int(counts.sum()), n * m) @ cells
    assert not (visible & (truth < k)).any()
    looks_the_same = np.where(visible, sums == truth, (sums < found.k) == (truth < found.k)).all(1)
    assert looks_the_same.any()
    certain = (sums[looks_the_same] == truth).all(0)
    # the sum of all cells is known without a table
    assert not (certain & ~visible & (truth > 0) & ~(cells == 1).all(0)).any()


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(4, 9), st.integers(2, 4), st.integers(0, 10_000))
def test_no_small_count_of_a_larger_table_is_a_sum_or_difference(n, m, seed):
    """Two hidden counts per row and column are not enough: blocks of rows minus blocks of columns give one."""
    rng = np.random.default_rng(seed)
    counts = rng.geometric(0.05, (n, m)) * rng.integers(0, 2, (n, m)) + rng.integers(0, 3, (n, m))
    found = suppress(counts, rng.integers(0, m, n), 5)
    visible = np.array([shown for _, shown in _sums(found, counts)])
    cells = np.array([[value for value, _ in _sums(found, one)] for one in np.eye(n * m, dtype=int).reshape(-1, n, m)])
    unseen = null_space(np.vstack((cells.T[visible], np.ones(n * m))))
    truth = counts.ravel() @ cells
    small = (truth > 0) & (truth < 5)
    assert not visible[small].any()
    assert (np.abs(cells.T[small] @ unseen).max(1) > 1e-9).all()


def test_counts_that_their_marks_would_reveal_share_one_mark():
    """Four times '<3' with a sum of 8 could only be four 2s: all counts are shown as less than 9."""
    found = suppress(np.array([[2, 2], [2, 2]]), [0, 1], 3)
    assert {found.cell(leaf, label) for leaf in (0, 1) for label in (0, 1)} == {found.size(0)} == {"<9"}


def test_large_counts_stay_visible():
    """If no count is small nothing is hidden."""
    found = suppress(np.array([[30, 20], [14, 51], [70, 10]]), [0, 1, 0], 5)
    assert found.cells.all() and found.sizes.all() and found.confusion.all() and found.classes.all()
    assert found.cell(1, 1) == "51"


def test_a_single_small_count_hides_others():
    """One small count would follow from the sums of its row and column, so others are hidden too."""
    found = suppress(np.array([[30, 2], [14, 51], [70, 10]]), [0, 1, 0], 5)
    assert found.cell(0, 1) == "<5" and found.cell(0, 0) == HIDDEN
    assert (~found.cells[1:]).sum() >= 2


@pytest.mark.parametrize(
    ("counts", "k", "message"), [([[5, 6]], 2, "below 3 or more"), ([[1.5, 2]], 5, "not for weights")]
)
def test_invalid_limits_and_weights_are_refused(counts, k, message):
    """A limit that hides nothing is an error; weights are, too."""
    with pytest.raises(DataError, match=message):
        suppress(np.array(counts), [0], k)


def test_estimates_depend_on_shown_counts_alone():
    """Two models with the same shown counts get the same estimates, and predict the same classes."""
    first, second = np.array([[30, 1], [12, 8], [2, 1], [9, 47]]), np.array([[30, 1], [12, 8], [1, 2], [9, 47]])
    models = []
    for counts in (first, second):
        models.append(with_guesses(tree(), suppress(counts, [0, 0, 1, 1], 5)))
    assert models[0] == models[1]
    assert [node.label for node in models[0].nodes[3:]] == [0, 0, 1, 1]
