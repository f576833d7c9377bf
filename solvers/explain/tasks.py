"""Tasks of a worker other than solving, each with the call that answers it.

A new task is a `TaskRecord` with `doing` and `answer`, in any package of the library. Its answer is an `AnswerRecord`
with `seconds`. `solvers.run.records` lists both.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Protocol, runtime_checkable

import msgspec

from ..problem import Limits, Problem
from ..solution import Stop
from .evidence import KnownResult
from .inquiry import Inquiry, Solve

Tell = Callable[[Any], None]
"""Callback for partial answers."""


@runtime_checkable
class Task(Protocol):
    """A task of a worker other than solving.

    Attributes
    ----------
    doing : a sentence for the screen that says what the worker is doing.
    """

    doing: ClassVar[str]

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> Any:
        """Answer the task for a problem, report partial answers, and end soon after `stop` is set.

        Parameters
        ----------
        problem, limits : the input of the run.
        solve : the method of the run, with its options, as a solver.
        stop : ends the task with what is known so far.
        tell : callback for partial answers.
        """


class TaskRecord(msgspec.Struct, frozen=True, tag=True, tag_field="task", forbid_unknown_fields=True):
    """A task as its fields; in JSON, with the name of its class under 'task'."""


class Explanation:
    """A task that asks a solver many questions about one problem.

    A kind is also a `TaskRecord`. It has the seconds per question, `step`, and the results `known` from other runs.
    """

    step: float
    known: tuple[KnownResult, ...]

    def answer(
        self,
        problem: Problem,
        solve: Solve,
        limits: Limits | None = None,
        stop: Stop | None = None,
        tell: Tell = lambda answer: None,
    ) -> Any:
        """Explain, in this process.

        Parameters
        ----------
        problem : the problem.
        solve : a solver, such as `solver("contree")`; only an exact one can prove a conflict.
        limits : for the whole explanation.
        stop : ends it; the last partial answer is then the answer.
        tell : callback for partial answers.

        Raises
        ------
        UnsupportedError
            The solver does not support this problem.
        ConstraintError
            There is no such constraint, or it has no limit.
        """
        return self.explain(Inquiry(problem, solve, limits, stop, self.step, self.known), tell)

    def explain(self, inquiry: Inquiry, tell: Tell) -> Any:
        """Ask the questions."""
        raise NotImplementedError
