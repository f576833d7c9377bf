"""What is known about models without avoidable errors, in sentences."""

from ..metrics.words import count
from ..problem import Problem
from ..solution import Criterion, Solution

SHOWN_ROWS = 5
"""The maximum number of listed row numbers."""


def describe_consistent(problem: Problem, solution: Solution, why: str) -> str:
    """What was proved about trees without avoidable errors.

    `why` is the reason why the search ended, as the beginning of a sentence.
    """
    known, size = solution.details.consistent, problem.asked_size
    assert known is not None
    error = "avoidable error" if known.unavoidable else "error"
    proved = "(proved for the classes chosen)" if known.tied else "(proved)"
    shape = f"depth at most {size.max_depth}"
    if size.max_leaf_nodes is not None:
        shape += f" with at most {size.max_leaf_nodes} leaves"
    if known.none_fits:
        return f"Every tree of {shape} makes an {error} {proved}."
    if known.least_depth is None:
        below = "" if known.refuted is None else f"; every tree of depth {known.refuted} makes an {error}"
        return f"{why}{below}."
    if known.least_depth == 0:
        return f"A single leaf makes no {error}."
    words = f"A tree of depth {known.least_depth} makes no {error}, and no shallower tree does {proved}."
    if known.least is Criterion.DEPTH_ALONE and known.depth_with_leaves == known.least_depth:
        return words
    if not known.fewest_nodes:
        return f"{words} {why} while looking for fewer nodes."
    if known.least is Criterion.NODES:
        return f"{words} None of {shape} has fewer than {known.nodes} nodes {proved}."
    depth = known.depth_with_leaves
    if depth is not None and depth > known.least_depth:
        words += f" With at most {size.max_leaf_nodes} leaves the minimum depth is {depth} {proved}."
    return f"{words} None of depth {depth} has fewer than {known.nodes} nodes {proved}."


def describe_fewest_questions(solution: Solution, why: str, depth: int = 0) -> str:
    """What is known about the fewest splits of a BDD without avoidable errors; see `describe_consistent`.

    `depth` is the maximum number of splits.
    """
    known = solution.details.fewest_questions
    assert known is not None
    error = "avoidable error" if solution.details.contradictory else "error"
    if known.too_few:
        return f"Every BDD of at most {count(depth, 'split')} makes avoidable errors (proved)."
    if known.found is None:
        be = "is" if known.least == 1 else "are"
        return f"At least {count(known.least, 'split')} {be} needed to avoid all errors." if known.least else ""
    words = f"A BDD of {count(known.found, 'split')} makes no {error}"
    if known.found == 0:
        return f"{words}: a constant prediction is always correct."
    if known.least == known.found:
        return f"{words}, and none with fewer splits does (proved)."
    return f"{words}; at least {known.least} are needed. {why} before fewer were ruled out."


def describe_contradiction(problem: Problem, solution: Solution) -> str:
    """Which rows contradict each other, and how they were treated; '' if none do."""
    rows, known = solution.details.contradictory, solution.details.consistent
    if not rows:
        return ""
    if known is None:
        noun = problem.shape.kind.noun
        return f"{_rows(rows)} equal rows of another outcome in all splits, so every {noun} makes errors on them."
    words = f"{_rows(rows)} contradict each other: at least {known.unavoidable} of them is an error in every tree."
    leaf = solution.diagram is not None and solution.diagram.n_splits == 0
    if known.tied and not leaf:
        words += " Among equally cheap classes, the first is chosen. Another choice might allow a smaller tree."
    return words


def _rows(numbers: tuple[int, ...]) -> str:
    """Row numbers as text, shortened to the first few."""
    shown = ", ".join(map(str, numbers[:SHOWN_ROWS]))
    more = len(numbers) - SHOWN_ROWS
    return f"The rows {shown} and {more} more" if more > 0 else f"The rows {shown}"
