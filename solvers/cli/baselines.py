"""Greedy trees of the same size, to compare with a model on held-out rows."""

from collections.abc import Mapping

from ..diagram import Diagram
from ..methods import registry
from ..metrics import cautions
from ..problem import Dataset, Limits, Problem
from ..run import solve
from ..words import caution_words

GREEDY = ("cart", "c45")
SECONDS = 20.0
"""The time limit of a greedy tree."""


def greedy_baselines(problem: Problem) -> Mapping[str, Diagram]:
    """The greedy trees by their titles; those that cannot be made for the problem are left out."""
    baselines = {}
    for name in GREEDY:
        method = registry.get(name)
        if not method.check(problem):
            diagram = solve(problem, name, Limits(seconds=SECONDS)).diagram
            if diagram is not None:
                baselines[method.title] = diagram
    return baselines


def caution_lines(problem: Problem, diagram: Diagram, test: Dataset | None) -> list[str]:
    """The cautions about a model, a sentence each."""
    rivals = {} if test is None else greedy_baselines(problem)
    return [caution_words(problem, one) for one in cautions(problem, diagram, test, rivals)]
