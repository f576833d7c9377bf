"""The questions that a CPTree may ask: every permitted one where they are few, else thresholds at quantiles.

The size of the model grows with the number of questions, so a numeric column with hundreds of thresholds gives those
near its quantiles, as in section 6.1 of the paper. What is proved then holds among these questions, and `complete` says
so.
"""

from dataclasses import dataclass, replace

import numpy as np

from ....constraints.rules import FixedQuestion, Rules
from ....problem import Dataset, Op, Orders, Predicate, binary_view, question_orders
from ...permitted import EVERYWHERE, permitted_columns, permitted_thresholds
from ..slots import Slot, slot_of

MOST_QUESTIONS = 64
"""Up to so many questions all of them are asked; else as many quantiles a column as give no more."""

BINS = (10, 8, 6, 5, 4, 3, 2)


@dataclass(frozen=True)
class QuestionMenu:
    """What may be asked.

    Attributes
    ----------
    predicates : the questions.
    family : int64 (n_questions,), the column of each.
    bits : bool (n_samples, n_questions), the answers.
    fixed : the slot of each question that must stand at a slot and may stand nowhere else, by its number.
    bins : the number of quantile bins of a column, `None` where every permitted question is there.
    orders : the same questions as rank orders.
    """

    predicates: tuple[Predicate, ...]
    family: np.ndarray
    bits: np.ndarray
    fixed: dict[int, Slot]
    bins: int | None
    orders: Orders

    @property
    def complete(self) -> bool:
        """Whether no permitted question is left out."""
        return self.bins is None

    def of_column(self, column: int) -> list[int]:
        """The questions about a column."""
        return np.flatnonzero(self.family == column).tolist()


def choose_questions(
    dataset: Dataset, rules: Rules, most: int | None = MOST_QUESTIONS, bins: int | None = None
) -> QuestionMenu:
    """The questions for a dataset under `Allowed` (everywhere), `ThresholdRange` and `FixedQuestion`.

    Up to `most` all are taken, and whatever their number where it is `None`; `bins` is a number of quantile bins of
    every column instead.
    """
    orders = question_orders(dataset)
    columns, ranges = permitted_columns(rules, dataset.n_columns), permitted_thresholds(rules)
    boundaries = [
        np.flatnonzero(orders.permits(i, ranges.get(column, EVERYWHERE))).tolist() if column in columns else []
        for i, column in enumerate(orders.column.tolist())
    ]
    if bins is None and (most is None or sum(map(len, boundaries)) <= most):
        return _questions(dataset, orders, boundaries, rules, None)
    for n_bins in BINS if bins is None else (bins,):
        thinned = [_quantiles(orders, i, list(some), n_bins) for i, some in enumerate(boundaries)]
        if most is None or sum(map(len, thinned)) <= most:
            break
    same = all(len(some) == len(every) for some, every in zip(thinned, boundaries, strict=True))
    return _questions(dataset, orders, thinned, rules, None if same else n_bins)


def _quantiles(orders: Orders, i: int, boundaries: list[int], bins: int) -> list[int]:
    """Of the boundaries of an order those nearest to its quantiles; all where they are few."""
    spec, missing = orders.orders[i], int(orders.missing_rank[i])
    if spec.op is not Op.LE or len(boundaries) < bins:
        return boundaries
    known = np.sort(orders.rank[i][orders.rank[i] != missing])
    of_missing = {at for at in boundaries if at == missing or at + 1 == missing}
    plain = np.array([at for at in boundaries if at not in of_missing])
    below = np.searchsorted(known, plain, "right")
    # the quantiles of the rows between the outermost boundaries: under a range of thresholds only these matter
    first, last = np.searchsorted(known, plain[0]), np.searchsorted(known, plain[-1] + 1, "right")
    wanted = first + (last - first) * np.arange(1, bins) // bins
    chosen = {int(plain[min(np.searchsorted(below, want), len(plain) - 1)]) for want in wanted}
    return sorted(chosen | of_missing)


def _questions(
    dataset: Dataset, orders: Orders, boundaries: list[list[int]], rules: Rules, bins: int | None
) -> QuestionMenu:
    """The questions at these boundaries, without constant and repeated ones, and the fixed ones."""
    chosen = [set(some) for some in boundaries]
    orders = replace(orders, chosen=tuple(np.array(some, np.int64) for some in boundaries))
    view = binary_view(dataset, within=permitted_thresholds(rules), orders=orders)
    predicates, columns, bits, fixed = list(view.predicates), view.family.tolist(), [view.bits.astype(bool)], {}
    for slot, predicate in dict.fromkeys((slot_of(rule.place), rule.predicate) for rule in rules.of(FixedQuestion)):
        column = dataset.schema.index(predicate.column)
        yes = predicate.answer(dataset.X[:, column])
        fixed[len(predicates)] = slot
        predicates.append(predicate)
        columns.append(column)
        bits.append(yes[:, None])
        # the exact search has no other questions than those of the orders
        for i in np.flatnonzero(orders.column == column):
            for side in (yes, ~yes):
                if side.any() and not side.all() and orders.rank[i][side].max() < orders.rank[i][~side].min():
                    chosen[i].add(int(orders.rank[i][side].max()))
    orders = replace(orders, chosen=tuple(np.array(sorted(some), np.int64) for some in chosen))
    return QuestionMenu(tuple(predicates), np.array(columns, np.int64), np.hstack(bits), fixed, bins, orders)
