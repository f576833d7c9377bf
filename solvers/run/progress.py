"""Cost and bound of a search in one line, live in a terminal or in the output of a notebook cell."""

import sys
import time
from collections.abc import Callable
from html import escape

from ..metrics.words import amount
from ..problem import Problem
from ..solution import Event, Finished, Incumbent, Solution, Status, relative_gap
from .record import Record

PAUSE = 0.2
"""The minimum time between two updates of the display, in seconds."""


class SearchProgress:
    """Shows the incumbent's cost, the lower bound and the elapsed seconds during a search.

    Parameters
    ----------
    problem : the problem being solved.
    show : displays a text in place of the former one.
    unit : the weight that one integer unit of cost represents; by default a row of weight 1 is one unit.
    """

    def __init__(self, problem: Problem, show: Callable[[str], None], unit: float | None = None) -> None:
        self._noun, self._show, self._unit = problem.shape.kind.noun, show, unit or 1 / problem.scale
        self._record, self._shown_at = Record(), time.monotonic()

    def __call__(self, event: Event) -> None:
        """Process an event of the search; the first model is shown at once."""
        first = isinstance(event, Incumbent) and self._record.cost is None
        self._record.apply(event)
        if first or time.monotonic() - self._shown_at >= PAUSE:
            self._shown_at = time.monotonic()
            self._show(self.text)

    def close(self, solution: Solution) -> None:
        """Show how the search ended; a bound that holds only for some of the models is not shown."""
        self._record.apply(Finished(solution.seconds, solution))
        if solution.scope is not None:
            self._record.withdraw()
        self._show(self.text)

    @property
    def text(self) -> str:
        """The displayed text."""
        record, noun = self._record, self._noun
        cost, bound, solution, seconds = record.cost, record.bound, record.solution, f"{record.elapsed:.1f} s"
        if solution is not None and solution.status is Status.INFEASIBLE:
            return f"No {noun} of this shape satisfies the constraints (proved); {seconds}"
        parts = [f"No {noun}" if cost is None else f"Best {noun}: cost {amount(cost * self._unit)}"]
        if solution is not None and solution.status is Status.OPTIMAL and solution.verified is True:
            parts.append("optimal on the training data")
        elif bound is None or (bound <= 0 and bound != cost):
            parts.append("no lower bound" if bound is None else "no lower bound yet")
        else:
            parts.append(f"lower bound {amount(bound * self._unit)}")
            if (gap := relative_gap(cost, bound)) is not None and gap < 1:
                parts.append(f"gap {100 * gap:.1f}%")
        return "; ".join([*parts, seconds])


def notebook_progress(problem: Problem, unit: float | None = None) -> SearchProgress | None:
    """The progress display of a notebook; `None` if this process is not a notebook kernel. `unit` as above."""
    # a kernel process has already loaded IPython
    if "ipykernel" not in sys.modules or "IPython" not in sys.modules:
        return None
    ipython = sys.modules["IPython"]
    shell = ipython.get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display

    handle = display({"text/plain": "The search starts."}, raw=True, display_id=True)  # type: ignore[no-untyped-call]
    if handle is None:
        return None
    update = handle.update
    return SearchProgress(
        problem, lambda text: update({"text/plain": text, "text/html": f"<p>{escape(text)}</p>"}, raw=True), unit
    )
