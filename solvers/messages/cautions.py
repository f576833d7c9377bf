"""Cautions about a model, as sentences from the facts of `solvers.metrics.cautions`."""

from ..metrics.cautions import Caution, CautionKind
from ..metrics.intervals import Rate
from ..metrics.words import amount, count, percent
from ..problem import Problem
from ..problem.quality import IssueKind

SELDOM = 0.05
"""The level of significance."""


_TABLE = {
    IssueKind.CODE: "A number may be a code",
    IssueKind.ALIKE_LEVELS: "Levels may be the same",
    IssueKind.TYPING_ERROR: "Levels may be misspelled",
    IssueKind.LEAK: "A column may reveal the outcome",
    IssueKind.KNOWN_LATER: "A column may be known too late",
    IssueKind.PERSON: "A column may identify persons",
    IssueKind.PLACE: "A column has codes of places",
    IssueKind.DATE: "A column is a date",
}
"""Possible problems of a table, without names or numbers."""


def caution_title(caution: Caution) -> str:
    """The caution in a few words, without numbers."""
    match caution.kind:
        case CautionKind.VIOLATED:
            return "Violates a constraint"
        case CautionKind.NO_BETTER_THAN_CONSTANT:
            return "No better than a constant prediction"
        case CautionKind.WORSE_THAN_RIVAL:
            return f"Worse than {caution.name} on held-out data"
        case CautionKind.OPTIMISM:
            return "Worse on held-out than on training data"
        case CautionKind.NO_ANSWER:
            return "No prediction for some held-out rows"
        case CautionKind.BROKEN_CONSTRAINT:
            return "Violates constraints on held-out data"
        case CautionKind.UNCONFIRMED_CONSTRAINT:
            return "A constraint is not confirmed on held-out data"
        case CautionKind.SMALL_LEAF:
            return "Some predictions rest on few rows"
        case CautionKind.TABLE:
            assert caution.issue is not None
            return _TABLE[caution.issue.kind]


def describe_caution(problem: Problem, caution: Caution) -> str:
    """One caution as a sentence or two.

    Example
    -------
    >>> describe_caution(problem, caution)  # doctest: +SKIP
    "61 errors in 160 held-out rows (38.1%); always predicting 'no' makes 48 (30.0%)."
    """
    noun = problem.shape.kind.noun
    match caution.kind:
        case CautionKind.VIOLATED:
            return f"Violated on the training rows: {caution.name}."
        case CautionKind.NO_BETTER_THAN_CONSTANT:
            return f"{_held_out(problem, caution)}; always predicting '{caution.name}' {_other(problem, caution)}."
        case CautionKind.WORSE_THAN_RIVAL:
            words = f"{_held_out(problem, caution)}; {caution.name} {_other(problem, caution)}"
            words += f"{describe_chance(caution.p)}."
            if caution.relabelled:
                words += f" {caution.name} is relabelled to satisfy the constraints."
            return words
        case CautionKind.OPTIMISM:
            assert caution.own is not None and caution.other is not None
            return (
                f"Error rate {_share(caution.other)} on training data, {_share(caution.own)} on held-out data: "
                "more than chance explains."
            )
        case CautionKind.NO_ANSWER:
            assert caution.own is not None
            rows = f"{count(caution.own.k)} of {count(caution.own.n, 'held-out row')} ({_share(caution.own)})"
            return (
                f"{rows} have a value that no training row has. The metrics count the path that the {noun} would take."
            )
        case CautionKind.BROKEN_CONSTRAINT:
            return f"Violated on the held-out rows: {caution.name}."
        case CautionKind.UNCONFIRMED_CONSTRAINT:
            return f"Not confirmed by the held-out rows: {caution.name}."
        case CautionKind.TABLE:
            assert caution.issue is not None
            return caution.issue.words
        case CautionKind.SMALL_LEAF:
            leaves = count(caution.leaves, "leaf has", "leaves have")
            return (
                f"{leaves} fewer than {count(caution.floor, 'training row')} (the smallest {count(caution.least)}). "
                "Predictions there may be due to chance."
            )


def _held_out(problem: Problem, caution: Caution) -> str:
    own = caution.own
    assert own is not None
    if problem.objective.class_costs is not None:
        return f"A held-out row costs {amount(round(caution.own_cost, 4))} on average"
    return f"{count(own.k, 'error')} in {count(own.n, 'held-out row')} ({_share(own)})"


def _other(problem: Problem, caution: Caution) -> str:
    assert caution.other is not None
    if problem.objective.class_costs is not None:
        return f"costs {amount(round(caution.other_cost, 4))}"
    return f"makes {count(caution.other.k)} ({_share(caution.other)})"


def _share(found: Rate) -> str:
    return percent(found.value or 0.0)


def describe_chance(p: float | None) -> str:
    """Whether chance may explain a difference with p-value `p`; '' if that is unknown."""
    if p is None:
        return ""
    return ": more than chance explains" if p < SELDOM else ", a difference that chance may explain"
