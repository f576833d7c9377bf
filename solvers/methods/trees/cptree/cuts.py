"""What the enumeration found, told to the solver: lower bounds of subtrees, given the questions above them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from solvers.methods.cp_sat import total
from solvers.methods.trees.cptree.enumeration import Least
from solvers.methods.trees.cptree.model import CpTreeModel
from solvers.methods.trees.cptree.multipliers import Priced
from solvers.methods.trees.cptree.rules import PostedSum
from solvers.methods.trees.slots import Slot, branches_below, no_of, questions_below, yes_of

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import IntVar, LinearExpr


class Cuts:
    """Posts what is known at some prices; one object for all prices of a model."""

    def __init__(self, model: CpTreeModel, sums: Sequence[PostedSum]) -> None:
        self.model, self.sums = model, sums
        self._few: dict[tuple[Slot, int], IntVar] = {}

    def post(self, priced: Priced) -> None:
        """Bounds below the first question, and in a tree of three levels or more below the first two."""
        if not self.model.n_slots:
            return
        prices = {child: self._price(priced, child) for child in (yes_of(0), no_of(0))}
        if priced.root.nodes:
            for slot, price in list(prices.items()):
                below = {child: self._price(priced, child) for child in (yes_of(slot), no_of(slot))}
                self.model.cp.add(price == total(below.values()) + self._asking(priced, slot))
                prices |= below
        self._sides(priced, priced.root, 0, None, prices)
        for (question, side), node in priced.root.nodes.items():
            self._sides(priced, node, (yes_of(0), no_of(0))[side], self.model.asks[0][question], prices)
        # follows from the limits of the sums, but only together; one constraint prunes what several do not
        limit = sum(t * posted.of.rule.limit for t, posted in zip(priced.multipliers, self.sums, strict=True))
        whole = prices[yes_of(0)] + prices[no_of(0)] + self._asking(priced, 0)
        self.model.cp.add(whole <= priced.unit * self.model.objective + limit)

    def _sides(self, priced: Priced, node: Least, slot: Slot, above: IntVar | None, prices: dict[Slot, IntVar]) -> None:
        """The two subtrees below a slot, given the question above it.

        The price of the yes side is at least the sum over all questions q of asks[slot][q] * (the least there). On the
        no side is everything where the slot has no question.
        """
        model, most = self.model, node.below.shape[2] - 1
        given = [] if above is None else [above]
        possible = np.isfinite(node.below[:, :, most]).all(axis=1)
        never = [~chosen for chosen, may in zip(model.asks[slot], possible, strict=True) if not may]
        if never:
            model.cp.add_bool_and(never).only_enforce_if(given)
        limited = model.size.leaves < model.n_branches
        for side, child in enumerate((yes_of(slot), no_of(slot))):
            alone = node.whole[1] if side and np.isfinite(node.whole[1]) else 0.0
            for leaves in range(2 if limited else most, most + 1):
                least = np.where(np.isfinite(node.below[:, side, leaves]), node.below[:, side, leaves], 0.0)
                few = [self._at_most(child, leaves)] if leaves < most else []
                floor = np.floor(least / priced.finest).astype(np.int64).tolist()
                own = total(value * model.asks[slot][q] for q, value in enumerate(floor) if value and possible[q])
                empty = int(np.floor(alone / priced.finest)) * (1 - model.splits[slot])
                model.cp.add(prices[child] >= own + empty).only_enforce_if([*given, *few])

    def _price(self, priced: Priced, slot: Slot) -> IntVar:
        """What the subtree at a slot costs at some prices, as a variable."""
        model, depth = self.model, self.model.size.depth
        branches, slots = branches_below(slot, depth), questions_below(slot, depth)
        price = priced.unit * total(model.cost[b] for b in branches) + total(self._asking(priced, s) for s in slots)
        for times, posted in zip(priced.multipliers, self.sums, strict=True):
            if times:
                price += times * total(posted.by_branch[b] for b in branches)
                price += times * posted.of.rule.per_leaf * total(model.used(b) for b in branches)
        variable = model.cp.new_int_var(-priced.most, priced.most, "")
        model.cp.add(variable == price)
        return variable

    def _asking(self, priced: Priced, slot: Slot) -> LinearExpr:
        """What the question at a slot costs at some prices."""
        price = priced.unit * self.model.split_cost * self.model.splits[slot]
        for times, posted in zip(priced.multipliers, self.sums, strict=True):
            if times and posted.tests:
                price += times * posted.tests[slot]
        return price

    def _at_most(self, slot: Slot, leaves: int) -> IntVar:
        """A literal that is true where the subtree at a slot has at most so many leaves."""
        if (slot, leaves) not in self._few:
            few = self.model.cp.new_bool_var("")
            n_splits = total(self.model.splits[s] for s in questions_below(slot, self.model.size.depth))
            self.model.cp.add(n_splits >= leaves).only_enforce_if(~few)
            self._few[slot, leaves] = few
        return self._few[slot, leaves]
