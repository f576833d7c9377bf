"""What is known of the trees that ask the chosen questions, beside what is known of all trees."""

from dataclasses import replace

import numpy as np

from ....diagram import Diagram, Leaf
from ....problem import MissingPolicy, Predicate, Problem
from ....solution import Bound, Event, Incumbent, PartialScope, Scope
from ...search.context import SearchContext
from ..tree_of_splits import RankTree, Tree, assemble, is_larger, leaf_with
from .questions import QuestionMenu


class AmongQuestions:
    """Trees of the chosen questions, offered to a search, and their bound.

    The bound of the context holds for all trees, whatever they ask; `bound` for those that ask the chosen questions
    alone.
    """

    def __init__(self, context: SearchContext, questions: QuestionMenu) -> None:
        self.context, self.questions, self.bound = context, questions, context.problem.unavoidable_cost
        context.raise_bound(self.bound)

    @property
    def proved(self) -> bool:
        """Whether no tree that asks the chosen questions is better."""
        return self.context.cost is not None and self.context.cost <= self.bound

    @property
    def gap_reached(self) -> bool:
        """Whether none of them is better by more than was asked for."""
        return self.context.cost is not None and self.context.cost - self.bound <= self.context.gap

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to do: close enough, or due."""
        return self.gap_reached or self.context.due()

    def offer(self, *diagrams: Diagram) -> None:
        """Offer the first of some trees that keeps the constraints."""
        problem = self.context.problem
        for diagram in diagrams:
            if not any(constraint.violations(diagram, problem.dataset) for constraint in problem.constraints):
                self.context.offer(diagram)
                return

    def offer_solution(self, tree: RankTree) -> None:
        """Offer a tree of the model; splits of no use are left out where the constraints permit it."""
        self.offer(*(diagram_of(self.context.problem, self.questions, tree, pruned=pruned) for pruned in (True, False)))

    def on_event(self, event: Event) -> None:
        """Take results of another search for trees of the chosen questions."""
        if isinstance(event, Incumbent):
            self.offer(event.diagram)
        elif isinstance(event, Bound):
            self.raise_bound(event.value)

    def raise_bound(self, bound: int) -> None:
        """Take a lower bound over the chosen questions; where they are all, it holds for every tree."""
        self.bound = max(self.bound, bound)
        if self.questions.complete:
            self.context.raise_bound(bound)

    def progress(self) -> None:
        """Tell now and then how tree and bound stand."""
        cost = self.context.cost
        best = "No tree yet" if cost is None else f"Best tree so far: cost {cost}"
        self.context.progress(f"{best}; no tree of these questions can cost less than {self.bound}.")

    def part(self, impossible: bool) -> PartialScope:
        """What is known of these trees; `impossible` where it is proved that there is none."""
        proved = impossible or self.proved
        return PartialScope(Scope.QUANTILES, len(self.questions.predicates), bound=self.bound, proved=proved)


def diagram_of(problem: Problem, questions: QuestionMenu, tree: RankTree, *, pruned: bool) -> Diagram:
    """The tree as a diagram, if `pruned` without splits whose two sides are leaves of one class."""

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
    """The question with missing values sent to the larger side, where no training row has one."""
    dataset = problem.dataset
    values = dataset.X[:, dataset.schema.index(predicate.column)]
    if dataset.schema.missing is not MissingPolicy.INFORMATION or np.isnan(values).any():
        return predicate
    return replace(predicate, missing=is_larger(problem, rows, yes))
