"""What a result proves, in sentences: the only place where facts of a solution become words.

Example
-------
>>> describe_result(problem, solution)  # doctest: +SKIP
'Optimal on training data: no tree of depth 2 has fewer errors, or as few with fewer splits.'
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from ..constraints import impossibility
from ..constraints.appearance import ScreenedFeatures
from ..metrics.words import amount, count, in_units, percent, seconds
from ..problem import Limits, Problem, ShapeKind, treatment_threshold
from ..solution import BY_HAND, EndReason, PartialScope, Scope, Solution, Status
from .consistency import describe_consistent, describe_contradiction, describe_fewest_questions
from .costs import cost_unit, counts_errors, describe_class, describe_cost, describe_price
from .shapes import describe_shape, size_after_noun

MARGIN = 1e-4
"""The margin between weighted sums and their thresholds, see `methods.diagrams.terms`."""

OPTIMAL, BEST, HEURISTIC, EDITED = "Optimal on training data", "Best so far", "Heuristic", "Edited by hand"
"""The proof status of a result, in a few words."""

HIDDEN = "hidden"
"""In place of a figure from which small counts could be computed."""

_WIDE = 1000
"""From this number of columns on, if a search ends early, the message suggests fewer columns."""


def describe_result(problem: Problem, solution: Solution, limits: Limits | None = None) -> str:
    """What a result proves, and why the search ended, in sentences.

    Parameters
    ----------
    problem, solution : the problem and its result.
    limits : those of the run; if given, the message names the limit that was reached.
    """
    if solution.ended is None:
        return solution.message
    return " ".join(
        filter(None, (describe_proof(problem, solution, limits=limits), *remarks(problem, solution, limits)))
    )


def describe_proof(problem: Problem, solution: Solution, *, limits: Limits | None = None, figures: bool = True) -> str:
    """The proof status of a result, in a sentence or two; without costs unless `figures`."""
    if solution.method == BY_HAND:
        return f"{describe_edited(solution)}.{f' {solution.message}' if figures else ''}"
    if solution.verified is False:
        return "Not verified: the check of this result did not pass."
    by = solution.details.confirmed_by
    again = f" Confirmed by a second method, '{by}'." if by else ""
    return _proved(problem, solution, limits, figures) + again


def describe_edited(solution: Solution) -> str:
    """The status of a model that a person changed; its lower bound is the cost of the optimum, if that is proved."""
    if solution.verified and solution.bound is None:
        return f"{EDITED}, not proved"
    return EDITED if solution.verified and solution.cost == solution.bound else f"{EDITED}, not optimal"


def _proved(problem: Problem, solution: Solution, limits: Limits | None, figures: bool) -> str:
    details, ended = solution.details, why_ended(solution, limits)
    questions = details.fewest_questions
    if solution.status is Status.INFEASIBLE:
        return _impossible(problem, solution)
    if details.consistent is not None and not details.consistent.none_fits:
        return describe_consistent(problem, solution, ended)
    if questions is not None and not questions.too_few and questions.found is not None:
        return describe_fewest_questions(solution, ended)
    part = details.part if details.part is not None and details.part.scope is not Scope.MARGIN else None
    if solution.status is Status.OPTIMAL:
        return _optimal(problem, solution, figures)
    if part is not None and part.proved:
        return _of_part(problem, solution, part)
    if _is_plain_heuristic(solution):
        return "Heuristic: no lower bound."
    if solution.cost is not None and solution.cost == solution.bound:
        return f"No {_models(problem, solution)} {_better(problem)} (proved). A smaller one may be as good."
    best = f"No {problem.shape.kind.noun} found"
    if solution.cost is not None:
        best = f"{BEST}: {describe_cost_in(solution.cost, problem)}" if figures else BEST
    if part is not None:
        bound = solution.bound if part.bound is None else part.bound
        return f"{best}. {bound_sentence(problem, bound, _among(part), figures=figures)}"
    return f"{best}. {bound_sentence(problem, solution.bound, figures=figures)}"


def describe_cost_in(cost: int, problem: Problem) -> str:
    """A cost in the user's unit, for instance '48 errors'."""
    value = cost / problem.scale
    return count(value, "error") if counts_errors(problem) else f"cost {amount(value)}"


def is_optimum(solution: Solution) -> bool:
    """Whether a model is a proved optimum among all models of its size."""
    return solution.status is Status.OPTIMAL and solution.scope is None


def describe_distance(problem: Problem, best: Solution, cost: int) -> str:
    """The cost of another model against that of the best one, for instance '2 errors more than the optimum.'"""
    assert best.cost is not None
    what = "optimum" if is_optimum(best) else f"best {problem.shape.kind.noun} so far"
    if cost == best.cost:
        return f"As good as the {what}."
    by = abs(cost - best.cost) / problem.scale
    unit = count(by, "error") if counts_errors(problem) else f"A cost of {amount(by)}"
    more = "more" if cost > best.cost else "fewer" if counts_errors(problem) else "less"
    return f"{unit} {more} than the {what}."


def bound_sentence(problem: Problem, bound: int | None, among: str = "", *, figures: bool = True) -> str:
    """The meaning of a lower bound for all models, for instance 'No tree of depth 5 has fewer than 42 errors.'

    `among` restricts the models for which the bound holds, in words that follow theirs.
    """
    if bound is None:
        return "No lower bound."
    if bound <= 0:
        return "No lower bound yet."
    if not figures:
        return "A better one is not ruled out."
    words = describe_bound(problem, bound, among)
    return f"{words[0].upper()}{words[1:]}."


def describe_bound(problem: Problem, bound: int, among: str = "") -> str:
    """The same as a clause, for instance 'no tree of depth 5 has fewer than 42 errors'."""
    which = "that satisfies all constraints" if problem.constraints else size_after_noun(problem.shape)
    models, least = f"{problem.shape.kind.noun} {which}{among}", in_units(bound, problem.scale)
    if not counts_errors(problem):
        return f"no {models} costs less than {least}"
    return f"no {models} has fewer than {least} error{'' if least == '1' else 's'}"


def why_ended(solution: Solution, limits: Limits | None = None) -> str:
    """Why a search ended without a proof, as the beginning of a sentence; '' if that is unknown."""
    match solution.ended:
        case EndReason.STOPPED:
            return "Stopped"
        case EndReason.WITHIN_GAP:
            return "Within the permitted gap"
        case EndReason.TIME_LIMIT:
            of = "" if limits is None or limits.seconds is None else f" of {limits.seconds:g} s"
            return f"Time limit{of} reached"
        case EndReason.MEMORY_LIMIT:
            of = "" if limits is None or limits.memory_mb is None else f" of {limits.memory_mb} MiB"
            return f"Memory limit{of} reached"
        case EndReason.IMPRECISE:
            return f"{solution.details.solver or 'The solver'} ended, but its numbers are too imprecise for a proof"
        case EndReason.TOO_LARGE:
            return solution.details.reason.rstrip(".") or "There are too many models"
        case EndReason.EXHAUSTED:
            return f"{solution.details.solver or 'The search'} ended before the proof"
    return ""


def remarks(problem: Problem, solution: Solution, limits: Limits | None = None) -> Iterator[str]:
    """Further remarks on a result: why the search ended, the splits offered, and contradictory rows."""
    if solution.ended is None:
        yield solution.message
        return
    details, depth = solution.details, problem.asked_size.max_depth
    why = why_ended(solution, limits)
    if details.consistent is not None and details.consistent.none_fits:
        yield describe_consistent(problem, solution, why)
    questions = details.fewest_questions
    if questions is not None and (questions.too_few or questions.found is None):
        yield describe_fewest_questions(solution, why, depth)
    told = details.consistent is not None or (questions is not None and questions.found is not None)
    partly = details.part is not None and details.part.proved
    if why and not (solution.status in (Status.OPTIMAL, Status.INFEASIBLE) or told or partly):
        yield "" if _is_plain_heuristic(solution) else f"{why}."
        yield _narrower(problem, solution)
    if details.questions == 0:
        yield "No feature distinguishes rows, so there are no splits."
    elif details.questions is not None and details.questions < depth:
        splits = count(details.questions, "different split distinguishes", "different splits distinguish")
        yield f"Only {splits} rows, so {depth} levels are not needed."
    if solution.scope is Scope.QUANTILES:
        yield "Thresholds: quantiles only. Set the option 'thresholds' to 'all' to use every threshold."
    yield describe_contradiction(problem, solution)
    yield solution.message


def proof_facts(
    problem: Problem, solution: Solution, method: str, result: str, *, figures: bool = True
) -> list[tuple[str, str]]:
    """The problem, and what was proved of a verified result, as pairs of name and value.

    `result` is its status in words. Without `figures`, costs are hidden: small counts could be computed from them.
    """
    facts = [("Method", method), ("Size limit", ", ".join(describe_shape(problem.shape)))]
    price = describe_price(problem.objective, problem.dataset)
    facts.append(("Objective", f"least cost: {', '.join(price)}" if price else f"fewest {cost_unit(problem)}"))
    gap, bound = solution.relative_gap, "none" if solution.bound is None else in_units(solution.bound, problem.scale)
    if solution.verified is True and solution.diagram is not None and solution.cost is not None:
        cost = describe_cost(problem, solution.diagram, solution.cost)
        facts += [
            ("Cost on training data", cost if figures else HIDDEN),
            ("Lower bound", bound if figures or solution.bound is None else HIDDEN),
            ("Optimality gap", "unknown" if gap is None else percent(gap) if figures or not gap else HIDDEN),
        ]
    scope = "all models of this size over these features" if solution.scope is None else describe_scope(solution.scope)
    time = f"{seconds(solution.seconds)} (processor {seconds(solution.cpu_seconds)})"
    return [*facts, ("Result", result), ("Scope", scope), ("Time", time)]


def describe_scope(scope: Scope) -> str:
    """The models for which a bound holds."""
    return {
        Scope.QUANTILES: "models with thresholds at quantiles",
        Scope.MARGIN: f"models whose splits keep a margin of {MARGIN:g}",
        Scope.CART: "models with the splits of a CART tree",
    }[scope]


def _models(problem: Problem, solution: Solution) -> str:
    """The models that a proof covers, in words that follow 'No'."""
    constraints = " that satisfies all constraints" if problem.constraints else ""
    part = solution.details.part
    among = _among(part) if part is not None and part.scope is Scope.QUANTILES else ""
    scope = solution.scope if part is None else part.scope
    if scope is not None and not among:
        among = f" among {describe_scope(scope)}"
    return f"{problem.shape.kind.noun} {size_after_noun(problem.shape)}{constraints}{among}"


def _better(problem: Problem) -> str:
    return "has fewer errors" if counts_errors(problem) else "has a lower cost"


def _optimal(problem: Problem, solution: Solution, figures: bool) -> str:
    details = solution.details
    models, by = _models(problem, solution), f" Proved by {details.solver}." if details.solver else ""
    smaller = ""
    if details.fewest_splits:
        part = "nodes" if problem.shape.kind is ShapeKind.BDD else "splits"
        smaller = f", or {'as few' if counts_errors(problem) else 'the same cost'} with fewer {part}"
    benefit = _net_benefit(problem, solution) if figures else ""
    return f"{OPTIMAL}: no {models} {_better(problem)}{smaller}.{by}{benefit}"


def _net_benefit(problem: Problem, solution: Solution) -> str:
    """That no model has a higher net benefit at the treatment threshold of the costs; '' without such costs."""
    objective, data = problem.objective, problem.dataset
    threshold = treatment_threshold(objective.class_costs, data.positive)
    if objective.class_costs is None or threshold is None or problem.split_penalty or solution.cost is None:
        return ""
    positive = 1 if data.positive is None else data.positive
    miss, total = objective.class_costs[positive][1 - positive], float(data.total_weight)
    share = float(data.row_weights[data.y == positive].sum()) / total
    benefit = 100 * (share - solution.cost / problem.scale / miss / total)
    return (
        f" At a treatment threshold of {float(100 * threshold):g}% (risk of {describe_class(data, positive)}), none "
        f"has a higher net benefit on these rows: {benefit:.2f} per 100."
    )


def _impossible(problem: Problem, solution: Solution) -> str:
    noun, details = problem.shape.kind.noun, solution.details
    if reason := impossibility(problem) or details.reason:
        return f"No {noun} is possible: {reason}"
    by = f" by {details.solver}" if details.solver else ""
    return f"No {noun} {size_after_noun(problem.shape)} satisfies all constraints (proved{by}). Relax a constraint."


def _of_part(problem: Problem, solution: Solution, part: PartialScope) -> str:
    """What is proved if only some of the splits were considered."""
    noun = problem.shape.kind.noun
    among = _among(part)
    if solution.diagram is None:
        remedy = "Relax a constraint, or choose a method that uses all thresholds, such as 'contree'."
        size = size_after_noun(problem.shape)
        return f"No {noun} {size}{among} satisfies all constraints (proved). {remedy}"
    smaller = ", also in its number of splits" if solution.details.fewest_splits else ""
    return (
        f"Optimal{among}{smaller}. With other thresholds, which 'contree' uses, a {noun} may cost less. "
        f"{bound_sentence(problem, solution.bound)}"
    )


def _among(part: PartialScope) -> str:
    return f" among {count(part.questions or 0, 'split')} (thresholds at quantiles)"


def _is_plain_heuristic(solution: Solution) -> bool:
    """Whether a heuristic, which proves nothing, has ended."""
    return solution.bound is None and solution.ended is EndReason.EXHAUSTED


def _narrower(problem: Problem, solution: Solution) -> str:
    """How to shorten the tree search of a wide table; '' if width was not the obstacle."""
    out_of = solution.ended in (EndReason.TIME_LIMIT, EndReason.MEMORY_LIMIT)
    tried = any(isinstance(one, ScreenedFeatures) for one in problem.constraints)
    n_columns = problem.dataset.n_columns
    if not out_of or tried or n_columns < _WIDE or problem.shape.kind is not ShapeKind.TREE:
        return ""
    return (
        f"To prove the best of the {n_columns:,} columns faster, add the constraint '{ScreenedFeatures.title}' "
        "('screened-features' on the command line)."
    )


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
