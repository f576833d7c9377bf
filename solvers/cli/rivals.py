"""Greedy trees of the same size, which a model is held against on rows that none of them has seen."""

from collections.abc import Mapping

from ..diagram import Diagram
from ..methods import registry
from ..metrics import cautions
from ..problem import Dataset, Limits, Problem
from ..run import solve
from ..words import caution_words

GREEDY = ("cart", "c45")
SECONDS = 20.0
"""The most that a greedy tree may take."""


def greedy_rivals(problem: Problem) -> Mapping[str, Diagram]:
    """The greedy trees by their titles; those that cannot be made for the problem are left out."""
    rivals = {}
    for name in GREEDY:
        method = registry.get(name)
        if not method.check(problem):
            diagram = solve(problem, name, Limits(seconds=SECONDS)).diagram
            if diagram is not None:
                rivals[method.title] = diagram
    return rivals


def caution_lines(problem: Problem, diagram: Diagram, test: Dataset | None) -> list[str]:
    """What speaks against a model, a sentence each."""
    rivals = {} if test is None else greedy_rivals(problem)
    return [caution_words(problem, one) for one in cautions(problem, diagram, test, rivals)]
