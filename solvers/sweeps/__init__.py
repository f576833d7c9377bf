"""Many problems at once: a sweep is a list of jobs, solved in this process or in several.

from solvers.sweeps import Processes, SweepJob, run_jobs

jobs = [SweepJob(f"depth {depth}", Problem(dataset, Shape(max_depth=depth))) for depth in (1, 2, 3)]
for outcome in run_jobs(jobs, Processes(2)):
    print(outcome.key, outcome.solution and outcome.solution.cost, outcome.error)
"""

from .executors import Cluster, Executor, InProcess, run_jobs
from .jobs import JobOutcome, SweepJob, solve_job
from .processes import Processes
