"""How trees of all sizes do, for a table and a figure. No Streamlit in here."""

from collections.abc import Iterator
from typing import NamedTuple

from solvers.metrics.recommended_size import Recommendation, SizeCandidate
from solvers.problem import Problem
from solvers.words.recommendation import error_words


class SizePoint(NamedTuple):
    """A size on a line: its leaves, its validated error with the standard error, and its training error."""

    n_leaves: int
    validated: float
    spread: float
    training: float
    recommended: bool


class SizeLine(NamedTuple):
    """The sizes of one kind of tree, the fewest leaves first, for each number of leaves the one that does best."""

    title: str
    greedy: bool
    points: tuple[SizePoint, ...]


def size_lines(recommendation: Recommendation) -> tuple[SizeLine, ...]:
    """The optimal trees, and the greedy ones."""
    lines = []
    for title, greedy in (("optimal", False), ("greedy (CART)", True)):
        best: dict[int, SizeCandidate] = {}
        for one in recommendation.candidates:
            # the constant answer is where both lines begin
            if (one.greedy == greedy or one.n_leaves == 1) and one.errors:
                known = best.get(one.n_leaves)
                if (
                    known is None
                    or one is recommendation.choice
                    or (known is not recommendation.choice and one.mean < known.mean)
                ):
                    best[one.n_leaves] = one
        points = [
            SizePoint(n, one.mean, one.standard_error, one.train_error, one is recommendation.choice)
            for n, one in sorted(best.items())
        ]
        if any(point.n_leaves > 1 for point in points):
            lines.append(SizeLine(title, greedy, tuple(points)))
    return tuple(lines)


HEAD = (
    "Trees",
    "Leaves",
    "Depth",
    "Rows per leaf",
    "Training",
    "Validated",
    "Standard error",
)


def size_rows(known: Recommendation, problem: Problem) -> Iterator[tuple[str, ...]]:
    """The sizes as rows of a table under `HEAD`."""
    for one in known.candidates:
        errors = (error_words(value, problem) for value in (one.train_error, one.mean, one.standard_error))
        kind = "greedy" if one.greedy else "optimal"
        name = f"<b>{kind}, recommended</b>" if one is known.choice else kind
        yield (name, str(one.n_leaves), str(one.depth), f"{one.min_samples_leaf}+", *errors)
