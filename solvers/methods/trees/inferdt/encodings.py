"""The perfect tree of a depth as clauses, for the cases that are added to it.

In a perfect tree all leaves have the same depth, so that the places of nodes and leaves are fixed: as in a heap, below
node `q` are `2 q + 1`, where the low ranks go, and `2 q + 2`. A tree that is less deep is one whose other nodes ask
anything. The variables, after Avellaneda (AAAI 2020), are

    X[i, j]   case i goes to the high side at level j; with all j it names a leaf
    C[l, a]   leaf l answers class a
    questions of node q, in one of two ways, see `PaperTree` and `OrderTree`

and for every case i of class a, every node q at level j and every leaf l

    i comes to q and goes low   ->  q asks nothing that sends i to the high side      (3)
    i comes to q and goes high  ->  q asks nothing that sends i to the low side       (4)
    i comes to l                ->  C[l, a]                                           (5)

where 'comes to' is the conjunction of the X that lead there (Algorithms 1 and 2 of the paper).
"""

from abc import ABC, abstractmethod
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from ...sat.formula import Formula as Draft
from ...sat.formula import parts, paths
from ...sat.totalizer import totalizer
from ..exact_search import Splits
from ..smallest.cases import DistinctCases


class Encoding(StrEnum):
    """How the questions of a node are written."""

    ORDER = "order"
    PAPER = "paper"


class Barred(NamedTuple):
    """What a node must not ask where cases go to one of its sides: `variables`, int32 (n_nodes, n_pairs), are false.

    `example`, int64 (n_pairs,), is the position of the case among those that are added.
    """

    example: np.ndarray
    variables: np.ndarray


class PerfectTree(ABC):
    """The variables of a perfect tree of a depth of at least 0, and the clauses over them.

    `draft` takes variables and clauses of the nodes and leaves. `classes`, int32, are those that cases have, ascending,
    and `answers`, int32 (2^depth, n_classes), is C.
    """

    def __init__(self, distinct: DistinctCases, depth: int, draft: Draft) -> None:
        self.depth = depth
        self.n_nodes, self.n_leaves = (1 << depth) - 1, 1 << depth
        self._rank = distinct.rank
        self.classes, label = np.unique(distinct.label, return_inverse=True)
        self._label = label.ravel()
        self._begin = np.append(0, np.cumsum(self._rank.max(axis=1, initial=0)))
        self._post_questions(draft)
        self.answers = draft.variables(self.n_leaves, len(self.classes))
        self._post_answers(draft)

    @property
    def n_questions(self) -> int:
        """How many different questions a node may ask."""
        return int(self._begin[-1])

    def add_examples(self, draft: Draft, cases: np.ndarray) -> None:
        """Demand that the tree gets cases right, int (n,), none added before; `draft` takes X and (3) to (5)."""
        cases = np.asarray(cases, np.int64)
        literals = self.literals_of_example
        for part in parts(len(cases), max(1, literals)):
            self._add_examples(draft, cases[part])

    def count_answers(self, draft: Draft, most: int) -> np.ndarray:
        """Count the leaves that answer a class: int32, at place n a variable that is true at least for more than n.

        Of a tree that is smaller than the perfect one, the same leaves can do the answering, each below its place, and
        the others answer nothing (Theorem 2): so few answering leaves are few leaves. Numbers above `most` + 1 need not
        be told apart.
        """
        used = draft.variables(self.n_leaves)
        n_classes = self.answers.shape[1]
        draft.add(np.column_stack([-self.answers.ravel(), np.repeat(used, n_classes)]))  # (7)
        return self._count(draft, used, min(most + 1, self.n_leaves))

    def splits(self, true: np.ndarray) -> Splits:
        """The questions of the tree of an assignment, bool (n_variables + 1,), as kept order and highest low rank."""
        if not self.n_questions:
            return {}
        return {node: self._question(true, node) for node in range(self.n_nodes)}

    def leaves(self, splits: Splits) -> np.ndarray:
        """The leaf that each case comes to, int64 (n_cases,), 0 to 2^depth - 1."""
        at = np.zeros(self._rank.shape[1], np.int64)
        for node, (order, last) in sorted(splits.items()):
            here = np.flatnonzero(at == node)
            at[here] = 2 * node + 1 + (self._rank[order, here] > last)
        return at - self.n_nodes if splits else at

    def mistaken(self, true: np.ndarray, leaves: np.ndarray) -> np.ndarray:
        """The cases whose leaf does not answer their class, ascending."""
        return np.flatnonzero(~true[self.answers[leaves, self._label]])

    @classmethod
    @abstractmethod
    def literals_of_nodes(cls, distinct: DistinctCases, depth: int) -> int:
        """About how many literals the clauses of the nodes alone have."""

    @property
    @abstractmethod
    def literals_of_example(self) -> int:
        """How many literals the clauses of one case have at most."""

    @abstractmethod
    def _post_questions(self, draft: Draft) -> None:
        """Let every node ask."""

    @abstractmethod
    def _post_answers(self, draft: Draft) -> None:
        """Let a leaf answer one class at most."""

    @abstractmethod
    def _barred(self, cases: np.ndarray) -> tuple[Barred, Barred]:
        """What is barred where cases go low, and where they go high."""

    @abstractmethod
    def _answer(self, draft: Draft, prefix: np.ndarray, label: np.ndarray) -> None:
        """Demand the answers of cases; prefix (n_leaves, n, depth) are the literals of not coming to a leaf."""

    @abstractmethod
    def _count(self, draft: Draft, used: np.ndarray, cap: int) -> np.ndarray:
        """Variables for 'at least 1', ..., 'at least `cap`' of `used`."""

    @abstractmethod
    def _question(self, true: np.ndarray, node: int) -> tuple[int, int]:
        """What a node asks."""

    def _add_examples(self, draft: Draft, cases: np.ndarray) -> None:
        x = draft.variables(len(cases), self.depth)
        for barred, sign in zip(self._barred(cases), (1, -1), strict=True):
            pair = x[barred.example]
            for level in range(self.depth):
                nodes = barred.variables[2**level - 1 : 2 ** (level + 1) - 1]
                away = _away(pair, level)
                goes = np.broadcast_to(sign * pair[:, level], nodes.shape)
                draft.add(np.concatenate([away, goes[..., None], -nodes[..., None]], axis=2).reshape(-1, level + 2))
        self._answer(draft, _away(x, self.depth), self._label[cases])


class PaperTree(PerfectTree):
    """The questions as in the paper: F[q, f] for each node and each question, exactly one of them true; (1) and (2)."""

    @classmethod
    def literals_of_nodes(cls, distinct: DistinctCases, depth: int) -> int:
        """One for each pair of questions."""
        return (1 << depth) * int(distinct.rank.max(axis=1, initial=0).sum()) ** 2

    @property
    def literals_of_example(self) -> int:
        """One clause for each node and question, and one for each leaf and class."""
        return (self.n_nodes * self.n_questions + self.n_leaves * len(self.classes)) * (self.depth + 1)

    def _post_questions(self, draft: Draft) -> None:
        self._asks = draft.variables(self.n_nodes, self.n_questions)
        if not self.n_questions:
            return
        draft.add(self._asks)  # (1)
        first, second = np.triu_indices(self.n_questions, 1)
        for part in parts(len(first), 2 * max(1, self.n_nodes)):
            pairs = np.stack([-self._asks[:, first[part]], -self._asks[:, second[part]]], axis=-1)
            draft.add(pairs.reshape(-1, 2))  # (2)

    def _post_answers(self, draft: Draft) -> None:
        """Nothing: (6) bars the other classes case by case."""

    def _barred(self, cases: np.ndarray) -> tuple[Barred, Barred]:
        order = np.repeat(np.arange(len(self._rank)), np.diff(self._begin))
        last = np.arange(self.n_questions) - self._begin[order]
        low = self._rank[order][:, cases] <= last[:, None]
        sides = (np.nonzero(side) for side in (~low, low))
        one, two = (Barred(example, self._asks[:, question]) for question, example in sides)
        return one, two

    def _answer(self, draft: Draft, prefix: np.ndarray, label: np.ndarray) -> None:
        right = np.arange(len(self.classes)) == label[:, None]
        literals = np.where(right, self.answers[:, None, :], -self.answers[:, None, :])
        for a in range(len(self.classes)):
            draft.add(np.concatenate([prefix, literals[..., a, None]], axis=2).reshape(-1, self.depth + 1))  # (5), (6)

    def _count(self, draft: Draft, used: np.ndarray, cap: int) -> np.ndarray:
        counter = draft.variables(len(used) + 1, cap + 1)  # H
        draft.add(counter[:1, :1])  # (10)
        draft.add(np.stack([-counter[:-1], counter[1:]], axis=-1).reshape(-1, 2))  # (8)
        on = np.broadcast_to(-used[:, None], (len(used), cap))
        draft.add(np.stack([on, -counter[:-1, :-1], counter[1:, 1:]], axis=-1).reshape(-1, 3))  # (9)
        return counter[-1, 1:]

    def _question(self, true: np.ndarray, node: int) -> tuple[int, int]:
        chosen = int(np.flatnonzero(true[self._asks[node]])[0])
        order = int(np.searchsorted(self._begin, chosen, side="right")) - 1
        return order, int(chosen - self._begin[order])


class OrderTree(PerfectTree):
    """The questions as chains: two clauses for each node, order and case instead of one for each question.

    S[q, o] says that node q asks about order o, with its last low rank t between the ends of two chains:

        A[q, o, r]  t is at least r,  with A[q, o, 0] = S[q, o]
        B[q, o, r]  t is at most r,   with B[q, o, r] = S[q, o] for the last r
        S[q, o] -> A[q, o, r + 1] or B[q, o, r]

    A case of rank r that goes low bars B[q, o, r - 1], and one that goes high bars A[q, o, r]. A node may ask about
    several orders: then each of them sends the cases where they go, and any one is taken.
    """

    @classmethod
    def literals_of_nodes(cls, distinct: DistinctCases, depth: int) -> int:
        """Seven for each question."""
        return (1 << depth) * 7 * int(distinct.rank.max(axis=1, initial=0).sum())

    @property
    def literals_of_example(self) -> int:
        """Two clauses for each node and order, and one for each leaf."""
        return (2 * self.n_nodes * len(self._rank) + self.n_leaves) * (self.depth + 1)

    def _post_questions(self, draft: Draft) -> None:
        n_orders = len(self._rank)
        self._about = draft.variables(self.n_nodes, n_orders)  # S
        self._least = np.zeros((self.n_nodes, self.n_questions), np.int32)  # A
        self._most = np.zeros((self.n_nodes, self.n_questions), np.int32)  # B
        if n_orders:
            draft.add(self._about)
        for order in range(n_orders):
            here = self._here(order)
            about, n_inner = self._about[:, order, None], here.stop - here.start - 1
            least = self._least[:, here] = np.hstack([about, draft.variables(self.n_nodes, n_inner)])
            most = self._most[:, here] = np.hstack([draft.variables(self.n_nodes, n_inner), about])
            draft.add(np.stack([-least[:, 1:], least[:, :-1]], axis=-1).reshape(-1, 2))
            draft.add(np.stack([-most[:, :-1], most[:, 1:]], axis=-1).reshape(-1, 2))
            either = [np.broadcast_to(-about, (self.n_nodes, n_inner)), least[:, 1:], most[:, :-1]]
            draft.add(np.stack(either, axis=-1).reshape(-1, 3))

    def _post_answers(self, draft: Draft) -> None:
        for first, second in zip(*np.triu_indices(len(self.classes), 1), strict=True):
            draft.add(np.column_stack([-self.answers[:, first], -self.answers[:, second]]))

    def _barred(self, cases: np.ndarray) -> tuple[Barred, Barred]:
        rank = self._rank[:, cases]
        order, example = np.nonzero(rank > 0)
        low = Barred(example, self._most[:, self._begin[order] + rank[order, example] - 1])
        order, example = np.nonzero(rank < np.diff(self._begin)[:, None])
        return low, Barred(example, self._least[:, self._begin[order] + rank[order, example]])

    def _answer(self, draft: Draft, prefix: np.ndarray, label: np.ndarray) -> None:
        draft.add(np.concatenate([prefix, self.answers[:, label, None]], axis=2).reshape(-1, self.depth + 1))

    def _count(self, draft: Draft, used: np.ndarray, cap: int) -> np.ndarray:
        return totalizer(draft, used, np.ones(len(used), np.int64), cap).outputs

    def _question(self, true: np.ndarray, node: int) -> tuple[int, int]:
        order = int(np.flatnonzero(true[self._about[node]])[0])
        return order, int(np.flatnonzero(true[self._least[node, self._here(order)]])[-1])

    def _here(self, order: int) -> slice:
        """Where the questions of an order stand among all."""
        return slice(int(self._begin[order]), int(self._begin[order + 1]))


ENCODED: dict[Encoding, type[PerfectTree]] = {Encoding.ORDER: OrderTree, Encoding.PAPER: PaperTree}


def _away(x: np.ndarray, level: int) -> np.ndarray:
    """The literals of 'does not come to this place', (2^level, n, level), for all places of a level.

    `x`, int32 (n, depth), are the X of each case.
    """
    return np.where(paths(level)[:, None, :], -x[None, :, :level], x[None, :, :level])
