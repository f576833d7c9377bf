"""The methods `inferdt-depth` and `inferdt-size`: error-free trees of minimum depth, and then of fewest nodes, by SAT.

Example
-------
>>> InferDTSize().run(Problem(dataset, Shape(max_depth=6)), Limits(), print, threading.Event())  # doctest: +SKIP
"""

from collections.abc import Callable

from ....problem import Limits
from ....solution import Criterion
from ..contree import ConTree
from ..smallest.cases import DistinctCases
from ..smallest.method import ConsistentTrees, SmallestTree
from ..tree_of_splits import Splits
from .search import SatSearch


class InferDTDepth(ConsistentTrees):
    """Trees of minimum depth without avoidable errors (DT_depth of the paper)."""

    name = "inferdt-depth"
    title = "InferDT, minimum depth (SAT)"
    summary = (
        "Finds a tree of minimum depth without training errors by SAT, from the few rows that decide it, and proves "
        "the depth. If the depth is too small, finds the fewest errors."
    )
    source = "Avellaneda: Efficient Inference of Optimal Decision Trees. AAAI 2020, 10.1609/aaai.v34i04.5711."
    imports = ("pysat.solvers",)
    uses = (ConTree,)
    criterion = Criterion.DEPTH_ALONE

    def counterpart(self) -> SmallestTree:
        """The exact search for the same tree, with the same splits."""
        return SmallestTree()

    def _search_for(self, distinct: DistinctCases, limits: Limits, hear: Callable[[Splits], None]) -> SatSearch:
        return SatSearch(distinct, hear, limits.memory_mb)


class InferDTSize(InferDTDepth):
    """Trees of minimum depth and then fewest nodes, without avoidable errors (DT_size of the paper)."""

    name = "inferdt-size"
    title = "InferDT, minimum depth and nodes (SAT)"
    summary = (
        "Finds a tree of minimum depth, and with the fewest nodes at this depth, without training errors by SAT, and "
        "proves both. If the depth is too small, finds the fewest errors."
    )
    criterion = Criterion.DEPTH
