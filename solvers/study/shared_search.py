"""The exact search with root positions evaluated in a pool, which can resume where it ended.

A *part* is a position of the root: an order, the interval between two evaluated positions, and the position in its
middle. It is sent with what is known about both ends and the cost to beat; its result has lower bounds for both sides,
what is left of the interval, and the tree if it is better. The open intervals, the active parts and what was ruled out
cover all splits of the root, so the minimum of their bounds is a lower bound of the whole search at any time.

Results are merged as parts end, so the tree may differ between runs, but not its cost in the unit of the search.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from zipfile import BadZipFile

import numpy as np

from ..errors import RunError
from ..kernels import control as word
from ..kernels import stack
from ..kernels.code_cache import stamp
from ..kernels.parallel_search import ParallelTreeSearch, Result, RootPosition, RootWorker
from ..kernels.tree_search import TreeSearch
from ..kernels.workspace import grown
from ..run.folder import Folder

SAVE_INTERVAL = 2.0
"""Seconds between two checks whether there is something to save."""


class Recipe(NamedTuple):
    """The inputs of a search, wherever it is run."""

    args: tuple[Any, ...]
    options: dict[str, Any]

    def worker(self) -> RootWorker:
        """An evaluator of root positions, with rows, scratch memory and open nodes."""
        return RootWorker(TreeSearch(*self.args, **self.options))

    @property
    def name(self) -> str:
        """A name that is the same for the same search by the same program, whatever is known about its result."""
        from joblib import hash as digest

        fixed = {name: value for name, value in self.options.items() if name not in ("ceiling", "known")}
        return str(digest((self.args, fixed, stamp("parallel_search"))))


class Pool(Protocol):
    """Where the parts of one search are evaluated.

    Attributes
    ----------
    width : the number evaluated at the same time.
    """

    width: int

    def begin(self, part: RootPosition) -> Hashable:
        """Begin to evaluate a part; returns an identifier of it."""

    def ended(self) -> tuple[Hashable, Result] | None:
        """A part that has ended, and its result; `None` if there is none for a while, or after `wake`."""

    def lower(self, cost: int) -> None:
        """Lower the cost that a tree must be below, also for active parts."""

    def wake(self) -> None:
        """Have `ended` return; may be called from another thread."""

    def close(self) -> None:
        """Cancel the active parts."""


@dataclass(frozen=True)
class Place:
    """Where a search is run, and where it is saved.

    Attributes
    ----------
    pool : makes the pool of a search.
    folder : of the saved state; `None` if nothing is saved.
    keep : saves the best tree known from elsewhere; called before conclusions from its cost are saved.
    """

    pool: Callable[[Recipe], Pool]
    folder: Path | None = None
    keep: Callable[[], None] = lambda: None


class SharedTreeSearch(ParallelTreeSearch):
    """`TreeSearch` with parts that are evaluated in a pool; for depth three and more."""

    def __init__(self, *args: Any, place: Place, **options: Any) -> None:
        self._place, self._recipe = place, Recipe(args, options)
        super().__init__(*args, threads=1, **options)

    def _open(self) -> None:
        self._pool = self._place.pool(self._recipe)
        self._width, self._closed, self._saved = self._pool.width, False, time.monotonic()
        self._file = self._place.folder / f"{self._recipe.name}.npz" if self._place.folder else None
        self._restore()

    def stop(self) -> None:
        """End soon; may be called from another thread while `advance` runs."""
        TreeSearch.stop(self)
        self._pool.wake()

    def lower(self, ceiling: int) -> None:
        """Search only for trees cheaper than one found elsewhere, also in the active parts."""
        if ceiling < self.cost:
            self._pool.lower(ceiling)
        super().lower(ceiling)

    def advance(self, budget: int = 0) -> bool:
        """Advance by one part; True when the search has ended or was stopped. The budget is ignored."""
        if time.monotonic() - self._saved > SAVE_INTERVAL:
            self.save()
        return super().advance()

    def _begin(self, task: RootPosition) -> Hashable:
        return self._pool.begin(task)

    def _next(self) -> tuple[RootPosition, Result | None]:
        while (ended := self._pool.ended()) is None:
            if self._state.control[word.STOP]:
                return self._under_way[0][0], None
        number, result = ended
        at = next(i for i, (_, begun) in enumerate(self._under_way) if begun == number)
        task = self._under_way[at][0]
        del self._under_way[at]
        return task, result

    def _give_back(self, task: RootPosition, result: Result) -> None:
        before = self.cost
        super()._give_back(task, result)
        if self.cost < before:
            self._pool.lower(self.cost)

    def _end(self) -> None:
        self.close()

    def close(self) -> None:
        """Save the state, and cancel the active parts."""
        if not self._closed:
            self._closed = True
            self.save()
            self._pool.close()

    def save(self) -> None:
        """Save the finished parts with their bounds, the open and active ones, and the best tree.

        Raises `RunError` if the file cannot be written.
        """
        self._saved = time.monotonic()
        if self._file is None:
            return
        self._place.keep()
        state, frame = self._state, self._state.frames[0]
        intervals, records = frame[stack.N_HEAP], frame[stack.N_RECORD]
        parts = [part for part, _ in self._under_way]
        known = {
            "frame": frame,
            "heap": state.heap[0, :intervals],
            "record": state.record[0, :records],
            "by_order": state.record_by_order[0, :records],
            "closed": state.closed[0],
            "tree": state.tree[0, : state.size[0]],
            "control": state.control,
            **{f"under_way_{name}": [getattr(part, name) for part in parts] for name in RootPosition._fields},
        }
        out = io.BytesIO()
        np.savez(out, **known)
        try:
            Folder(self._file.parent).write(self._file.name, out.getvalue())
        except OSError as error:
            raise RunError(
                f"The proof so far cannot be written to '{self._file.parent}' ({error.strerror}). Earlier results are "
                f"kept. Free some space, and start again."
            ) from None

    def _restore(self) -> None:
        """Restore the saved state, unless it depends on a tree that is no longer known."""
        if self._file is None or not self._file.exists():
            return
        try:
            with np.load(self._file, allow_pickle=False) as file:
                self._take_up(dict(file))
        except (OSError, ValueError, KeyError, IndexError, BadZipFile):
            raise RunError(f"The file '{self._file}' is damaged. Delete it, or choose a new folder.") from None

    def _take_up(self, known: dict[str, np.ndarray]) -> None:
        frame, own = known["frame"], self._state.frames[0]
        limit = own[stack.LIMIT]
        if min(limit, frame[stack.BEST]) > min(frame[stack.LIMIT], frame[stack.BEST]):
            return
        intervals, records, size = (len(known[name]) for name in ("heap", "record", "tree"))
        while max(intervals, records) > self._state.heap.shape[1] - 2:
            self._state = grown(self._state)
        state = self._state
        control, bound, gap = state.control, state.control[word.BOUND], state.control[word.GAP]
        own[:], control[:] = frame, known["control"]
        own[stack.LIMIT] = min(limit, frame[stack.LIMIT])
        own[stack.CEILING] = min(own[stack.LIMIT], frame[stack.CEILING])
        state.heap[0, :intervals], state.record[0, :records] = known["heap"], known["record"]
        state.record_by_order[0, :records], state.closed[0] = known["by_order"], known["closed"]
        state.tree[0, :size], state.size[0] = known["tree"], size
        control[word.COST], control[word.STOP] = stack.to_beat(own), 0
        control[word.FOUND] = own[stack.BEST] < limit
        control[word.BOUND], control[word.GAP] = max(bound, control[word.BOUND]), gap
        for part in zip(*(known[f"under_way_{name}"] for name in RootPosition._fields), strict=True):
            self._under_way.append((RootPosition(*part), self._begin(RootPosition(*part))))
