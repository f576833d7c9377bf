"""The exact search on several threads, with the same result in every run.

The positions of the root are independent of each other, but for the cost to beat. So the search goes in rounds: the
most promising intervals of the root are taken from the heap, their positions are evaluated side by side, each with what
was known when the round began, and the results are put back in the order in which they were taken. Nothing depends on
which thread was faster. Each thread has rows, scratch and open nodes of its own; the kernels release the interpreter's
lock.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from solvers.kernels import control as word
from solvers.kernels import stack
from solvers.kernels.ruling import Ruling
from solvers.kernels.search import FULL, RUNNING, STOPPED, resume, select
from solvers.kernels.stack import close_node, push
from solvers.kernels.tree_search import TreeSearch
from solvers.kernels.workspace import FAR, Rows, Scan, State, grown

ROUND = 4
"""Positions a thread and round: enough that the threads end together, few enough that better trees are soon known."""

BUDGET = 2**62


class Task(NamedTuple):
    """A position of the root: the frame as `select` left it, and the records at the ends of its interval."""

    frame: np.ndarray
    records: np.ndarray
    by_order: np.ndarray


class Result(NamedTuple):
    """What its evaluation told: the new record, the intervals left over, what was ruled out, and a better tree."""

    task: Task
    record: np.ndarray
    by_order: np.ndarray
    intervals: np.ndarray
    closed: int
    best: int
    tree: np.ndarray
    work: np.ndarray


class _Worker:
    """A thread's own rows, scratch and open nodes."""

    def __init__(self, rows: Rows, scan: Scan, state: State, ruling: Ruling) -> None:
        self.rows = rows._replace(words=rows.words.copy(), ranks=rows.ranks.copy(), side=rows.side.copy())
        if rows.stride[()]:
            self.rows = self.rows._replace(ahead=rows.ahead.copy())
        self.ruling = ruling
        self.scan = Scan(*(array.copy() for array in scan))
        self.state = State(*(array.copy() for array in state))
        self.state.control[word.ALONE] = 1

    def evaluate(self, task: Task) -> Result | None:
        """Evaluate one position of the root; `None` after a stop."""
        state, frame = self.state, self.state.frames[0]
        f = int(task.frame[stack.ORDER])
        before = state.control.copy()
        frame[:] = task.frame
        frame[stack.AT_A], frame[stack.AT_B], frame[stack.N_RECORD], frame[stack.N_HEAP] = 0, 1, 2, 0
        state.record[0, :2], state.record_by_order[0, :2] = task.records, task.by_order
        state.closed[0, f] = FAR
        state.control[word.LEVEL] = 0
        while (status := resume(self.rows, self.scan, self.state, self.ruling, BUDGET)) in (FULL, RUNNING):
            if status == FULL:
                self.state = grown(self.state)
        if status == STOPPED:
            return None
        state, frame = self.state, self.state.frames[0]
        return Result(
            task,
            state.record[0, 2].copy(),
            state.record_by_order[0, 2].copy(),
            state.heap[0, : frame[stack.N_HEAP]].copy(),
            int(state.closed[0, f]),
            int(frame[stack.BEST]),
            state.tree[0, : state.size[0]].copy(),
            state.control - before,
        )


class ParallelTreeSearch(TreeSearch):
    """`TreeSearch` on several threads; for depth three and more.

    Parameters
    ----------
    threads : at least 2; the others as in `TreeSearch`.
    """

    def __init__(self, *args, threads: int, **options) -> None:
        super().__init__(*args, **options)
        self._workers = [_Worker(self._rows, self._scan, self._state, self._ruling) for _ in range(threads)]

    def stop(self) -> None:
        """End soon; may be called from another thread while `advance` runs."""
        super().stop()
        for worker in self._workers:
            worker.state.control[word.STOP] = 1

    def advance(self, budget: int = 0) -> bool:
        """Go on for one round; True when the search has ended or was stopped. The budget is not looked at."""
        state = self._state
        if state.control[word.STOP] or state.control[word.LEVEL] < 0:
            return True
        tasks = self._take()
        if not tasks:
            close_node(state, 0)
            return True
        waiting = iter(tasks)
        with ThreadPoolExecutor(len(self._workers)) as threads:
            # a worker is busy with one position at a time; the next one that is free takes the next position
            found = list(threads.map(lambda worker: [(t, worker.evaluate(t)) for t in waiting], self._workers))
        results = {id(task): result for part in found for task, result in part}
        if state.control[word.STOP] or len(results) < len(tasks) or None in results.values():
            return True
        for task in tasks:
            self._give_back(results[id(task)])
        return False

    def _take(self) -> list[Task]:
        """The positions of a round, the most promising first."""
        state, tasks = self._state, []
        frame = state.frames[0]
        while len(tasks) < ROUND * len(self._workers) and select(self._rows, state, 0, not tasks):
            ends = [frame[stack.AT_A], frame[stack.AT_B]]
            tasks.append(Task(frame.copy(), state.record[0, ends], state.record_by_order[0, ends]))
        frame[stack.STAGE] = stack.SELECT
        return tasks

    def _give_back(self, result: Result) -> None:
        """Put what was learned of a position where a single thread would have put it."""
        if self._state.frames[0, stack.N_RECORD] >= self._state.record.shape[1] - 1:
            self._state = grown(self._state)
        if self._state.frames[0, stack.N_HEAP] >= self._state.heap.shape[1] - 2:
            self._state = grown(self._state)
        state, frame, task = self._state, self._state.frames[0], result.task.frame
        f, new = int(task[stack.ORDER]), int(frame[stack.N_RECORD])
        state.record[0, new], state.record_by_order[0, new] = result.record, result.by_order
        frame[stack.N_RECORD] += 1
        state.closed[0, f] = min(state.closed[0, f], result.closed)
        ends = (int(task[stack.AT_A]), int(task[stack.AT_B]), new)
        for key, width, order, a, b, at_a, at_b, left_leaves in result.intervals.tolist():
            push(state, 0, key, width, order, a, b, ends[at_a], ends[at_b], left_leaves)
        for figure in (word.WORK, word.NODES, word.PAIRS):
            state.control[figure] += result.work[figure]
        if result.best < min(frame[stack.CEILING], frame[stack.BEST]):
            frame[stack.BEST] = state.control[word.COST] = result.best
            state.control[word.FOUND] += 1
            state.tree[0, : len(result.tree)], state.size[0] = result.tree, len(result.tree)
