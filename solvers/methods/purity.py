"""Leaf purity as a sum over all rows that get one prediction: exact for one leaf per class, else implied by purity.

sum over rows that get class k of  (share - [y_i = k]) w_i  <=  0
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..constraints import rules_of
from ..constraints.rules import Pure, Rules, Sum
from ..problem import Problem


def rules_for_classes(problem: Problem) -> Rules:
    """The rules of a problem for models with one leaf per class: sums in place of every purity rule."""
    rules = rules_of(problem)
    purity = [part for rule in rules.of(Pure) for part in purity_sums(problem, rule)]
    others = tuple(rule for rule in rules.leaf if not isinstance(rule, Pure))
    return replace(rules, leaf=others, sums=(*rules.sums, *purity))


def purity_sums(problem: Problem, rule: Pure) -> Iterator[Sum]:
    """The sums of a purity rule, one for each class that it is about."""
    dataset, share = problem.dataset, rule.share
    for label in range(dataset.n_classes) if rule.label is None else (rule.label,):
        by_label = np.zeros((dataset.n_samples, dataset.n_classes), np.int64)
        by_label[:, label] = problem.weights * (share.numerator - share.denominator * (dataset.y == label))
        yield Sum(by_label, 0, source=rule.source)
