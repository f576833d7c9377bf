"""Inquiries: tasks about a run after it had ended, kept in its folder, found again with it, deleted with it.

inquiries/      a folder for each inquiry, like that of a run
"""

from pathlib import Path
from typing import NamedTuple

from ..errors import RunError
from ..problem import Problem
from .folder import RunFolder
from .record import JobState
from .stored_run import StoredRun

PLACE = "inquiries"


class About(NamedTuple):
    """What an inquiry is about: the folder of a run, and the name of the inquiry among those about it."""

    folder: Path
    inquiry: str

    @property
    def place(self) -> Path:
        """Where the folder of the inquiry is made."""
        return self.folder / PLACE


def answered(folder: Path, problem: Problem) -> dict[str, StoredRun]:
    """The inquiries about a run that were answered, by their names; of two with one name the later.

    What the user stopped has the answer that it came to. What failed, or cannot be read any more, is left out: it can
    be asked again. The problem is that of the run, whose rows its inquiries share.
    """
    jobs: dict[str, StoredRun] = {}
    for place in sorted((folder / PLACE).glob("*/solution.json")):
        try:
            name = RunFolder(place.parent).request().inquiry
            job = StoredRun(place.parent, problem)
        except RunError:
            continue
        shot = job.snapshot()
        if name and shot.state is not JobState.FAILED and shot.answer is not None:
            jobs[name] = job
    return jobs
