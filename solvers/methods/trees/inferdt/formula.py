"""Whole formulas for one question about trees without mistakes, as a solver, a file or a proof checker takes them.

Example
-------
>>> formula = depth_formula(ask(problem), np.arange(10), depth=3)  # doctest: +SKIP
>>> formula.n_variables, formula.n_clauses  # doctest: +SKIP
(412, 3120)
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from solvers.methods.sat.formula import Formula as Draft
from solvers.methods.sat.formula import assignment
from solvers.methods.trees.exact_search import Splits
from solvers.methods.trees.inferdt.encodings import ENCODED, Encoding, PerfectTree
from solvers.methods.trees.smallest.cases import Asked


@dataclass(frozen=True)
class TreeFormula:
    """A formula in conjunctive normal form whose models are trees; `tree` says what the variables stand for.

    `clauses`, int32, are the literals of one clause after the other, each ended by 0, as in the DIMACS format.
    """

    n_variables: int
    clauses: np.ndarray
    tree: PerfectTree

    @property
    def n_clauses(self) -> int:
        """The number of clauses."""
        return int((self.clauses == 0).sum())

    def splits(self, model: Iterable[int]) -> Splits:
        """The tree of a model, given as literals: slot -> (kept order, highest rank of the low side).

        Splits that the cases do not need are among them; `grow` leaves them out.
        """
        return self.tree.splits(assignment(model, self.n_variables))


def depth_formula(asked: Asked, examples: np.ndarray, depth: int, encoding: Encoding = Encoding.ORDER) -> TreeFormula:
    """A formula that is satisfiable if and only if a tree of at most this depth gets the examples right.

    `examples`, int (n,), are the positions of the cases that count, each once; the depth is at least 0.
    """
    draft = Draft()
    tree = ENCODED[encoding](asked, depth, draft)
    tree.add_examples(draft, examples)
    return TreeFormula(draft.n_variables, draft.flat(), tree)


def size_formula(
    asked: Asked, examples: np.ndarray, depth: int, leaves: int, encoding: Encoding = Encoding.ORDER
) -> TreeFormula:
    """A formula that is satisfiable if and only if a tree of this depth and size gets the examples right.

    There are at most so many leaves, at least 1; a tree has one split less than leaves. Whether a single leaf is enough
    is to be asked with depth 0: Theorem 2 fills a tree up with the question of its root, and a leaf has none.
    """
    draft = Draft()
    tree = ENCODED[encoding](asked, depth, draft)
    if leaves < tree.n_leaves:
        more = tree.count_answers(draft, leaves)
        draft.add(-more[leaves, None])
    tree.add_examples(draft, examples)
    return TreeFormula(draft.n_variables, draft.flat(), tree)
