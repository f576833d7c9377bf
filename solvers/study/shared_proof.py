"""One proof on the workers of a Dask cluster: the exact tree search, divided by the positions of its root."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from ..constraints import rules_of
from ..diagram import from_json, to_json
from ..errors import RunError
from ..kernels.parallel_search import Result, RootPosition, RootWorker
from ..kernels.stack import LIMIT
from ..methods.base import Unsupported
from ..methods.search.context import SearchContext
from ..methods.trees.contree import ConTree, Share
from ..methods.trees.path_rules import POSTED as PATH_RULES
from ..metrics.verify import verify
from ..problem import Limits, Problem
from ..run.folder import Folder
from ..run.solver_run import solve
from ..solution import Emit, Solution, Status, Stop
from .executors import PATIENCE, Cluster, ClusterTasks
from .shared_search import Place, Recipe, SharedTreeSearch

ASK_INTERVAL = 1.0
"""Seconds after which a worker asks again for the current upper bound."""

_HELD: dict[str, list[RootWorker]] = {}
"""In a worker of a cluster: the idle evaluators of each search, by its number."""


def _variable(number: str, client: Any = None) -> Any:
    """The cost that a tree must be below in a search, shared with all workers."""
    import distributed

    make: Any = distributed.Variable
    return make(number, client)


def evaluate_part(recipe: Recipe, number: str, *part: Any) -> tuple[Result, float, str]:
    """Evaluate a part of a search in this worker: its result, the processor seconds, and the worker's address.

    Between slices of work it checks whether the part is still wanted, and for a lower upper bound.
    """
    from distributed import get_worker

    here = get_worker()
    task = here.get_current_task()
    if number not in _HELD:
        while len(_HELD) > 1:
            _HELD.pop(next(iter(_HELD)))
        _HELD[number] = []
    held = _HELD[number]
    try:
        worker = held.pop()
    except IndexError:
        worker = recipe.worker()
    known, last_look = int(part[0][LIMIT]), time.monotonic()

    def ceiling() -> int:
        nonlocal known, last_look
        state = here.state.tasks.get(task)
        if state is None or state.state != "executing":
            worker.stop()
        elif time.monotonic() - last_look > ASK_INTERVAL:
            last_look = time.monotonic()
            with suppress(OSError, TimeoutError):
                known = min(known, int(_variable(number).get(timeout=PATIENCE)))
        return known

    began = time.thread_time()
    result = worker.evaluate(RootPosition(*part), ceiling)
    if result is None:
        raise RuntimeError("The job was abandoned.")
    held.append(worker)
    return result, time.thread_time() - began, here.address


class DaskPool:
    """The parts of one search on the workers of a cluster, see `Pool`; `seconds` are theirs by the worker's address."""

    def __init__(self, cluster: Cluster, client: Any, seconds: Counter[str], recipe: Recipe) -> None:
        self._cluster, self.seconds = cluster, seconds
        self._tasks = ClusterTasks(cluster, client)
        self.width = cluster.threads(client)
        self._number = f"espalier-proof-{uuid4().hex}"
        with cluster.reached():
            self._ceiling = _variable(self._number, client)
            self._ceiling.set(int(recipe.options["ceiling"]))
            # a task rather than data on the workers, so that it is recomputed if the workers that have it are lost
            self._recipe = client.submit(Recipe, *recipe, pure=False)

    def begin(self, part: RootPosition) -> str:
        """Submit it to the scheduler."""
        return self._tasks.begin(evaluate_part, self._recipe, self._number, *part)

    def ended(self) -> tuple[str, Result] | None:
        """The part that has ended next; raises `RunError` as `ClusterTasks`."""
        future = self._tasks.ended()
        if future is None:
            return None
        result, seconds, worker = self._tasks.result(future)
        self.seconds[worker] += seconds
        return future.key, result

    def lower(self, cost: int) -> None:
        """Publish it for the workers."""
        with self._cluster.reached():
            self._ceiling.set(int(cost))

    def wake(self) -> None:
        """Let `ended` return."""
        self._tasks.wake()

    def close(self) -> None:
        """Cancel the active parts; workers notice within a second."""
        with suppress(OSError, TimeoutError):
            self._tasks.cancel()
            self._ceiling.delete()


class SharedConTree(ConTree):
    """`ConTree` with the parts of its search in pools; with a folder, it resumes from there and saves to it."""

    def __init__(self, width: int, place: Place) -> None:
        self._width, self._place = width, place

    def refusals(self, problem: Problem) -> Iterator[Unsupported]:
        """What the search does not support, and rules that couple leaves: a part does not know other leaves."""
        yield from super().refusals(problem)
        if rules_of(problem).kinds - set(PATH_RULES):
            yield Unsupported(
                "Constraints on leaves, groups or the whole tree, on several machines",
                f"{self.title} cannot share a search with them.",
                "Leave the scheduler out.",
            )

    def parallel(self, problem: Problem) -> bool:
        """False, since each worker has one thread."""
        return False

    def precompile(self, constraints: bool = False) -> None:
        """Compile or load the kernels by searches of this process alone."""
        ConTree().precompile(constraints)

    def search(self, context: SearchContext) -> None:
        """Search like `ConTree`, starting from the best saved tree."""
        made: list[SharedTreeSearch] = []
        folder = self._place.folder
        file = folder and folder / f"{context.problem.id}.json"
        if file and file.exists():
            self._take_up(context, file)

        def keep() -> None:
            if file:
                Folder(file.parent).write(file.name, to_json(context.incumbent).encode())

        def make(*args: Any, **options: Any) -> SharedTreeSearch:
            made.append(SharedTreeSearch(*args, place=Place(self._place.pool, folder, keep), **options))
            return made[-1]

        self.share = Share(make, self._width)
        try:
            super().search(context)
        finally:
            for search in made:
                search.close()

    def _take_up(self, context: SearchContext, file: Path) -> None:
        """Offer the saved tree, unless it does not belong to this problem."""
        problem = context.problem
        try:
            diagram = from_json(file.read_text("utf-8"))
        except OSError as error:
            raise RunError(f"The file '{file}' cannot be read ({error.strerror}). Choose a new folder.") from None
        cost = context.cost_of(diagram)
        claim = Solution(problem.id, self.name, Status.FEASIBLE, diagram, cost, 0, 0.0, 0.0)
        if not verify(problem, claim).ok:
            raise RunError(f"The file '{file}' holds no tree of this problem. Delete it, or choose a new folder.")
        context.offer(diagram)


def prove(
    problem: Problem,
    cluster: Cluster,
    folder: Path | None = None,
    limits: Limits | None = None,
    emit: Emit | None = None,
    stop: Stop | None = None,
) -> Solution:
    """Solve a problem by the exact tree search, its parts on the workers of a cluster, and verify the result.

    Cost, bound and number of splits are those of the search on one machine; the tree may be another one of these.

    Parameters
    ----------
    problem : the problem.
    cluster : the cluster whose workers solve the parts.
    folder : where finished parts are saved; the same problem resumes from there. Nothing is saved by default.
    limits, emit, stop : as in `run.solve`; one thread.

    Raises
    ------
    UnsupportedError
        The search does not support the problem, or cannot be divided.
    RunError
        The cluster cannot be reached, at the start or later, or the folder cannot be used; what was proved is kept.
    """
    if folder is not None:
        with Folder(folder).usable():
            folder.mkdir(parents=True, exist_ok=True)
    seconds = Counter[str]()
    with cluster.client() as client:
        pool = partial(DaskPool, cluster, client, seconds)
        method = SharedConTree(cluster.threads(client), Place(pool, folder))
        solution = solve(problem, method, limits, emit, stop)
    shared = {address: round(spent, 2) for address, spent in sorted(seconds.items())}
    solution.stats["processor seconds of workers"] = shared
    return solution
