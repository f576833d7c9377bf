"""How rows are divided into those to learn from and those to judge on: which belong together, and which come first.

One description stands with the table, and whatever divides rows asks it: held-out rows, folds, bootstrap samples.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..errors import DataError
from .columns import Kind

DRAWS = 30
"""Random choices of whole groups to hold out, of which that one is taken whose classes are most like the table's."""


@dataclass(frozen=True)
class Group:
    """A column that parts the rows, for fairness metrics or for their division.

    Attributes
    ----------
    name : the header.
    levels : the names of the groups; empty where only the numbers of groups are kept.
    codes : int32 (n_samples,), the group of each row, -1 where it is missing.
    kind : the type of the column, as far as it is known.
    cuts : the largest value of each group of numbers or dates but the last one; empty where a group is one value.
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
    """By what rows are divided."""

    ROWS = "rows"
    GROUPS = "groups"
    CENTRES = "centres"
    TIME = "time"


class Parted(NamedTuple):
    """Positions of the rows to learn from and of those to judge on, each sorted."""

    train: np.ndarray
    test: np.ndarray


class FoldPlan(NamedTuple):
    """How many folds there are, and how often rows are divided into them."""

    folds: int
    repeats: int


@dataclass(frozen=True)
class Division:
    """What rows have in common, so that none to judge on is known already; without any of it they are divided freely.

    Attributes
    ----------
    groups : rows that belong together, such as those of a patient; the codes have no names. No group is learned from
        and judged on, whatever else divides the rows.
    centres : where rows come from. Folds leave out a centre each, and whole centres are held out.
    time : when rows come, as ranks. What is learned from comes before what is judged on; equal times stay together.

    Rows that have one centre or one time in common are divided as if it were not there.
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
        """The column by which these rows are divided; `None` where each row stands alone."""
        several = (part for part in (self.time, self.centres) if part is not None and len(part.present) > 1)
        return next(several, self.groups)

    @property
    def rule(self) -> DivisionRule:
        """By what these rows are divided."""
        by = self.by
        return (
            DivisionRule.ROWS if by is None else next(DivisionRule(r) for r, part in self.parts.items() if part is by)
        )

    @property
    def column(self) -> str:
        """The name of `by`; '' without one."""
        return "" if self.by is None else self.by.name

    def plan(self, folds: int, repeats: int) -> FoldPlan:
        """The folds that there will be: no more than there are groups or times.

        Centres are left out one by one, and neither they nor times can be divided in another way.
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
        """The parts of a cross-validation, once, with about the same share of each class where that is possible.

        Parameters
        ----------
        y : int (n_samples,), the classes.
        n_folds : as `plan` says.
        seed : decides which rows go together; times and centres leave no choice.

        Raises
        ------
        DataError
            A part has no row to learn from, because all their groups are in its rows to judge on.
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
            # a class of few rows is absent from some folds, which is what there is
            warnings.filterwarnings("ignore", "The least populated class")
            yield from (self._apart(*part) for part in divided)

    def held_out(self, y: np.ndarray, share: float, seed: int) -> Parted:
        """Rows to learn from, and about this share of the rows to judge on; see `holdout`.

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
        """As many rows as there are, or groups, or else centres, drawn with replacement: sorted positions."""
        whole, random = self.groups or self.centres, np.random.default_rng(seed)
        if whole is None:
            return np.sort(random.integers(0, n_samples, n_samples))
        n = len(whole.present)
        rows = np.split(np.argsort(whole.codes, kind="stable"), np.cumsum(np.unique_counts(whole.codes).counts)[:-1])
        return np.sort(np.concatenate([rows[i] for i in random.integers(0, n, n)]))

    def _apart(self, train: np.ndarray, test: np.ndarray) -> Parted:
        """The parts without the rows to learn from whose group is also judged on."""
        if self.groups is not None:
            train = train[~np.isin(self.groups.codes[train], self.groups.codes[test])]
            if not len(train):
                raise DataError(
                    f"No row is left to learn from: every '{self.groups.name}' also has rows to judge on. "
                    f"Divide the rows by '{self.groups.name}' alone."
                )
        return Parted(train, test)


def _in_time(time: Group) -> tuple[np.ndarray, np.ndarray]:
    """The rows in the order of time, and the positions in it before which the time changes."""
    order = np.argsort(time.codes, kind="stable")
    return order, np.flatnonzero(np.diff(time.codes[order])) + 1


def _expand(time: Group, n_folds: int) -> Iterator[Parted]:
    """The parts of `TimeSeriesSplit` on the rows in the order of time, each begun at the nearest change of time.

    With two times there is one part, which scikit-learn does not make.
    """
    order, edges = _in_time(time)
    at, cuts = -1, []
    for k in range(n_folds):
        begin = len(order) - len(order) // (n_folds + 1) * (n_folds - k)
        nearest = int(np.abs(edges - begin).argmin())
        # each part has a time of its own, and leaves one for each that follows
        at = min(max(nearest, at + 1), len(edges) - n_folds + k)
        cuts.append(edges[at])
    for begin, end in zip(cuts, [*cuts[1:], len(order)], strict=True):
        yield Parted(np.sort(order[:begin]), np.sort(order[begin:end]))
