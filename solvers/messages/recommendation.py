"""The recommended size of the tree, and its error on new rows, in sentences."""

from collections.abc import Callable

from ..metrics.comparable import demanded
from ..metrics.recommended_size import OuterFold, Recommendation, SizeCandidate
from ..metrics.words import amount, count, percent
from ..problem import Problem


def describe_error(value: float, problem: Problem) -> str:
    """An error as a share of the rows; with misclassification costs, as the cost per row."""
    return percent(value) if problem.objective.class_costs is None else f"{value:.3g} errors a row"


def describe_size(candidate: SizeCandidate) -> str:
    """A size in words.

    Example
    -------
    >>> describe_size(candidate)  # doctest: +SKIP
    'a tree of depth at most 2, with at least 8 rows per leaf, split penalty 8.2 errors'
    """
    if candidate.n_leaves == 1:
        return "no splits"
    kind, rows = "a greedy tree" if candidate.greedy else "a tree", count(candidate.min_samples_leaf, "row")
    words = f"{kind} of depth at most {candidate.max_depth}, with at least {rows} per leaf"
    saves = f", split penalty {amount(candidate.split_penalty)} errors"
    return f"{words}{saves if candidate.split_penalty else ''}"


def describe_choice(found: Recommendation, problem: Problem) -> str:
    """The recommended size and its reason in a sentence; it must be known.

    Example
    -------
    >>> describe_choice(found, problem)  # doctest: +SKIP
    '4 leaves do as well as any size on validation rows: error 8.1%, lowest 7.9% (7 leaves).'
    """
    choice, best = found.choice, min(found.candidates, key=lambda one: one.mean)
    assert choice is not None
    if choice.n_leaves == 1:
        return "No size does better than a constant prediction on validation rows."
    size = f"{'A greedy tree with ' * choice.greedy}{count(choice.n_leaves, 'leaf', 'leaves')}"
    does, error = "does" if choice.greedy else "do", describe_error(choice.mean, problem)
    error = error if problem.objective.class_costs else f"error {error}"
    rows = f"on validation rows{_at_demand(problem)}"
    if choice == best:
        return f"{size} {does} best {rows}: {error}."
    lowest = f"{describe_error(best.mean, problem)} ({count(best.n_leaves, 'leaf', 'leaves')})"
    return f"{size} {does} as well as any size {rows}: {error}, lowest {lowest}."


def _at_demand(problem: Problem) -> str:
    words = " and ".join(one.words(problem.dataset) for one in demanded(problem))
    return f" if {words}" if words else ""


def describe_recommendation(found: Recommendation, problem: Problem) -> tuple[str, ...]:
    """The recommendation and its reasons, a sentence each; empty before it is known."""
    choice = found.choice
    if choice is None:
        what = f"depth {_depths(found)}" if found.left_out else "sizes"
        short = f"No size is recommended, because the time ended before {what} could be compared."
        return (short,) if found.finished else ()
    words = [f"Recommended: {describe_size(choice)}; on these rows {count(choice.n_leaves, 'leaf', 'leaves')}."]
    if choice.n_leaves == 1:
        words.append("No size is better than a constant prediction on validation rows.")
    elif choice.greedy:
        why = "was as good on validation rows" if found.compares_optimal else "was compared in time"
        words.append(f"No optimal tree {why}; this one is grown greedily, so it is not proved optimal.")
    best = min(found.candidates, key=lambda one: one.mean)
    spread = describe_error(best.standard_error, problem)
    words.append(
        f"Validated error{_at_demand(problem)}: {describe_error(choice.mean, problem)}; lowest of all sizes "
        f""
        f"{describe_error(best.mean, problem)} ({count(best.n_leaves, 'leaf', 'leaves')}). "
        f"The smallest size within one standard error of it ({spread}) is recommended."
    )
    words += describe_honest(found, problem)
    if found.left_out:
        words.append(f"Not compared for lack of time: depth {_depths(found)}.")
    return tuple(words)


def _depths(found: Recommendation) -> str:
    return " and ".join(map(str, found.left_out))


def describe_honest(found: Recommendation, problem: Problem) -> list[str]:
    """The error on new rows of a tree of the recommended size, estimated by the outer loop."""
    if found.error is None:
        return []
    others: tuple[tuple[str, Callable[[OuterFold], float | None]], ...] = (
        ("a greedy tree of recommended size", lambda fold: fold.greedy_error),
        ("a constant prediction", lambda fold: fold.constant_error),
    )
    errs = [
        f"{what} {describe_error(value, problem)}" for what, of in others if (value := found.honest(of)) is not None
    ]
    constant = found.honest(lambda fold: fold.constant_error)
    useless = constant is not None and found.error >= constant and len(found.outer) == found.n_outer
    warning = ["No better than a constant prediction: these features may not predict the outcome."]
    part = "" if len(found.outer) == found.n_outer else f" ({len(found.outer)} of {found.n_outer} folds)"
    return [
        (
            f"Error on new rows of a tree chosen like this: {describe_error(found.error, problem)}{part}; "
            f"{', '.join(errs)}."
        ),
        *(warning if useless else []),
    ]
