"""What a growing minimum of rows at each question of a diagram does to its size and accuracy."""

import math
from dataclasses import replace
from typing import NamedTuple

from components.model.facts import share_right
from components.session.work import Prepared
from components.words.explain_facts import cost_in_words
from components.words.text import count, percent
from solvers.constraints import MinQuestionRows
from solvers.errors import MissingPackageError
from solvers.methods import registry
from solvers.metrics import Rate
from solvers.problem import Problem
from solvers.sweeps.study import Results


class SupportStep(NamedTuple):
    """The best diagram for a minimum of rows at each question, given as a share of the training rows and in rows.

    `train` and `test` are the shares of rows predicted right; `test` is `None` where none are held out.
    """

    share: float
    rows: int
    questions: int
    cost: str
    proved: bool
    train: Rate
    test: Rate | None


class Stability(NamedTuple):
    """The steps of the sweep, in the order of their minima."""

    steps: tuple[SupportStep, ...]

    @property
    def sentence(self) -> str:
        """What the largest minimum costs, in a sentence; '' until there are two steps."""
        if len(self.steps) < 2:
            return ""
        first, last = self.steps[0], self.steps[-1]
        before, after, rows = first.train, last.train, "training rows"
        if first.test is not None and last.test is not None:
            before, after, rows = first.test, last.test, "test rows (held out)"
        return (
            f"Where at least {percent(last.share, 0)} of the rows ({count(last.rows)}) must come to each "
            f"question, {percent(after.value)} of the {rows} are right instead of {percent(before.value)}, "
            f"with {count(last.questions, 'question')} instead of {count(first.questions)}."
        )


def stability(results: Results, problem: Problem, prepared: Prepared) -> Stability:
    """The study in figures and words."""
    steps = []
    for row, outcome in zip(results.rows, results.outcomes, strict=True):
        solution, share = outcome.solution, row["min_rows"]
        if solution is None or solution.diagram is None or solution.cost is None:
            continue
        diagram = solution.diagram
        steps.append(
            SupportStep(
                share,
                math.ceil(share * problem.dataset.n_samples),
                diagram.n_splits,
                cost_in_words(solution.cost, problem),
                solution.cost == solution.bound,
                share_right(diagram, prepared.train),
                None if prepared.test is None else share_right(diagram, prepared.test),
            )
        )
    return Stability(tuple(steps))


def sweeper(problem: Problem, first: str) -> str | None:
    """The method that a sweep asks: `first` if it takes a minimum of rows, else an exact one that does, or `None`."""
    with_minimum = replace(problem, constraints=(*problem.constraints, MinQuestionRows(1)))
    for name in (first, *registry.names()):
        try:
            method = registry.get(name)
        except MissingPackageError:
            continue
        if (name == first or method.exact) and not method.check(with_minimum):
            return name
    return None
