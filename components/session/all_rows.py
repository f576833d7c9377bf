"""The rows of a table before some are held out, and what is found in them."""

from dataclasses import dataclass
from functools import cached_property

from solvers.problem import Contradictions, Dataset, contradictions
from solvers.problem.quality import Issue, issues


@dataclass(frozen=True, eq=False)
class AllRows:
    """The typed rows of a table, whichever are held out, and sentences on what was left out on the way."""

    dataset: Dataset
    notes: tuple[str, ...] = ()

    @cached_property
    def contradictions(self) -> Contradictions:
        """Duplicate and contradictory rows."""
        return contradictions(self.dataset)

    @cached_property
    def issues(self) -> tuple[Issue, ...]:
        """What may be wrong with the features and the outcome."""
        return issues(self.dataset)
