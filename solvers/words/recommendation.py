"""Which size of the tree is recommended, and how good that is on new rows, in sentences."""

from collections.abc import Callable

from ..metrics.recommended_size import OuterFold, Recommendation, SizeCandidate
from ..metrics.words import amount, count, percent
from ..problem import Problem


def error_words(value: float, problem: Problem) -> str:
    """An error as a share of the rows; with costs of mistakes, as what they cost a row."""
    return percent(value) if problem.objective.class_costs is None else f"{value:.3g} errors a row"


def size_words(candidate: SizeCandidate) -> str:
    """A size in words.

    Example
    -------
    >>> size_words(candidate)  # doctest: +SKIP
    'a tree of depth 2 at most, with at least 8 rows per leaf, in which a question saves at least 8.2 errors'
    """
    if candidate.n_leaves == 1:
        return "no question at all"
    kind, rows = "a greedy tree" if candidate.greedy else "a tree", count(candidate.min_samples_leaf, "row")
    words = f"{kind} of depth {candidate.max_depth} at most, with at least {rows} per leaf"
    saves = f", in which a question saves at least {amount(candidate.split_cost)} errors"
    return f"{words}{saves if candidate.split_cost else ''}"


def recommendation_words(found: Recommendation, problem: Problem) -> tuple[str, ...]:
    """What is recommended and why, a sentence each; none before it is known."""
    choice = found.choice
    if choice is None:
        return ("There was no time to compare sizes. Give it more time.",) if found.finished else ()
    words = [f"Recommended: {size_words(choice)}; on these rows {count(choice.n_leaves, 'leaf', 'leaves')}."]
    if choice.n_leaves == 1:
        words.append("No size did better on rows that it had not seen than the same answer for everyone.")
    elif choice.greedy:
        why = "did as well on rows that it had not seen" if found.compares_optimal else "was compared in this time"
        words.append(
            f"No tree that can be proved to be the best of its size {why}; this one is grown greedily, and nothing is "
            "proved about it."
        )
    best = min(found.candidates, key=lambda one: one.mean)
    spread = error_words(best.standard_error, problem)
    words.append(
        f"Validated error: {error_words(choice.mean, problem)}. The least of all sizes is "
        f"{error_words(best.mean, problem)} ({count(best.n_leaves, 'leaf', 'leaves')}); what is within one standard "
        f"error of it ({spread}) is taken for as good, and of that the smallest."
    )
    words += honest_words(found, problem)
    if found.left_out:
        depths = " and ".join(map(str, found.left_out))
        words.append(f"Trees of depth {depths} would have taken too long; with more time they are compared, too.")
    return tuple(words)


def honest_words(found: Recommendation, problem: Problem) -> list[str]:
    """How good a tree of the recommended size is on new rows, as far as the outer loop tells."""
    if found.error is None:
        return []
    others: tuple[tuple[str, Callable[[OuterFold], float | None]], ...] = (
        ("a greedy tree chosen in the same way", lambda fold: fold.greedy_error),
        ("the same answer for everyone", lambda fold: fold.constant_error),
    )
    errs = [f"{what} {error_words(value, problem)}" for what, of in others if (value := found.honest(of)) is not None]
    constant = found.honest(lambda fold: fold.constant_error)
    useless = constant is not None and found.error >= constant and len(found.outer) == found.n_outer
    warning = [
        "That is no better than the same answer for everyone: these columns may say nothing that a tree can use."
    ]
    part = "" if len(found.outer) == found.n_outer else f", as far as {len(found.outer)} of {found.n_outer} folds tell"
    return [
        (
            f"On new rows, a tree that is chosen in this way errs by {error_words(found.error, problem)}{part}; "
            f"{', '.join(errs)}."
        ),
        *(warning if useless else []),
    ]
