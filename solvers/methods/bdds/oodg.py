"""Oblivious read-once decision graphs, top-down (Kohavi and Li 1995).

*Oblivious* means that all nodes of a level have the same split, *read-once* that a split occurs once on a path. With
binary splits and one leaf per class, such a graph is an ordered BDD. It is built in three steps:

1. Splits are chosen one by one. Each minimizes the conditional entropy of the class,

       H(Y | X_1, ..., X_j, f)  =  sum over cells z of  P(z) * H(Y | z),

   and so maximizes the mutual information, given the earlier splits.
2. They form an oblivious decision tree (ODT): every level divides all nodes. Leaves without rows are 'unknown'.
3. The tree becomes a graph (OODG). *Isomorphic* subtrees are merged. This changes no prediction if unknown leaves
   predict the majority class of their parents, as in the tree. *Compatible* subtrees, which differ only where one of
   them is unknown, are merged, too: the known predictions of one then apply to the other. The policy for cells without
   rows selects the rule: `parent` merges isomorphic subtrees and predicts like the tree, `merge` merges compatible
   ones.

The split penalty and the limit on nodes are not part of the paper: of the graphs of the first 0, 1, 2, ... splits, the
one with the least cost is returned.

Example
-------
>>> Oodg(empty_cells="parent").run(Problem(dataset, Shape(ShapeKind.BDD)), limits, print, stop)  # doctest: +SKIP
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ...diagram import Diagram
from ...problem import Predicate, Problem, ShapeKind, Thresholds
from ..base import Method, Unsupported
from ..features import Features, add_facts, features_of
from ..search.context import SearchContext
from ..trees.cart import class_stakes
from .options import THRESHOLDS, UNSEEN_OF_CHOSEN, only_bdds
from .table import Unseen, bdd_of

EQUAL = 1e-12
"""Entropies, in bits, that differ by at most this are equal; the first split wins."""

OF_GRAPH = replace(
    UNSEEN_OF_CHOSEN,
    titles=("that of a subtree that can be merged (OODG)", "the majority class of the parent, as in the tree (ODT)"),
)


class Oodg(Method):
    """The greedy method for BDDs. Its parameters are in `options`."""

    name = "oodg"
    title = "OODG (greedy)"
    kinds = (ShapeKind.BDD,)
    exact = False
    summary = (
        "Greedy BDD: each level uses the split with the most information, given the levels above; then equal "
        "subtrees are merged. A fast baseline without a proof."
    )
    source = "Kohavi and Li: Oblivious Decision Trees, Graphs, and Top-Down Pruning. IJCAI 1995."
    options = (OF_GRAPH, THRESHOLDS)

    def __init__(self, empty_cells: str = OF_GRAPH.default, thresholds: str = THRESHOLDS.default) -> None:
        self._unseen, self._thresholds = Unseen(empty_cells), Thresholds(thresholds)

    def refusals(self, problem: Problem) -> Iterable[Unsupported]:
        """Refuse all but BDDs without domain constraints."""
        return only_bdds(self.title, problem, nodes=True)

    def search(self, context: SearchContext) -> None:
        """Choose the splits, then build the graph."""
        problem = context.problem
        context.offer(bdd_of(problem, (), self._unseen))
        features = features_of(problem, self._thresholds)
        order, entropies = chosen_in_turn(features, problem.size.max_depth, class_stakes(problem), context.due)
        context.due()
        for graph in self._graphs(problem, [features.predicates[f] for f in order]):
            context.offer(graph)
        add_facts(context, features)
        context.stats = {
            "features": len(features),
            "chosen": [features.predicates[f].words(problem.dataset.schema) for f in order],
            "conditional entropies": [round(entropy, 6) for entropy in entropies],
        }

    def _graphs(self, problem: Problem, questions: Sequence[Predicate]) -> Iterator[Diagram]:
        """The graph of all splits; with a split penalty or a limit on nodes, those of the first 1, 2, ... splits."""
        most = problem.size.max_splits
        counted = bool(problem.split_penalty) or most is not None
        for n in range(1, len(questions) + 1) if counted else [len(questions)]:
            graph = bdd_of(problem, questions[:n], self._unseen)
            if most is None or graph.n_splits <= most:
                yield graph


def chosen_in_turn(
    features: Features, depth: int, stakes: np.ndarray, due: Callable[[], bool]
) -> tuple[list[int], list[float]]:
    """Choose the most informative features, each given those before it.

    Parameters
    ----------
    features, depth : the candidates, and the largest number to choose; fewer are chosen if they decide every class.
    stakes : int (n_classes,), factor for the weight of the rows of each class.
    due : whether to stop with the features chosen so far.

    Returns
    -------
    The features, and the conditional entropy in bits before the first and after each.
    """
    weights = (features.cases.class_weight * stakes).astype(np.float64)
    cell = np.zeros(len(weights), np.int64)
    order: list[int] = []
    entropies = [_entropy(weights.sum(axis=0, keepdims=True))]
    while len(order) < min(depth, len(features)) and entropies[-1] > EQUAL and not due():
        left = [
            np.inf if f in order else _entropy(_by_cell(2 * cell + features.rows[:, f], weights))
            for f in range(len(features))
        ]
        best = int(np.flatnonzero(np.array(left) <= min(left) + EQUAL)[0])
        order.append(best)
        entropies.append(left[best])
        # renumber, so that there are never more cells than rows
        cell = np.unique(2 * cell + features.rows[:, best], return_inverse=True)[1].ravel()
    return order, entropies


def _by_cell(cell: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The weight of each class in each cell, float64 (n_cells, n_classes)."""
    return np.stack([np.bincount(cell, by_row) for by_row in weights.T], axis=1)


def _entropy(table: np.ndarray) -> float:
    """The conditional entropy of the class, in bits, given the cell; 0 without weight."""
    held = table.sum(axis=1, keepdims=True)
    share = np.divide(table, held, out=np.zeros_like(table), where=held > 0)
    bits = -np.log2(share, out=np.zeros_like(share), where=share > 0) * table
    return float(bits.sum() / held.sum()) if held.any() else 0.0
