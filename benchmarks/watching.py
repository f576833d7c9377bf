"""Resources used by a dashboard and its users: memory, processor time, processes, threads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np

MEBIBYTE = 2**20


class Sample(NamedTuple):
    """Resources in use at one time.

    Attributes
    ----------
    at : seconds since the beginning.
    server_mb, workers_mb : resident memory of the dashboard's process, and of all its worker processes, in MiB.
    workers, threads : worker processes, and threads of the dashboard's process.
    folders : run folders.
    sessions : open pages.
    """

    at: float
    server_mb: float
    workers_mb: float
    workers: int
    threads: int
    folders: int
    sessions: int


class Processors(NamedTuple):
    """Seconds of processor time, user and system, since the beginning."""

    server: float
    workers: float
    visitors: float

    def since(self, before: Processors) -> Processors:
        """The difference from an earlier reading."""
        return Processors(*(now - then for now, then in zip(self, before, strict=True)))


class Watch:
    """Monitors a dashboard and this process, which drives the browsers.

    Parameters
    ----------
    pid : of the dashboard.
    runs : its folder of runs.
    """

    def __init__(self, pid: int, runs: Path) -> None:
        import psutil

        self._server, self._here, self._runs = psutil.Process(pid), psutil.Process(), runs

    def sample(self, at: float, sessions: int) -> Sample:
        """Resources in use now."""
        memory = [found for found in map(_memory, self._server.children(recursive=True)) if found is not None]
        folders = sum(entry.is_dir() for entry in self._runs.iterdir()) if self._runs.is_dir() else 0
        threads = self._server.num_threads()
        return Sample(at, _memory(self._server) or 0.0, sum(memory), len(memory), threads, folders, sessions)

    def processors(self) -> Processors:
        """The processor time used so far; that of ended processes counts with their parents."""
        times = self._server.cpu_times()
        workers = times.children_user + times.children_system
        workers += sum(map(_seconds, self._server.children(recursive=True)))
        others = [child for child in self._here.children(recursive=True) if not self._is_of_the_server(child)]
        return Processors(times.user + times.system, workers, sum(map(_seconds, [self._here, *others])))

    def _is_of_the_server(self, child) -> bool:
        import psutil

        try:
            return self._server in (child, *child.parents())
        except psutil.Error:
            return True


def _memory(process) -> float | None:
    import psutil

    try:
        return process.memory_info().rss / MEBIBYTE
    except psutil.Error:
        return None


def _seconds(process) -> float:
    import psutil

    try:
        return sum(process.cpu_times()[:4])
    except psutil.Error:
        return 0.0


class Growth(NamedTuple):
    """Growth of memory after the start.

    Attributes
    ----------
    mb_an_hour : slope of the regression line through the samples, in MiB per hour.
    first_mb, last_mb : the line at its two ends, in MiB.
    """

    mb_an_hour: float
    first_mb: float
    last_mb: float

    @property
    def share(self) -> float:
        """Relative growth from the beginning to the end."""
        return self.last_mb / self.first_mb - 1


def growth(samples: Sequence[Sample], after: float) -> Growth | None:
    """Regression line through the memory of the dashboard's process.

    Parameters
    ----------
    samples : in order of time.
    after : the seconds at the beginning that are ignored, while caches fill and modules are imported.

    Returns
    -------
    `None` if fewer than three samples remain.
    """
    used = [sample for sample in samples if sample.at >= after]
    if len(used) < 3:
        return None
    at = np.array([sample.at for sample in used])
    slope, level = np.polyfit(at - at[0], [sample.server_mb for sample in used], 1)
    return Growth(float(3600 * slope), float(level), float(level + slope * (at[-1] - at[0])))


def by_minute(samples: Iterable[Sample]) -> list[Sample]:
    """The last sample of each minute."""
    return [list(group)[-1] for _, group in groupby(samples, lambda sample: int(sample.at // 60))]
