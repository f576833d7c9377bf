"""Leaf purity for models with one leaf per class, as a sum over all rows that get one prediction.

sum over rows that get class k of  (share - [y_i = k]) w_i  <=  0
"""

from dataclasses import replace

import numpy as np

from ..constraints.rules import Pure, Rules, Sum
from ..problem import Problem


def with_purity(problem: Problem, rules: Rules) -> Rules:
    """The rules with every purity rule rewritten as sums."""
    dataset, weights = problem.dataset, problem.weights
    sums = list(rules.sums)
    for rule in rules.of(Pure):
        share = rule.share
        for label in range(dataset.n_classes) if rule.label is None else (rule.label,):
            by_label = np.zeros((dataset.n_samples, dataset.n_classes), np.int64)
            by_label[:, label] = weights * (share.numerator - share.denominator * (dataset.y == label))
            sums.append(Sum(by_label, 0, source=rule.source))
    return replace(rules, sums=tuple(sums))
