"""Many problems at once: a sweep is a list of jobs, spread over this process or several, told as they end.

from solvers.sweeps import Processes, SweepJob, run_jobs

jobs = [SweepJob(f"depth {depth}", Problem(dataset, Shape(depth=depth))) for depth in (1, 2, 3)]
for outcome in run_jobs(jobs, Processes(2)):
    print(outcome.key, outcome.solution and outcome.solution.cost, outcome.error)
"""

from solvers.sweeps.jobs import Outcome, SweepJob, solve_job
from solvers.sweeps.spreading import Cluster, Here, Processes, Spread, run_jobs

__all__ = ["Cluster", "Here", "Outcome", "Processes", "Spread", "SweepJob", "run_jobs", "solve_job"]
