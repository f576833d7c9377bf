"""The tables that come with the program, in `sample_data/`: what each is about and how to ask about it."""

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import DataError
from .dataset import Dataset
from .dataset_builder import Choices, build
from .sources import read_table
from .tables import Table

_PACKAGE = Path(__file__).resolve().parents[1]
_INSTALLED = _PACKAGE / "sample_data"
FOLDER = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent / "sample_data"
"""Within the installed package, beside it in a clone."""


@dataclass(frozen=True)
class Sample:
    """A table that comes with the program.

    Attributes
    ----------
    key : the name of its file without the ending.
    title : its name on the screen.
    story : what it is about and what it shows, in a sentence.
    outcome : the column to predict.
    depth : the depth at which its trees are worth seeing.
    positive : the positive class; `None` where there are more than two.
    groups : the columns to compare for fairness.
    synthetic : whether its rows are made up by a rule.
    """

    key: str
    title: str
    story: str
    outcome: str
    depth: int
    positive: str | None = None
    groups: tuple[str, ...] = ()
    synthetic: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", tuple(self.groups))

    @property
    def path(self) -> Path:
        """The CSV file; a note of the same name in Markdown lies beside it."""
        return FOLDER / f"{self.key}.csv"

    @property
    def note(self) -> str:
        """The note: origin, columns, units, licence, and the rule of a synthetic table."""
        return self.path.with_suffix(".md").read_text(encoding="utf-8")

    @property
    def choices(self) -> Choices:
        """What to ask about it."""
        return Choices(self.outcome, positive=self.positive, groups=self.groups)


@cache
def samples() -> tuple[Sample, ...]:
    """All samples, in the order in which they are offered."""
    described = json.loads((FOLDER / "samples.json").read_text("utf-8"))
    return tuple(Sample(**fields) for fields in described)


def sample(key: str) -> Sample:
    """The sample of this key.

    Raises
    ------
    DataError
        There is none.
    """
    by_key = {one.key: one for one in samples()}
    if key not in by_key:
        raise DataError(f"There is no sample '{key}'. Samples: {', '.join(by_key)}.")
    return by_key[key]


def load_sample(key: str) -> Table:
    """The table of a sample."""
    return read_table(sample(key).path, header=True)


def sample_dataset(key: str, **changes: Any) -> Dataset:
    """The dataset of a sample, with its own choices or with `changes` to them (fields of `Choices`)."""
    return build(load_sample(key), replace(sample(key).choices, **changes)).dataset
