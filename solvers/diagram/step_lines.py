"""Preparation steps in languages with functions: one call per step, which changes the cells of a row.

Each language has the functions 'rename', 'replace', 'redate', 'divide', 'combine', 'compare', 'keep_known' and 'keep'.
"""

from collections.abc import Callable, Iterable
from typing import Any

from ..problem.preparation import (
    Combine,
    Condition,
    Cut,
    KeepRows,
    Operation,
    ReadAs,
    Rename,
    Replace,
    Step,
)
from ..problem.texts import parse_numbers
from .diagram import Diagram
from .labels import comment


def step_lines(diagram: Diagram, literal: Callable[[Any], str], remark: str, end: str = "") -> list[str]:
    """The preparation of a model: each step in words after `remark`, and as a call that `end` closes."""
    lines = []
    for step in diagram.preparation.steps:
        name, *values = _call(step)
        lines += [f"{remark} {comment(step.words())}", f"{name}({', '.join(('cells', *map(literal, values)))}){end}"]
    return lines


def _call(step: Step) -> tuple[Any, ...]:
    """The name of a function and its arguments: texts, numbers, truth values, lists of these, or `None`."""
    match step:
        case Rename():
            return "rename", step.column, step.to
        case Replace():
            return "replace", step.column, [[*_met(step.values), step.to or None]]
        case ReadAs() if step.form.is_date:
            return "redate", step.column, *step.date
        case ReadAs():
            return "replace", step.column, [[*_met((limit,)), number] for limit, number in step.numbers.items()]
        case Cut():
            return "divide", step.column, step.thresholds, step.ranges
        case Combine():
            first, sign, second = step.formula
            return "combine", step.to, step.operation is Operation.DAYS, first, sign, second
        case KeepRows() if step.condition.compares:
            return "compare", step.column, step.is_date, step.condition.sign, step.limit, step.words()
        case KeepRows() if step.condition is Condition.KNOWN:
            return "keep_known", step.column, step.words()
        case KeepRows():
            return "keep", step.column, *_met(step.values), step.condition is Condition.IS, step.words()
    raise AssertionError(step)


def _met(values: Iterable[str]) -> tuple[list[str], list[float]]:
    """The texts of some values, and the finite numbers among them: a cell is one of them as either."""
    values = list(values)
    return values, [float(x) for x in parse_numbers(values) if abs(x) < float("inf")]
