"""How each rule is posted: one short function a rule, in one table. A rule that is not in it is refused by `check`.

The formulas of Nanfack, Temple and Frénay (2023), section 4, speak of branches and of encoded bits. Here they speak of
slots, which branches share, and of columns, whose thresholds and levels are one feature.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....constraints.rules import (
    Allowed,
    ApartRule,
    Chain,
    FewColumns,
    FixedQuestion,
    Monotone,
    MustAppearRule,
    NeverBoth,
    NotBelow,
    OnlyBelow,
    PathCost,
    Pure,
    Reached,
    Rules,
    Sum,
    ThresholdRange,
    TogetherRule,
)
from ....problem import Op
from ...cp_sat import total
from ...permitted import tests_of
from ..slots import above, branches_below, no_of, slot_of, yes_of
from .model import CpTreeModel
from .monotone import post_monotone

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import LinearExpr


def post_rules(model: CpTreeModel, rules: Rules) -> None:
    """Post all rules."""
    for rule in rules.every:
        POST[type(rule)](model, rule)


# Paths


def post_not_below(model: CpTreeModel, rule: NotBelow) -> None:
    """Section 4.1: of a slot and one above it not both."""
    for lower in range(model.n_slots):
        for upper in above(lower):
            model.cp.add(model.about(upper, rule.upper) + model.about(lower, rule.lower) <= 1)


def post_only_below(model: CpTreeModel, rule: OnlyBelow) -> None:
    """Some slot above asks about the other column."""
    for slot in range(model.n_slots):
        model.cp.add(model.about(slot, rule.column) <= total(model.about(up, rule.upper) for up in above(slot)))


def post_path_cost(model: CpTreeModel, rule: PathCost) -> None:
    """Section 4.2, with every column paid once and every group paid once."""
    if not model.n_slots:
        return
    for lowest in range(model.n_slots // 2, model.n_slots):
        paid = []
        for columns, price in tests_of(rule.costs):
            pays = model.cp.new_bool_var("")
            for slot in (*above(lowest), lowest):
                model.cp.add(model.about(slot, *columns) <= pays)
            paid.append(price * pays)
        model.cp.add(total(paid) <= rule.limit)


def post_allowed(model: CpTreeModel, rule: Allowed) -> None:
    """The other columns are never asked about, or not at the root."""
    slots = range(min(1, model.n_slots)) if rule.at_root else range(model.n_slots)
    for question, column in enumerate(model.questions.family):
        if int(column) not in rule.columns:
            for slot in slots:
                model.cp.add(model.asks[slot][question] == 0)


def post_threshold_range(model: CpTreeModel, rule: ThresholdRange) -> None:
    """Forbid fixed questions with another threshold; `choose_questions` makes no others outside the range."""
    for question in model.questions.fixed:
        predicate, column = model.questions.predicates[question], int(model.questions.family[question])
        if column == rule.column and predicate.op is Op.LE and predicate.operand not in rule.thresholds:
            model.cp.add_bool_or([])


def post_fixed_question(model: CpTreeModel, rule: FixedQuestion) -> None:
    """The question stands at its slot, which must be there."""
    place = slot_of(rule.place)
    question = next(
        q for q, at in model.questions.fixed.items() if at == place and model.questions.predicates[q] == rule.predicate
    )
    model.cp.add(model.asks[place][question] == 1) if place < model.n_slots else model.cp.add_bool_or([])


# Leaves


def post_pure(model: CpTreeModel, rule: Pure) -> None:
    """The class that a branch answers has its share of the weight: share.denominator * held >= numerator * all."""
    for label in range(model.n_classes) if rule.label is None else (rule.label,):
        held = rule.share.denominator * model.cells.class_weight[:, label]
        short = held - rule.share.numerator * model.cells.weight
        for branch, answers in enumerate(model.answers):
            model.cp.add(model.over(short, branch) >= 0).only_enforce_if(answers[label])


def post_together(model: CpTreeModel, rule: TogetherRule) -> None:
    """Section 4.5: S is the same for both rows."""
    for first, second in _cell_pairs(model, rule):
        for here, there in zip(model.at[first], model.at[second], strict=True):
            model.cp.add(here == there)


def post_apart(model: CpTreeModel, rule: ApartRule) -> None:
    """No branch has both rows; impossible where they answer every question alike."""
    for first, second in _cell_pairs(model, rule):
        for here, there in zip(model.at[first], model.at[second], strict=True):
            model.cp.add_bool_or([~here, ~there])


# Sums


def post_sum(model: CpTreeModel, rule: Sum) -> None:
    """Sections 4.3 and 4.7: what all branches add is within the limit."""
    paid = total(model.branch_sum(model.cells.total(rule.by_label), "sum")) + _tests(model, rule)
    # a limit that no tree reaches may be too large to be counted
    most = rule.most(len(model.cells))
    model.cp.add(paid + rule.per_leaf * (model.n_splits + 1) <= max(-most - 1, min(rule.limit, most)))


def _tests(model: CpTreeModel, rule: Sum) -> LinearExpr:
    """What the rows at each slot pay for its question, where no question above has paid for it."""
    paid: list[LinearExpr] = []
    weight = np.zeros(0, np.int64) if rule.test_weight is None else model.cells.total(rule.test_weight)
    most = int(weight.sum())
    for slot in range(model.n_slots if most else 0):
        rows = model.over_slot(weight, slot)
        for columns, price in () if rule.tests is None else tests_of(rule.tests):
            before = total(model.about(up, *columns) for up in above(slot))
            # a column is asked about at most once at each slot above, so the first time is where `before` is 0
            new = model.cp.new_bool_var("")
            model.cp.add(new >= model.about(slot, *columns) - before)
            paid.append(model.cp.new_int_var(0, price * most, ""))
            model.cp.add(paid[-1] >= price * rows).only_enforce_if(new)
    return total(paid)


# The whole tree


def post_must_appear(model: CpTreeModel, rule: MustAppearRule) -> None:
    """Section 4.6, where a question counts if the leaves below it do not all give one answer."""
    counts = []
    for slot in range(model.n_slots):
        counts.append(model.cp.new_bool_var(""))
        model.cp.add(model.about(slot, rule.column) >= counts[-1])
        below = branches_below(slot, model.size.depth)
        for label in range(model.n_classes):
            others = [answer for branch in below for k, answer in enumerate(model.answers[branch]) if k != label]
            model.cp.add_bool_or(others).only_enforce_if(counts[-1])
    model.cp.add_bool_or(counts)


def post_never_both(model: CpTreeModel, rule: NeverBoth) -> None:
    """Section 4.6 as it is meant: the tree has one of them or none. (The paper counts branches, not questions.)"""
    first = model.cp.new_bool_var("")
    for slot in range(model.n_slots):
        model.cp.add(model.about(slot, rule.first) <= first)
        model.cp.add(model.about(slot, rule.second) <= 1 - first)


def post_few_columns(model: CpTreeModel, rule: FewColumns) -> None:
    """At most so many columns are used."""
    used = []
    for column in model.columns:
        used.append(model.cp.new_bool_var(""))
        for slot in range(model.n_slots):
            model.cp.add(model.about(slot, column) <= used[-1])
    model.cp.add(total(used) <= rule.most)


def post_reached(model: CpTreeModel, rule: Reached) -> None:
    """Florio et al. (2023), equation 20: so many rows come to a slot that asks something."""
    for slot, splits in enumerate(model.splits):
        model.cp.add(model.over_slot(model.cells.rows, slot) >= rule.rows).only_enforce_if(splits)


def post_chain(model: CpTreeModel, rule: Chain) -> None:
    """Of the two slots below a slot one asks nothing."""
    for slot in range(model.n_slots // 2):
        model.cp.add_bool_or([~model.splits[yes_of(slot)], ~model.splits[no_of(slot)]])


POST: dict[type, Callable[[CpTreeModel, Any], object]] = {
    NotBelow: post_not_below,
    OnlyBelow: post_only_below,
    PathCost: post_path_cost,
    Allowed: post_allowed,
    ThresholdRange: post_threshold_range,
    FixedQuestion: post_fixed_question,
    Pure: post_pure,
    TogetherRule: post_together,
    ApartRule: post_apart,
    Sum: post_sum,
    MustAppearRule: post_must_appear,
    NeverBoth: post_never_both,
    FewColumns: post_few_columns,
    Reached: post_reached,
    Chain: post_chain,
    Monotone: post_monotone,
}
"""The rules that are posted, and how."""


def _cell_pairs(model: CpTreeModel, rule: TogetherRule | ApartRule) -> list[tuple[int, int]]:
    """The cells of the pairs of rows, each pair once."""
    cells = model.cells.of_row[np.array(rule.pairs, np.int64).reshape(-1, 2)]
    return sorted({(int(a), int(b)) for a, b in np.sort(cells, axis=1)})
