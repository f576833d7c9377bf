"""The exact search on several threads, with the same result in every run.

The positions of the root are independent except for the cost to beat. So several are evaluated at once, each with the
bounds known when it was taken from the heap. Their results are merged in the order in which they were taken: a position
is taken as soon as the one `AHEAD * threads` before it has been merged, regardless of the others. So the result does
not depend on the speed of the threads, and a thread waits only for a position that takes longer than all others in
progress. Each thread has its own rows, scratch and open nodes; the kernels release the interpreter's lock.
"""

import weakref
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np

from . import control as word
from . import stack
from .search import resume, select
from .stack import push, raise_ceiling, to_beat
from .status import FULL, RUNNING, STOPPED
from .tree_search import TreeSearch
from .workspace import FAR, Lanes, Scan, SearchState, grown

AHEAD = 2
"""Positions in progress per thread: enough to keep threads busy, few enough that better trees are soon known."""

BUDGET = 2**62

SLICE = 100_000_000
"""Scanned elements between two updates of the ceiling: a few tenths of a second."""


class RootPosition(NamedTuple):
    """A position of the root: the frame as `select` left it, and the records at the ends of its interval.

    frame : int64 (FRAME_FIELDS,); records : int64 (2, 2); by_order : int64 (2, 4 or 2, F), see `SearchState`.
    """

    frame: np.ndarray
    records: np.ndarray
    by_order: np.ndarray


class Result(NamedTuple):
    """The result for a root position: the new record, open intervals, the cost ruled out, and any better tree.

    record : int64 (2,); by_order : int64 (4 or 2, F); intervals : int64 (n, HEAP_FIELDS), entries for the heap;
        closed : the minimum cost that was ruled out for the order; best : the best cost of the root so far;
        tree : int32 (n, 2), its tree; work : int64 (CONTROL_FIELDS,), the increase of each field of control.
    """

    record: np.ndarray
    by_order: np.ndarray
    intervals: np.ndarray
    closed: int
    best: int
    tree: np.ndarray
    work: np.ndarray


class RootWorker:
    """The rows, scratch and open nodes of one thread, which evaluates positions of the root."""

    def __init__(self, search: TreeSearch) -> None:
        rows, scan, state = search._rows, search._scan, search._state
        self.rows = rows._replace(words=rows.words.copy(), ranks=rows.ranks.copy(), side=rows.side.copy())
        if rows.stride[()]:
            self.rows = self.rows._replace(ahead=rows.ahead.copy())
        self.ruling = search._ruling
        self.scan, self.lanes = Scan(*(array.copy() for array in scan)), Lanes(*map(np.copy, search._lanes))
        self.state = SearchState(*(array.copy() for array in state))
        self.state.control[word.ALONE] = 1

    def stop(self) -> None:
        """Stop soon and permanently; may be called from another thread."""
        self.state.control[word.STOP] = 1

    def evaluate(self, task: RootPosition, ceiling: Callable[[], int] | None = None) -> Result | None:
        """Evaluate one position of the root; `None` after a stop.

        `ceiling` returns the current cost to beat; it is read every `SLICE` scanned elements.
        """
        state, frame = self.state, self.state.frames[0]
        f = int(task.frame[stack.ORDER])
        before = state.control.copy()
        frame[:] = task.frame
        frame[stack.AT_A], frame[stack.AT_B], frame[stack.N_RECORD], frame[stack.N_HEAP] = 0, 1, 2, 0
        state.record[0, :2], state.record_by_order[0, :2] = task.records, task.by_order
        state.closed[0, f] = FAR
        # reset the statistics of joint passes: no result may depend on the earlier work of this thread
        state.control[word.LEVEL] = state.control[word.OPEN_SHARE] = state.control[word.WAITED] = 0
        budget = SLICE if ceiling else BUDGET
        while (status := resume(self.rows, self.scan, self.lanes, self.state, self.ruling, budget)) in (FULL, RUNNING):
            if status == FULL:
                self.state = grown(self.state)
            elif ceiling:
                for field in (stack.CEILING, stack.LIMIT):
                    frame[field] = min(frame[field], ceiling())
        if status == STOPPED:
            return None
        state = self.state
        return Result(
            state.record[0, 2].copy(),
            state.record_by_order[0, 2].copy(),
            state.heap[0, : frame[stack.N_HEAP]].copy(),
            int(state.closed[0, f]),
            int(frame[stack.BEST]),
            state.tree[0, : state.size[0]].copy(),
            state.control - before,
        )


def _evaluate(free: SimpleQueue[RootWorker], task: RootPosition) -> Result | None:
    """Evaluate a position with an idle worker."""
    worker = free.get()
    try:
        return worker.evaluate(task)
    finally:
        free.put(worker)


def _stop(workers: list[RootWorker]) -> None:
    for worker in workers:
        worker.stop()


class ParallelTreeSearch(TreeSearch):
    """`TreeSearch` on several threads; for depth three or more.

    Parameters
    ----------
    threads : at least 2; all others as in `TreeSearch`.
    """

    def __init__(self, *args: Any, threads: int, **options: Any) -> None:
        super().__init__(*args, **options)
        self._width = threads
        self._under_way: deque[tuple[RootPosition, Any]] = deque()
        self._open()

    def _open(self) -> None:
        """Start the threads."""
        self._workers = [RootWorker(self) for _ in range(self._width)]
        self._free: SimpleQueue[RootWorker] = SimpleQueue()
        for worker in self._workers:
            self._free.put(worker)
        self._threads = ThreadPoolExecutor(self._width)
        # stop the threads of a search that is garbage-collected before it ends
        weakref.finalize(self, _stop, self._workers)

    def _begin(self, task: RootPosition) -> Any:
        """Start the evaluation of a position; returns a handle to its result, see `_next`."""
        return self._threads.submit(_evaluate, self._free, task)

    def _next(self) -> tuple[RootPosition, Result | None]:
        """Remove the oldest position in progress; return it with its result, waiting if needed."""
        task, future = self._under_way.popleft()
        return task, future.result()

    def stop(self) -> None:
        """Stop soon; may be called from another thread while `advance` runs."""
        super().stop()
        _stop(self._workers)

    def advance(self, budget: int = 0) -> bool:
        """Continue by one position; True if the search has ended or was stopped. The budget is ignored."""
        control = self._state.control
        if control[word.STOP] or control[word.LEVEL] < 0:
            self._end()
            return True
        self._take()
        if not self._under_way:
            return self._close()
        task, result = self._next()
        if result is None:
            self._end()
            return True
        self._give_back(task, result)
        return self._proved() and self._close()

    def _take(self) -> None:
        """Start the most promising positions, up to `AHEAD * threads` in progress."""
        state, under_way = self._state, self._under_way
        frame = state.frames[0]
        while len(under_way) < AHEAD * self._width and select(self._rows, self._scan, state, 0, not under_way):
            ends = [frame[stack.AT_A], frame[stack.AT_B]]
            task = RootPosition(frame.copy(), state.record[0, ends], state.record_by_order[0, ends])
            under_way.append((task, self._begin(task)))
        frame[stack.STAGE] = stack.SELECT

    def _proved(self) -> bool:
        """Raise the lower bound to the minimum key, open or in progress; return whether the gap is reached."""
        state, frame, control = self._state, self._state.frames[0], self._state.control
        best = min(frame[stack.CEILING], frame[stack.BEST])
        keys = [task.frame[stack.KEY] for task, _ in self._under_way]
        if frame[stack.N_HEAP] > 0:
            keys.append(state.heap[0, 0, stack.KEY])
        control[word.BOUND] = max(control[word.BOUND], min([best, *keys]))
        return bool(to_beat(frame) - control[word.BOUND] <= control[word.GAP])

    def _close(self) -> bool:
        """No tree is below the ceiling: raise it, or end, as a single thread would; return whether the search ended."""
        frame, control = self._state.frames[0], self._state.control
        if to_beat(frame) - control[word.BOUND] > control[word.GAP]:
            control[word.BOUND] = min(frame[stack.CEILING], frame[stack.BEST])
        if raise_ceiling(self._state):
            return False
        control[word.LEVEL] = -1
        self._under_way.clear()  # none of these positions can be better
        self._end()
        return True

    def _end(self) -> None:
        """Stop the workers and wait for the threads."""
        _stop(self._workers)
        self._under_way.clear()
        self._threads.shutdown(cancel_futures=True)

    def _give_back(self, task: RootPosition, result: Result) -> None:
        """Merge the result of a position as a single thread would have stored it."""
        if self._state.frames[0, stack.N_RECORD] >= self._state.record.shape[1] - 1:
            self._state = grown(self._state)
        if self._state.frames[0, stack.N_HEAP] >= self._state.heap.shape[1] - 2:
            self._state = grown(self._state)
        state, frame = self._state, self._state.frames[0]
        f, new = int(task.frame[stack.ORDER]), int(frame[stack.N_RECORD])
        state.record[0, new], state.record_by_order[0, new] = result.record, result.by_order
        frame[stack.N_RECORD] += 1
        state.closed[0, f] = min(state.closed[0, f], result.closed)
        ends = int(task.frame[stack.AT_A]), int(task.frame[stack.AT_B]), new
        for key, width, order, a, b, at_a, at_b, left_leaves in result.intervals.tolist():
            push(state, 0, key, width, order, a, b, ends[at_a], ends[at_b], left_leaves)
        for figure in (word.WORK, word.NODES, word.PAIRS):
            state.control[figure] += result.work[figure]
        if result.best < to_beat(frame):
            frame[stack.BEST] = state.control[word.COST] = result.best
            state.control[word.FOUND] += 1
            state.tree[0, : len(result.tree)], state.size[0] = result.tree, len(result.tree)
