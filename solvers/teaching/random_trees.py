"""Random decision trees over yes/no features, as generators of tables whose rule is known."""

from dataclasses import dataclass

import numpy as np

from solvers.errors import ShapeError


@dataclass(frozen=True)
class RandomTree:
    """A complete tree of some depth, its nodes numbered as in a heap.

    Attributes
    ----------
    features : int64 (2^depth - 1,), the feature that each question asks about; a one leads to child 2 i + 1, a zero to
        2 i + 2.
    labels : bool (2^depth,), the answers of the leaves, in the order of the last level.
    """

    features: np.ndarray
    labels: np.ndarray

    def answers(self, bits: np.ndarray) -> np.ndarray:
        """What the tree says of rows of bits, bool (n_samples, n_features); bool (n_samples,)."""
        at = np.zeros(len(bits), np.int64)
        n_questions = len(self.features)
        for _ in range((n_questions + 1).bit_length() - 1):
            at = 2 * at + 2 - bits[np.arange(len(bits)), self.features[at]]
        return self.labels[at - n_questions]


def random_tree(depth: int, n_features: int, random: np.random.Generator) -> RandomTree:
    """A complete tree with a random feature at each question and a random class at each leaf.

    No feature is asked twice on a path, and the two leaves of a question differ, so that every question matters. Raises
    `ShapeError` where there are too few features for so long paths.
    """
    if not 1 <= depth <= n_features:
        raise ShapeError(f"The depth must be between 1 and the number of features, {n_features}. Got {depth}.")
    features = np.zeros(2**depth - 1, np.int64)
    for node in range(len(features)):
        above, at = set(), node
        while at:
            at = (at - 1) // 2
            above.add(int(features[at]))
        free = [feature for feature in range(n_features) if feature not in above]
        features[node] = free[random.integers(len(free))]
    first = random.integers(0, 2, 2 ** (depth - 1)).astype(bool)
    return RandomTree(features, np.column_stack((first, ~first)).ravel())
