"""What the greedy methods share: they grow one tree from the root down, in question orders, and prove nothing."""

from abc import abstractmethod

from solvers.methods.search.context import SearchContext
from solvers.methods.search.driver import SearchMethod
from solvers.methods.trees.exact_search import Splits
from solvers.methods.trees.tree_of_splits import grow
from solvers.problem import Orders, question_orders


class GreedyMethod(SearchMethod):
    """A method that makes one tree. It is valid also where the search had to end early."""

    exact = False

    @abstractmethod
    def splits(self, context: SearchContext, orders: Orders) -> Splits:
        """The splits of a tree, or those until then once the context is due. There is at least one order."""

    def search(self, context: SearchContext) -> None:
        """Grow the tree, where anything may be asked."""
        problem = context.problem
        orders, size = question_orders(problem.dataset), problem.size
        choices: Splits = {}
        if not context.due() and len(orders) and size.max_depth > 0 and size.max_leaf_nodes != 1:
            choices = self.splits(context, orders)
        context.offer(grow(problem, orders, lambda _, slot: choices.get(slot)))
