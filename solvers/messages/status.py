"""The proof status of a result: a few words with a tone, and a sentence that explains them."""

from enum import StrEnum
from typing import NamedTuple

from ..problem import Problem
from ..solution import BY_HAND, Solution, Status
from .costs import describe_cost
from .results import BEST, HEURISTIC, OPTIMAL, bound_sentence, describe_proof, describe_result, describe_scope, remarks


class Tone(StrEnum):
    """The tone of a status; its words have the same meaning."""

    GOOD = "good"
    OPEN = "open"
    PLAIN = "plain"
    BAD = "bad"


class StatusBadge(NamedTuple):
    """A status: a few words, their tone, a sentence that explains them, and further remarks."""

    words: str
    tone: Tone
    sentence: str
    remark: str = ""

    @property
    def full(self) -> str:
        """Sentence and remark."""
        return f"{self.sentence} {self.remark}".strip()


def status_badge(solution: Solution, exact: bool, problem: Problem) -> StatusBadge:
    """The status of a result; only results verified by recomputation are called optimal."""
    if solution.method == BY_HAND and solution.cost is not None:
        errors = describe_cost(problem, solution.diagram, solution.cost)
        tone = Tone.OPEN if solution.verified else Tone.BAD
        words = describe_proof(problem, solution, figures=False).removesuffix(".")
        return StatusBadge(words, tone, f"{errors}. {solution.message}")
    if solution.diagram is None and solution.verified is not False:
        return badge_without_model(solution.status, describe_result(problem, solution), problem)
    if solution.verified is not True or solution.cost is None:
        words = f"The check of this result did not pass. {solution.message}".strip()
        return StatusBadge("Not verified", Tone.BAD, words)
    errors = f"{describe_cost(problem, solution.diagram, solution.cost)}."
    stopped = solution.status in (Status.CANCELLED, Status.FAILED)
    remark = "" if solution.status is Status.CANCELLED else " ".join(filter(None, remarks(problem, solution)))
    if solution.status is Status.OPTIMAL:
        among = f" Optimal among {describe_scope(solution.scope)}." if solution.scope else ""
        # the badge already says that
        proof = describe_result(problem, solution).removeprefix(f"{OPTIMAL}: ")
        return StatusBadge(OPTIMAL, Tone.GOOD, errors + among, f"{proof[:1].upper()}{proof[1:]}")
    if not exact:
        return StatusBadge(HEURISTIC, Tone.PLAIN, f"{errors} No lower bound.")
    if solution.cost == solution.bound:
        words = f"Optimal; smaller {problem.shape.kind.noun} not ruled out"
        sentence = f"{errors} {describe_proof(problem, solution)}"
        return StatusBadge(f"Stopped: {BEST.lower()}" if stopped else words, Tone.OPEN, sentence, remark)
    words = f"Stopped: {BEST.lower()}" if stopped else BEST
    return StatusBadge(words, Tone.OPEN, f"{errors} {bound_sentence(problem, solution.bound)}", remark)


def badge_without_model(status: Status, words: str, problem: Problem) -> StatusBadge:
    """The status of a run without a model; `words` give the reason, if known."""
    noun = problem.shape.kind.noun
    return {
        Status.INFEASIBLE: StatusBadge("Infeasible", Tone.BAD, words),
        Status.CANCELLED: StatusBadge("Stopped", Tone.OPEN, f"The run was stopped before it found a {noun}."),
        Status.FAILED: StatusBadge("Failed", Tone.BAD, words or "The run ended with an error."),
    }.get(status, StatusBadge(f"No {noun}", Tone.OPEN, words))
