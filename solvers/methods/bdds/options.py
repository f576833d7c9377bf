"""What all methods for binary decision diagrams share: options, refusals, and the paper of their problem."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from ...problem import Problem, ShapeKind, Thresholds
from ..base import Option, Unsupported, only_kind, unposted
from .table import Unseen

PAPER = (
    "Hu, Huguet, Siala: Optimizing Binary Decision Diagrams with MaxSAT for Classification. AAAI 2022, "
    "doi:10.1609/aaai.v36i4.20291."
)

UNSEEN = Option.among(
    "empty_cells",
    "Prediction for empty cells",
    "The prediction for feature combinations without training rows. Predictions for training rows stay the same.",
    {
        Unseen.MERGE: "smallest diagram",
        Unseen.PARENT: "majority of nearest rows",
        Unseen.SOLVED: "prediction of the solver",
    },
)
"""For methods whose solver fills in the whole truth table."""

UNSEEN_OF_CHOSEN = replace(UNSEEN, values=UNSEEN.values[:2], titles=UNSEEN.titles[:2])
"""For methods that choose splits and derive the table from the rows: there is no solver's prediction."""

CANDIDATES = Option.among(
    "candidates",
    "Splits to choose from",
    "With the splits of a CART tree of the same depth the search is faster, but proves nothing about other splits.",
    {"all": "all", "cart": "those of a CART tree (heuristic)"},
)
"""The heuristic variant of the paper (section 4)."""

THRESHOLDS = Option.among(
    "thresholds",
    "Thresholds",
    "'quantiles' offers nine thresholds for a feature with more than ten values. Proofs hold among the thresholds "
    "offered.",
    {Thresholds.QUANTILES: "at quantiles", Thresholds.ALL: "all"},
)

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
