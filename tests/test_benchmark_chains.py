"""The greedy rule lists of `benchmarks.chains` are rule lists, and no better than the proved ones."""

from itertools import product

import numpy as np
import pytest

from benchmarks import chains
from solvers.problem import Kind, binary_view
from tests.strategies import make_dataset


def lists(view, length, rest):
    """The errors of every rule list of at most `length` splits, by enumeration."""
    y = view.dataset.y
    yield chains.errors(y, rest)
    for question, side in product(range(view.bits.shape[1]), (0, 1)) if length else ():
        out = rest & (view.bits[:, question] == side)
        if out.any() and (rest & ~out).any():
            yield from (chains.errors(y, out) + more for more in lists(view, length - 1, rest & ~out))


@pytest.mark.parametrize("seed", range(5))
def test_greedy_lists_are_among_all_lists(seed):
    """Their errors are those of some list of that length, and never below the minimum."""
    rng = np.random.default_rng(seed)
    columns = {name: (Kind.NUMERIC, rng.integers(0, 3, 12)) for name in "ab"}
    view = binary_view(make_dataset(columns, rng.integers(0, 2, 12)))
    every = list(lists(view, 2, np.ones(12, bool)))
    for errors in (chains.fan(view, 2), chains.greedy_list(view, 2)):
        assert errors in every and min(every) <= errors


def test_lists_are_measured(capsys):
    """On a sample: the proved list of two splits for MONK's third problem has 12 errors."""
    assert chains.main(["--sets", "monk3", "--lengths", "2"]) == 0
    assert "| monk3 | 432 | 2 | 12 |" in capsys.readouterr().out
