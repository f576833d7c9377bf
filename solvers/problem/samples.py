"""The tables that come with the program, in `sample_data/`: what each is about and how to ask about it."""

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from solvers.errors import DataError
from solvers.problem.dataset import Dataset
from solvers.problem.dataset_builder import Choices, build
from solvers.problem.text_tables import Table, read_table

_PACKAGE = Path(__file__).resolve().parents[1]
_INSTALLED = _PACKAGE / "sample_data"
FOLDER = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent / "sample_data"
"""Within the installed package, beside it in a clone."""


class SampleTopic(StrEnum):
    """What a sample is good for."""

    CLINICAL = "clinical"
    FAIRNESS = "fairness"
    TEACHING = "teaching"
    CLASSIC = "classic"


@dataclass(frozen=True)
class Sample:
    """A table that comes with the program.

    Attributes
    ----------
    key : the name of its file without the ending.
    title : its name on the screen.
    story : what it is about and what it shows, in a sentence.
    topic : what it is good for.
    outcome : the column to predict.
    depth : the depth at which its trees are worth seeing.
    positive : the positive class; `None` where there are more than two.
    groups : the columns to compare for fairness.
    synthetic : whether its rows are made up by a rule.
    """

    key: str
    title: str
    story: str
    topic: SampleTopic
    outcome: str
    depth: int
    positive: str | None = None
    groups: tuple[str, ...] = ()
    synthetic: bool = False

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


_SAMPLES = (
    Sample(
        "breast_cancer",
        "Breast cancer (Wisconsin)",
        "569 breast masses, measured in images of fine-needle aspirates: which are malignant?",
        SampleTopic.CLINICAL,
        "diagnosis",
        3,
        "malignant",
    ),
    Sample(
        "triage",
        "Triage in the emergency department",
        "1,000 made-up patients on arrival, some of them unmeasured: who becomes critical within a day?",
        SampleTopic.CLINICAL,
        "critical",
        3,
        "yes",
        ("language", "sex"),
        synthetic=True,
    ),
    Sample(
        "lending",
        "Lending with a bias",
        "1,200 made-up loan decisions by officers who refused some women whom their own rule would have served.",
        SampleTopic.FAIRNESS,
        "granted",
        3,
        "yes",
        ("sex",),
        synthetic=True,
    ),
    Sample(
        "xor",
        "XOR",
        "64 rows where two features decide together and neither alone: "
        "to a greedy tree all first questions look alike.",
        SampleTopic.TEACHING,
        "outcome",
        2,
        "yes",
        synthetic=True,
    ),
    Sample(
        "noisy_xor",
        "Noisy XOR",
        "400 points in two measurements, XOR of their halves with one label in ten flipped, and four distractors.",
        SampleTopic.TEACHING,
        "outcome",
        2,
        "yes",
        synthetic=True,
    ),
    Sample(
        "checkerboard",
        "Checkerboard",
        "600 points on a board of four by four fields: dark or light?",
        SampleTopic.TEACHING,
        "colour",
        4,
        "dark",
        synthetic=True,
    ),
    Sample(
        "parity",
        "Parity of four bits",
        "64 rows: is the number of ones among the first four bits odd? Nothing smaller than all sixteen leaves helps.",
        SampleTopic.TEACHING,
        "odd",
        4,
        "yes",
        synthetic=True,
    ),
    Sample(
        "monk1",
        "Monk's problem 1",
        "432 robots: monks have a head of the shape of their body, or a red jacket.",
        SampleTopic.TEACHING,
        "monk",
        4,
        "yes",
        synthetic=True,
    ),
    Sample(
        "monk2",
        "Monk's problem 2",
        "432 robots: monks have exactly two of six marks, which is hard to say with a small tree.",
        SampleTopic.TEACHING,
        "monk",
        4,
        "yes",
        synthetic=True,
    ),
    Sample(
        "monk3",
        "Monk's problem 3",
        "432 robots: monks are told by the jacket, the body and what they hold.",
        SampleTopic.TEACHING,
        "monk",
        3,
        "yes",
        synthetic=True,
    ),
    Sample(
        "tic_tac_toe",
        "Tic-tac-toe endgames",
        "All 958 boards at the end of a game that x began: did x win?",
        SampleTopic.CLASSIC,
        "x_wins",
        4,
        "yes",
        synthetic=True,
    ),
    Sample(
        "balance_scale",
        "Balance scale",
        "625 scales with a weight on each side: which side goes down?",
        SampleTopic.CLASSIC,
        "tips",
        3,
        synthetic=True,
    ),
    Sample(
        "iris",
        "Iris",
        "150 flowers of three species, by the length and width of their sepals and petals.",
        SampleTopic.CLASSIC,
        "species",
        2,
    ),
    Sample(
        "wine",
        "Wine",
        "178 wines from three grape varieties, by thirteen chemical measurements.",
        SampleTopic.CLASSIC,
        "cultivar",
        3,
    ),
)


def samples() -> tuple[Sample, ...]:
    """All samples, in the order in which they are offered."""
    return _SAMPLES


def sample(key: str) -> Sample:
    """The sample of this key.

    Raises
    ------
    DataError
        There is none.
    """
    for one in _SAMPLES:
        if one.key == key:
            return one
    raise DataError(f"There is no sample '{key}'. Samples: {', '.join(one.key for one in _SAMPLES)}.")


def load_sample(key: str) -> Table:
    """The table of a sample."""
    return read_table(sample(key).path, header=True)


def sample_dataset(key: str, **changes: Any) -> Dataset:
    """The dataset of a sample, with its own choices or with `changes` to them (fields of `Choices`)."""
    return build(load_sample(key), replace(sample(key).choices, **changes)).dataset
