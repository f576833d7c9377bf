"""The minimum cost of a tree of depth one or two for a subset of the rows of a search."""

from .arrays import UInt8Vector, bool_, int64
from .compiled import njit
from .depth_two import call_depth_two
from .links import DEPTH_TWO
from .path_rules import PathRuleArrays
from .prepare import most_leaves
from .stack import divide_rows
from .workspace import Lanes, RankedRows, Scan, SearchState

ROOT, PART = 0, 1
"""The level of all rows, and the level of the subset."""


@njit(cache=True, nogil=True)
def part_cost(
    rows: RankedRows,
    scan: Scan,
    lanes: Lanes,
    state: SearchState,
    ruling: PathRuleArrays,
    member: UInt8Vector,
    used: int,
    depth: int,
    ceiling: int,
    hard: bool,
) -> tuple[int, int]:
    """The minimum cost of a tree of depth one or two for the rows with `member` set, if it is below `ceiling`.

    Parameters
    ----------
    rows, scan, lanes, state : arrays of a search of depth three or more; its open nodes are overwritten.
    ruling : the path rules of the search; used : the features on the path to these rows, as a mask.
    member : uint8 (n,); ceiling : the cost is exact only below it, in scaled units (`control.UNIT`).
    hard : whether leaves must have the minimum size of the search.

    Returns
    -------
    The minimum cost, or a lower bound of at least `ceiling`; ABORTED after a stop. Then the number of nodes of the
    tree, which is in level 1 of `state`; 0 if no tree is below the ceiling.
    """
    m = int64(0)
    for row in range(len(member)):
        m += member[row]
    for row in range(len(member)):
        rows.side[row] = 1 - member[row]
    zero, level, nothing = int64(0), int64(PART), int64(0)
    divide_rows(rows, int64(ROOT), zero, int64(len(member)), m)
    state.inherited[PART, :] = 0
    shape = used, ceiling, nothing, depth, most_leaves(state.control, depth, int64(4)), bool_(hard)
    return call_depth_two(scan.links[DEPTH_TWO], (rows, scan, lanes, state, ruling, (level, zero, m), *shape))
