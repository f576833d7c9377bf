"""Preparation steps in languages with functions: a line computes a cell from others, or rejects the row.

A language is a table of templates, as for splits (`program`); each cell has a position, the raw ones first.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ..problem.preparation import (
    Combine,
    Condition,
    Cut,
    JoinLevels,
    KeepRows,
    Operation,
    ReadAs,
    Rename,
    Step,
    TreatAsMissing,
)
from ..problem.texts import parse_numbers
from .diagram import Diagram
from .program import exact


@dataclass(frozen=True, kw_only=True)
class StepLanguage:
    """The syntax of steps in a language: templates of a whole line, a condition, or a value; some default to C.

    Attributes
    ----------
    text, number, texts, numbers : literals, and lists of them.
    remark : a comment that describes the next line.
    put : assigns a value to a cell ('to', 'value').
    choice : one of two values ('claim', 'value', 'other'); missing : the missing value.
    one_of, known : conditions on a cell.
    negated : the negation of a condition.
    keep : rejects the row unless a condition holds ('claim', 'words').
    ranged : replaces a number with the name of its range.
    combined : combines two cells with an arithmetic operator.
    redated : rewrites a date of another form as year-month-day ('pattern', 'places', see `ReadAs.date`).
    number_reader, date_reader : the functions that read a cell.
    """

    text: Callable[[str], str]
    number: Callable[[float], str] = exact
    texts: Callable[[Iterable[str]], str]
    numbers: Callable[[Iterable[float]], str]
    remark: Callable[[str], str]
    put: str
    choice: str = "{claim} ? {value} : {other}"
    missing: str
    one_of: str = "is_one_of({cell}, {texts}, {numbers})"
    known: str
    negated: str = "!{}"
    keep: str
    ranged: str
    combined: str
    redated: str
    number_reader: str
    date_reader: str

    def met(self, cell: str, values: Iterable[str]) -> str:
        """The condition that a cell is one of some values, as the same text or the same number."""
        values = list(values)
        numbers = [float(x) for x in parse_numbers(values) if abs(x) < float("inf")]
        return self.one_of.format(cell=cell, texts=self.texts(values), numbers=self.numbers(numbers))


class StepLines(NamedTuple):
    """The steps of a model in a language.

    Attributes
    ----------
    raw : the raw columns of a row; `position` : the cell of each column of the model after the steps.
    lines : the steps; `size` : the number of cells.
    """

    raw: tuple[str, ...]
    position: dict[str, int]
    lines: tuple[str, ...]
    size: int


def step_lines(diagram: Diagram, language: StepLanguage) -> StepLines:
    """Write the preparation of a model."""
    raw = diagram.preparation.raw(diagram.features)
    position = {name: i for i, name in enumerate(raw)}
    size, lines = len(raw), []
    for step in diagram.preparation.steps:
        lines.append(language.remark(step.words()))
        if isinstance(step, KeepRows):
            cell = f"cells[{position[step.column]}]"
            words = language.text(step.words())
            lines.append(language.keep.format(claim=_holds(language, step, cell), words=words))
            continue
        assert step.makes is not None
        lines.append(_made(language, step, position, f"cells[{size}]"))
        position[step.makes] = size
        size += 1
    return StepLines(raw, position, tuple(lines), size)


def _made(language: StepLanguage, step: Step, position: dict[str, int], to: str) -> str:
    if isinstance(step, Combine):
        one, sign, two = step.formula
        first, second = (f"cells[{position[name]}]" for name in (one, two))
        one, two = language.text(one), language.text(two)
        read = language.date_reader if step.operation is Operation.DAYS else language.number_reader
        return language.combined.format(to=to, read=read, first=first, second=second, one=one, two=two, sign=sign)
    (name,) = step.reads
    cell = f"cells[{position[name]}]"
    if isinstance(step, ReadAs) and step.form.is_date:
        pattern, places = step.date
        return language.redated.format(to=to, cell=cell, pattern=pattern, places=", ".join(map(str, places)))
    if isinstance(step, Cut):
        limits, ranges = language.numbers(step.thresholds), language.texts(step.ranges)
        return language.ranged.format(to=to, name=language.text(name), cell=cell, limits=limits, names=ranges)
    return language.put.format(to=to, value=_replace(language, step, cell))


def _replace(language: StepLanguage, step: Step, cell: str) -> str:
    """A cell, or its replacement."""
    if isinstance(step, TreatAsMissing):
        choices = [(step.values, language.missing)]
    elif isinstance(step, JoinLevels):
        choices = [(step.values, language.text(step.to))]
    elif isinstance(step, ReadAs):
        choices = [((limit,), language.text(number)) for limit, number in step.numbers.items()]
    else:
        assert isinstance(step, Rename)
        choices = []
    value = cell
    for values, new in reversed(choices):
        value = language.choice.format(claim=language.met(cell, values), value=new, other=value)
    return value


def _holds(language: StepLanguage, step: KeepRows, cell: str) -> str:
    condition = step.condition
    if condition.compares:
        read = language.date_reader if step.is_date else language.number_reader
        name, limit = language.text(step.column), language.number(step.limit)
        return f"{read}({name}, {cell}) {condition.sign} {limit}"
    if condition is Condition.KNOWN:
        return language.known.format(cell=cell)
    met = language.met(cell, step.values)
    return language.negated.format(met) if condition is Condition.IS_NOT else met
