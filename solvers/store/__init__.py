"""The index of runs: what can be searched and marked, over the folders that hold the truth.

    from solvers.store import Query, open_index, synchronize

    index, note = open_index("sqlite:///runs/index.sqlite")
    synchronize(index, Path("runs"))            # new, changed and vanished folders
    for run in index.find(Query(owner="local", text="heart")):
        print(run.created, run.name, run.method, run.errors)

Nothing is known to the index alone, names and comments included: it can be deleted and made anew from the folders.
"""

from .entries import Entry, Query
from .index import RunIndex, open_index
from .synchronization import IndexChanges, synchronize
