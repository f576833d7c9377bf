"""How a run is carried: worker processes, jobs, the run's folder, and solving in this process."""

from solvers.run.folder import StoredRun, default_runs, load_run
from solvers.run.followed_job import FollowedJob
from solvers.run.job import Job
from solvers.run.pool import Readiness, WorkerPool
from solvers.run.record import JobState, Snapshot
from solvers.run.solver_run import StopFlag, solve
from solvers.run.table_reader import (
    AnySource,
    OpenMLTable,
    QueriedTable,
    Reading,
    ReadingLimits,
    TableFile,
    TableReader,
)
from solvers.run.table_wire import ReadTable
