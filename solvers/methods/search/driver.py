"""How a search is run, whichever method it is: the method searches, and the driver does the rest."""

from abc import abstractmethod
from collections.abc import Iterable
from importlib import import_module

from solvers.constraints import impossibility
from solvers.methods.base import Method, Unsupported
from solvers.methods.search.context import SearchContext
from solvers.problem import Limits, Problem
from solvers.solution import Emit, Solution, Started, Stop


class SearchMethod(Method):
    """A method by its search; `imports` are modules that its first run would wait for."""

    imports: tuple[str, ...] = ()

    def warm(self, constraints: bool = False) -> None:
        """Import what the method needs, see `Method.warm`."""
        for module in self.imports:
            import_module(module)

    @abstractmethod
    def refusals(self, problem: Problem) -> Iterable[Unsupported]:
        """Why this problem cannot be taken, see `Method.check`."""

    def check(self, problem: Problem) -> tuple[Unsupported, ...]:
        """Why this problem cannot be taken; empty where it can."""
        return tuple(self.refusals(problem))

    @abstractmethod
    def search(self, context: SearchContext) -> None:
        """Offer models and bounds until everything is proved, or the context says that it is time to end.

        Raises `UnsupportedError` where the search would need more memory than the limit allows, or a solver that is not
        there.
        """

    def run(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """Search until incumbent and bound meet, the gap is reached, or time is up, see `Method.run`."""
        context = SearchContext(self.name, problem, limits, emit, stop, exact=self.exact)
        emit(Started(self.name))
        if impossibility(problem):
            context.refute()
        else:
            self.search(context)
        return context.solution()
