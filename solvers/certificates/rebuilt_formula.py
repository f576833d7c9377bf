"""The formula of a claim, written a second time and clause by clause, from the cases alone.

The proof of another formula would prove nothing here. So the checker makes the formula itself, by the text that stands
in every certificate and by none of the code that made the file, and compares the two as sets of clauses.

Nodes of the perfect tree are numbered as in a heap: below node q are 2 q + 1 (low ranks) and 2 q + 2 (high ranks).

Source: Avellaneda, Efficient Inference of Optimal Decision Trees, AAAI 2020, formulas (1)-(7) with thresholds written
as chains; the count of leaves is a totalizer (Bailleux and Boufkhad, CP 2003, section 3).
"""

from array import array
from collections.abc import Iterator, Sequence
from itertools import combinations, product

import numpy as np

from solvers.certificates.cases import Cases
from solvers.certificates.claims import Claim
from solvers.certificates.dimacs import Clauses

Clause = tuple[int, ...]


class Rebuilt:
    """The formula of a claim about labelled cases, over the variables 1 to `n_variables`.

    It is proved with the cases `used`: what no tree can do for some it cannot do for all. `blocks` has name, first and
    last variable of each kind of variable, for the reader.
    """

    def __init__(self, cases: Cases, used: Sequence[int], claim: Claim) -> None:
        self.n_variables = 0
        self.blocks: list[tuple[str, int, int]] = []
        self._literals = array("i")
        self._depth, self._questions = claim.depth, [order.n_questions for order in cases.orders]
        self._nodes, self._leaves = range(2**claim.depth - 1), range(2**claim.depth)
        self._classes = sorted(set(cases.labels))
        self._ask()
        self._answer()
        if claim.leaves is not None and claim.leaves < len(self._leaves):
            self._limit(claim.leaves)
        self._case = {i: self._new(f"X[{i}, j]: case {i} goes high at level j", claim.depth) for i in used}
        for i in used:
            self._right(i, cases.ranks[i], cases.labels[i])

    def _new(self, name: str, n: int) -> range:
        """So many new variables."""
        first = self.n_variables + 1
        self.n_variables += n
        if n:
            self.blocks.append((name, first, self.n_variables))
        return range(first, first + n)

    @property
    def clauses(self) -> Clauses:
        """The clauses, in no order that matters."""
        return Clauses(self.n_variables, np.array(self._literals, np.int32))

    def _say(self, *literals: int) -> None:
        self._literals.extend(literals)
        self._literals.append(0)

    def _ask(self) -> None:
        """Let each node ask about an order, between a lower and an upper end."""
        n_orders = len(self._questions)
        about = self._new(f"S[q, o] at q * {n_orders} + o: node q asks about order o", len(self._nodes) * n_orders)
        self._about = {(q, o): about[q * n_orders + o] for q in self._nodes for o in range(n_orders)}
        self._least: dict[tuple[int, int, int], int] = {}
        self._most: dict[tuple[int, int, int], int] = {}
        for o, m in enumerate(self._questions):
            low = self._new(
                f"A[q, {o}, r] at q * {m - 1} + r - 1: its question is number r or later", len(self._nodes) * (m - 1)
            )
            high = self._new(
                f"B[q, {o}, r] at q * {m - 1} + r: its question is number r or earlier", len(self._nodes) * (m - 1)
            )
            for q in self._nodes:
                self._least[q, o, 0] = self._most[q, o, m - 1] = self._about[q, o]
                for r in range(m - 1):
                    self._least[q, o, r + 1] = low[q * (m - 1) + r]
                    self._most[q, o, r] = high[q * (m - 1) + r]
        for q in self._nodes:
            self._say(*(self._about[q, o] for o in range(n_orders)))
            for o, m in enumerate(self._questions):
                for r in range(m - 1):
                    self._say(-self._least[q, o, r + 1], self._least[q, o, r])
                    self._say(-self._most[q, o, r], self._most[q, o, r + 1])
                    self._say(-self._about[q, o], self._least[q, o, r + 1], self._most[q, o, r])

    def _answer(self) -> None:
        """Let a leaf answer at most one class."""
        n = len(self._classes)
        says = self._new(f"C[l, a] at l * {n} + a: leaf l answers the class {self._classes}[a]", len(self._leaves) * n)
        self._says = {(leaf, c): says[leaf * n + a] for leaf in self._leaves for a, c in enumerate(self._classes)}
        for leaf in self._leaves:
            for one, two in combinations(self._classes, 2):
                self._say(-self._says[leaf, one], -self._says[leaf, two])

    def _limit(self, most: int) -> None:
        """Let at most so many leaves answer."""
        used = self._new("U[l]: leaf l answers", len(self._leaves))
        for leaf, c in product(self._leaves, self._classes):
            self._say(-self._says[leaf, c], used[leaf])
        sums = [[variable] for variable in used]
        while len(sums) > 1:
            sums = [self._sum(one, two, most + 1) for one, two in zip(sums[::2], sums[1::2], strict=True)]
        self._say(-sums[0][most])

    def _sum(self, one: list[int], two: list[int], cap: int) -> list[int]:
        """Variables for 'at least 1', 'at least 2', ... of two such lists together."""
        total = list(self._new("T: at least 1, 2, ... of some leaves answer", min(len(one) + len(two), cap)))
        for part in (one, two):
            for n, variable in enumerate(part):
                self._say(-variable, total[n])
        for i, j in product(range(len(one)), range(len(two))):
            self._say(-one[i], -two[j], total[min(i + j + 2, cap) - 1])
        return total

    def _right(self, i: int, ranks: Sequence[int], label: int) -> None:
        """Lead a case through the tree to a leaf that answers its class."""
        high = self._case[i]
        for level in range(self._depth):
            for node, away in self._places(high, level):
                for o, rank in enumerate(ranks):
                    if rank > 0:
                        self._say(*away, high[level], -self._most[node, o, rank - 1])
                    if rank < self._questions[o]:
                        self._say(*away, -high[level], -self._least[node, o, rank])
        for place, away in self._places(high, self._depth):
            self._say(*away, self._says[place - len(self._nodes), label])

    def _places(self, high: range, level: int) -> Iterator[tuple[int, Clause]]:
        """The places of a level, with the literals of 'the case does not come here'."""
        for number, path in enumerate(product((False, True), repeat=level)):
            yield 2**level - 1 + number, tuple(-x if up else x for up, x in zip(path, high, strict=False))


def differ(first: Clauses, second: Clauses) -> str:
    """How two formulas differ as sets of clauses, in a sentence; '' where they do not."""
    if first.n_variables != second.n_variables:
        return f"It has {first.n_variables} variables instead of {second.n_variables}."
    ours, theirs = _by_length(first), _by_length(second)
    for length in sorted(ours.keys() | theirs.keys()):
        one, two = ours.get(length), theirs.get(length)
        if one is None or two is None or one.shape != two.shape or (one != two).any():
            n_one, n_two = (0 if rows is None else len(rows) for rows in (one, two))
            counts = f"{n_one} instead of {n_two}" if n_one != n_two else f"other ones among {n_one}"
            return f"Of the clauses of {length} literals there are {counts}."
    return ""


def _by_length(formula: Clauses) -> dict[int, np.ndarray]:
    """The different clauses by their length, each with its literals in ascending order, a row a clause, sorted."""
    ends = np.flatnonzero(formula.literals == 0)
    begin = np.append(0, ends[:-1] + 1)[: len(ends)]
    lengths = ends - begin
    clauses = {}
    for length in np.unique(lengths).tolist():
        rows = formula.literals[begin[lengths == length, None] + np.arange(length)]
        clauses[length] = np.unique(np.sort(rows, axis=1), axis=0)
    return clauses


def blocks(cases: Cases, used: Sequence[int], claim: Claim) -> list[tuple[str, int, int]]:
    """What the variables of a formula mean: words, first and last variable of each kind."""
    return Rebuilt(cases, used, claim).blocks
