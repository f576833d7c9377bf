"""The methods `inferdt-depth` and `inferdt-size`: trees without mistakes of least depth, and of fewest nodes, by SAT.

Example
-------
>>> InferDTSize().run(Problem(dataset, Shape(max_depth=6)), Limits(), print, threading.Event())  # doctest: +SKIP
"""

from collections.abc import Callable

from ....problem import Limits
from ....solution import Criterion
from ..contree import ConTree
from ..exact_search import Splits
from ..smallest.cases import DistinctCases
from ..smallest.consistent_trees import ConsistentTrees
from ..smallest.method import SmallestTree
from .search import SatSearch


class InferDTDepth(ConsistentTrees):
    """Trees of least depth without avoidable mistakes (DT_depth of the paper)."""

    name = "inferdt-depth"
    title = "InferDT, least depth (SAT)"
    summary = (
        "Finds a tree of the least depth that gets every row right by satisfiability, from the few rows that decide "
        "it, and proves that no tree is less deep. Where the depth does not suffice, it finds the fewest errors."
    )
    source = "Avellaneda: Efficient Inference of Optimal Decision Trees. AAAI 2020, 10.1609/aaai.v34i04.5711."
    imports = ("pysat.solvers",)
    uses = (ConTree,)
    criterion = Criterion.DEPTH_ALONE

    def counterpart(self) -> SmallestTree:
        """The exact search for the same tree, among the same questions."""
        return SmallestTree()

    def _search_for(self, distinct: DistinctCases, limits: Limits, hear: Callable[[Splits], None]) -> SatSearch:
        return SatSearch(distinct, hear, limits.memory_mb)


class InferDTSize(InferDTDepth):
    """Trees of least depth, and among these of the fewest nodes, without avoidable mistakes (DT_size of the paper)."""

    name = "inferdt-size"
    title = "InferDT, least depth and fewest nodes (SAT)"
    summary = (
        "Finds the tree of least depth, and of the fewest nodes at that depth, that gets every row right, by "
        "satisfiability, and proves both. Where the depth does not suffice, it finds the fewest errors."
    )
    criterion = Criterion.DEPTH
