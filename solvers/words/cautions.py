"""What speaks against a model, in sentences made from the facts of `solvers.metrics.cautions`."""

from solvers.language import msgid, numeral, tr, translation
from solvers.metrics.cautions import Caution, CautionKind
from solvers.metrics.intervals import Rate
from solvers.metrics.words import amount, count, percent
from solvers.problem import Problem
from solvers.problem.quality import IssueKind

SELDOM = 0.05
"""A difference that chance alone makes more seldom than this is said to be more than chance."""


_TABLE = {
    IssueKind.CODE: msgid("A number may be a code"),
    IssueKind.ALIKE_LEVELS: msgid("Levels may be the same"),
    IssueKind.SAME_COLUMN: msgid("Columns may be the same"),
    IssueKind.TELLS_OUTCOME: msgid("A column may tell the outcome"),
    IssueKind.KNOWN_LATER: msgid("A column may be known too late"),
}
"""What may be wrong with a table, without names or figures."""


def caution_title(caution: Caution) -> str:
    """What speaks against the model in a few words, without figures."""
    match caution.kind:
        case CautionKind.NO_BETTER_THAN_CONSTANT:
            return tr("No better than the same answer for everyone")
        case CautionKind.WORSE_THAN_RIVAL:
            return tr("Worse than {name} on rows not seen", name=caution.name)
        case CautionKind.OPTIMISM:
            return tr("Worse on rows not seen than in training")
        case CautionKind.NO_ANSWER:
            return tr("No answer for some rows not seen")
        case CautionKind.BROKEN_CONSTRAINT:
            return tr("A constraint does not hold on rows not seen")
        case CautionKind.UNCONFIRMED_CONSTRAINT:
            return tr("A constraint is not confirmed on rows not seen")
        case CautionKind.SMALL_LEAF:
            return tr("Answers from a few rows")
        case CautionKind.TABLE:
            assert caution.issue is not None
            return tr(_TABLE[caution.issue.kind])


def caution_words(problem: Problem, caution: Caution) -> str:
    """One caution as a sentence or two.

    Example
    -------
    >>> caution_words(problem, caution)  # doctest: +SKIP
    "Of the 160 held-out rows, 61 (38.1 %) are answered wrongly; the answer 'no' for all is wrong for 48 (30.0 %)."
    """
    noun = problem.shape.kind.noun
    match caution.kind:
        case CautionKind.NO_BETTER_THAN_CONSTANT:
            return tr(
                "{held_out}; the answer '{name}' for all {other}.",
                held_out=_held_out(problem, caution),
                name=caution.name,
                other=_other(problem, caution),
            )
        case CautionKind.WORSE_THAN_RIVAL:
            return f"{_held_out(problem, caution)}; {caution.name} {_other(problem, caution)}{chance_words(caution.p)}."
        case CautionKind.OPTIMISM:
            assert caution.own is not None and caution.other is not None
            return tr(
                "{share} of the training rows are answered wrongly, and {share_2} of the held-out rows: "
                "more than chance explains. The training figures say little about new rows.",
                share=_share(caution.other),
                share_2=_share(caution.own),
            )
        case CautionKind.NO_ANSWER:
            assert caution.own is not None
            return tr(
                "Of the {rows}, {count} ({share}) would get no answer: they have a value that no training "
                "row has. Figures count them where the {noun} sends them.",
                rows=count(caution.own.n, "held-out row"),
                count=count(caution.own.k),
                share=_share(caution.own),
                noun=noun,
            )
        case CautionKind.BROKEN_CONSTRAINT:
            return tr("On the held-out rows this constraint is broken: {name}.", name=caution.name)
        case CautionKind.UNCONFIRMED_CONSTRAINT:
            return tr("The held-out rows do not confirm this with its confidence: {name}.", name=caution.name)
        case CautionKind.TABLE:
            assert caution.issue is not None
            return translation(caution.issue.words)
        case CautionKind.SMALL_LEAF:
            leaves = (
                tr("1 leaf stands")
                if caution.leaves == 1
                else tr("{leaves} leaves stand", leaves=numeral(caution.leaves, ","))
            )
            least = "" if caution.leaves == 1 else tr(", one of them on {count}", count=count(caution.least))
            own = f" ({count(caution.least)})" if caution.leaves == 1 else ""
            return tr(
                "{leaves} on fewer than {rows}{own}{least}: what the {noun} answers there may be chance.",
                leaves=leaves,
                rows=count(caution.floor, "training row"),
                own=own,
                least=least,
                noun=noun,
            )


def _held_out(problem: Problem, caution: Caution) -> str:
    own = caution.own
    assert own is not None
    if problem.objective.class_costs is not None:
        return tr("A held-out row costs {own_cost} on average", own_cost=amount(round(caution.own_cost, 4)))
    return tr("Of the {rows}, {wrong} answered wrongly", rows=count(own.n, "held-out row"), wrong=_wrong(own))


def _other(problem: Problem, caution: Caution) -> str:
    assert caution.other is not None
    if problem.objective.class_costs is not None:
        return tr("costs {other_cost}", other_cost=amount(round(caution.other_cost, 4)))
    return tr("is wrong for {count} ({share})", count=count(caution.other.k), share=_share(caution.other))


def _wrong(found: Rate) -> str:
    return f"{count(found.k)} ({_share(found)}) {tr('is') if found.k == 1 else tr('are')}"


def _share(found: Rate) -> str:
    return percent(found.value or 0.0)


def chance_words(p: float | None) -> str:
    """What a difference that chance makes with probability `p` is to be taken for; '' where that is not known."""
    if p is None:
        return ""
    return tr(": more than chance explains") if p < SELDOM else tr(", a difference that chance may explain")
