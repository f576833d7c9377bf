"""Decision trees as clauses, whose nodes find their places: after Hu, Siala, Hebrard and Huguet (2020).

The nodes are numbered breadth first; node 0 is the root, and the k-th pair of children are the nodes 2 k - 1 (no) and
2 k (yes). With child[k, i] for 'the k-th pair are the children of node i', as in the model of Narodytska et al. (2018):

    used[k + 1] -> used[k];  sum_i child[k, i] = used[k]             a used pair has one parent, k - 1 <= i <= 2 k - 2
    sum_k child[k, i] = asks[i];  asks[i] -> used[pair of i]         a node with a question has one pair of children
    child[k, i] and child[k + 1, j] -> i < j                         the numbering is breadth first
    child[k, i] and deep[i, t] -> deep[k, t + 1];  deep[i, H] -> not asks[i]         no path has more than H questions
    sum_r a[i, r] = asks[i]                                          which question
    child[k, i] and answered[2 k, r, yes] -> answered[i, r, yes] or a[i, r]    what was answered on the way to a node,
    child[k, i] and answered[2 k, r, no] -> answered[i, r, no]       likewise to 2 k - 1, with yes and no exchanged
    asks[i] or not used[pair of i] or some answered[i, r, not bit(r, q)]
        or i gives an answer that row q wants                        soft, with the price of the wrong answer

A row that is in leaf i can name no answer on the way that is not its own, so exactly the clauses of its leaf can fail.
"""

from collections.abc import Callable

import numpy as np

from solvers.methods.bdds.sat.models import Answers
from solvers.methods.sat.formula import go_on, parts
from solvers.methods.sat.rows import DistinctRows
from solvers.methods.trees.maxsat.model import TreeModel


class NumberedTree(TreeModel):
    """Trees of numbered nodes; what the parameters mean is said in `CompleteTree`.

    `pair` and `parent`, int64 (n_links,), are which pair of children, from 1 on, may be whose, and `child`, int32
    (n_links,), whether it is. `used`, int32 (n_pairs,), is whether the k-th pair is in the tree, at position k - 1.
    """

    def __init__(
        self,
        rows: DistinctRows,
        depth: int,
        *,
        leaves: int | None = None,
        split_cost: int = 0,
        pause: Callable[[], None] = go_on,
    ) -> None:
        """Write the clauses."""
        n_pairs = min(2**depth, 2**depth if leaves is None else leaves) - 1
        super().__init__(rows, depth, 2 * n_pairs + 1, split_cost, pause)
        self.pair, self.parent = _links(n_pairs)
        self.child = self.formula.variables(len(self.pair))
        self.used = self.formula.variables(n_pairs)
        self._structure()
        self._depths()
        self.answers = Answers(self.formula, 2 * n_pairs + 1, rows.classes)
        self._classify(self._answered())

    def _structure(self) -> None:
        """Make one tree of the nodes, numbered breadth first."""
        add, child, used, asks = self.formula.add, self.child, self.used, self.asks
        add(np.column_stack([-used[1:], used[:-1]]))
        for k in range(1, len(used) + 1):
            of_pair = child[self.pair == k]
            add(np.append(of_pair, -used[k - 1]))
            self.formula.at_most_one(of_pair)
        for i in range(len(asks)):
            of_node = child[self.parent == i]
            add(np.append(of_node, -asks[i]))
            if len(of_node):
                self.formula.at_most_one(of_node)
        add(np.column_stack([-child, used[self.pair - 1]]))
        add(np.column_stack([-child, asks[self.parent]]))
        below = np.arange(1, len(asks))
        add(np.column_stack([-asks[below], used[(below - 1) // 2]]))
        one, other = np.meshgrid(np.arange(len(child)), np.arange(len(child)), indexing="ij")
        crossed = (self.pair[other] == self.pair[one] + 1) & (self.parent[other] <= self.parent[one])
        add(np.column_stack([-child[one[crossed]], -child[other[crossed]]]))

    def _depths(self) -> None:
        """Let no path have more questions than the depth; a pair is at least so many questions deep."""
        deep = self.formula.variables(len(self.used), self.depth)
        self.formula.add(np.column_stack([-self.child, deep[self.pair - 1, 0]]))
        lower = self.parent > 0
        above = (self.parent[lower] - 1) // 2
        for t in range(self.depth - 1):
            self.formula.add(np.column_stack([-self.child[lower], -deep[above, t], deep[self.pair[lower] - 1, t + 1]]))
        below = np.arange(1, len(self.asks))
        self.formula.add(np.column_stack([-deep[(below - 1) // 2, -1], -self.asks[below]]))

    def _answered(self) -> np.ndarray:
        """What was answered on the way to each node, int32 (2, n_nodes, n_columns), no first."""
        n_nodes, n_columns = self.questions.shape
        answered = self.formula.variables(2, n_nodes, n_columns)
        self.formula.add(-answered[:, 0].reshape(-1, 1))
        for link, k, i in zip(self.child.tolist(), self.pair.tolist(), self.parent.tolist(), strict=True):
            linked = np.full(n_columns, -link)
            for side, node in enumerate((2 * k - 1, 2 * k)):
                same, other = answered[side], answered[1 - side]
                self.formula.add(np.column_stack([linked, -same[node], same[i], self.questions[i]]))
                self.formula.add(np.column_stack([linked, -other[node], other[i]]))
        return answered

    def _classify(self, answered: np.ndarray) -> None:
        """Post what rows want at each leaf."""
        demands = self.rows.demands
        selectors = self.formula.selectors(demands.price)
        for group, literal in self.answers.groups(demands):
            for i, wanted in enumerate(literal):
                fixed = [self.asks[i], *wanted] if i == 0 else [self.asks[i], -self.used[(i - 1) // 2], *wanted]
                for part in parts(len(group), answered.shape[2] + len(fixed)):
                    which = group[part]
                    elsewhere = np.where(self.rows.bits[demands.row[which]], answered[0, i], answered[1, i])
                    others = np.broadcast_to(np.array(fixed, np.int32), (len(which), len(fixed)))
                    self.formula.add(np.column_stack([others, elsewhere]), selectors[which])

    def places(self, true: np.ndarray) -> np.ndarray:
        """The questions of an assignment."""
        question = self._question(true)
        pair_of = {i: k for i, k, on in zip(self.parent, self.pair, true[self.child], strict=True) if on}
        places = np.full(2**self.depth - 1, -1, np.int64)
        todo = [(0, 0)]
        while todo:
            node, place = todo.pop()
            if question[node] >= 0:
                places[place] = question[node]
                k = pair_of[node]
                todo += [(2 * k - 1, 2 * place + 1), (2 * k, 2 * place + 2)]
        return places


def _links(n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """Which pairs of children may be whose in a breadth-first numbering: pairs from 1 on, and nodes, both int64.

    The parent of the k-th pair is the k-th node with a question, so k - 1 or later, and comes before the pair.
    """
    pair, parent = np.meshgrid(np.arange(1, n_pairs + 1), np.arange(2 * n_pairs), indexing="ij")
    possible = (parent >= pair - 1) & (parent <= 2 * pair - 2)
    return pair[possible], parent[possible]


def literals_of(n_rows: int, n_columns: int, depth: int, leaves: int | None) -> int:
    """How many literals a model has for two classes, where all rows want one, less those of links and depths."""
    n_pairs: int = min(2**depth, 2**depth if leaves is None else leaves) - 1
    n_nodes, n_links = 2 * n_pairs + 1, n_pairs * (n_pairs + 1) // 2
    return n_rows * (n_nodes * (n_columns + 3) - 1) + n_columns * (14 * n_links + 9 * n_nodes + 2) - 7 * n_nodes
