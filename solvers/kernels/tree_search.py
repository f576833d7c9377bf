"""The Python interface of the exact search: allocate, advance in small steps, read incumbent, lower bound and tree."""

import numpy as np

from ..magnitude import sum_of, width
from . import control as word
from . import links as kernel
from .depth_two import depth_two
from .joint_pass import joint_pass
from .path_rules import PathRuleArrays, no_ruling
from .prepare import pack
from .savings import shrink
from .scalar import MANY_LANES
from .search import resume, start
from .second_orders import scan_second_orders, weigh_sides
from .sized import scan_sized, sweep_sized
from .stack import CEILING, HARD, LIMIT
from .status import DONE, FULL, RUNNING, STOPPED
from .sweep import ABORTED, place_rows, sweep
from .techniques import SHALLOW
from .workspace import Lanes, RankedRows, Scan, SearchState, grown, scan_space, search_state, sorted_rows

BUDGET = 20_000_000
"""Scanned elements per step: a few hundredths of a second."""


def memory_mb(n_orders: int, n: int, n_classes: int, depth: int) -> int:
    """The initial memory of a search in MiB; records of evaluated splits are added as it runs."""
    levels = max(depth - 1, 1)
    wide = n if n_classes > 2 else 0
    cells = n_orders * n
    per_cell = levels * (4 + 4 + 8) + 4 + 4 + 4
    return (cells * per_cell + n * 250 + wide * 2 * MANY_LANES * 4) // 2**20 + 1


_addresses: dict[tuple[object, ...], list[int]] = {}
"""The kernel addresses by array types, `sides` and `sized`; see `link`."""


def link(
    rows: RankedRows, scan: Scan, lanes: Lanes, state: SearchState, ruling: PathRuleArrays, sides: bool, sized: bool
) -> None:
    """Write the addresses of the kernels that a search needs into its scratch.

    `sides` : splits have a penalty, or one side of each must be a leaf; `sized` : leaves have a minimum size.
    """
    # numba needs milliseconds to type these arrays, and hundreds of small searches may be started
    arrays = (*rows, *scan, *lanes, *state, *ruling)
    types = ((array.dtype, array.ndim, array.flags.num) for array in arrays)
    key = (*types, sides, sized)
    if key not in _addresses:
        _addresses[key] = _found_addresses(rows, scan, lanes, state, ruling, sides, sized)
    scan.links[:] = _addresses[key]


def _found_addresses(
    rows: RankedRows,
    scan: Scan,
    lanes: Lanes,
    state: SearchState,
    ruling: PathRuleArrays,
    sides: bool,
    sized: bool,
    rest: bool = True,
) -> list[int]:
    control, n, yes = state.control, 0, True
    stretch, links = (n, n, n), [0] * kernel.N_LINKS
    links[kernel.SHRINK] = kernel.address(shrink, (rows, scan, state, n, n), sides)
    links[kernel.PACK] = kernel.address(pack, (rows, scan, lanes, stretch, yes), rest)
    links[kernel.PLACE] = kernel.address(place_rows, (scan, lanes, n, n, n), rest)
    links[kernel.WEIGH] = kernel.address(weigh_sides, (rows, scan, lanes, n, stretch, n, n, control), rest)
    links[kernel.SECOND_ORDERS] = kernel.address(scan_second_orders, (scan, lanes, n, n, n, control), rest)
    links[kernel.SIZED_SCAN] = kernel.address(scan_sized, (rows, scan, lanes, n, stretch, n, n, control), sized)
    links[kernel.JOINT_PASS] = kernel.address(joint_pass, (rows, scan, lanes, state, stretch, n, n), rest)
    links[kernel.SIZED_SWEEP] = kernel.address(sweep_sized, (rows, scan, lanes, state, n, stretch, n, n, n, n), sized)
    links[kernel.SWEEP] = kernel.address(sweep, (rows, scan, lanes, state, n, stretch, n, n, n, n, yes, n), rest)
    shape = n, n, n, n, n, yes
    links[kernel.DEPTH_TWO] = kernel.address(depth_two, (rows, scan, lanes, state, ruling, stretch, *shape), rest)
    return links


def compile_loop() -> None:
    """Compile the loop of the search, which is the same for all tables, without the kernels it calls by address.

    Another process can compile those kernels at the same time.
    """
    none = np.zeros(1, np.int32)
    rows, state, ruling = sorted_rows(none[None], none, none + 1, none, none, 2), search_state(1, 1, 3, 2), no_ruling(1)
    scan, lanes = scan_space(1, 1, 2, width(1))
    _found_addresses(rows, scan, lanes, state, ruling, sides=False, sized=False, rest=False)
    kernel.address(resume, (rows, scan, lanes, state, ruling, BUDGET), True)


class TreeSearch:
    """The minimum-cost tree of a given depth over rank orders.

    Raises `MagnitudeError` if the maximum total cost of all rows exceeds the range of the integers.

    Parameters
    ----------
    rank : int32 (n_orders, n_samples), equal values have equal ranks; see `Orders.rank`.
    label : int (n_samples,), classes 0 to n_classes - 1; weight : int64 (n_samples,), at least 1.
    twin, missing : int32 (n_orders,), see `Orders`.
    n_classes : at most 64.
    depth : the maximum depth, at least 0.
    ceiling : the cost of a known tree; only cheaper trees are searched for.
    known : a lower bound of the optimum.
    gap : the search ends if the incumbent minus the lower bound is at most this.
    leaves : the maximum number of leaves; `None` if only the depth limits it.
    split : the split penalty, at least 0; free : whether the first split costs nothing.
    unit : 1 by default. To minimise the number of splits second, more than the number of splits of any tree: ceiling,
        known, gap, and all costs and bounds of the search are then `unit` times the cost, plus 1 per split.
    least_rows, least_weight : the minimum number of rows and weight of a leaf; the root must satisfy both.
    costs : int (n_classes, n_predictions), the cost per unit of weight by class and prediction, with a minimum of 0 in
        each row; `None` if every error costs 1. Not together with `least_weight`.
    ruling : the path rules and test costs; `None` for neither.
    used : the features on the path above the root, as a mask of the ruling's bits.
    chain : whether one side of every split must be a leaf.
    tested : int (n_samples,), the factor of the test costs for each row; 0 by default.
    room : the initial capacity for open intervals per node.
    climb : whether to search below ceilings that grow up to the cost to beat, each of which then becomes the lower
        bound; from depth three on.
    purest_first : whether to evaluate the purest split of every order first, from depth four on. A tree without errors
        is then often found at once; if there is none, the search takes longer.
    """

    def __init__(
        self,
        rank: np.ndarray,
        label: np.ndarray,
        weight: np.ndarray,
        twin: np.ndarray,
        missing: np.ndarray,
        n_classes: int,
        depth: int,
        ceiling: int,
        known: int = 0,
        gap: int = 0,
        leaves: int | None = None,
        split: int = 0,
        free: bool = False,
        unit: int = 1,
        least_rows: int = 1,
        least_weight: int = 1,
        costs: np.ndarray | None = None,
        ruling: PathRuleArrays | None = None,
        used: int = 0,
        chain: bool = False,
        tested: np.ndarray | None = None,
        room: int = 256,
        climb: bool = False,
        purest_first: bool = False,
    ) -> None:
        n_orders, n = rank.shape
        levels = max(depth + 1 - SHALLOW, 1)
        self._shallow = depth <= SHALLOW
        self._depth, self._n = depth, n
        # the common divisor of the weights goes into the unit, to keep the lanes narrow
        common = max(1, int(np.gcd.reduce(weight))) if tested is None else 1
        weight, least_weight = weight // common, -(-least_weight // common)
        reach = weight if costs is None else weight * np.asarray(costs).max(axis=1)[label]
        self._ruling = no_ruling(n_orders) if ruling is None else ruling
        self._used = used
        dearest = self._ruling.dearest(depth, used)
        # the maximum cost of all rows, with a split; their number bounds the positions in an order
        most = sum_of(reach) + (0 if tested is None else dearest * sum_of(tested)) + split // common + 1
        lane = width(max(most, n))
        width((most + 1) * unit * common)  # the search itself counts in 64 bits
        if tested is not None:
            reach = reach + dearest * tested
        self._rows = sorted_rows(rank, label, weight, twin, missing, levels, reach, tested)
        self._leaves = min(depth + 1 if chain else 2**depth, n if leaves is None else leaves)
        shares = min(self._leaves, 2 ** max(depth - 1, 0))
        self._scan, self._lanes = scan_space(n_orders, n, n_classes, lane, costs)
        needing = bool(self._ruling.needed.any())
        hard = needing or max(least_rows, least_weight) > 1
        self._state = search_state(n_orders, n, depth, levels, shares, room, hard)
        price = split * unit + int(unit > 1)
        saved = split * unit if free else 0
        size = depth, self._leaves, price, saved, unit * common, least_rows, least_weight if least_weight > 1 else 0
        rules = self._ruling.binds, dearest, needing, used, chain
        sides, sized = price > int(unit > 1) or chain, max(least_rows, least_weight) > 1
        link(self._rows, self._scan, self._lanes, self._state, self._ruling, sides, sized)
        # the average cost of a row: smaller steps would not prove more
        step = max(1, sum_of(reach) // n) * unit * common if climb else 0
        start(
            self._rows, self._scan, self._state, self._ruling, n, size, rules, ceiling, known, gap, step, purest_first
        )
        if self._shallow:
            self._state.control[word.COST], self._state.control[word.FOUND] = ceiling, 0

    @property
    def cost(self) -> int:
        """The cost of the incumbent: the ceiling until a cheaper tree is found."""
        return int(self._state.control[word.COST])

    @property
    def bound(self) -> int:
        """A lower bound on the cost of every tree of this depth, including those at or above the ceiling."""
        return int(self._state.control[word.BOUND])

    @property
    def found(self) -> int:
        """The number of improvements of the incumbent."""
        return int(self._state.control[word.FOUND])

    @property
    def work(self) -> int:
        """Elements scanned so far."""
        return int(self._state.control[word.WORK])

    @property
    def stats(self) -> dict[str, int]:
        """Statistics of the search so far."""
        control = self._state.control
        return {
            "splits evaluated": int(control[word.NODES]),
            "depth-two searches": int(control[word.PAIRS]),
            "elements scanned": self.work,
        }

    def lower(self, ceiling: int) -> None:
        """Search only for trees cheaper than one found elsewhere; between two steps, for depth three or more."""
        frame = self._state.frames[0]
        frame[CEILING], frame[LIMIT] = min(frame[CEILING], ceiling), min(frame[LIMIT], ceiling)
        self._state.control[word.COST] = min(self.cost, ceiling)

    def stop(self) -> None:
        """Stop soon; may be called from another thread while `advance` runs."""
        self._state.control[word.STOP] = 1

    def advance(self, budget: int = BUDGET) -> bool:
        """Continue for about `budget` scanned elements; True if the search has ended or was stopped."""
        if self._shallow:
            self._solve_shallow()
            return True
        while (status := resume(self._rows, self._scan, self._lanes, self._state, self._ruling, budget)) == FULL:
            self._state = grown(self._state)
        assert status in (RUNNING, DONE, STOPPED)
        return status != RUNNING

    def _solve_shallow(self) -> None:
        """Solve depth two, one or zero with one call of the depth-two solver."""
        state, control = self._state, self._state.control
        ceiling, known = self.cost, self.bound
        value, size = self._depth_two(0, 0, self._n, self._used, ceiling, known, self._depth, self._leaves)
        if value == ABORTED:
            return
        if size > 0:
            control[word.COST] = value
            control[word.FOUND] += 1
            state.size[0] = size
        control[word.BOUND] = max(known, min(value, ceiling))

    def _depth_two(
        self, level: int, offset: int, m: int, used: int, ceiling: int, known: int, depth: int, leaves: int
    ) -> tuple[int, int]:
        """Call `depth_two.depth_two` without lower bounds for single orders."""
        state = self._state
        state.inherited[level] = 0
        hard = bool(state.frames[0, HARD])
        shape = used, ceiling, known, depth, leaves, hard
        return depth_two(self._rows, self._scan, self._lanes, state, self._ruling, (level, offset, m), *shape)

    @property
    def splits(self) -> dict[int, tuple[int, int]]:
        """The best tree so far as `tree_of_splits.Splits`; undefined while `found` is 0."""
        return self.splits_from(0)

    def splits_from(self, root: int) -> dict[int, tuple[int, int]]:
        """The same with its root at another slot."""
        return self._read(0, int(self._state.size[0]), root)

    def _read(self, level: int, size: int, root: int = 0) -> dict[int, tuple[int, int]]:
        """The splits of the tree at a level, whose `size` nodes are in preorder; no splits if there are no nodes."""
        splits, open_slots = {}, [root]
        for order, last in self._state.tree[level, :size].tolist():
            slot = open_slots.pop()
            if order >= 0:
                splits[slot] = order, last
                open_slots += [2 * slot + 2, 2 * slot + 1]
        assert not (size and open_slots), "every side of a split has a node"
        return splits
