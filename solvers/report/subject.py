"""The subject of a report, and the author's statements."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from ..diagram import Diagram
from ..errors import DiagramError
from ..metrics import Subgroup, node_counts
from ..problem import Dataset, Limits, Problem
from ..solution import Solution
from ..study.cross_validation import CrossValidation
from .drawing import Detail
from .exports import Material
from .suppression import Suppressed, suppress


@dataclass(frozen=True)
class Author:
    """Facts that only the author of a report knows.

    Attributes
    ----------
    title, author, purpose : texts; '' if missing, which the report flags.
    least : counts below this are hidden; `None` to show all.
    detail : the detail of the drawing.
    """

    title: str = ""
    author: str = ""
    purpose: str = ""
    least: int | None = None
    detail: Detail = Detail.STANDARD


@dataclass(frozen=True)
class Subject:
    """A model with everything known about its origin.

    Attributes
    ----------
    problem, solution : the problem and its verified result, which has a diagram.
    method, source : title and paper of the method.
    made : when the report is made.
    options : the chosen values of the method's options.
    limits : of the run; `None` if they were not recorded.
    test, external : held-out rows, and external rows.
    aside : the rows that confirm constraints with confidence; mostly `test`.
    test_share, test_seed : how rows were held out.
    notes : changes to the table while it was read, as sentences.
    rivals : greedy models of the same size by their names, compared on held-out rows.
    cross_validation : a finished one.
    """

    problem: Problem
    solution: Solution
    method: str
    source: str
    made: datetime
    options: Mapping[str, str] = field(default_factory=dict)
    limits: Limits | None = None
    test: Dataset | None = None
    external: Dataset | None = None
    aside: Dataset | None = None
    test_share: float | None = None
    test_seed: int | None = None
    notes: tuple[str, ...] = ()
    rivals: Mapping[str, Diagram] = field(default_factory=dict)
    cross_validation: CrossValidation | None = None

    def __post_init__(self) -> None:
        if self.solution.diagram is None:
            raise DiagramError(
                "This run found no model to report. Solve again with a longer time limit or fewer constraints."
            )

    @property
    def diagram(self) -> Diagram:
        """The model."""
        assert self.solution.diagram is not None
        return self.solution.diagram

    @property
    def train(self) -> Dataset:
        """The training rows."""
        return self.problem.dataset

    @property
    def steps(self) -> tuple[str, ...]:
        """All preparation steps of the table in words, also those that the model does not need."""
        preparation = self.train.schema.preparation
        return () if preparation is None else preparation.words

    @cached_property
    def samples(self) -> tuple[tuple[str, Dataset], ...]:
        """Rows with their name in the report: the training rows first."""
        found = (("Training", self.train), ("Held-out", self.test), ("External", self.external))
        return tuple((name, data) for name, data in found if data is not None)

    @cached_property
    def centres(self) -> tuple[Subgroup, ...]:
        """The metrics of each centre by models trained on the others, if the cross-validation left out centres."""
        return () if self.cross_validation is None else self.cross_validation.by_centre()

    def suppressed(self, least: int | None) -> tuple[Suppressed | None, ...]:
        """For each sample of rows, which counts are shown; `None` if none is hidden.

        Raises `DataError` if the limit hides nothing.
        """
        if least is None:
            return (None,) * len(self.samples)
        leaves, labels = zip(*((i, leaf.label) for i, leaf in self.diagram.leaves), strict=True)
        counts = (node_counts(self.diagram, data, weighted=False)[list(leaves)] for _, data in self.samples)
        return tuple(suppress(one, labels, least) for one in counts)

    def material(self, least: int | None, detail: Detail = Detail.STANDARD) -> Material:
        """The model, ready for export."""
        return Material(self.diagram, self.train, least, detail=detail)
