"""What is known of the trees that ask the chosen questions, beside what is known of all trees."""

from solvers.methods.search.context import SearchContext
from solvers.methods.trees.cptree.enumeration import EnumeratedTree
from solvers.methods.trees.cptree.forms import diagram_of
from solvers.methods.trees.cptree.questions import QuestionMenu
from solvers.solution import PartialScope, Scope


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
    def close(self) -> bool:
        """Whether none of them is better by more than was asked for."""
        return self.context.cost is not None and self.context.cost - self.bound <= self.context.gap

    @property
    def over(self) -> bool:
        """Whether there is nothing left to do: close enough, or due."""
        return self.close or self.context.due()

    def offer(self, tree: EnumeratedTree) -> None:
        """Offer a tree if it keeps the constraints; splits of no use are left out where the constraints permit it."""
        problem = self.context.problem
        for pruned in (True, False):
            diagram = diagram_of(problem, self.questions, tree, pruned=pruned)
            if not any(constraint.violations(diagram, problem.dataset) for constraint in problem.constraints):
                self.context.offer(diagram)
                return

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
