"""Studies that a worker carries out in the folder of a run: their jobs, and what is in their folders so far."""

from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from components.session import state
from components.session.work import AnyJob, Run
from components.workers import inquiries
from components.workers.inquiries import WorkerInquiry
from solvers.problem import Problem
from solvers.study.folder import StudyFolder
from solvers.study.stored import StoredStudy
from solvers.study.study import Study

T = TypeVar("T")


def job_of(run: Run, study: StudyFolder) -> AnyJob | None:
    """The current or last job of a study, even if another window of this dashboard began it."""
    known, folder = run.inquiries.get(name_of(study)), str(study.path)
    if known is None or known.done:
        for job in state.pool().jobs():
            # the job that ended may have been succeeded by one from another window
            if isinstance(job.task, Study) and job.task.folder == folder and (known is None or not job.done):
                run.inquiries[name_of(study)] = job
    return run.inquiries.get(name_of(study))


def begin(
    run: Run, study: StoredStudy, seconds: float, problem: Problem | None = None, method: str | None = None
) -> bool:
    """Let a worker begin a study, or the rest of it, see `WorkerInquiry`; on an error show a message, return False."""
    forget(run, study)
    task = replace(study.task, folder=str(study.path))
    inquiries.begin(run, WorkerInquiry(name_of(study), task, problem, method, seconds))
    return name_of(study) in run.inquiries


def forget(run: Run, study: StudyFolder) -> None:
    """Drop the last job of a study."""
    run.inquiries.pop(name_of(study), None)


def name_of(study: StudyFolder) -> str:
    """The name of its job among the inquiries about the run."""
    return f"study {study.path.name}"


def latest(run: Run, study: StudyFolder, read: Callable[[T | None], T]) -> T:
    """What `read` makes of the folder (given what it made before), called again only if the folder has changed."""
    stamp, key = study.stamp(), ("study", study.path.name)
    known_stamp, known = run.worked_out.get(key, (None, None))
    if known_stamp != stamp:
        known = read(known)
        run.worked_out[key] = stamp, known
    found: T = known
    return found
