"""What a user should know of a result, in sentences made from its facts.

Example
-------
>>> result_words(problem, solution, Limits(seconds=60))  # doctest: +SKIP
'No tree of this size makes fewer errors, and none that makes as few has fewer splits: proved.'
"""

from collections.abc import Iterator

from solvers.constraints import impossibility
from solvers.constraints.appearance import BestColumns
from solvers.language import msgid, numeral, tr, translation
from solvers.metrics.words import count
from solvers.problem import Limits, Problem, ShapeKind
from solvers.solution import EndReason, LeavesByValidation, Obstacle, PartialScope, Scope, Solution, Status
from solvers.words.consistency import consistent_words, contradiction_words, fewest_questions_words
from solvers.words.shapes import size_after_noun

MARGIN = 1e-4
"""What weighted sums keep from their thresholds, see `methods.diagrams.terms`."""

_SIZE = {
    ShapeKind.TREE: msgid("of this size"),
    ShapeKind.BDD: msgid("of this depth"),
    ShapeKind.DIAGRAM: msgid("within this skeleton"),
}

_WIDE = 1000
"""From so many columns on, a search that breaks off is told how to look among fewer."""

_HEURISTIC = msgid("A heuristic: nothing is proved about how far it is from the optimum.")


def result_words(problem: Problem, solution: Solution, limits: Limits | None = None) -> str:
    """What is known of a result, and why the search ended, in sentences of the language in use.

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
                tr("Confirmed by a second method, '{by}'.", by=by) if by else "",
                translation(solution.message),
            ),
        )
    )


def why_ended(solution: Solution, limits: Limits | None = None) -> str:
    """Why a search ended without a proof, as the beginning of a sentence; '' where that is not known."""
    match solution.ended:
        case EndReason.STOPPED:
            return tr("Stopped")
        case EndReason.WITHIN_GAP:
            return tr("Within the gap that was asked for")
        case EndReason.TIME_LIMIT:
            of = (
                ""
                if limits is None or limits.seconds is None
                else tr(" of {seconds} s", seconds=numeral(limits.seconds, "g"))
            )
            return tr("The time limit{of} was reached", of=of)
        case EndReason.MEMORY_LIMIT:
            of = (
                ""
                if limits is None or limits.memory_mb is None
                else tr(" of {memory_mb} MiB", memory_mb=limits.memory_mb)
            )
            return tr("The memory limit{of} was reached", of=of)
        case EndReason.IMPRECISE:
            return tr(
                "{value} ended, but its numbers are too coarse for a proof",
                value=solution.details.solver or tr("The solver"),
            )
        case EndReason.TOO_LARGE:
            return solution.details.reason.rstrip(".") or tr("There are too many models to choose from")
        case EndReason.EXHAUSTED:
            return tr("{value} ended before the proof", value=solution.details.solver or tr("The search"))
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
    yield translation(solution.message)


def _narrower(problem: Problem, solution: Solution) -> str:
    """What makes the search of a wide table for a tree shorter; '' where that is not what was wanting."""
    out_of = solution.ended in (EndReason.TIME_LIMIT, EndReason.MEMORY_LIMIT)
    tried = any(isinstance(one, BestColumns) for one in problem.constraints)
    n_columns = problem.dataset.n_columns
    if not out_of or tried or n_columns < _WIDE or problem.shape.kind is not ShapeKind.TREE:
        return ""
    return tr(
        "A proof among the best of the {n_columns} columns takes far less: add the constraint '{title}' "
        "('best-columns' on the command line).",
        n_columns=numeral(n_columns, ","),
        title=tr(BestColumns.title),
    )


def _is_plain_heuristic(solution: Solution) -> bool:
    """Whether a method that proves nothing came to its end."""
    return solution.bound is None and solution.ended is EndReason.EXHAUSTED


def scope_words(scope: Scope) -> str:
    """Among which models a bound holds."""
    return {
        Scope.QUANTILES: tr("models that cut numbers at their quantiles only"),
        Scope.CART: tr("models that ask the questions of a CART tree only"),
        Scope.MARGIN: tr("models whose questions keep a margin of {MARGIN}", MARGIN=numeral(MARGIN, "g")),
    }[scope]


def proof_words(problem: Problem, solution: Solution) -> str:
    """How far a result is proved, in a sentence that names what was asked for."""
    cost, bound = solution.cost, solution.bound
    objective = problem.objective
    measure = "cost" if objective.class_costs is not None or problem.split_cost > 0 else "error"
    noun, size = problem.shape.kind.noun, size_after_noun(problem.shape)
    by = solution.details.confirmed_by
    again = tr(" Confirmed by a second method, '{by}'.", by=by) if by else ""
    if solution.status is Status.OPTIMAL and solution.verified:
        constraints = tr(" that keeps all constraints") if problem.constraints else ""
        among = tr(" among {scope_words}", scope_words=scope_words(solution.scope)) if solution.scope else ""
        return tr(
            "Proved optimal{among}: no {noun} {size}{constraints} has a smaller {measure}.{again}",
            among=among,
            noun=noun,
            size=size,
            constraints=constraints,
            measure=measure,
            again=again,
        )
    if solution.status is Status.INFEASIBLE and solution.verified and problem.constraints:
        return tr("Proved: no {noun} {size} keeps all constraints.{again}", noun=noun, size=size, again=again)
    if cost is None:
        return tr("No model was found.")
    if bound is None:
        return tr("Heuristic: nothing is proved about its {measure}.", measure=measure)
    if cost == bound:
        return tr(
            "No {noun} {size} has a smaller {measure}: proved. A smaller {noun} may do as well.",
            noun=noun,
            size=size,
            measure=measure,
        )
    achieved, least = (numeral(value / problem.scale, ".10g") for value in (cost, bound))
    if bound <= 0:
        return tr(
            "Nothing proved yet: the {measure} is {achieved}, and that a {noun} has none is not ruled out.",
            measure=measure,
            achieved=achieved,
            noun=noun,
        )
    return tr(
        "Not proved optimal: the {measure} is {achieved}, at least {least}.",
        measure=measure,
        achieved=achieved,
        least=least,
    )


def counts_rows(problem: Problem) -> bool:
    """Whether the cost of a model is the number of rows that it gets wrong."""
    objective = problem.objective
    return objective.class_costs is None and not objective.split_cost and problem.dataset.weight is None


def _outcome(problem: Problem, solution: Solution, limits: Limits | None) -> str:
    """What is proved, or how far the proof came."""
    noun, details = problem.shape.kind.noun, solution.details
    by = tr(" by {solver}", solver=details.solver) if details.solver else ""
    consistent = details.consistent
    if solution.status is Status.INFEASIBLE:
        if reason := impossibility(problem) or details.reason:
            return tr("No {noun} is possible: {reason}", noun=noun, reason=reason)
        return tr(
            "No {noun} {SIZE} keeps all constraints: proved{by}. Ease a constraint.",
            noun=noun,
            SIZE=tr(_SIZE[problem.shape.kind]),
            by=by,
        )
    if consistent is not None and not consistent.none_fits:
        return consistent_words(problem, solution, why_ended(solution, limits))
    questions = details.fewest_questions
    if questions is not None and not questions.too_few and questions.found is not None:
        return fewest_questions_words(solution, why_ended(solution, limits))
    if details.validation is not None and details.validation.proved:
        return _outcome_of_leaves(problem, solution, details.validation)
    if details.part is not None and details.part.scope is not Scope.MARGIN:
        return _outcome_of_part(problem, solution, details.part, limits)
    among = (
        tr(" whose questions keep a margin of {MARGIN}", MARGIN=numeral(MARGIN, "g"))
        if details.part is not None
        else ""
    )
    if solution.ended is EndReason.PROVED:
        which = tr("that keeps all constraints") if problem.constraints else tr(_SIZE[problem.shape.kind])
        few = counts_rows(problem)
        better = tr("makes fewer errors" if few else "has a lower cost")
        smaller = _SMALLER[few, problem.shape.kind is ShapeKind.BDD]
        return tr(
            "No {noun} {which}{among} {better}{smaller}: proved{by}.",
            noun=noun,
            which=which,
            among=among,
            better=better,
            smaller=tr(smaller) if details.fewest_splits else "",
            by=by,
        )
    if _is_plain_heuristic(solution):
        return tr(_HEURISTIC)
    if solution.bound is None and solution.diagram is not None:
        return tr(
            "{why_ended}; the {noun} is the best until then, and nothing is proved about it.",
            why_ended=why_ended(solution, limits),
            noun=noun,
        )
    found = (
        "" if solution.diagram is not None else tr(" before any {noun} was found that keeps all constraints", noun=noun)
    )
    least = _least(f"{noun}{among}", solution.bound)
    if solution.ended is EndReason.WITHIN_GAP:
        return f"{why_ended(solution, limits)}: {least}"
    return f"{why_ended(solution, limits)}{found}; {least}"


_SMALLER = {
    (True, True): msgid(", and none that makes as few has fewer nodes"),
    (True, False): msgid(", and none that makes as few has fewer splits"),
    (False, True): msgid(", and none of the same cost has fewer nodes"),
    (False, False): msgid(", and none of the same cost has fewer splits"),
}
"""What holds of models that are as good, by whether errors are counted, and whether the model is a BDD."""


def _outcome_of_part(problem: Problem, solution: Solution, part: PartialScope, limits: Limits | None) -> str:
    """What is known where only some of the questions were considered."""
    noun = problem.shape.kind.noun
    why = why_ended(solution, limits)
    if part.scope is Scope.CART:
        asked = count(part.questions or 0, "question")
        rest = tr("nothing is proved about the other {left_out}.", left_out=part.left_out)
        if part.proved:
            which = tr("no {noun} that asks only the {asked} of a CART tree costs less", noun=noun, asked=asked)
            return tr("A heuristic: {which}; {rest}", which=which, rest=rest)
        return tr("{why}: only the {asked} of a CART tree were considered; {rest}", why=why, asked=asked, rest=rest)
    among = _among(part)
    if solution.ended is EndReason.PROVED:
        smaller = tr(", and none of the same cost has fewer splits") if solution.details.fewest_splits else ""
        return tr("No {noun} of this size has a lower cost{smaller}: proved.", noun=noun, smaller=smaller)
    if part.proved and solution.diagram is None:
        remedy = tr("Ease a constraint, or choose a method that asks all thresholds, such as 'contree'.")
        return tr(
            "No {noun} of this size{among} keeps all constraints: proved. {remedy}",
            noun=noun,
            among=among,
            remedy=remedy,
        )
    if part.proved:
        smaller = tr(", and none of the same cost has fewer splits") if solution.details.fewest_splits else ""
        least = tr("a {noun} may cost less, but not less than {bound}.", noun=noun, bound=solution.bound)
        return tr(
            "Optimal{among}{smaller}: proved. With other thresholds, which 'contree' asks, {least}",
            among=among,
            smaller=smaller,
            least=least,
        )
    found = (
        "" if solution.diagram is not None else tr(" before any {noun} was found that keeps all constraints", noun=noun)
    )
    joint = ":" if solution.ended is EndReason.WITHIN_GAP else f"{found};"
    return f"{why}{joint} {_least(f'{noun}{among}', part.bound)}"


def _least(models: str, bound: int | None) -> str:
    return (
        tr("no {models} can cost less than {bound}.", models=models, bound=bound)
        if bound
        else tr("nothing is proved yet.")
    )


def _outcome_of_leaves(problem: Problem, solution: Solution, validation: LeavesByValidation) -> str:
    """What is proved of the trees with as many leaves as were chosen."""
    details, noun = solution.details, problem.shape.kind.noun
    limited = validation.chosen is not None and not validation.given_up
    which = tr("with at most {chosen} leaves", chosen=validation.chosen) if limited else tr(_SIZE[problem.shape.kind])
    among = "" if details.part is None else _among(details.part)
    smaller = tr(", and none of the same cost has fewer splits") if details.fewest_splits else ""
    return tr(
        "No {noun} {which}{among} has a lower cost{smaller}: proved.",
        noun=noun,
        which=which,
        among=among,
        smaller=smaller,
    )


def _among(part: PartialScope) -> str:
    return tr(" among {questions} (thresholds at quantiles)", questions=count(part.questions or 0, "question"))


def _before(problem: Problem, solution: Solution, limits: Limits | None) -> Iterator[str]:
    """What was found out on the way to the result."""
    details = solution.details
    if details.validation is not None:
        yield _validation_words(details.validation)
    if details.consistent is not None and details.consistent.none_fits:
        yield consistent_words(problem, solution, why_ended(solution, limits))
    questions = details.fewest_questions
    if questions is not None and (questions.too_few or questions.found is None):
        yield fewest_questions_words(solution, why_ended(solution, limits), problem.size.max_depth)


def _notes(problem: Problem, solution: Solution) -> Iterator[str]:
    """What is to be known of questions and rows."""
    questions, depth = solution.details.questions, problem.size.max_depth
    if questions == 0:
        yield tr("No column tells rows apart, so there is nothing to ask.")
    elif questions is not None and questions < depth:
        some = count(questions, "different question tells", "different questions tell")
        yield tr("Only {some} rows apart, so {depth} levels are not needed.", some=some, depth=depth)
    if solution.scope is Scope.QUANTILES:
        yield (
            tr(
                "It is about the questions offered: numbers were cut at their quantiles. The option "
                "'thresholds' = 'all' offers every threshold."
            )
        )
    yield contradiction_words(problem, solution)


def _validation_words(validation: LeavesByValidation) -> str:
    if validation.chosen is None:
        return {
            Obstacle.NONE: "",
            Obstacle.ROWS: tr("The rows are too few to keep some aside, so the number of leaves was not validated."),
            Obstacle.CONSTRAINTS: tr(
                "The constraints cannot be read with a part of the rows, so the leaves were not validated."
            ),
            Obstacle.NOTHING_FOUND: tr(
                "No tree was found on two thirds of the rows, so the number of leaves was not validated."
            ),
        }[validation.obstacle]
    costs = ", ".join(f"{leaves}: {numeral(cost, 'g')}" for leaves, cost in validation.costs)
    chosen = tr(
        "At most {chosen} leaves, chosen on {n_aside} rows kept aside (costs {costs}).",
        chosen=validation.chosen,
        n_aside=validation.n_aside,
        costs=costs,
    )
    if validation.given_up:
        chosen += tr(
            " With at most {chosen} leaves no tree was found, so all leaves were permitted.", chosen=validation.chosen
        )
    return chosen
