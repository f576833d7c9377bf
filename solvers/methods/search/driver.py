"""How a search is run, whichever method it is: the method searches, and the driver does the rest."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from importlib import import_module

from ...constraints import impossibility
from ...diagram import Diagram
from ...problem import Limits, Problem
from ...solution import Emit, Solution, Started, Stop
from ..base import Method, Unsupported
from .context import SearchContext


class SearchMethod(Method):
    """A method by its search; its first run would wait for the modules in `imports` and for the methods it `uses`."""

    imports: tuple[str, ...] = ()
    uses: tuple[type[SearchMethod], ...] = ()

    def warm(self, constraints: bool = False) -> None:
        """Import and compile what the method needs, see `Method.warm`."""
        for module in self.imports:
            import_module(module)
        for method in self.uses:
            method().warm(constraints)

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
        return self._run_search(SearchContext(self.name, problem, limits, emit, stop, exact=self.exact))

    def _run_search(self, context: SearchContext, diagram: Diagram | None = None, bound: int | None = None) -> Solution:
        context.emit(Started(self.name))
        if impossibility(context.problem):
            context.refute()
        else:
            if diagram is not None:
                context.offer(diagram)
                context.raise_bound(bound or 0)
            self.search(context)
        return context.solution()


class ResumableSearch(SearchMethod):
    """A method whose search takes incumbent and bound of its context as they stand, whoever found them."""

    def resume(
        self, problem: Problem, limits: Limits, emit: Emit, stop: Stop, diagram: Diagram, bound: int | None
    ) -> Solution:
        """Go on from what is known, see `abilities.Resumes`."""
        context = SearchContext(self.name, problem, limits, emit, stop, exact=self.exact)
        return self._run_search(context, diagram, bound)
