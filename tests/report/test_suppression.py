"""Small counts stay hidden from everybody who can add and subtract."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from solvers.errors import DataError
from solvers.report.suppression import HIDDEN, Suppressed, suppress, with_guesses
from tests.case_count import case_count
from tests.diagram.models import tree


def tables_that_fit(found: Suppressed) -> np.ndarray:
    """Every table of counts that shows the same, by trying all of them: int (n_tables, n_leaves, n_classes)."""
    n, m = found.counts.shape
    total = int(found.counts.sum())
    out = []
    for cells in _divisions(total, n * m):
        table = np.array(cells).reshape(n, m)
        if _shows_the_same(found, table):
            out.append(table)
    return np.array(out)


def _divisions(total: int, parts: int):
    for bars in itertools.combinations(range(total + parts - 1), parts - 1):
        ends = (-1, *bars, total + parts - 1)
        yield [b - a - 1 for a, b in itertools.pairwise(ends)]


def _sums(found: Suppressed, table: np.ndarray):
    """All sums of a table with whether they are shown."""
    m = table.shape[1]
    yield table[np.arange(m)[None, :] != found.answers[:, None]].sum(), found.errors
    yield from zip(table.ravel(), found.cells.ravel(), strict=True)
    yield from zip(table.sum(1), found.sizes, strict=True)
    yield from zip(table.sum(0), found.classes, strict=True)
    for g in range(m):
        here = table[found.answers == g]
        yield here.sum(), found.answered[g]
        yield from zip(here.sum(0), found.confusion[:, g], strict=True)


def _shows_the_same(found: Suppressed, table: np.ndarray) -> bool:
    for (value, visible), (truth, _) in zip(_sums(found, table), _sums(found, found.counts), strict=True):
        if visible and value != truth:
            return False
        if not visible and (value < found.k) != (truth < found.k):
            return False
    return True


@pytest.mark.parametrize("seed", range(case_count(12)))
def test_no_small_count_can_be_computed(seed):
    """Of every hidden count of 1 to k - 1 more than one value fits to all that is shown and to the rule that hid it."""
    rng = np.random.default_rng(seed)
    n, m = ((2, 2), (3, 2), (2, 3))[seed % 3]
    counts = rng.integers(0, 6, (n, m)) * rng.integers(0, 2, (n, m)) + rng.integers(0, 3, (n, m))
    found = suppress(counts, counts.argmax(1), 3)
    if not any(visible for _, visible in _sums(found, counts)):
        return  # nothing but the number of rows is told
    fitting = tables_that_fit(found)
    assert any((table == counts).all() for table in fitting)
    for values in zip(*([one for one, _ in _sums(found, table)] for table in fitting), strict=True):
        truth = next(v for v, table in zip(values, fitting, strict=True) if (table == counts).all())
        if 0 < truth < 3:
            assert len(set(values)) > 1


def test_small_counts_are_never_shown():
    """Nothing below k is shown, neither a count nor a sum of counts."""
    counts = np.array([[30, 2], [4, 51], [7, 0], [1, 1]])
    found = suppress(counts, [0, 1, 0, 0], 5)
    for value, visible in _sums(found, counts):
        assert not (visible and value < 5)
    assert [found.cell(0, 1), found.cell(2, 1), found.size(3)] == ["<5", "<5", "<5"]


def test_large_tables_stay_shown():
    """Where no count is small nothing is hidden."""
    found = suppress(np.array([[30, 20], [14, 51], [70, 10]]), [0, 1, 0], 5)
    assert found.cells.all() and found.sizes.all() and found.confusion.all() and found.classes.all()
    assert found.cell(1, 1) == "51"


def test_a_single_small_count_takes_others_with_it():
    """One small count would follow from the sum of its row and from that of its column: others are hidden beside it."""
    found = suppress(np.array([[30, 2], [14, 51], [70, 10]]), [0, 1, 0], 5)
    assert found.cell(0, 1) == "<5" and found.cell(0, 0) == HIDDEN
    assert (~found.cells[1:]).sum() >= 2


@pytest.mark.parametrize(("counts", "k", "message"), [([[5, 6]], 2, "below 3 or more"), ([[1.5, 2]], 5, "not weights")])
def test_what_cannot_be_hidden_is_refused(counts, k, message):
    """A limit that hides nothing, and weights, are errors."""
    with pytest.raises(DataError, match=message):
        suppress(np.array(counts), [0], k)


def test_guesses_depend_on_what_is_shown_alone():
    """Two models that show the same get the same counts, and answer the same classes."""
    first, second = np.array([[30, 1], [12, 8], [2, 1], [9, 47]]), np.array([[30, 1], [12, 8], [1, 2], [9, 47]])
    models = []
    for counts in (first, second):
        models.append(with_guesses(tree(), suppress(counts, [0, 0, 1, 1], 5)))
    assert models[0] == models[1]
    assert [node.label for node in models[0].nodes[3:]] == [0, 0, 1, 1]
