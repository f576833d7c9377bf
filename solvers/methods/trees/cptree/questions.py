"""The splits of a CPTree: all permitted ones if there are few, else thresholds at quantiles.

The size of the model grows with the number of splits, so a numeric column with hundreds of thresholds contributes those
near its quantiles, as in section 6.1 of the paper. Proofs then hold among these splits only, and `complete` is false.
"""

from dataclasses import dataclass, replace

import numpy as np

from ....constraints.rules import FixedQuestion, Rules
from ....problem import Dataset, Op, Orders, Predicate, binary_view, question_orders
from ...permitted import EVERYWHERE, permitted_boundaries, permitted_thresholds, splits_like
from ..slots import Slot, slot_of

MOST_QUESTIONS = 64
"""Up to this number of splits, all are used; else as many quantiles per column as give no more."""

BINS = (10, 8, 6, 5, 4, 3, 2)


@dataclass(frozen=True)
class QuestionMenu:
    """The permitted splits.

    Attributes
    ----------
    predicates : the splits.
    family : int64 (n_questions,), the column of each.
    bits : bool (n_samples, n_questions), the sides: true for yes.
    fixed : by split number, the slot of each split that must be at this slot and at no other, if it is permitted.
    bins : the number of quantile bins of a column, `None` if all permitted splits are included.
    orders : the same splits as rank orders.
    """

    predicates: tuple[Predicate, ...]
    family: np.ndarray
    bits: np.ndarray
    fixed: dict[int, Slot]
    bins: int | None
    orders: Orders

    @property
    def complete(self) -> bool:
        """Whether all permitted splits are included."""
        return self.bins is None

    def of_column(self, column: int) -> list[int]:
        """The splits on a column."""
        return np.flatnonzero(self.family == column).tolist()


def choose_questions(
    dataset: Dataset, rules: Rules, most: int | None = MOST_QUESTIONS, bins: int | None = None
) -> QuestionMenu:
    """The splits for a dataset under `Allowed` (everywhere), `ThresholdRange` and `FixedQuestion`.

    All splits are used if there are at most `most`, or if `most` is `None`; else `bins` is the number of quantile bins
    of every column, by default as many as fit.
    """
    orders = question_orders(dataset)
    boundaries = [ranks.tolist() for ranks in permitted_boundaries(orders, rules)]
    if bins is None and (most is None or sum(map(len, boundaries)) <= most):
        return _questions(dataset, orders, boundaries, rules, None)
    for n_bins in BINS if bins is None else (bins,):
        thinned = [_quantiles(orders, i, list(some), n_bins) for i, some in enumerate(boundaries)]
        if most is None or sum(map(len, thinned)) <= most:
            break
    same = all(len(some) == len(every) for some, every in zip(thinned, boundaries, strict=True))
    return _questions(dataset, orders, thinned, rules, None if same else n_bins)


def _quantiles(orders: Orders, i: int, boundaries: list[int], bins: int) -> list[int]:
    """The boundaries of an order nearest to its quantiles; all if there are few."""
    spec, missing = orders.orders[i], int(orders.missing_rank[i])
    if spec.op is not Op.LE or len(boundaries) < bins:
        return boundaries
    known = np.sort(orders.rank[i][orders.rank[i] != missing])
    of_missing = {at for at in boundaries if at == missing or at + 1 == missing}
    plain = np.array([at for at in boundaries if at not in of_missing])
    below = np.searchsorted(known, plain, "right")
    # quantiles of the rows between the outermost boundaries: with a threshold range only these rows matter
    first, last = np.searchsorted(known, plain[0]), np.searchsorted(known, plain[-1] + 1, "right")
    wanted = first + (last - first) * np.arange(1, bins) // bins
    chosen = {int(plain[min(np.searchsorted(below, want), len(plain) - 1)]) for want in wanted}
    return sorted(chosen | of_missing)


def _questions(
    dataset: Dataset, orders: Orders, boundaries: list[list[int]], rules: Rules, bins: int | None
) -> QuestionMenu:
    """The splits at these boundaries, without constants and duplicates, and the fixed ones."""
    chosen = [set(some) for some in boundaries]
    orders = replace(orders, chosen=tuple(np.array(some, np.int64) for some in boundaries))
    permitted = permitted_thresholds(rules)
    view = binary_view(dataset, within=permitted, orders=orders)
    predicates, columns, bits, fixed = list(view.predicates), view.family.tolist(), [view.bits.astype(bool)], {}
    for slot, predicate in dict.fromkeys((slot_of(rule.place), rule.predicate) for rule in rules.of(FixedQuestion)):
        column = dataset.schema.index(predicate.column)
        if predicate.op is Op.LE and predicate.operand not in permitted.get(column, EVERYWHERE):
            continue
        yes = predicate.answer(dataset.X[:, column])
        fixed[len(predicates)] = slot
        predicates.append(predicate)
        columns.append(column)
        bits.append(yes[:, None])
        # the exact search knows only the splits of the orders
        for i in np.flatnonzero(orders.column == column):
            chosen[i] |= {last for last, _ in splits_like(orders.rank[i], yes)}
    orders = replace(orders, chosen=tuple(np.array(sorted(some), np.int64) for some in chosen))
    return QuestionMenu(tuple(predicates), np.array(columns, np.int64), np.hstack(bits), fixed, bins, orders)
