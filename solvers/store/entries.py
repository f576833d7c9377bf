"""What the index knows of a run, and how runs are asked for."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Entry:
    """A run in the index.

    Attributes
    ----------
    id, folder : the run's own name, which cannot be guessed, and the name of its folder below the folder of the runs.
    owner : whose it is; empty where nobody is told apart.
    created, deleted : when it was asked for, and put into the trash, UTC; `None` where it was not.
    name, title : of the table, and the user's name for the run; empty where none was given.
    outcome, method, kind, size : as it was asked for; `size` in words.
    rows, features, constraints : how many there are.
    state, status : see `solvers.run.JobState`; of the solution, `None` where there is none.
    cost, bound : of the solution, in the user's unit of cost; `None` where there is none.
    errors, questions : rows that the model gets wrong in training, and its questions; `None` without a model.
    seconds, bytes : of solving, and of its folder.
    starred, comment : whether it is a favourite, and what was written about it.
    error : why it failed, or why its folder cannot be read; empty where neither.
    interrupted : whether it failed because no process worked on it any more, so that it may be taken up again.
    task : what was asked for besides solving; empty for a run that solves.
    """

    id: str
    folder: str
    owner: str
    created: datetime
    name: str
    title: str = ""
    outcome: str = ""
    method: str = ""
    kind: str = ""
    size: str = ""
    rows: int = 0
    features: int = 0
    constraints: int = 0
    state: str = ""
    status: str | None = None
    cost: float | None = None
    bound: float | None = None
    errors: int | None = None
    questions: int | None = None
    seconds: float = 0.0
    bytes: int = 0
    starred: bool = False
    comment: str = ""
    error: str = ""
    interrupted: bool = False
    task: str = ""
    deleted: datetime | None = None


@dataclass(frozen=True)
class Query:
    """Which runs are asked for; what is empty does not restrict.

    Attributes
    ----------
    owner : whose runs; `None` for everybody's, which is for an administrator.
    text : words, each of which must occur in name, title, comments, method, outcome or size.
    kinds, states : one of these.
    proved, starred : only results that are proved, only favourites.
    deleted : those in the trash instead of the others.
    tasks : also those that were asked for something else than solving.
    limit, offset : which part of the list, the newest first.
    """

    owner: str | None = None
    text: str = ""
    kinds: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    proved: bool = False
    starred: bool = False
    deleted: bool = False
    tasks: bool = False
    limit: int | None = None
    offset: int = 0
