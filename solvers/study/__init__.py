"""Many problems at once: a study is a list of jobs, solved in this process, in several, or on a cluster.

from solvers.study import Processes, SweepJob

jobs = [SweepJob(f"depth {depth}", Problem(dataset, Shape(max_depth=depth))) for depth in (1, 2, 3)]
for outcome in Processes(2).outcomes(jobs):
    print(outcome.key, outcome.solution and outcome.solution.cost, outcome.error)
"""

from .executors import Cluster, Executor, InProcess
from .jobs import JobOutcome, SweepJob, solve_job
from .processes import Processes
