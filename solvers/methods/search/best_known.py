"""The best model and the lower bound of a search so far."""

from threading import RLock

from ...diagram import Diagram
from ...problem import Problem
from ...solution import Bound, Emit, Incumbent, TracePoint
from .clock import Clock


class BestKnown:
    """Incumbent, bound and trace, reported to a listener as they improve. Thread-safe.

    Parameters
    ----------
    problem : the problem; clock : the clock of the search; emit : the listener.
    exact : whether there is a lower bound.

    Attributes
    ----------
    diagram, cost : the best model so far; `None` before the first.
    bound : the lower bound on the cost; `None` for heuristics.
    trace : the improvements of both over time.
    """

    def __init__(self, problem: Problem, clock: Clock, emit: Emit, *, exact: bool = True) -> None:
        self.problem, self.clock, self.emit = problem, clock, emit
        self.diagram: Diagram | None = None
        self.cost: int | None = None
        self.bound: int | None = 0 if exact else None
        self.trace: list[TracePoint] = []
        self._lock = RLock()

    @property
    def elapsed(self) -> float:
        """Seconds since the search began."""
        return self.clock.elapsed

    @property
    def proved(self) -> bool:
        """Whether incumbent and bound meet."""
        return self.cost is not None and self.cost == self.bound

    @property
    def incumbent(self) -> Diagram:
        """The best model so far; there must be one."""
        assert self.diagram is not None, "there is no model yet"
        return self.diagram

    @property
    def incumbent_cost(self) -> int:
        """The cost of the best model so far; there must be one."""
        assert self.cost is not None, "there is no model yet"
        return self.cost

    @property
    def lower_bound(self) -> int:
        """The lower bound of an exact method."""
        assert self.bound is not None, "heuristics have no bound"
        return self.bound

    def cost_of(self, diagram: Diagram) -> int:
        """The cost of a model."""
        return self.problem.cost_of(diagram)

    def offer(self, diagram: Diagram) -> bool:
        """Take a model as the incumbent if it costs less, or the same with fewer splits; return whether it was taken.

        The caller guarantees that the model is feasible.
        """
        cost = self.cost_of(diagram)
        with self._lock:
            if self.diagram is not None and (cost, diagram.n_splits) >= (self.cost, self.diagram.n_splits):
                return False
            better = self.cost is None or cost < self.cost
            self.diagram, self.cost = diagram, cost
            if better:
                self.emit(Incumbent(self.elapsed, cost, diagram))
                self._note()
            return True

    def prefer(self, diagram: Diagram) -> None:
        """Replace the incumbent by a model of the same cost."""
        cost = self.cost_of(diagram)
        assert cost == self.cost
        self.diagram = diagram

    def raise_bound(self, bound: int) -> None:
        """Take a lower bound if it is better; ignored for heuristics."""
        with self._lock:
            if self.bound is not None and (bound > self.bound or not self.trace):
                self.bound = max(bound, self.bound)
                self.emit(Bound(self.elapsed, self.bound))
                self._note()

    def _note(self) -> None:
        self.trace.append(TracePoint(self.elapsed, self.cost, self.bound))
