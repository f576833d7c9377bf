"""What a user should know of a result, in sentences made from its facts.

Example
-------
>>> result_words(problem, solution, Limits(seconds=60))  # doctest: +SKIP
'No tree of this size makes fewer errors, and none that makes as few has fewer splits: proved.'
"""

from collections.abc import Iterator

from ..constraints import impossibility
from ..constraints.appearance import ScreenedFeatures
from ..metrics.words import count, in_units
from ..problem import Limits, Problem, ShapeKind
from ..solution import EndReason, PartialScope, Scope, Solution, Status
from .consistency import consistent_words, contradiction_words, fewest_questions_words
from .shapes import size_after_noun

MARGIN = 1e-4
"""What weighted sums keep from their thresholds, see `methods.diagrams.terms`."""

_SIZE = {
    ShapeKind.TREE: "of this size",
    ShapeKind.BDD: "of this depth",
    ShapeKind.DIAGRAM: "within this skeleton",
}

_WIDE = 1000
"""From so many columns on, a search that breaks off is told how to look among fewer."""

_HEURISTIC = "A heuristic: nothing is proved about how far it is from the optimum."


def result_words(problem: Problem, solution: Solution, limits: Limits | None = None) -> str:
    """What is known of a result, and why the search ended, in sentences.

    Parameters
    ----------
    problem, solution : what was asked, and what came of it.
    limits : those of the run; with them the one that was reached can be named.
    """
    if solution.ended is None:
        return solution.message
    by = solution.details.confirmed_by
    return " ".join(
        filter(
            None,
            (
                *_before(problem, solution, limits),
                _outcome(problem, solution, limits),
                *_notes(problem, solution),
                f"Confirmed by a second method, '{by}'." if by else "",
                solution.message,
            ),
        )
    )


def why_ended(solution: Solution, limits: Limits | None = None) -> str:
    """Why a search ended without a proof, as the beginning of a sentence; '' where that is not known."""
    match solution.ended:
        case EndReason.STOPPED:
            return "Stopped"
        case EndReason.WITHIN_GAP:
            return "Within the gap that was asked for"
        case EndReason.TIME_LIMIT:
            of = "" if limits is None or limits.seconds is None else f" of {limits.seconds:g} s"
            return f"The time limit{of} was reached"
        case EndReason.MEMORY_LIMIT:
            of = "" if limits is None or limits.memory_mb is None else f" of {limits.memory_mb} MiB"
            return f"The memory limit{of} was reached"
        case EndReason.IMPRECISE:
            return f"{solution.details.solver or 'The solver'} ended, but its numbers are too coarse for a proof"
        case EndReason.TOO_LARGE:
            return solution.details.reason.rstrip(".") or "There are too many models to choose from"
        case EndReason.EXHAUSTED:
            return f"{solution.details.solver or 'The search'} ended before the proof"
    return ""


def remarks(problem: Problem, solution: Solution) -> Iterator[str]:
    """What is to be said of a result that is not proved, besides its cost and bound."""
    if solution.ended is None:
        yield solution.message
        return
    yield from _before(problem, solution, None)
    part = solution.details.part
    if part is not None and part.proved and solution.status is not Status.OPTIMAL:
        yield _outcome_of_part(problem, solution, part, None)
    elif not (solution.ended is EndReason.WITHIN_GAP or _is_plain_heuristic(solution)) and (why := why_ended(solution)):
        yield f"{why}."
        yield _narrower(problem, solution)
    yield from _notes(problem, solution)
    yield solution.message


def _narrower(problem: Problem, solution: Solution) -> str:
    """What makes the search of a wide table for a tree shorter; '' where that is not what was wanting."""
    out_of = solution.ended in (EndReason.TIME_LIMIT, EndReason.MEMORY_LIMIT)
    tried = any(isinstance(one, ScreenedFeatures) for one in problem.constraints)
    n_columns = problem.dataset.n_columns
    if not out_of or tried or n_columns < _WIDE or problem.shape.kind is not ShapeKind.TREE:
        return ""
    return (
        f"A proof among the best of the {n_columns:,} columns takes far less: add the constraint "
        f"'{ScreenedFeatures.title}' ('screened-features' on the command line)."
    )


def _is_plain_heuristic(solution: Solution) -> bool:
    """Whether a method that proves nothing came to its end."""
    return solution.bound is None and solution.ended is EndReason.EXHAUSTED


def scope_words(scope: Scope) -> str:
    """Among which models a bound holds."""
    return {
        Scope.QUANTILES: "models that cut numbers at their quantiles only",
        Scope.MARGIN: f"models whose questions keep a margin of {MARGIN:g}",
    }[scope]


def proof_words(problem: Problem, solution: Solution, *, figures: bool = True) -> str:
    """How far a result is proved, in a sentence that names what was asked for; without costs unless `figures`."""
    cost, bound = solution.cost, solution.bound
    objective = problem.objective
    measure = "cost" if objective.class_costs is not None or problem.split_cost > 0 else "error"
    noun, size = problem.shape.kind.noun, size_after_noun(problem.shape)
    by = solution.details.confirmed_by
    again = f" Confirmed by a second method, '{by}'." if by else ""
    if solution.status is Status.OPTIMAL and solution.verified:
        constraints = " that keeps all constraints" if problem.constraints else ""
        among = f" among {scope_words(solution.scope)}" if solution.scope else ""
        return f"Proved optimal{among}: no {noun} {size}{constraints} has a smaller {measure}.{again}"
    if solution.status is Status.INFEASIBLE and solution.verified and problem.constraints:
        return f"Proved: no {noun} {size} keeps all constraints.{again}"
    if cost is None:
        return "No model was found."
    if bound is None:
        return f"Heuristic: nothing is proved about its {measure}."
    if cost == bound:
        return f"No {noun} {size} has a smaller {measure}: proved. A smaller {noun} may do as well."
    achieved = in_units(cost, problem.scale)
    if not figures:
        return f"Not proved optimal: a {noun} with a smaller {measure} is not ruled out."
    if bound <= 0:
        return f"Nothing proved yet: the {measure} is {achieved}, and that a {noun} has none is not ruled out."
    return f"Not proved optimal: the {measure} is {achieved}; {bound_words(problem, bound)}."


def bound_words(problem: Problem, bound: int, among: str = "") -> str:
    """What a lower bound means, for instance 'no tree of depth 5 has fewer than 42 errors'.

    `among` says among which models it holds, in words that follow these.
    """
    which = "that keeps all constraints" if problem.constraints else size_after_noun(problem.shape)
    models, least = f"{problem.shape.kind.noun} {which}{among}", in_units(bound, problem.scale)
    if problem.objective.class_costs is not None or problem.split_cost > 0:
        return f"no {models} costs less than {least}"
    return f"no {models} has fewer than {least} error{'' if least == '1' else 's'}"


def counts_rows(problem: Problem) -> bool:
    """Whether the cost of a model is the number of rows that it gets wrong."""
    objective = problem.objective
    return objective.class_costs is None and not objective.split_cost and problem.dataset.weight is None


def _outcome(problem: Problem, solution: Solution, limits: Limits | None) -> str:
    """What is proved, or how far the proof came."""
    noun, details = problem.shape.kind.noun, solution.details
    by = f" by {details.solver}" if details.solver else ""
    consistent = details.consistent
    if solution.status is Status.INFEASIBLE:
        if reason := impossibility(problem) or details.reason:
            return f"No {noun} is possible: {reason}"
        return f"No {noun} {_SIZE[problem.shape.kind]} keeps all constraints: proved{by}. Ease a constraint."
    if consistent is not None and not consistent.none_fits:
        return consistent_words(problem, solution, why_ended(solution, limits))
    questions = details.fewest_questions
    if questions is not None and not questions.too_few and questions.found is not None:
        return fewest_questions_words(solution, why_ended(solution, limits))
    if details.part is not None and details.part.scope is not Scope.MARGIN:
        return _outcome_of_part(problem, solution, details.part, limits)
    among = f" whose questions keep a margin of {MARGIN:g}" if details.part is not None else ""
    if solution.ended is EndReason.PROVED:
        which = "that keeps all constraints" if problem.constraints else _SIZE[problem.shape.kind]
        few = counts_rows(problem)
        better = "makes fewer errors" if few else "has a lower cost"
        smaller = _SMALLER[few, problem.shape.kind is ShapeKind.BDD]
        return f"No {noun} {which}{among} {better}{smaller if details.fewest_splits else ''}: proved{by}."
    if _is_plain_heuristic(solution):
        return _HEURISTIC
    if solution.bound is None and solution.diagram is not None:
        return f"{why_ended(solution, limits)}; the {noun} is the best until then, and nothing is proved about it."
    found = "" if solution.diagram is not None else f" before any {noun} was found that keeps all constraints"
    least = _least(problem, among, solution.bound)
    if solution.ended is EndReason.WITHIN_GAP:
        return f"{why_ended(solution, limits)}: {least}"
    return f"{why_ended(solution, limits)}{found}; {least}"


_SMALLER = {
    (True, True): ", and none that makes as few has fewer nodes",
    (True, False): ", and none that makes as few has fewer splits",
    (False, True): ", and none of the same cost has fewer nodes",
    (False, False): ", and none of the same cost has fewer splits",
}
"""What holds of models that are as good, by whether errors are counted, and whether the model is a BDD."""


def _outcome_of_part(problem: Problem, solution: Solution, part: PartialScope, limits: Limits | None) -> str:
    """What is known where only some of the questions were considered."""
    noun = problem.shape.kind.noun
    why = why_ended(solution, limits)
    among = _among(part)
    if solution.ended is EndReason.PROVED:
        smaller = ", and none of the same cost has fewer splits" if solution.details.fewest_splits else ""
        return f"No {noun} of this size has a lower cost{smaller}: proved."
    if part.proved and solution.diagram is None:
        remedy = "Ease a constraint, or choose a method that asks all thresholds, such as 'contree'."
        return f"No {noun} of this size{among} keeps all constraints: proved. {remedy}"
    if part.proved:
        smaller = ", and none of the same cost has fewer splits" if solution.details.fewest_splits else ""
        least = f"a {noun} may cost less, but not less than {in_units(solution.bound, problem.scale)}."
        return f"Optimal{among}{smaller}: proved. With other thresholds, which 'contree' asks, {least}"
    found = "" if solution.diagram is not None else f" before any {noun} was found that keeps all constraints"
    joint = ":" if solution.ended is EndReason.WITHIN_GAP else f"{found};"
    return f"{why}{joint} {_least(problem, among, part.bound)}"


def _least(problem: Problem, among: str, bound: int | None) -> str:
    return f"{bound_words(problem, bound, among)}." if bound else "nothing is proved yet."


def _among(part: PartialScope) -> str:
    return f" among {count(part.questions or 0, 'question')} (thresholds at quantiles)"


def _before(problem: Problem, solution: Solution, limits: Limits | None) -> Iterator[str]:
    """What was found out on the way to the result."""
    details = solution.details
    if details.consistent is not None and details.consistent.none_fits:
        yield consistent_words(problem, solution, why_ended(solution, limits))
    questions = details.fewest_questions
    if questions is not None and (questions.too_few or questions.found is None):
        yield fewest_questions_words(solution, why_ended(solution, limits), problem.asked_size.max_depth)


def _notes(problem: Problem, solution: Solution) -> Iterator[str]:
    """What is to be known of questions and rows."""
    questions, depth = solution.details.questions, problem.asked_size.max_depth
    if questions == 0:
        yield "No column tells rows apart, so there is nothing to ask."
    elif questions is not None and questions < depth:
        some = count(questions, "different question tells", "different questions tell")
        yield f"Only {some} rows apart, so {depth} levels are not needed."
    if solution.scope is Scope.QUANTILES:
        yield (
            "It is about the questions offered: numbers were cut at their quantiles. The option "
            "'thresholds' = 'all' offers every threshold."
        )
    yield contradiction_words(problem, solution)
