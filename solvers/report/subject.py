"""What a report is about, and what its author says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from ..diagram import Diagram
from ..errors import DiagramError
from ..metrics import Subgroup, node_counts
from ..problem import Dataset, Limits, Problem
from ..solution import Solution
from ..sweeps.cross_validation import CrossValidation
from .drawing import Detail
from .exports import Material
from .suppression import Suppressed, suppress


@dataclass(frozen=True)
class Author:
    """What only the author of a report knows.

    Attributes
    ----------
    title, author, purpose : texts; '' where nothing was said, which the report flags.
    least : counts below this are hidden; `None` to show all.
    detail : how much the drawing says.
    """

    title: str = ""
    author: str = ""
    purpose: str = ""
    least: int | None = None
    detail: Detail = Detail.STANDARD


@dataclass(frozen=True)
class Subject:
    """A model with everything that is known of how it came about.

    Attributes
    ----------
    problem, solution : the question and its verified result, which has a diagram.
    method, source : title and paper of the method.
    made : when the report is made.
    options : values of the method's options that were chosen.
    limits : of the run; `None` where they were not recorded.
    test, external : held-out rows, and external rows.
    aside : the rows that confirm constraints with confidence; mostly `test`.
    test_share, test_seed : how rows were held out.
    notes : what was changed while the table was read, in sentences.
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
        """The rows that it was learned from."""
        return self.problem.dataset

    @cached_property
    def samples(self) -> tuple[tuple[str, Dataset], ...]:
        """Rows with the name that they have in the report: the training rows first."""
        found = (("Training", self.train), ("Held-out", self.test), ("External", self.external))
        return tuple((name, data) for name, data in found if data is not None)

    @cached_property
    def centres(self) -> tuple[Subgroup, ...]:
        """The figures of each centre by the models of the others, where the cross-validation left out centres."""
        return () if self.cross_validation is None else self.cross_validation.by_centre()

    def suppressed(self, least: int | None) -> tuple[Suppressed | None, ...]:
        """Of each sample of rows, which counts are shown; `None` where none is hidden.

        Raises `DataError` where the limit hides nothing.
        """
        if least not in self._suppressed:
            leaves = [i for i, _ in self.diagram.leaves]
            labels = [leaf.label for _, leaf in self.diagram.leaves]
            self._suppressed[least] = tuple(
                None
                if least is None
                else suppress(node_counts(self.diagram, data, weighted=False)[leaves], labels, least)
                for _, data in self.samples
            )
        return self._suppressed[least]

    @cached_property
    def _suppressed(self) -> dict[int | None, tuple[Suppressed | None, ...]]:
        return {}

    def material(self, least: int | None, detail: Detail = Detail.STANDARD) -> Material:
        """The model as it is exported."""
        return Material(self.diagram, self.train, least, detail=detail)
