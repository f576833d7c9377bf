"""Cost and bound of a search in one line, live in the output of a notebook cell."""

import sys
import time
from html import escape
from typing import Any

from ..metrics.words import amount
from ..problem import Problem
from ..solution import Bound, Event, Finished, Incumbent, Solution, Status, relative_gap
from .record import Record

PAUSE = 0.2
"""The minimum time between two updates of the display, in seconds."""


def progress_text(record: Record, noun: str, unit: float) -> str:
    """Cost, lower bound, gap and time of a search in one line; `unit` is the weight of one integer unit of cost."""
    cost, bound, solution, seconds = record.cost, record.bound, record.solution, f"{record.elapsed:.1f} s"
    if solution is not None and solution.status is Status.INFEASIBLE:
        return f"No {noun} of this shape satisfies the constraints (proved); {seconds}"
    parts = [f"No {noun}" if cost is None else f"Best {noun}: cost {amount(cost * unit)}"]
    if solution is not None and solution.status is Status.OPTIMAL and solution.verified is True:
        parts.append("optimal on the training data")
    elif bound is None or (bound <= 0 and bound != cost):
        parts.append("no lower bound" if bound is None else "no lower bound yet")
    else:
        parts.append(f"lower bound {amount(bound * unit)}")
        if (gap := relative_gap(cost, bound)) is not None and gap < 1:
            parts.append(f"gap {100 * gap:.1f}%")
    return "; ".join([*parts, seconds])


class NotebookProgress:
    """Shows the incumbent's cost, the lower bound and the elapsed seconds during a search.

    Parameters
    ----------
    problem : the problem being solved.
    handle : IPython's handle of the output that is updated.
    unit : the weight that one integer unit of cost represents, in the user's weights.
    """

    def __init__(self, problem: Problem, handle: Any, unit: float) -> None:
        self._noun, self._handle, self._unit = problem.shape.kind.noun, handle, unit
        self._record, self._shown_at = Record(), 0.0

    def __call__(self, event: Event) -> None:
        """Process an event of the search."""
        self._record.apply(event)
        if isinstance(event, Incumbent | Bound) and time.monotonic() - self._shown_at >= PAUSE:
            self._show()

    def close(self, solution: Solution) -> None:
        """Show how the search ended; a bound that holds only for some of the models is not shown."""
        self._record.apply(Finished(solution.seconds, solution))
        if solution.scope is not None:
            self._record.withdraw()
        self._show()

    @property
    def text(self) -> str:
        """The displayed text."""
        return progress_text(self._record, self._noun, self._unit)

    def _show(self) -> None:
        self._shown_at = time.monotonic()
        self._handle.update({"text/plain": self.text, "text/html": f"<p>{escape(self.text)}</p>"}, raw=True)


def notebook_progress(problem: Problem, unit: float | None = None) -> NotebookProgress | None:
    """The progress display of a notebook; `None` if this process is not a notebook kernel.

    `unit` is the weight that one integer unit of cost represents; by default a row of weight 1 is one unit.
    """
    # a kernel process has already loaded IPython
    if "ipykernel" not in sys.modules or "IPython" not in sys.modules:
        return None
    ipython = sys.modules["IPython"]
    shell = ipython.get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display

    handle = display({"text/plain": "The search starts."}, raw=True, display_id=True)  # type: ignore[no-untyped-call]
    return None if handle is None else NotebookProgress(problem, handle, unit or 1 / problem.scale)
