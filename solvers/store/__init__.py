"""The list of runs: what is in the folders of the runs, and what users have marked.

from solvers.store import Query, RunIndex

index = RunIndex(Path("runs"))
index.synchronize()                         # new, changed and vanished folders
for run in index.find(Query(owner="local", text="heart")):
    print(run.created, run.name, run.method, run.errors)
"""

from .entries import Entry, Query
from .index import RunIndex
