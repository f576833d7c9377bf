"""Running a search: worker processes, jobs, run folders, and solving in this process."""

from .job import Job
from .pool import Readiness, WorkerPool
from .record import JobState, Snapshot
from .solver_run import StopFlag, solve
from .stored_run import StoredRun, load_run
from .table_reader import (
    Reading,
    ReadingLimits,
    TableFile,
    TableReader,
)
from .table_wire import ReadTable
