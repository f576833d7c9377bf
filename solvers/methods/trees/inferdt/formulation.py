"""The perfect tree of a depth as clauses, for the cases that are added to it.

In a perfect tree all leaves have the same depth, so the positions of nodes and leaves are fixed, as in a heap: the
children of node `q` are `2 q + 1`, for low ranks, and `2 q + 2`. A shallower tree is one whose remaining nodes have
arbitrary splits. The variables, after Avellaneda (AAAI 2020), are

    X[i, j]     case i goes to the high side at level j; all its X together name a leaf
    C[l, a]     leaf l predicts class a
    S[q, o]     node q splits on order o, and its last low rank t is bounded by two chains:
    A[q, o, r]  t is at least r,  with A[q, o, 0] = S[q, o]
    B[q, o, r]  t is at most r,   with B[q, o, r] = S[q, o] for the last r

and the clauses, for every case i of class a and rank r in order o, every node q at level j and every leaf l,

    S[q, o]                         ->  A[q, o, r + 1] or B[q, o, r]
    i reaches q and goes low        ->  not B[q, o, r - 1]              (3)
    i reaches q and goes high       ->  not A[q, o, r]                  (4)
    i reaches l                     ->  C[l, a]                         (5)

where 'reaches' is the conjunction of the X on the path (Algorithms 1 and 2 of the paper). The paper has a variable for
each split of a node; chains need two clauses for each node, order and case instead of one for each split. A node may
have splits on several orders: then all of them send the cases to the same sides, and any one is taken.
"""

import numpy as np

from ...sat.formula import Formula, parts, paths
from ...sat.totalizer import totalizer
from ..smallest.cases import DistinctCases
from ..tree_of_splits import Splits, nodes_of


class PerfectTree:
    """The variables of a perfect tree of depth at least 0, and the clauses over them.

    `formula` receives variables and clauses of the nodes and leaves. `classes`, int32, are the classes of the cases,
    ascending, and `answers`, int32 (2^depth, n_classes), is C.
    """

    def __init__(self, distinct: DistinctCases, depth: int, formula: Formula) -> None:
        self.depth = depth
        self.n_nodes, self.n_leaves = (1 << depth) - 1, 1 << depth
        self._rank = distinct.rank
        self.classes, label = np.unique(distinct.label, return_inverse=True)
        self._label = label.ravel()
        self._begin = np.append(0, np.cumsum(self._rank.max(axis=1, initial=0)))
        self._post_questions(formula)
        self.answers = formula.variables(self.n_leaves, len(self.classes))
        for first, second in zip(*np.triu_indices(len(self.classes), 1), strict=True):
            formula.add(np.column_stack([-self.answers[:, first], -self.answers[:, second]]))

    @property
    def n_questions(self) -> int:
        """The number of different splits of a node."""
        return int(self._begin[-1])

    @staticmethod
    def literals_of_nodes(distinct: DistinctCases, depth: int) -> int:
        """The approximate number of literals in the clauses of the nodes alone: seven for each split."""
        return (1 << depth) * 7 * int(distinct.rank.max(axis=1, initial=0).sum())

    @property
    def literals_of_example(self) -> int:
        """The maximum number of literals in the clauses of a case: two clauses per node and order, and one per leaf."""
        return (2 * self.n_nodes * len(self._rank) + self.n_leaves) * (self.depth + 1)

    def add_examples(self, formula: Formula, cases: np.ndarray) -> None:
        """Add new cases, int (n,), that the tree must classify correctly; `formula` gets X and (3) to (5)."""
        cases = np.asarray(cases, np.int64)
        for part in parts(len(cases), max(1, self.literals_of_example)):
            self._add_examples(formula, cases[part])

    def count_answers(self, formula: Formula, most: int) -> np.ndarray:
        """Count the leaves that predict a class: int32, where variable n is true if there are more than n.

        In a tree smaller than the perfect one, each leaf can predict at one leaf below it, and the others predict
        nothing (Theorem 2), so few predicting leaves mean few leaves. Numbers above `most` + 1 need not be
        distinguished.
        """
        used = formula.variables(self.n_leaves)
        formula.add(np.column_stack([-self.answers.ravel(), np.repeat(used, self.answers.shape[1])]))  # (7)
        return totalizer(formula, used, np.ones(len(used), np.int64), min(most + 1, self.n_leaves)).outputs

    def splits(self, true: np.ndarray) -> Splits:
        """The splits of the tree of an assignment, bool (n_variables + 1,), as kept order and highest low rank."""
        if not self.n_questions:
            return {}
        return {node: self._question(true, node) for node in range(self.n_nodes)}

    def leaves(self, splits: Splits) -> np.ndarray:
        """The leaf that each case reaches, int64 (n_cases,), 0 to 2^depth - 1."""
        at = np.zeros(self._rank.shape[1], np.int64)
        for slot, cases in nodes_of(self._rank, splits, np.arange(len(at))):
            at[cases] = slot
        return at - self.n_nodes if splits else at

    def mistaken(self, true: np.ndarray, leaves: np.ndarray) -> np.ndarray:
        """The cases whose leaf does not predict their class, ascending."""
        return np.flatnonzero(~true[self.answers[leaves, self._label]])

    def _post_questions(self, formula: Formula) -> None:
        """Post the splits of all nodes."""
        n_orders = len(self._rank)
        self._about = formula.variables(self.n_nodes, n_orders)  # S
        self._least, self._most = np.zeros((2, self.n_nodes, self.n_questions), np.int32)  # A, B
        if n_orders:
            formula.add(self._about)
        for order in range(n_orders):
            here = self._here(order)
            about, n_inner = self._about[:, order, None], here.stop - here.start - 1
            least = self._least[:, here] = np.hstack([about, formula.variables(self.n_nodes, n_inner)])
            most = self._most[:, here] = np.hstack([formula.variables(self.n_nodes, n_inner), about])
            formula.add(np.stack([-least[:, 1:], least[:, :-1]], axis=-1).reshape(-1, 2))
            formula.add(np.stack([-most[:, :-1], most[:, 1:]], axis=-1).reshape(-1, 2))
            either = [np.broadcast_to(-about, (self.n_nodes, n_inner)), least[:, 1:], most[:, :-1]]
            formula.add(np.stack(either, axis=-1).reshape(-1, 3))

    def _add_examples(self, formula: Formula, cases: np.ndarray) -> None:
        x, rank = formula.variables(len(cases), self.depth), self._rank[:, cases]
        order, example = np.nonzero(rank > 0)
        low = example, self._most[:, self._begin[order] + rank[order, example] - 1]
        order, example = np.nonzero(rank < np.diff(self._begin)[:, None])
        high = example, self._least[:, self._begin[order] + rank[order, example]]
        for (example, barred), sign in ((low, 1), (high, -1)):
            pair = x[example]
            for level in range(self.depth):
                nodes = barred[2**level - 1 : 2 ** (level + 1) - 1]
                goes = np.broadcast_to(sign * pair[:, level], nodes.shape)
                clauses = np.concatenate([_away(pair, level), goes[..., None], -nodes[..., None]], axis=2)
                formula.add(clauses.reshape(-1, level + 2))
        answers = self.answers[:, self._label[cases], None]
        formula.add(np.concatenate([_away(x, self.depth), answers], axis=2).reshape(-1, self.depth + 1))

    def _question(self, true: np.ndarray, node: int) -> tuple[int, int]:
        """The split of a node."""
        order = int(np.flatnonzero(true[self._about[node]])[0])
        return order, int(np.flatnonzero(true[self._least[node, self._here(order)]])[-1])

    def _here(self, order: int) -> slice:
        """The positions of the splits of an order among all splits."""
        return slice(int(self._begin[order]), int(self._begin[order + 1]))


def _away(x: np.ndarray, level: int) -> np.ndarray:
    """The literals of 'does not reach this position', (2^level, n, level), for all positions of a level.

    `x`, int32 (n, depth), are the X of each case.
    """
    return np.where(paths(level)[:, None, :], -x[None, :, :level], x[None, :, :level])
