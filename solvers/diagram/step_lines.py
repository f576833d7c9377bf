"""The steps of a preparation in languages with functions: a line makes a cell of others, or refuses the case.

A language is a table of spellings, as for questions (`program`); each cell has a position, the raw ones first.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from solvers.diagram.diagram import Diagram
from solvers.diagram.program import exact
from solvers.problem.preparation import (
    Combination,
    Condition,
    Cut,
    KeepRows,
    Ratio,
    ReadDates,
    Rename,
    Replacement,
    SetUnit,
    Step,
)
from solvers.problem.preparation.pairs import DaysBetween
from solvers.problem.texts import parse_numbers


@dataclass(frozen=True, kw_only=True)
class StepLanguage:
    """How a language spells steps: templates of a whole line, of a claim, or of a value; some are by default as in C.

    Attributes
    ----------
    text, number, texts, numbers : literals, and lists of them.
    remark : a line that says in words what follows.
    put : a cell becomes a value ('to', 'value').
    choice : one of two values ('claim', 'value', 'other'); missing : the value that is none.
    one_of, known : claims of a cell.
    negated : a claim that is not so.
    keep : the case is refused unless a claim holds ('claim', 'words').
    ranged : a number becomes the name of its range; scaled : it is multiplied.
    combined : a number of two cells, by a sign of arithmetic.
    redated : a date of another form becomes year-month-day ('pattern', 'places', see `ReadDates.spelling`).
    number_reader, date_reader : how a cell is read.
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
    scaled: str
    combined: str
    redated: str
    number_reader: str
    date_reader: str

    def met(self, cell: str, values: Iterable[str]) -> str:
        """The claim that a cell is one of some values, in the same letters or as the same number."""
        values = list(values)
        numbers = [float(x) for x in parse_numbers(values) if abs(x) < float("inf")]
        return self.one_of.format(cell=cell, texts=self.texts(values), numbers=self.numbers(numbers))


class StepLines(NamedTuple):
    """The steps of a model in a language.

    Attributes
    ----------
    raw : the columns of a case as it comes; `position` : where each column of the model stands after the steps.
    lines : the steps; `size` : the number of cells.
    """

    raw: tuple[str, ...]
    position: dict[str, int]
    lines: tuple[str, ...]
    size: int


def step_lines(diagram: Diagram, language: StepLanguage) -> StepLines:
    """What the preparation of a model does to a case."""
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
        for part in step.parts:
            assert part.makes is not None
            lines.append(_made(language, part, position, f"cells[{size}]"))
            position[part.makes] = size
            size += 1
    return StepLines(raw, position, tuple(lines), size)


def _made(language: StepLanguage, step: Step, position: dict[str, int], to: str) -> str:
    if isinstance(step, Combination):
        # the days to the second date are the second minus the first
        names = step.reads[::-1] if isinstance(step, DaysBetween) else step.reads
        first, second = (f"cells[{position[name]}]" for name in names)
        one, two = map(language.text, names)
        read = language.date_reader if step.dates else language.number_reader
        sign = "/" if isinstance(step, Ratio) else "-"
        return language.combined.format(to=to, read=read, first=first, second=second, one=one, two=two, sign=sign)
    (name,) = step.reads
    cell, written = f"cells[{position[name]}]", language.text(name)
    if isinstance(step, Rename):
        return language.put.format(to=to, value=cell)
    if isinstance(step, Replacement):
        value = language.text(step.becomes) if step.becomes else language.missing
        claim = language.met(cell, step.values)
        return language.put.format(to=to, value=language.choice.format(claim=claim, value=value, other=cell))
    if isinstance(step, ReadDates):
        pattern, places = step.spelling
        return language.redated.format(to=to, cell=cell, pattern=pattern, places=", ".join(map(str, places)))
    if isinstance(step, Cut):
        limits, ranges = language.numbers(step.thresholds), language.texts(step.ranges)
        return language.ranged.format(to=to, name=written, cell=cell, limits=limits, names=ranges)
    assert isinstance(step, SetUnit)
    return language.scaled.format(to=to, name=written, cell=cell, factor=language.number(step.factor))


def _holds(language: StepLanguage, step: KeepRows, cell: str) -> str:
    condition = Condition(step.condition)
    if condition.compares:
        read = language.date_reader if step.is_date else language.number_reader
        name, limit = language.text(step.column), language.number(step.limit)
        return f"{read}({name}, {cell}) {condition.sign} {limit}"
    if condition is Condition.KNOWN:
        return language.known.format(cell=cell)
    met = language.met(cell, step.values)
    return language.negated.format(met) if condition is Condition.IS_NOT else met
