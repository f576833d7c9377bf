"""The methods `inferdt-depth` and `inferdt-size`: trees without mistakes of least depth, and of fewest nodes, by SAT.

Example
-------
>>> InferDTSize().run(Problem(dataset, Shape(max_depth=6)), Limits(), print, threading.Event())  # doctest: +SKIP
"""

from collections.abc import Callable

from solvers.methods.trees.contree import ConTree
from solvers.methods.trees.exact_search import Splits
from solvers.methods.trees.inferdt.encodings import Encoding
from solvers.methods.trees.inferdt.search import ENCODING, SOLVER, SatSearch, Solver
from solvers.methods.trees.smallest.cases import NOISE, PREDICATES, DistinctCases
from solvers.methods.trees.smallest.consistent_trees import ConsistentTrees
from solvers.methods.trees.smallest.method import SmallestTree
from solvers.problem import Limits
from solvers.solution import Criterion


class InferDTDepth(ConsistentTrees):
    """Trees of least depth without avoidable mistakes (DT_depth of the paper); `options` tells its parameters."""

    name = "inferdt-depth"
    title = "InferDT, least depth (SAT)"
    summary = (
        "Finds a tree of the least depth that gets every row right by satisfiability, from the few rows that decide "
        "it, and proves that no tree is less deep. Where the depth does not suffice, it finds the fewest errors."
    )
    source = "Avellaneda: Efficient Inference of Optimal Decision Trees. AAAI 2020, 10.1609/aaai.v34i04.5711."
    options = (PREDICATES, NOISE, ENCODING, SOLVER)
    imports = ("pysat.solvers",)
    uses = (ConTree,)
    criterion = Criterion.DEPTH_ALONE

    def __init__(
        self,
        predicates: str = PREDICATES.default,
        contradictions: str = NOISE.default,
        encoding: str = ENCODING.default,
        solver: str = SOLVER.default,
    ) -> None:
        super().__init__(predicates, contradictions, self.criterion)
        self._encoding, self._solver = Encoding(encoding), Solver(solver)

    def counterpart(self) -> SmallestTree:
        """The exact search for the same tree, among the same questions."""
        return SmallestTree(self._predicates, contradictions=self._contradictions)

    def _search_for(self, distinct: DistinctCases, limits: Limits, hear: Callable[[Splits], None]) -> SatSearch:
        return SatSearch(distinct, self._encoding, self._solver, hear, limits.memory_mb)


class InferDTSize(InferDTDepth):
    """Trees of least depth, and among these of the fewest nodes, without avoidable mistakes (DT_size of the paper)."""

    name = "inferdt-size"
    title = "InferDT, least depth and fewest nodes (SAT)"
    summary = (
        "Finds the tree of least depth, and of the fewest nodes at that depth, that gets every row right, by "
        "satisfiability, and proves both. Where the depth does not suffice, it finds the fewest errors."
    )
    criterion = Criterion.DEPTH
