"""The metrics of a model in subgroups, and remarks on them."""

from components.inspect.evidence.risk_facts import ScoredRows
from components.model.facts import SMALL
from solvers.errors import DataError
from solvers.messages.division import describe_centre
from solvers.metrics import Subgroup, group_by, subgroups
from solvers.metrics.catalogue import describe_class
from solvers.problem import Dataset


def parts_of(found: ScoredRows, train: Dataset, column: str, of_class: int | None) -> tuple[Subgroup, ...]:
    """The subgroups by a column, divided as in the training rows.

    Raises `DataError` if the rows do not have this column.
    """
    data = found.data
    known = [group.name for group in (*data.groups, data.division.centres) if group is not None]
    if column not in train.schema.names and column not in known:
        raise DataError(f"These rows do not have the column '{column}'. Choose another column.")
    each = subgroups(data, found.predicted, found.shares, of_class, group_by(train, data, column))
    return tuple(part for part in each if part.figures is not None)


def notes(parts: tuple[Subgroup, ...], data: Dataset, column: str, of_class: int | None) -> list[str]:
    """Whether centres differ, which subgroups are small, and where observed shares differ from predicted risks."""
    centres, found = data.division.centres, list[str]()
    if centres is not None and column == centres.name:
        found += describe_centre([part.figures for part in parts if part.figures is not None])
    if small := [part.name for part in parts if part.n < SMALL]:
        found.append(f"Fewer than {SMALL} rows, uncertain: {', '.join(small)}.")
    if of_class is None:
        return found
    known = [(part.name, part.in_the_large) for part in parts if part.in_the_large is not None]
    more = [name for name, large in known if large.low is not None and large.low > 0]
    less = [name for name, large in known if large.high is not None and large.high < 0]
    for word, names in (("more", more), ("less", less)):
        if names:
            what = describe_class(data, of_class)
            found.append(f"{what} observed clearly {word} often than predicted in: {', '.join(names)}.")
    if more or less:
        found.append("By chance alone, one in twenty subgroups differs this much.")
    return found
