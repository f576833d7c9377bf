"""The shared refusals of methods for binary decision diagrams."""

from collections.abc import Collection, Iterator

from ...problem import Problem, ShapeKind
from ..base import Unsupported, only_kind, unposted

MAX_LEVELS = 12
"""Tables of more splits have too many cells to read."""


def only_bdds(title: str, problem: Problem, *, nodes: bool, posts: Collection[type] = ()) -> tuple[Unsupported, ...]:
    """The reasons why a method for BDDs refuses this problem.

    `posts` are the classes of rules that it supports; a method that supports any also supports limits on leaves.
    `nodes` is whether it counts nodes during the search. If not, it supports neither a split penalty nor a limit on
    splits.
    """
    return (
        *only_kind(ShapeKind.BDD, title, problem),
        *(() if posts else _leaf_limits(problem)),
        *(() if nodes else _nodes(title, problem)),
        *unposted(title, problem, posts),
    )


def _leaf_limits(problem: Problem) -> Iterator[Unsupported]:
    """A BDD has one leaf per class, so limits on leaf sizes have little meaning."""
    size, n_classes = problem.size, problem.dataset.n_classes
    if size.max_leaf_nodes is not None and size.max_leaf_nodes < n_classes:
        yield Unsupported(
            f"At most {size.max_leaf_nodes} leaves",
            f"A BDD has one leaf for each class that it predicts, and there are {n_classes} classes.",
            "Remove the limit, or choose the method 'bdd-search' or the shape 'tree'.",
        )
    if size.min_samples_leaf > 1 or size.min_weight_leaf > 0:
        yield Unsupported(
            "A minimum size of leaves",
            "A BDD has one leaf for each class, which holds all rows with this prediction.",
            "Remove the minimum, or choose the method 'bdd-search' or the shape 'tree'.",
        )


def too_many_levels(title: str, problem: Problem) -> Iterator[Unsupported]:
    """The refusal of a table with too many levels."""
    if problem.size.max_depth > MAX_LEVELS:
        yield Unsupported(
            f"{problem.size.max_depth} levels",
            f"{title} takes at most {MAX_LEVELS}.",
            "Lower the depth: a table of that many splits has thousands of cells.",
        )


def _nodes(title: str, problem: Problem) -> Iterator[Unsupported]:
    if problem.split_penalty:
        yield Unsupported(
            "A split penalty",
            f"{title} chooses splits by errors alone and does not know the size of the diagram beforehand.",
            "Set the split penalty to 0, or choose a method that counts nodes: 'bdd-search', 'oodg'.",
        )
    if problem.size.max_splits is not None:
        yield Unsupported(
            f"At most {problem.size.max_splits} questions",
            f"{title} limits the splits on a path, not the nodes of the diagram.",
            "Limit the depth only, or choose a method that counts nodes: 'bdd-search', 'oodg'.",
        )
