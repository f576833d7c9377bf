"""How far a result is proved, as a status: a few words with a tone, and a sentence that explains them."""

from enum import StrEnum
from typing import NamedTuple

from ..metrics.words import percent
from ..problem import Problem
from ..solution import Solution, Status
from .costs import cost_words, counts_errors
from .results import bound_words, remarks, result_words, scope_words


class Tone(StrEnum):
    """What a status says at a glance; its words say the same."""

    GOOD = "good"
    OPEN = "open"
    PLAIN = "plain"
    BAD = "bad"


class StatusBadge(NamedTuple):
    """A status: a few words, their tone, a sentence that explains them, and what the method says besides."""

    words: str
    tone: Tone
    sentence: str
    remark: str = ""

    @property
    def full(self) -> str:
        """Sentence and remark."""
        return f"{self.sentence} {self.remark}".strip()


def status_badge(solution: Solution, exact: bool, problem: Problem) -> StatusBadge:
    """What is known of a result, and how sure; nothing is called proved that was not verified independently."""
    if solution.diagram is None and solution.verified is not False:
        return badge_without_model(solution.status, result_words(problem, solution), problem)
    if solution.verified is not True or solution.cost is None:
        return StatusBadge(
            "Not verified", Tone.BAD, f"The check of this result did not pass. {solution.message}".strip()
        )
    errors = cost_words(problem, solution.diagram, solution.cost)
    if solution.status is Status.OPTIMAL:
        among = f"; proved among {scope_words(solution.scope)}" if solution.scope else ""
        return StatusBadge("Proved optimal", Tone.GOOD, f"{errors}{among}.", result_words(problem, solution))
    if not exact:
        noun = problem.shape.kind.noun
        return StatusBadge("Heuristic", Tone.PLAIN, f"{errors}; a greedy {noun}, without a proof of how good it is.")
    stopped = solution.status in (Status.CANCELLED, Status.FAILED)
    if solution.bound is None:
        words = "Stopped" if stopped else "Not proved"
        return StatusBadge(words, Tone.OPEN, f"{errors}; the search ended before it had a bound on the optimum.")
    if solution.cost == solution.bound:
        open_size = f"no {_kind_of_model(problem)} does better, but a smaller one may do as well"
        remark = result_words(problem, solution)
        return StatusBadge("Stopped" if stopped else "Size open", Tone.OPEN, f"{errors}; {open_size}.", remark)
    words = "Stopped" if stopped else gap_words(solution.cost, solution.bound, problem)
    remark = "" if solution.status is Status.CANCELLED else " ".join(filter(None, remarks(problem, solution)))
    return StatusBadge(words, Tone.OPEN, f"{errors}; {at_best(solution.bound, problem)}.", remark)


def at_best(bound: int, problem: Problem) -> str:
    """What a lower bound says of all models."""
    if bound > 0:
        return bound_words(problem, bound)
    noun = problem.shape.kind.noun
    return f"a {noun} {'without any error' if counts_errors(problem) else 'that costs nothing'} is not ruled out yet"


def _kind_of_model(problem: Problem) -> str:
    """Among which models a result is the best."""
    return f"{problem.shape.kind.noun} {'that keeps all constraints' if problem.constraints else 'of this size'}"


def badge_without_model(status: Status, words: str, problem: Problem) -> StatusBadge:
    """The status of a run that has no model; `words` say why, where that is known."""
    noun = problem.shape.kind.noun
    return {
        Status.INFEASIBLE: StatusBadge("Infeasible", Tone.BAD, words),
        Status.CANCELLED: StatusBadge("Stopped", Tone.OPEN, f"The run was stopped before it found a {noun}."),
        Status.FAILED: StatusBadge("Failed", Tone.BAD, words or "The run ended with an error."),
    }.get(status, StatusBadge(f"No {noun}", Tone.OPEN, words))


def gap_words(cost: int, bound: int, problem: Problem) -> str:
    """How much better a model could be at most, as a share of what all rows cost at 1 each (by weight)."""
    return f"Within {percent((cost - bound) / problem.total)}" if bound > 0 else "Nothing proved yet"
