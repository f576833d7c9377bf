"""From distinct cases to the smallest tree: increase the depth, then reduce the leaves, with progress reports."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np

from ....diagram import Diagram
from ....solution import Criterion
from ...search.context import SearchContext
from ...search.watch import Watch
from ..cart import cart_splits
from ..tree_of_splits import Splits, grow
from .cases import DistinctCases

FIRST_PAUSE = 0.5
"""Seconds until the first report; later ones are less frequent, because each costs some work."""


Answer = TypeVar("Answer", bool, int)


class ConsistentSearch(ABC):
    """A search for consistent trees that can be stopped from another thread and resumed.

    Attributes
    ----------
    name : the name of the search, in one or two words.
    out_of_memory : whether the search cannot continue because its memory is full.
    """

    name: str
    out_of_memory = False

    @property
    def examples(self) -> np.ndarray | None:
        """The cases that the search needed, int64; `None` if it used all of them."""
        return None

    @property
    @abstractmethod
    def stats(self) -> dict[str, Any]:
        """Statistics so far."""

    @abstractmethod
    def stop(self) -> None:
        """End soon; may be called from another thread."""

    @abstractmethod
    def resume(self) -> None:
        """Undo `stop`."""

    @abstractmethod
    def feasible(self, depth: int) -> bool | None:
        """Whether there is a tree of at most this depth; `None` if the search was stopped."""

    @abstractmethod
    def fewest(self, depth: int, most: int | None = None) -> int | None:
        """The fewest leaves at a depth, or any number above `most` if the minimum is larger; `None` if stopped."""

    @abstractmethod
    def best(self, depth: int) -> int | None:
        """The number of leaves of the smallest known tree of this depth; `None` if none is known."""

    @abstractmethod
    def splits(self, depth: int, leaves: int | None = None) -> Splits:
        """A known tree: any of this depth, or the one with as many leaves as `best`."""


@dataclass
class ConsistentProgress:
    """The state of a search for the smallest consistent tree.

    Attributes
    ----------
    distinct : the distinct cases; context : the context of the search.
    refuted : the depths at which it is proved that no tree is consistent.
    minimum_depth : the minimum depth of a consistent tree; `None` until it is known.
    least_deep : the same under the leaf limit, once proved.
    splits : the best tree of the required shape so far.
    smallest : whether it is proved that none is smaller by the criterion.
    none_fits : whether it is proved that no consistent tree has the required shape.
    """

    distinct: DistinctCases
    context: SearchContext
    search: ConsistentSearch
    refuted: list[int] = field(default_factory=list)
    minimum_depth: int | None = None
    least_deep: int | None = None
    splits: Splits | None = None
    smallest: bool = False
    none_fits: bool = False
    _greedy: bool = False

    def find(self, criterion: Criterion) -> None:
        """Search to the end, or until the context is due."""
        size = self.distinct.problem.size
        for depth in range(size.max_depth + 1):
            if self._suffices(depth) is not False:
                break
        self.none_fits = len(self.refuted) > size.max_depth
        if self.minimum_depth is None:
            return
        self._take(self.search.splits(self.minimum_depth))
        most = size.max_leaf_nodes
        depth = self.minimum_depth
        if criterion is Criterion.DEPTH_ALONE and self.splits is not None:
            self.least_deep = depth
            return
        while (answer := self._fewest(depth, most)) is not None and most is not None and answer > most:
            depth += 1
            if depth > size.max_depth:
                self.none_fits = True
                return
        if answer is None:
            return
        self.least_deep = depth
        if criterion is Criterion.NODES and depth < size.max_depth:
            # a smaller tree has fewer leaves, and at most one level less than leaves
            answer = self._fewest(min(size.max_depth, max(depth, answer - 2)), answer - 1)
        self.smallest = answer is not None

    def answered(self, criterion: Criterion) -> bool:
        """Whether it is proved that no consistent tree of the required shape is smaller by the criterion."""
        return self.least_deep is not None if criterion is Criterion.DEPTH_ALONE else self.smallest

    def diagram(self, splits: Splits) -> Diagram:
        """The diagram of splits in the numbers of the kept orders."""
        kept, distinct = self.distinct.kept, self.distinct
        chosen = {slot: (int(kept[order]), last) for slot, (order, last) in splits.items()}
        return grow(distinct.problem, distinct.orders, chosen)

    def adopt(self, splits: Splits) -> None:
        """Offer a tree."""
        self.context.offer(self.diagram(splits))

    def adopt_fitting(self, splits: Splits) -> None:
        """Offer a tree if it satisfies the leaf limit."""
        most = self.distinct.problem.size.max_leaf_nodes
        if most is None or len(splits) < most:
            self.adopt(splits)

    def adopt_greedy(self) -> None:
        """Offer CART's tree of the required shape."""
        distinct = self.distinct
        splits = (
            cart_splits(distinct.problem, distinct.orders, self.context.limits.seed) if len(distinct.orders) else {}
        )
        self.context.offer(grow(distinct.problem, distinct.orders, splits))

    def _suffices(self, depth: int) -> bool | None:
        """Whether a depth suffices; the result is recorded and logged."""
        doing = f"Is there a tree of depth {depth} without errors?"
        answer = self._ask(lambda: self.search.feasible(depth), doing)
        if answer:
            self.minimum_depth = depth
        elif answer is False:
            self.refuted.append(depth)
            self.context.log(f"Proved: no tree of depth {depth} avoids all avoidable errors.")
        return answer

    def _fewest(self, depth: int, most: int | None) -> int | None:
        """The fewest leaves at a depth, or a number above `most`; takes the best known tree."""
        limit = "" if most is None else f" and at most {2 * most - 1} nodes"
        doing = f"Searching for the fewest nodes: depth at most {depth}{limit}."
        answer = self._ask(lambda: self.search.fewest(depth, most), doing, lambda: self._take_best(depth, most))
        self._take_best(depth, most)
        return answer

    def _take_best(self, depth: int, most: int | None) -> None:
        """Take the smallest known tree of a depth, unless it exceeds the leaf limit."""
        best = self.search.best(depth)
        if best is None or (most is not None and best > most):
            return
        if self.splits is None or best <= len(self.splits):
            self._take(self.search.splits(depth, best))

    def _take(self, splits: Splits) -> None:
        """Take a consistent tree if it has the required shape and is smaller than the previous one."""
        most = self.distinct.problem.size.max_leaf_nodes
        if most is not None and len(splits) + 1 > most:
            return
        if self.splits is None or len(splits) < len(self.splits):
            self.splits = splits
            self.context.log(f"A tree of {2 * len(splits) + 1} nodes has no avoidable errors.")
            self.adopt(splits)

    def _ask(
        self, question: Callable[[], Answer | None], doing: str, pausing: Callable[[], None] = lambda: None
    ) -> Answer | None:
        """Run a query of the search with progress reports; `None` if the context becomes due before its result.

        `pausing` is called whenever the search pauses.
        """
        context, pause = self.context, FIRST_PAUSE
        while not context.due() and not self.search.out_of_memory:
            self.search.resume()
            with Watch(self.search.stop, partial(self._is_over, context.elapsed + pause)):
                answer = question()
            if answer is not None:
                return answer
            if self.splits is None and not self._greedy:
                self._greedy = True
                self.adopt_greedy()
            pausing()
            context.report(doing, self.search.stats)
            pause *= 1.5
        return None

    def _is_over(self, end: float) -> bool:
        return self.context.due() or self.context.elapsed > end
