"""The figures of a model in parts of the rows, as a table and a figure show them."""

from typing import NamedTuple

from components.inspect.evidence.performance_facts import class_words
from components.inspect.evidence.risk_facts import Judged
from components.model.facts import SMALL
from components.words.text import count
from solvers.errors import DataError
from solvers.metrics import Diagnosis, Estimate, Rate, grouped, subgroups
from solvers.problem import Dataset
from solvers.words.division import centre_words


class PartFacts(NamedTuple):
    """A part of the rows; what there is nothing to measure on is `None`.

    The observed share of the class, the mean risk, and the difference between them come last.
    """

    name: str
    n: int
    small: bool
    figures: Diagnosis
    observed: Rate | None
    expected: float | None
    in_the_large: Estimate | None


class SubgroupFacts(NamedTuple):
    """All parts; `notes` say which of them are too small to say much, and which lie beside what was expected."""

    column: str
    parts: tuple[PartFacts, ...]
    notes: tuple[str, ...]


def subgroup_facts(found: Judged, train: Dataset, column: str, of_class: int | None) -> SubgroupFacts:
    """The figures of each part of the rows by a column, cut as in the training rows.

    Raises `DataError` where the rows cannot be parted by this column.
    """
    data = found.data
    centres = data.division.centres
    known = [group.name for group in (*data.groups, centres) if group is not None]
    if column not in train.schema.names and column not in known:
        raise DataError(f"These rows do not have the column '{column}'. Choose another column.")
    group = grouped(train, data, column)
    each = subgroups(data, found.predicted, found.shares, of_class, group)
    parts = tuple(
        PartFacts(
            part.name,
            part.n,
            part.n < SMALL,
            part.figures,
            part.observed,
            part.expected,
            part.in_the_large,
        )
        for part in each
        if part.figures is not None
    )
    notes = _notes(parts, None if of_class is None else class_words(data, of_class))
    if centres is not None and column == centres.name:
        notes = (*centre_words([part.figures for part in parts]), *notes)
    return SubgroupFacts(column, parts, notes)


def _notes(parts: tuple[PartFacts, ...], name: str | None) -> tuple[str, ...]:
    notes, any_beside = [], False
    small = [part.name for part in parts if part.small]
    if small:
        notes.append(f"Fewer than {SMALL} rows, so the figures say little: {', '.join(small)}.")
    known = [(part.name, part.in_the_large) for part in parts if part.in_the_large is not None]
    more = [part for part, large in known if large.low is not None and large.low > 0]
    less = [part for part, large in known if large.high is not None and large.high < 0]
    for word, beside in (("more", more), ("less", less)):
        if beside:
            notes.append(f"{name} occurred clearly {word} often than the risks say in: {', '.join(beside)}.")
            any_beside = True
    if any_beside:
        notes.append(f"Of {count(len(parts), 'group')}, one in twenty lies beside its risk by chance alone.")
    return tuple(notes)
