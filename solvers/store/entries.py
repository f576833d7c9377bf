"""Runs in the list, and queries."""

from dataclasses import dataclass

import msgspec

from ..run import JobState
from ..run.folder import Moment

_SEARCHED = ("name", "title", "comment", "method", "outcome", "size", "constraints")


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A run in the list.

    Attributes
    ----------
    id, folder : the run's unguessable id, and the name of its folder below the folder of the runs.
    owner : the owner; empty if users are not distinguished.
    created, deleted : when it was requested, and moved to the trash, UTC; `None` if it was not.
    name, title : of the table, and the user's name for the run; empty if none was given.
    outcome, method, kind, size : as requested; `size` as text.
    rows, features : their numbers; constraints : in words, '' for none.
    state, status : see `solvers.run.JobState`; `status` of the solution, `None` if there is none.
    cost, bound : of the solution, in the user's unit of cost; `None` if there is none.
    errors, questions : training errors and splits of the model; `None` without a model.
    seconds, bytes : solving time, and size of its folder.
    starred, comment : whether it is a favourite, and the user's comment.
    error : why it failed, or why its folder cannot be read; empty in other cases.
    interrupted : whether it failed because its process is gone, so that it may be resumed.
    task : the task if it is not solving; empty for a run that solves.
    """

    id: str
    folder: str
    owner: str
    created: Moment
    name: str
    title: str = ""
    outcome: str = ""
    method: str = ""
    kind: str = ""
    size: str = ""
    rows: int = 0
    features: int = 0
    constraints: str = ""
    state: JobState = JobState.FAILED
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
    deleted: Moment | None = None


@dataclass(frozen=True)
class Query:
    """Search criteria for runs; empty criteria do not restrict.

    Attributes
    ----------
    owner : the owner of the runs; `None` for all owners, which is for an administrator.
    text : words, each of which must occur in name, title, comment, method, outcome, size or constraints.
    kinds, states : allowed values.
    proved, starred : only proved results, only favourites.
    deleted : the runs in the trash instead of the others.
    tasks : include runs with a task other than solving.
    limit : the maximum number of runs, newest first; `None` for all.
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

    def matches(self, entry: Entry) -> bool:
        """Whether a run is one of those sought."""
        if self.owner not in (None, entry.owner) or (entry.task and not self.tasks):
            return False
        if (entry.deleted is not None) != self.deleted or (self.starred and not entry.starred):
            return False
        if (self.kinds and entry.kind not in self.kinds) or (self.states and entry.state not in self.states):
            return False
        if self.proved and entry.status not in ("optimal", "infeasible"):
            return False
        texts = [text.casefold() for text in (getattr(entry, name) for name in _SEARCHED)]
        return all(any(word.casefold() in text for text in texts) for word in self.text.split())
