"""The questions that a CPTree may ask: every permitted one where they are few, else thresholds at quantiles.

The size of the model grows with the number of questions, so a numeric column with hundreds of thresholds gives those
near its quantiles, as in section 6.1 of the paper. What is proved then holds among these questions, and `complete` says
so.
"""

from dataclasses import dataclass, replace

import numpy as np

from solvers.constraints.rules import Allowed, FixedQuestion, Rules, ThresholdRange
from solvers.methods.trees.cptree.slots import Slot, slot_of
from solvers.problem import Dataset, MissingPolicy, Op, Orders, Predicate, question_orders

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
    """

    predicates: tuple[Predicate, ...]
    family: np.ndarray
    bits: np.ndarray
    fixed: dict[int, Slot]
    bins: int | None

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
    """The questions for a dataset under the rules that speak of single questions.

    Parameters
    ----------
    dataset : the training rows.
    rules : of these, `Allowed` (everywhere), `ThresholdRange` and `FixedQuestion` are read.
    most : up to how many questions all are taken; `None` for all, however many.
    bins : a number of quantile bins of every column, instead of what `most` says.
    """
    orders = question_orders(dataset)
    boundaries = [_permitted(orders, i, rules) for i in range(len(orders))]
    if bins is None and (most is None or sum(map(len, boundaries)) <= most):
        return _asked(dataset, orders, boundaries, rules, None)
    for n_bins in BINS if bins is None else (bins,):
        thinned = [_quantiles(orders, i, list(some), n_bins) for i, some in enumerate(boundaries)]
        if most is None or sum(map(len, thinned)) <= most:
            break
    same = all(len(some) == len(every) for some, every in zip(thinned, boundaries, strict=True))
    return _asked(dataset, orders, thinned, rules, None if same else n_bins)


def _permitted(orders: Orders, i: int, rules: Rules) -> list[int]:
    """The boundaries of an order, as the rank below each, that the rules permit."""
    column = int(orders.column[i])
    if any(column not in rule.columns for rule in rules.of(Allowed) if not rule.at_root):
        return []
    every = range(int(orders.rank[i].max()))
    ranges = [rule for rule in rules.of(ThresholdRange) if rule.column == column]
    spec = orders.orders[i]
    if spec.op is not Op.LE or not ranges:
        return list(every)
    low, high = max(rule.low for rule in ranges), min(rule.high for rule in ranges)
    first, second = spec.values[:-1], spec.values[1:]
    # a threshold t separates the values where first <= t < second; NaN marks the question 'is missing'
    fits = (np.maximum(first, low) <= high) & (low < second) | np.isnan(first) | np.isnan(second)
    return [at for at in every if fits[at]]


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


def _asked(
    dataset: Dataset, orders: Orders, boundaries: list[list[int]], rules: Rules, bins: int | None
) -> QuestionMenu:
    """The questions at these boundaries, without constant and repeated ones, and the fixed ones."""
    asked: dict[tuple[int, bytes], Predicate] = {}
    for i, some in enumerate(boundaries):
        column = int(orders.column[i])
        for low in some:
            first = orders.rank[i] <= low
            predicate, low_is_yes = orders.question(i, low, low + 1, missing=bool(2 * first.sum() > len(first)))
            bits = first if low_is_yes else ~first
            asked.setdefault((column, bits.tobytes()), _within_range(predicate, column, dataset, rules))
    columns = [column for column, _ in asked]
    answers = [np.frombuffer(bits, bool) for _, bits in asked]
    predicates, fixed = list(asked.values()), {}
    for slot, predicate in dict.fromkeys((slot_of(rule.place), rule.predicate) for rule in rules.of(FixedQuestion)):
        fixed[len(predicates)] = slot
        columns.append(dataset.schema.index(predicate.column))
        answers.append(predicate.answer(dataset.X[:, columns[-1]]))
        predicates.append(predicate)
    bits = np.array(answers, bool).reshape(len(answers), dataset.n_samples).T.copy()
    return QuestionMenu(tuple(predicates), np.array(columns, np.int64), bits, fixed, bins)


def _within_range(predicate: Predicate, column: int, dataset: Dataset, rules: Rules) -> Predicate:
    """The same question with its threshold moved into the permitted range."""
    ranges = [rule for rule in rules.of(ThresholdRange) if rule.column == column]
    if predicate.op is not Op.LE or not ranges:
        return predicate
    low, high = max(rule.low for rule in ranges), min(rule.high for rule in ranges)
    value, missing = min(max(predicate.value, low), high), predicate.missing
    fill = dataset.schema.columns[column].fill
    if dataset.schema.missing is MissingPolicy.IMPUTE and fill is not None:
        missing = fill <= value
    return replace(predicate, value=value, missing=missing)
