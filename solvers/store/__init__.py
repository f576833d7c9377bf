"""The index of runs: what can be searched, sorted and marked, over the folders that hold the truth.

    from solvers.store import Query, gather, opened

    index, note = opened("sqlite:///runs/index.sqlite")
    gather(index, Path("runs"))                 # new, changed and vanished folders
    for run in index.find(Query(owner="local", text="heart")):
        print(run.created, run.name, run.method, run.errors)

Nothing is known to the index alone, names and comments included: it can be deleted and made anew from the folders.
"""

from solvers.store.entries import Entry, Query, Sorting
from solvers.store.gathering import Gathered, gather
from solvers.store.index import RunIndex
from solvers.store.mending import opened

__all__ = ["Entry", "Gathered", "Query", "RunIndex", "Sorting", "gather", "opened"]
