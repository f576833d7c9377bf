"""The index of runs: a searchable index over the run folders, which hold the data.

    from solvers.store import Query, open_index, synchronize

    index, note = open_index("sqlite:///runs/index.sqlite")
    synchronize(index, Path("runs"))            # new, changed and vanished folders
    for run in index.find(Query(owner="local", text="heart")):
        print(run.created, run.name, run.method, run.errors)

Nothing is stored in the index alone, not even names and comments: it can be deleted and rebuilt from the folders.
"""

from .entries import Entry, Query
from .index import RunIndex, open_index
from .synchronization import IndexChanges, synchronize
