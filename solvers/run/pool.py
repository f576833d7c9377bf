"""A pool of worker processes: ready spares, active work, and a queue."""

from __future__ import annotations

import atexit
import contextlib
import threading
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple
from weakref import WeakValueDictionary

from ..errors import RunError
from ..explain import Task
from ..problem import Limits, Problem
from ..settings import settings
from .folder import About, RunFolder
from .fork_server import WARM
from .job import Job
from .process import Warmth, WorkerProcess
from .record import COMPILING
from .work import Work


class Readiness(NamedTuple):
    """Whether a run can begin at once, for display."""

    state: Literal["starting", "compiling", "ready"]
    text: str


class WorkerPool:
    """Starts runs and other work in separate processes.

    A spare worker that has imported and compiled everything takes the next run at once, and a new spare replaces it. At
    most `max_running` runs are active at the same time. Further runs are queued, and owners take turns, so that one
    owner's hundred runs do not block the others. All methods may be called from any thread.

    Parameters
    ----------
    runs : the folder in which run folders are made; by default that of the settings.
    spares : the number of ready workers kept in reserve.
    max_running : the maximum number of active runs.
    warm : the methods that spares prepare.
    imports : modules that workers import first; they may add methods to the registry.

    Examples
    --------
    >>> with WorkerPool(Path("runs")) as pool:  # doctest: +SKIP
    ...     job = pool.submit(problem, "contree", Limits(seconds=10))
    ...     print(job.wait().solution.status)
    """

    def __init__(
        self,
        runs: Path | None = None,
        *,
        spares: int = 1,
        max_running: int = 2,
        warm: Sequence[str] = WARM,
        imports: Sequence[str] = (),
    ) -> None:
        if max_running < 1 or spares < 0:
            raise RunError(f"A pool needs max_running >= 1 and spares >= 0, but has {max_running} and {spares}.")
        self.runs = settings().runs if runs is None else Path(runs)
        self._n_spares, self._max_running = spares, max_running
        self._warm, self._imports = list(warm), tuple(imports)
        self._lock = threading.RLock()
        self._spares: list[WorkerProcess] = []
        self._warming: set[WorkerProcess] = set()
        self._start_error = ""
        # weak, since a finished run belongs to its viewers: held by the pool, all tables ever solved would stay in
        # memory
        self._jobs: WeakValueDictionary[str, Job] = WeakValueDictionary()
        self._queue: deque[Work] = deque()
        self._running: set[Work] = set()
        self._closed = False
        atexit.register(self.close)
        with self._lock:
            self._refill()

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(
        self,
        problem: Problem,
        method: str = "contree",
        limits: Limits | None = None,
        task: Task | None = None,
        options: Mapping[str, str] | None = None,
        owner: str = "",
        about: About | None = None,
    ) -> Job:
        """Write the run's folder and start or queue the run. `options` are values of the method's options, by name.

        `owner` is the owner of the run: the queued run whose owner has the fewest active runs starts next.

        With a `task` of `solvers.explain` the run explains instead of solving: its answer so far is `Snapshot.answer`.
        An inquiry `about` another run is written into that run's folder, and is deleted with it.

        Raises
        ------
        RunError
            The folder cannot be written, or the pool is closed. If the method refuses the problem, the job fails with
            an error.
        """
        if self._closed:
            raise RunError("No run can be started: the program is closing. Start the program again.")
        if about is not None and not about.folder.is_dir():
            raise RunError("This run was deleted with its folder. Solve the problem again first.")
        runs, inquiry = (self.runs, "") if about is None else (about.place, about.inquiry)
        folder = RunFolder.create(
            runs, problem, method, limits or Limits(), task, options, owner, held=True, inquiry=inquiry
        )
        job = Job(folder, problem)
        with self._lock:
            self._jobs[job.id] = job
            self.enqueue(job)
        return job

    def enqueue(self, work: Work) -> None:
        """Start any work, or queue it; a closed pool cancels it."""
        work.when_over = self._ended
        with self._lock:
            self._queue.append(work)
            self._dispatch()
            if self._closed:
                work.cancel()

    def jobs(self) -> tuple[Job, ...]:
        """The runs of this pool that are queued, active, or still referenced, in the order of submission."""
        with self._lock:
            return tuple(self._jobs.values())

    @property
    def readiness(self) -> Readiness:
        """Whether a run can begin at once."""
        with self._lock:
            warmth = {worker.warmth for worker in self._spares}
            if Warmth.READY in warmth or self._n_spares == 0:
                return Readiness("ready", "Ready.")
            if any(worker.warmth is Warmth.COMPILING for worker in self._warming):
                return Readiness("compiling", COMPILING)
            return Readiness("starting", self._start_error or "Starting the engine.")

    def close(self) -> None:
        """Stop all runs and workers. Queued runs end as cancelled."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            queued, running, spares = list(self._queue), list(self._running), list(self._spares)
            self._queue.clear()
            self._spares.clear()
        atexit.unregister(self.close)
        for work in queued + running:
            work.cancel()
        for worker in spares:
            worker.terminate()
        for work in running:
            work.wait_until_over(timeout=2)
        for worker in spares:
            if not worker.wait(timeout=1):
                worker.kill()

    def _dispatch(self) -> None:
        """Start the runs that may start, and update the queue positions of the others. Called with the lock held."""
        while self._queue and len(self._running) < self._max_running and not self._closed:
            work = self._in_turn()[0]
            self._queue.remove(work)
            worker = self._take()
            self._running.add(work)
            if not work.start(worker):
                self._running.discard(work)
                self._spares.append(worker)
        for position, work in enumerate(self._in_turn(), start=1):
            work.show_place(position)
        self._refill()

    def _in_turn(self) -> list[Work]:
        """The queued work in its starting order: owners take turns, and each owner's runs keep their order."""
        at_work = Counter(work.owner for work in self._running)
        turns: list[tuple[int, int, Work]] = []
        place: dict[str, int] = {}
        for number, work in enumerate(self._queue):
            place[work.owner] = place.get(work.owner, at_work[work.owner] - 1) + 1
            turns.append((place[work.owner], number, work))
        return [work for _, _, work in sorted(turns, key=lambda turn: turn[:2])]

    def _take(self) -> WorkerProcess:
        """A spare, preferably a ready one, or else a new worker.

        If the spares are compiling for the first time, a new worker is started that does not wait for them: it has a
        first tree at once, and loads from the cache what the spares compile before it needs it.
        """
        for frozen in [spare for spare in self._spares if spare.is_frozen()]:
            self._spares.remove(frozen)
            frozen.kill()
        worker = max(self._spares, key=lambda spare: spare.warmth is Warmth.READY, default=None)
        if worker is None:
            return self._new_worker()
        if worker.warmth is Warmth.COMPILING:
            return WorkerProcess(self._imports, self._warmth_changed)
        self._spares.remove(worker)
        return worker

    def _refill(self) -> None:
        """Start spares, but not while another worker is preparing: on a first start both would compile the same."""
        while len(self._spares) < self._n_spares and not (self._warming or self._start_error or self._closed):
            self._spares.append(self._new_worker())

    def _new_worker(self) -> WorkerProcess:
        worker = WorkerProcess(self._imports, self._warmth_changed)
        self._warming.add(worker)
        worker.send({"do": "warm", "methods": self._warm})
        return worker

    def _warmth_changed(self, worker: WorkerProcess) -> None:
        with self._lock:
            if worker.warmth in (Warmth.READY, Warmth.GONE):
                self._warming.discard(worker)
            if worker.warmth is Warmth.READY:
                self._start_error = ""
            elif worker.warmth is Warmth.GONE and worker in self._spares:
                self._spares.remove(worker)
                # Not replaced at once: a worker that cannot start would be restarted again and again.
                self._start_error = (
                    f"The engine could not be started ({worker.last_output() or 'it ended unexpectedly'})."
                )
            self._refill()

    def _ended(self, work: Work) -> None:
        with self._lock:
            self._running.discard(work)
            with contextlib.suppress(ValueError):
                self._queue.remove(work)
            if work.worker is not None and work.keeps_worker:
                self._spares.append(work.worker)
            self._dispatch()
