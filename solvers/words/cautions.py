"""What speaks against a model, in sentences made from the facts of `solvers.metrics.cautions`."""

from ..metrics.cautions import Caution, CautionKind
from ..metrics.intervals import Rate
from ..metrics.words import amount, count, percent
from ..problem import Problem
from ..problem.quality import IssueKind

SELDOM = 0.05
"""A difference that chance alone makes more seldom than this is said to be more than chance."""


_TABLE = {
    IssueKind.CODE: "A number may be a code",
    IssueKind.ALIKE_LEVELS: "Levels may be the same",
    IssueKind.LEAK: "A column may leak the outcome",
    IssueKind.KNOWN_LATER: "A column may be known too late",
}
"""What may be wrong with a table, without names or figures."""


def caution_title(caution: Caution) -> str:
    """What speaks against the model in a few words, without figures."""
    match caution.kind:
        case CautionKind.NO_BETTER_THAN_CONSTANT:
            return "No better than the same answer for everyone"
        case CautionKind.WORSE_THAN_RIVAL:
            return f"Worse than {caution.name} on rows not seen"
        case CautionKind.OPTIMISM:
            return "Worse on rows not seen than in training"
        case CautionKind.NO_ANSWER:
            return "No answer for some rows not seen"
        case CautionKind.BROKEN_CONSTRAINT:
            return "A constraint does not hold on rows not seen"
        case CautionKind.UNCONFIRMED_CONSTRAINT:
            return "A constraint is not confirmed on rows not seen"
        case CautionKind.SMALL_LEAF:
            return "Answers from a few rows"
        case CautionKind.TABLE:
            assert caution.issue is not None
            return _TABLE[caution.issue.kind]


def caution_words(problem: Problem, caution: Caution) -> str:
    """One caution as a sentence or two.

    Example
    -------
    >>> caution_words(problem, caution)  # doctest: +SKIP
    "Of the 160 held-out rows, 61 (38.1%) are answered wrongly; the answer 'no' for all is wrong for 48 (30.0%)."
    """
    noun = problem.shape.kind.noun
    match caution.kind:
        case CautionKind.NO_BETTER_THAN_CONSTANT:
            return f"{_held_out(problem, caution)}; the answer '{caution.name}' for all {_other(problem, caution)}."
        case CautionKind.WORSE_THAN_RIVAL:
            return f"{_held_out(problem, caution)}; {caution.name} {_other(problem, caution)}{chance_words(caution.p)}."
        case CautionKind.OPTIMISM:
            assert caution.own is not None and caution.other is not None
            return (
                f"{_share(caution.other)} of the training rows are answered wrongly, and "
                f"{_share(caution.own)} of the held-out rows: more than chance explains. The training figures "
                "say little about new rows."
            )
        case CautionKind.NO_ANSWER:
            assert caution.own is not None
            return (
                f"Of the {count(caution.own.n, 'held-out row')}, {count(caution.own.k)} "
                f"({_share(caution.own)}) would get no answer: they have a value that no training row has. "
                f"Figures count them where the {noun} sends them."
            )
        case CautionKind.BROKEN_CONSTRAINT:
            return f"On the held-out rows this constraint is broken: {caution.name}."
        case CautionKind.UNCONFIRMED_CONSTRAINT:
            return f"The held-out rows do not confirm this with its confidence: {caution.name}."
        case CautionKind.TABLE:
            assert caution.issue is not None
            return caution.issue.words
        case CautionKind.SMALL_LEAF:
            leaves = "1 leaf stands" if caution.leaves == 1 else f"{caution.leaves:,} leaves stand"
            least = "" if caution.leaves == 1 else f", one of them on {count(caution.least)}"
            own = f" ({count(caution.least)})" if caution.leaves == 1 else ""
            return (
                f"{leaves} on fewer than {count(caution.floor, 'training row')}{own}{least}: what the {noun} "
                "answers there may be chance."
            )


def _held_out(problem: Problem, caution: Caution) -> str:
    own = caution.own
    assert own is not None
    if problem.objective.class_costs is not None:
        return f"A held-out row costs {amount(round(caution.own_cost, 4))} on average"
    return f"Of the {count(own.n, 'held-out row')}, {_wrong(own)} answered wrongly"


def _other(problem: Problem, caution: Caution) -> str:
    assert caution.other is not None
    if problem.objective.class_costs is not None:
        return f"costs {amount(round(caution.other_cost, 4))}"
    return f"is wrong for {count(caution.other.k)} ({_share(caution.other)})"


def _wrong(found: Rate) -> str:
    return f"{count(found.k)} ({_share(found)}) {'is' if found.k == 1 else 'are'}"


def _share(found: Rate) -> str:
    return percent(found.value or 0.0)


def chance_words(p: float | None) -> str:
    """What a difference that chance makes with probability `p` is to be taken for; '' where that is not known."""
    if p is None:
        return ""
    return ": more than chance explains" if p < SELDOM else ", a difference that chance may explain"
