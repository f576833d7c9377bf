"""How rows are divided into training and test rows: which rows are kept together, and which come first.

Each table has one description, which held-out rows, folds and bootstrap samples all use.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import DataError
from .columns import Kind
from .schema import fitted
from .texts import left_out_note

if TYPE_CHECKING:
    from .dataset import Dataset

DRAWS = 30
"""Random choices of whole groups to hold out; the one whose classes are most like the table's is used."""


@dataclass(frozen=True)
class Group:
    """A column that groups the rows, for fairness metrics or for their division.

    Attributes
    ----------
    name : the header.
    levels : the names of the groups; empty if only group numbers are kept.
    codes : int32 (n_samples,), the group of each row, -1 if it is missing.
    kind : the type of the column, if known.
    cuts : the largest value of each group of numbers or dates but the last one; empty if a group is one value.
    """

    name: str
    levels: tuple[str, ...]
    codes: np.ndarray
    kind: Kind = Kind.CATEGORICAL
    cuts: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        codes = np.asarray(self.codes, np.int32).view()
        codes.flags.writeable = False
        object.__setattr__(self, "codes", codes)

    def take(self, index: np.ndarray) -> Group:
        """The groups of some rows."""
        return replace(self, codes=self.codes[index])

    @cached_property
    def present(self) -> np.ndarray:
        """The codes that occur, sorted."""
        return np.unique(self.codes)


class DivisionRule(StrEnum):
    """The criterion by which rows are divided."""

    ROWS = "rows"
    GROUPS = "groups"
    CENTRES = "centres"
    TIME = "time"


class Parted(NamedTuple):
    """Positions of the training and of the test rows, each sorted."""

    train: np.ndarray
    test: np.ndarray


class FoldPlan(NamedTuple):
    """The number of folds, and how often rows are divided into them."""

    folds: int
    repeats: int


@dataclass(frozen=True)
class Division:
    """The units, centres and times by which test rows must be new; without any, rows are divided freely.

    Attributes
    ----------
    groups : rows that are kept together, such as those of a patient; the codes have no names. No group has both
        training and test rows, whatever else divides the rows.
    centres : the origin of rows. Each fold leaves out one centre, and whole centres are held out.
    time : the time of rows, as ranks. Training rows come before test rows; rows of equal times are kept together.

    A centre or time that is the same for all rows is ignored.
    """

    groups: Group | None = None
    centres: Group | None = None
    time: Group | None = None

    def __post_init__(self) -> None:
        if self.centres is not None and self.time is not None:
            raise DataError("Rows can be divided by centre or by time, not by both. Choose one of them.")

    def __bool__(self) -> bool:
        return any(self.parts.values())

    @property
    def parts(self) -> dict[str, Group | None]:
        """The columns by their role."""
        return {"groups": self.groups, "centres": self.centres, "time": self.time}

    def take(self, index: np.ndarray) -> Division:
        """The division of some rows."""
        return Division(**{role: part and part.take(index) for role, part in self.parts.items()})

    @cached_property
    def by(self) -> Group | None:
        """The column by which these rows are divided; `None` if rows are divided one by one."""
        several = (part for part in (self.time, self.centres) if part is not None and len(part.present) > 1)
        return next(several, self.groups)

    @property
    def rule(self) -> DivisionRule:
        """The criterion by which these rows are divided."""
        by = self.by
        return (
            DivisionRule.ROWS if by is None else next(DivisionRule(r) for r, part in self.parts.items() if part is by)
        )

    @property
    def column(self) -> str:
        """The name of `by`; '' without one."""
        return "" if self.by is None else self.by.name

    def plan(self, folds: int, repeats: int) -> FoldPlan:
        """The possible folds: at most as many as there are groups or times.

        Centres are left out one by one. Centres and times allow only one division, so there are no repeats.
        """
        if self.by is None:
            return FoldPlan(folds, repeats)
        n = len(self.by.present)
        match self.rule:
            case DivisionRule.TIME:
                return FoldPlan(min(folds, n - 1), 1)
            case DivisionRule.CENTRES:
                return FoldPlan(n, 1)
            case _:
                return FoldPlan(min(folds, n), repeats)

    def folds(self, y: np.ndarray, n_folds: int, seed: int) -> Iterator[Parted]:
        """The parts of one cross-validation, with about the same share of each class if possible.

        Parameters
        ----------
        y : int (n_samples,), the classes.
        n_folds : as given by `plan`.
        seed : for the random assignment; times and centres leave no choice.

        Raises
        ------
        DataError
            A part has no training row, because all their groups are among its test rows.
        """
        from sklearn.model_selection import LeaveOneGroupOut, StratifiedGroupKFold, StratifiedKFold

        divided: Iterable[tuple[np.ndarray, np.ndarray]]
        by = self.by
        if by is None:
            divided = StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(y, y)
        elif self.rule is DivisionRule.TIME:
            divided = _expand(by, n_folds)
        elif self.rule is DivisionRule.CENTRES:
            divided = LeaveOneGroupOut().split(y, y, by.codes)
        else:
            divided = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed).split(y, y, by.codes)
        with warnings.catch_warnings():
            # a class of few rows is absent from some folds, which cannot be avoided
            warnings.filterwarnings("ignore", "The least populated class")
            yield from (self._apart(*part) for part in divided)

    def held_out(self, y: np.ndarray, share: float, seed: int) -> Parted:
        """Training rows, and about this share of the rows as test rows; see `holdout`.

        Raises
        ------
        ValueError
            One part would have no row.
        """
        from sklearn.model_selection import GroupShuffleSplit, train_test_split

        by = self.by
        if by is None:
            common = np.flatnonzero(np.bincount(y)[y] > 1)
            _, test = train_test_split(common, test_size=share, random_state=seed, stratify=y[common])
            held_out = np.zeros(len(y), bool)
            held_out[test] = True
            return Parted(np.flatnonzero(~held_out), np.flatnonzero(held_out))
        if self.rule is DivisionRule.TIME:
            order, edges = _in_time(by)
            cut = edges[np.abs(edges - (len(y) - math.ceil(share * len(y)))).argmin()]
            return self._apart(np.sort(order[:cut]), np.sort(order[cut:]))
        draws = GroupShuffleSplit(DRAWS, test_size=share, random_state=seed).split(y, y, by.codes)
        wanted = share * np.bincount(y)

        def unlike(part: tuple[np.ndarray, np.ndarray]) -> float:
            return float(np.abs(np.bincount(y[part[1]], minlength=len(wanted)) - wanted).sum())

        return self._apart(*min(draws, key=unlike))

    def sample(self, n_samples: int, seed: tuple[int, ...]) -> np.ndarray:
        """Sorted positions of rows drawn with replacement: as many rows, groups or else centres as there are."""
        whole, random = self.groups or self.centres, np.random.default_rng(seed)
        if whole is None:
            return np.sort(random.integers(0, n_samples, n_samples))
        n = len(whole.present)
        rows = np.split(np.argsort(whole.codes, kind="stable"), np.cumsum(np.unique_counts(whole.codes).counts)[:-1])
        return np.sort(np.concatenate([rows[i] for i in random.integers(0, n, n)]))

    def _apart(self, train: np.ndarray, test: np.ndarray) -> Parted:
        """The parts without the training rows whose group also has test rows."""
        if self.groups is not None:
            train = train[~np.isin(self.groups.codes[train], self.groups.codes[test])]
            if not len(train):
                raise DataError(
                    f"No training rows are left: every '{self.groups.name}' also has held-out rows. Divide the rows by "
                    f"'{self.groups.name}' alone."
                )
        return Parted(train, test)


def _in_time(time: Group) -> tuple[np.ndarray, np.ndarray]:
    """The rows in order of time, and the positions in that order at which the time changes."""
    order = np.argsort(time.codes, kind="stable")
    return order, np.flatnonzero(np.diff(time.codes[order])) + 1


def _expand(time: Group, n_folds: int) -> Iterator[Parted]:
    """The parts of `TimeSeriesSplit` on the rows in order of time, each starting at the nearest change of time.

    With two times there is one part, which scikit-learn does not support.
    """
    order, edges = _in_time(time)
    at, cuts = -1, []
    for k in range(n_folds):
        begin = len(order) - len(order) // (n_folds + 1) * (n_folds - k)
        nearest = int(np.abs(edges - begin).argmin())
        # each part has at least one time and leaves one for each later part
        at = min(max(nearest, at + 1), len(edges) - n_folds + k)
        cuts.append(edges[at])
    for begin, end in zip(cuts, [*cuts[1:], len(order)], strict=True):
        yield Parted(np.sort(order[:begin]), np.sort(order[begin:end]))


def holdout(dataset: Dataset, share: float, seed: int = 0) -> tuple[Dataset, Dataset]:
    """Divide a dataset into training and test rows by its `division`, with about the same share of each class.

    Whole groups or centres are held out, or the latest rows; a division by time does not balance classes. The
    properties of columns (fill values, ...) come from the training rows alone.

    Parameters
    ----------
    dataset : all rows.
    share : the share of the test rows (or of the groups or centres, if these are held out), more than 0 and less than
        1.
    seed : the same seed gives the same division; by time there is no choice.

    Returns
    -------
    The training and the test part, each in the order of the file. A class of a single row is all training. Training
    rows whose group is also held out are in neither part.

    Raises
    ------
    DataError
        The share is out of range, or leaves one part without rows, or the training part without a row of some class.
    """
    if not 0 < share < 1:
        raise DataError(f"The share of held-out rows must be more than 0 and less than 1, but is {share:g}.")
    division = dataset.division
    try:
        train, test = division.held_out(dataset.y, share, seed)
    except DataError:
        raise
    except ValueError:
        what = "of each class" if division.by is None else f"of '{division.by.name}'"
        raise DataError(
            f"{dataset.n_samples} rows are too few to keep {100 * share:.10g}% {what} aside. "
            f"Change the share, or use all rows for training."
        ) from None
    lost = np.setdiff1d(dataset.y, dataset.y[train])
    if len(lost):
        raise DataError(
            f"No row of the class '{dataset.classes[lost[0]]}' would be left for training. Change the share or the "
            "seed, or use all rows for training."
        )
    schema = fitted(dataset.schema, dataset.X[train])
    return (
        replace(dataset.take(train, f"{dataset.name} (training)"), schema=schema),
        replace(dataset.take(test, f"{dataset.name} (test)"), schema=schema),
    )


def left_out_between(whole: Dataset, train: Dataset, test: Dataset) -> tuple[str, ...]:
    """A sentence on the rows that `holdout` put in neither part; empty if there are none.

    Parameters
    ----------
    whole, train, test : the table that was divided, and its two parts.
    """
    groups, n = whole.division.groups, whole.n_samples - train.n_samples - test.n_samples
    return () if groups is None else tuple(left_out_note(n, f"whose '{groups.name}' is also held out"))
