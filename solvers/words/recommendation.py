"""Which size of the tree is recommended, and how good that is on new rows, in sentences."""

from collections.abc import Callable

from solvers.language import numeral, tr
from solvers.metrics.recommended_size import OuterFold, Recommendation, SizeCandidate
from solvers.metrics.words import amount, count, percent
from solvers.problem import Problem


def error_words(value: float, problem: Problem) -> str:
    """An error as a share of the rows; with costs of mistakes, as what they cost a row."""
    return (
        percent(value)
        if problem.objective.class_costs is None
        else tr("{value} errors a row", value=numeral(value, ".3g"))
    )


def size_words(candidate: SizeCandidate) -> str:
    """A size in words.

    Example
    -------
    >>> size_words(candidate)  # doctest: +SKIP
    'a tree of depth 2 at most, with at least 8 rows per leaf, in which a question saves at least 8.2 errors'
    """
    if candidate.n_leaves == 1:
        return tr("no question at all")
    kind, rows = tr("a greedy tree") if candidate.greedy else tr("a tree"), count(candidate.min_samples_leaf, "row")
    words = tr(
        "{kind} of depth {max_depth} at most, with at least {rows} per leaf",
        kind=kind,
        max_depth=candidate.max_depth,
        rows=rows,
    )
    saves = tr(", in which a question saves at least {split_cost} errors", split_cost=amount(candidate.split_cost))
    return f"{words}{saves if candidate.split_cost else ''}"


def recommendation_words(found: Recommendation, problem: Problem) -> tuple[str, ...]:
    """What is recommended and why, a sentence each; none before it is known."""
    choice = found.choice
    if choice is None:
        return (tr("There was no time to compare sizes. Give it more time."),) if found.finished else ()
    words = [
        tr(
            "Recommended: {size_words}; on these rows {leafs}.",
            size_words=size_words(choice),
            leafs=count(choice.n_leaves, "leaf", "leaves"),
        )
    ]
    if choice.n_leaves == 1:
        words.append(tr("No size did better on rows that it had not seen than the same answer for everyone."))
    elif choice.greedy:
        why = (
            tr("did as well on rows that it had not seen")
            if found.compares_optimal
            else tr("was compared in this time")
        )
        words.append(
            tr(
                "No tree that can be proved to be the best of its size {why}; this one is grown greedily, "
                "and nothing is proved about it.",
                why=why,
            )
        )
    best = min(found.candidates, key=lambda one: one.mean)
    spread = error_words(best.standard_error, problem)
    words.append(
        tr(
            "Validated error: {error_words}. The least of all sizes is {error_words_2} ({leafs}); what is "
            "within one standard error of it ({spread}) is taken for as good, and of that the smallest.",
            error_words=error_words(choice.mean, problem),
            error_words_2=error_words(best.mean, problem),
            leafs=count(best.n_leaves, "leaf", "leaves"),
            spread=spread,
        )
    )
    words += honest_words(found, problem)
    if found.left_out:
        depths = " and ".join(map(str, found.left_out))
        words.append(
            tr(
                "Trees of depth {depths} would have taken too long; with more time they are compared, too.",
                depths=depths,
            )
        )
    return tuple(words)


def honest_words(found: Recommendation, problem: Problem) -> list[str]:
    """How good a tree of the recommended size is on new rows, as far as the outer loop tells."""
    if found.error is None:
        return []
    others: tuple[tuple[str, Callable[[OuterFold], float | None]], ...] = (
        (tr("a greedy tree chosen in the same way"), lambda fold: fold.greedy_error),
        (tr("the same answer for everyone"), lambda fold: fold.constant_error),
    )
    errs = [f"{what} {error_words(value, problem)}" for what, of in others if (value := found.honest(of)) is not None]
    constant = found.honest(lambda fold: fold.constant_error)
    useless = constant is not None and found.error >= constant and len(found.outer) == found.n_outer
    warning = [
        tr("That is no better than the same answer for everyone: these columns may say nothing that a tree can use.")
    ]
    part = (
        ""
        if len(found.outer) == found.n_outer
        else tr(", as far as {outer} of {n_outer} folds tell", outer=len(found.outer), n_outer=found.n_outer)
    )
    return [
        tr(
            "On new rows, a tree that is chosen in this way errs by {error_words}{part}; {errs}.",
            error_words=error_words(found.error, problem),
            part=part,
            errs=", ".join(errs),
        ),
        *(warning if useless else []),
    ]
