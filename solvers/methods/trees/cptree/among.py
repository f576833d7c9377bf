"""What is known about the trees of the chosen splits, as opposed to all trees."""

from dataclasses import replace

import numpy as np

from ....diagram import Diagram, Leaf
from ....problem import MissingPolicy, Predicate, Problem
from ....solution import Bound, Event, Incumbent, PartialScope, Scope
from ...search.context import SearchContext
from ..tree_of_splits import RankTree, Tree, assemble, is_larger, leaf_with
from .questions import QuestionMenu


class AmongQuestions:
    """Trees of the chosen splits, offered to a search, and their lower bound.

    The bound of the context applies to all trees, whatever their splits; `bound` only to those of the chosen splits.
    """

    def __init__(self, context: SearchContext, questions: QuestionMenu) -> None:
        self.context, self.questions, self.bound = context, questions, context.problem.unavoidable_cost
        context.raise_bound(self.bound)

    @property
    def proved(self) -> bool:
        """Whether it is proved that no tree of the chosen splits is better."""
        return self.context.cost is not None and self.context.cost <= self.bound

    @property
    def gap_reached(self) -> bool:
        """Whether none of these trees is better by more than the permitted gap."""
        return self.context.cost is not None and self.context.cost - self.bound <= self.context.gap

    @property
    def finished(self) -> bool:
        """Whether the search is over: gap reached, or due."""
        return self.gap_reached or self.context.due()

    def offer(self, *diagrams: Diagram) -> None:
        """Offer the first of these trees that satisfies the constraints."""
        problem = self.context.problem
        for diagram in diagrams:
            if not any(constraint.violations(diagram, problem.dataset) for constraint in problem.constraints):
                self.context.offer(diagram)
                return

    def offer_solution(self, tree: RankTree) -> None:
        """Offer a tree of the model, without useless splits if the constraints permit it."""
        self.offer(*(diagram_of(self.context.problem, self.questions, tree, pruned=pruned) for pruned in (True, False)))

    def on_event(self, event: Event) -> None:
        """Process events of another search for trees of the chosen splits."""
        if isinstance(event, Incumbent):
            self.offer(event.diagram)
        elif isinstance(event, Bound):
            self.raise_bound(event.value)

    def raise_bound(self, bound: int) -> None:
        """Take a lower bound over the chosen splits; if all splits are chosen, it applies to every tree."""
        self.bound = max(self.bound, bound)
        if self.questions.complete:
            self.context.raise_bound(bound)

    def progress(self) -> None:
        """Report incumbent and bound from time to time."""
        cost = self.context.cost
        best = "No tree yet" if cost is None else f"Best tree so far: cost {cost}"
        self.context.progress(f"{best}; no tree with these splits can cost less than {self.bound}.")

    def part(self, impossible: bool) -> PartialScope:
        """What is known about these trees; `impossible` if it is proved that there are none."""
        proved = impossible or self.proved
        return PartialScope(Scope.QUANTILES, len(self.questions.predicates), bound=self.bound, proved=proved)


def diagram_of(problem: Problem, questions: QuestionMenu, tree: RankTree, *, pruned: bool) -> Diagram:
    """The tree as a diagram; if `pruned`, without splits into two leaves of one class."""

    def build(rows: np.ndarray, node: RankTree) -> Tree:
        if len(node) == 1:
            return (leaf_with(problem, rows, node[0]),)
        assert len(node) == 4, "the leaves of these trees have answers"
        question = node[0]
        yes = questions.bits[rows, question]
        first, second = build(rows[yes], node[2]), build(rows[~yes], node[3])
        if pruned and len(first) == 1 == len(second) and first[0].label == second[0].label:
            both = np.array(first[0].counts) + np.array(second[0].counts)
            return (Leaf(first[0].label, tuple(both.tolist())),)
        predicate = questions.predicates[question]
        return (
            predicate if question in questions.fixed else _with_missing(problem, predicate, rows, yes),
            first,
            second,
        )

    return assemble(problem, build(np.arange(problem.dataset.n_samples), tree))


def _with_missing(problem: Problem, predicate: Predicate, rows: np.ndarray, yes: np.ndarray) -> Predicate:
    """The split with missing values on the heavier side, if no training row has one."""
    dataset = problem.dataset
    values = dataset.X[:, dataset.schema.index(predicate.column)]
    if dataset.schema.missing is not MissingPolicy.INFORMATION or np.isnan(values).any():
        return predicate
    return replace(predicate, missing=is_larger(problem, rows, yes))
