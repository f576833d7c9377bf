"""What is known of models without avoidable mistakes, in sentences."""

from solvers.language import tr, tr_plural
from solvers.metrics.words import count
from solvers.problem import Problem
from solvers.solution import Criterion, Noise, Solution

SHOWN_ROWS = 5
"""So many row numbers are named."""


def consistent_words(problem: Problem, solution: Solution, why: str) -> str:
    """What was proved about trees that make no avoidable mistake.

    `why` says why the search ended, as the beginning of a sentence.
    """
    known, size = solution.details.consistent, problem.size
    assert known is not None
    if known.noise is Noise.REFUSE and solution.details.contradictory:
        return tr("The smallest tree was not looked for.")
    mistake = tr("mistake that can be avoided") if known.unavoidable else "mistake"
    proved = tr("proved for the classes taken") if known.tied else "proved"
    shape = tr("at most {max_depth} questions a path", max_depth=size.max_depth)
    if size.max_leaf_nodes is not None:
        shape += tr(" and {max_leaf_nodes} leaves", max_leaf_nodes=size.max_leaf_nodes)
    if known.none_fits:
        return tr("Every tree of {shape} makes a {mistake}: {proved}.", shape=shape, mistake=mistake, proved=proved)
    if known.least_depth is None:
        below = (
            ""
            if known.refuted is None
            else tr("; every tree of depth {refuted} makes a {mistake}", refuted=known.refuted, mistake=mistake)
        )
        return f"{why}{below}."
    if known.least_depth == 0:
        return tr("A single leaf makes no {mistake}.", mistake=mistake)
    words = tr(
        "A tree of depth {least_depth} makes no {mistake}, and none less deep does: {proved}.",
        least_depth=known.least_depth,
        mistake=mistake,
        proved=proved,
    )
    if known.least is Criterion.DEPTH_ALONE and known.depth_with_leaves == known.least_depth:
        return words
    if not known.fewest_nodes:
        return tr("{words} {why} while fewer nodes were sought.", words=words, why=why)
    if known.least is Criterion.NODES:
        return tr(
            "{words} None of {shape} has fewer than {nodes} nodes: {proved}.",
            words=words,
            shape=shape,
            nodes=known.nodes,
            proved=proved,
        )
    depth = known.depth_with_leaves
    if depth is not None and depth > known.least_depth:
        words += tr(
            " With at most {max_leaf_nodes} leaves the least depth is {depth}: {proved}.",
            max_leaf_nodes=size.max_leaf_nodes,
            depth=depth,
            proved=proved,
        )
    return tr(
        "{words} None of depth {depth} has fewer than {nodes} nodes: {proved}.",
        words=words,
        depth=depth,
        nodes=known.nodes,
        proved=proved,
    )


def fewest_questions_words(solution: Solution, why: str, depth: int = 0) -> str:
    """What is known of the fewest questions with which a BDD makes no avoidable mistake; see `consistent_words`.

    `depth` is how many questions were allowed.
    """
    known = solution.details.fewest_questions
    assert known is not None
    mistake = tr("avoidable mistake") if solution.details.contradictory else "mistake"
    if known.too_few:
        return tr(
            "Every BDD of at most {questions} makes avoidable mistakes: proved.", questions=count(depth, "question")
        )
    if known.found is None:
        be = "is" if known.least == 1 else "are"
        return (
            tr(
                "At least {questions} {be} needed to avoid all mistakes.",
                questions=count(known.least, "question"),
                be=be,
            )
            if known.least
            else ""
        )
    words = tr("A BDD of {questions} makes no {mistake}", questions=count(known.found, "question"), mistake=mistake)
    if known.found == 0:
        return tr("{words}: a single answer is always right.", words=words)
    if known.least == known.found:
        return tr("{words}, and none of fewer questions does: proved.", words=words)
    return tr(
        "{words}; at least {least} are needed. {why} before it was clear whether fewer do.",
        words=words,
        least=known.least,
        why=why,
    )


def contradiction_words(problem: Problem, solution: Solution) -> str:
    """Which rows contradict each other, and what was done about it; '' where none do."""
    rows, known = solution.details.contradictory, solution.details.consistent
    if not rows:
        return ""
    if known is None:
        noun = problem.shape.kind.noun
        return tr(
            "{rows} equal rows of another outcome in all questions, so no {noun} gets all of them right.",
            rows=_rows(rows),
            noun=noun,
        )
    words = tr(
        "{rows} contradict each other: at least {unavoidable} of them must be got wrong.",
        rows=_rows(rows),
        unavoidable=known.unavoidable,
    )
    if known.noise is Noise.DROP:
        n = known.unavoidable
        words += tr_plural(" {n} of them was left out.", " {n} of them were left out.", n, n=n)
    elif known.noise is Noise.REFUSE:
        words += tr(" Correct them, or choose 'drop' or 'fewest' for the option 'noise'.")
    leaf = solution.diagram is not None and solution.diagram.n_splits == 0
    if known.tied and not leaf and known.noise is not Noise.REFUSE:
        words += tr(" Of classes that cost equally little the first is taken; with another a smaller tree might do.")
    return words


def _rows(numbers: tuple[int, ...]) -> str:
    """Row numbers in words, the first few of many."""
    shown = ", ".join(map(str, numbers[:SHOWN_ROWS]))
    more = len(numbers) - SHOWN_ROWS
    return tr("The rows {shown}{more}", shown=shown, more=tr(" and {more} more", more=more) if more > 0 else "")
