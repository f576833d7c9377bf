"""The outcome of a table: its classes in their order, and which of two is the positive one."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..errors import DataError
from .column_types import check_levels, infer_column, levels_in_order
from .columns import Column, Kind
from .texts import Texts

MAX_CLASSES = 50
"""An outcome with more classes is a measurement or an identifier."""

MAX_DECIMAL_CLASSES = 10
"""The same for numbers that are not integers."""

_POSITIVE = frozenset(
    {"1", "yes", "y", "true", "t", "positive", "pos", "+", "malignant", "cancer", "ill", "sick", "disease", "diseased"}
    | {"died", "dead", "death", "deceased", "case", "abnormal", "present", "bad", "fail", "failed", "failure", "fraud"}
    | {"default", "defaulted", "relapse", "relapsed", "recurrence", "recurred", "readmitted", "admitted", "event"}
    | {"critical", "severe", "high", "spam", "churned", "infected"}
)
_NEGATIVE = frozenset(
    {"0", "-1", "no", "n", "false", "f", "negative", "neg", "-", "benign", "healthy", "well", "alive", "survived"}
    | {"control", "normal", "absent", "good", "ok", "pass", "passed", "none", "stable", "low", "ham", "discharged"}
)
_DENIED = re.compile(r"(no|not|non|without)[ _-].+")


class Outcome(NamedTuple):
    """The classes of a table, and the index of the positive one, or `None`.

    `y` is int32 (n_samples,), the class of each row, -1 if it is missing.
    """

    classes: tuple[str, ...]
    positive: int | None
    y: np.ndarray


def read_outcome(name: str, texts: Texts, levels: Sequence[str] | None, positive: str | None) -> Outcome:
    """The classes of the outcome column.

    Raises `DataError` if there are fewer than two classes or far too many, or `positive` is none of them.

    Parameters
    ----------
    name : the header.
    texts : the cells.
    levels : the classes in the user's order; by default they are inferred.
    positive : the name of the positive class; by default, of two classes, the one with a positive name ('yes',
        'malignant', 1 against 0, ...), else the rarer one.
    """
    if levels is not None:
        check_levels(name, texts, levels)
        classes = tuple(levels)
    else:
        report = infer_column(name, texts)
        classes = report.levels if report.kind in (Kind.ORDERED, Kind.BINARY) else levels_in_order(texts)
        _check_classes(name, texts, classes)
    values = Column(name, Kind.CATEGORICAL, classes).encode(texts)
    y = np.where(np.isnan(values), -1, values).astype(np.int32)
    if len(np.unique(y[y >= 0])) < 2:
        raise _one_class(name, texts, classes)
    return Outcome(classes, _positive(name, classes, y, positive), y)


def _check_classes(name: str, texts: Texts, classes: tuple[str, ...]) -> None:
    if len(classes) < 2:
        raise _one_class(name, texts, classes)
    numbers = texts.number[~texts.missing]
    if np.isnan(numbers).any():
        if len(classes) > MAX_CLASSES:
            raise DataError(
                f"The outcome '{name}' has {len(classes)} different texts and looks like an identifier or free text, "
                f"not classes. Choose another outcome."
            )
    elif len(classes) > (MAX_CLASSES if np.array_equal(numbers, np.floor(numbers)) else MAX_DECIMAL_CLASSES):
        raise DataError(
            f"The outcome '{name}' has {len(classes)} different numbers and looks like a measurement. Divide the "
            f"numbers at a threshold in a preparation step ('Cut numbers at thresholds'; --prepare on the command "
            f"line), or choose another outcome."
        )


def _one_class(name: str, texts: Texts, classes: tuple[str, ...]) -> DataError:
    marks = [texts.text[i] for i in np.flatnonzero(texts.missing) if texts.text[i] and texts.text[i] not in classes]
    hint = ""
    if marks:
        hint = f" ({', '.join(map(repr, marks))} count as missing; name them among its levels to make them a class)"
    found = f"only one class, '{classes[0]}'" if classes else "no value"
    return DataError(
        f"The outcome '{name}' has {found}{hint}. A model needs at least two classes. Choose another outcome."
    )


def _positive(name: str, classes: tuple[str, ...], y: np.ndarray, wanted: str | None) -> int | None:
    if wanted is not None:
        cell = Texts(np.zeros(1, np.int64), (str(wanted).strip(),))
        try:
            return int(Column(name, Kind.CATEGORICAL, classes).encode(cell)[0])
        except ValueError:
            raise DataError(
                f"'{wanted}' is not a class of the outcome '{name}'. Its classes are: {', '.join(classes)}."
            ) from None
    if len(classes) != 2:
        return None
    verdicts = [_verdict(one) for one in classes]
    says_yes = [i for i in (0, 1) if verdicts[i] == 1 or verdicts[1 - i] == -1]
    if len(says_yes) == 1 and set(classes) != {"1", "2"}:
        return says_yes[0]
    counts = np.bincount(y[y >= 0], minlength=2)
    return int(counts[1] <= counts[0])


def _verdict(label: str) -> int:
    """1 for a class with a positive name, -1 for a negative one, 0 for any other."""
    word = label.strip().lower()
    if word in _NEGATIVE or _DENIED.match(word):
        return -1
    return int(word in _POSITIVE)
