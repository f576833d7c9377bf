"""Rules that refer to the slots and branches of a tree, as CP-SAT constraints; the others are in `cp_rules`.

The formulas of Nanfack, Temple and Frénay (2023), section 4, refer to branches and encoded bits. Here they refer to
slots, which branches share, and to columns: all thresholds and levels of a column are one feature.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....constraints.rules import Allowed, FixedQuestion, Monotone, PathCost, Pure, ThresholdRange
from ....problem import Op
from ... import cp_rules
from ...cp_sat import total
from ...permitted import tests_of
from ..slots import above, slot_of
from .formulation import CpTreeModel
from .monotone import post_monotone


def post_path_cost(model: CpTreeModel, rule: PathCost) -> None:
    """Section 4.2, with every column and every group paid once."""
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
    """The other columns are never used, or not at the root."""
    slots = range(min(1, model.n_slots)) if rule.at_root else range(model.n_slots)
    for question, column in enumerate(model.questions.family):
        if int(column) not in rule.columns:
            for slot in slots:
                model.cp.add(model.asks[slot][question] == 0)


def post_threshold_range(model: CpTreeModel, rule: ThresholdRange) -> None:
    """Forbid fixed splits with other thresholds; `choose_questions` makes no others outside the range."""
    for question in model.questions.fixed:
        predicate, column = model.questions.predicates[question], int(model.questions.family[question])
        if column == rule.column and predicate.op is Op.LE and predicate.operand not in rule.thresholds:
            model.cp.add_bool_or([])


def post_fixed_question(model: CpTreeModel, rule: FixedQuestion) -> None:
    """The slot has the fixed split, and must exist."""
    place = slot_of(rule.place)
    question = next(
        q for q, at in model.questions.fixed.items() if at == place and model.questions.predicates[q] == rule.predicate
    )
    model.cp.add(model.asks[place][question] == 1) if place < model.n_slots else model.cp.add_bool_or([])


def post_pure(model: CpTreeModel, rule: Pure) -> None:
    """The predicted class of a branch has its share of the weight: share.denominator * held >= numerator * all."""
    for label in range(model.n_classes) if rule.label is None else (rule.label,):
        held = rule.share.denominator * model.cells.class_weight[:, label]
        short = held - rule.share.numerator * model.cells.weight
        for branch, answers in enumerate(model.answers):
            model.cp.add(model.over(short, branch) >= 0).only_enforce_if(answers[label])


POST: dict[type, Callable[[CpTreeModel, Any], object]] = cp_rules.POST | {
    PathCost: post_path_cost,
    Allowed: post_allowed,
    ThresholdRange: post_threshold_range,
    FixedQuestion: post_fixed_question,
    Pure: post_pure,
    Monotone: post_monotone,
}
"""The function that posts each class of rule. `refusals` rejects all other rules."""
