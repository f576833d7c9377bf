"""The vector-lane scans against their scalar oracle."""

import numba as nb
import numpy as np
import pytest

from solvers.kernels import scalar
from solvers.kernels.lanes import LANES, binary_extremes, majority_sums


@nb.njit
def _binary(packed, signed, m, place, cut, out):
    binary_extremes(packed, signed, m, place, cut, out)


@nb.njit
def _majority(packed, weight, m, place, cut, counts, suffix, out):
    majority_sums(packed, weight, m, place, cut, counts, suffix, out)


def _scene(seed: int, n_classes: int):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 60))
    label = rng.integers(0, n_classes, m)
    packed = (rng.permutation(m) << 8 | label << 1 | rng.integers(0, 2, m)).astype(np.int32)
    weight = rng.integers(1, 1000, m).astype(np.int32)
    place = rng.permutation(m).astype(np.int32)
    cut = rng.integers(0, m + 1, LANES).astype(np.int32)
    return m, label, packed, weight, place, cut


@pytest.mark.parametrize("seed", range(40))
def test_binary_lanes_equal_the_scalar_scan(seed):
    """All four extremes of all sixteen lanes agree, with weights."""
    m, label, packed, weight, place, cut = _scene(seed, 2)
    signed = np.where(label == 1, weight, -weight).astype(np.int32)
    fast, slow = np.zeros(4 * LANES, np.int32), np.zeros(4 * LANES, np.int32)
    _binary(packed, signed, m, place, cut, fast)
    scalar.binary_extremes(packed, signed, m, place, cut, slow)
    assert fast.tolist() == slow.tolist()


@pytest.mark.parametrize("seed", range(40))
def test_majority_lanes_equal_the_scalar_scan(seed):
    """The best right weights of all sixteen lanes agree for two to seven classes."""
    n_classes = 2 + seed % 6
    m, _, packed, weight, place, cut = _scene(seed, n_classes)
    fast, slow = np.zeros(2 * LANES, np.int32), np.zeros(2 * LANES, np.int32)
    counts, suffix = np.zeros(4 * n_classes * LANES, np.int32), np.zeros(2 * m * LANES, np.int32)
    _majority(packed, weight, m, place, cut, counts, suffix, fast)
    scalar.majority_sums(packed, weight, m, place, cut, counts, suffix, slow)
    assert fast.tolist() == slow.tolist()
