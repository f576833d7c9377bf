"""How rows are divided, and whether centres differ, in sentences."""

from collections.abc import Sequence

from solvers.language import numeral, tr
from solvers.metrics import Diagnosis, Rate, heterogeneity
from solvers.metrics.words import count, percent
from solvers.problem import Division, DivisionRule


def fold_words(division: Division, n_folds: int, repeats: int) -> str:
    """The parts of a cross-validation.

    Example
    -------
    >>> fold_words(division, 10, 5)  # doctest: +SKIP
    "10 folds, 5 times; no 'patient' is both learned from and judged on"
    """
    times = "once" if repeats == 1 else tr("{repeats} times", repeats=repeats)
    match division.rule:
        case DivisionRule.TIME:
            words = tr(
                "{parts} in the order of '{column}', each later than its training rows",
                parts=count(n_folds, "part"),
                column=division.column,
            )
        case DivisionRule.CENTRES:
            words = tr(
                "{centres} of '{column}', each left out once", centres=count(n_folds, "centre"), column=division.column
            )
        case _:
            words = f"{count(n_folds, 'fold')}, {times}"
    return words + _together(division)


def held_out_words(division: Division, seed: int | None) -> str:
    """Which rows are held out, for instance 'at random with the same share of each class (seed 0)'."""
    seeded = "" if seed is None else tr(" (seed {seed})", seed=seed)
    match division.rule:
        case DivisionRule.TIME:
            words = tr("the latest rows by '{column}'", column=division.column)
        case DivisionRule.CENTRES:
            words = tr("whole centres of '{column}', chosen at random{seeded}", column=division.column, seeded=seeded)
        case DivisionRule.GROUPS:
            words = tr("at random with about the same share of each class{seeded}", seeded=seeded)
        case _:
            words = tr("at random with the same share of each class{seeded}", seeded=seeded)
    return words + _together(division)


def _together(division: Division) -> str:
    return (
        ""
        if division.groups is None
        else tr("; no '{name}' is both learned from and judged on", name=division.groups.name)
    )


def independence_words(division: Division) -> str:
    """What intervals leave out where several rows belong together; '' where each row stands alone."""
    if division.groups is None:
        return ""
    return tr(
        "Intervals and tests take rows for independent; several rows of a '{name}' say less.", name=division.groups.name
    )


def heterogeneity_words(what: str, shares: Sequence[Rate]) -> str:
    """Whether a share differs between centres by more than chance; '' for fewer than two centres."""
    found = heterogeneity(shares)
    if found is None:
        return ""
    more = tr("by more than chance") if found.p < 0.05 else tr("no more than by chance")
    p = f"p < {numeral(0.001)}" if found.p < 0.001 else f"p = {numeral(found.p, '.3f')}"
    figures = tr(
        "Cochran's Q = {q} over {n} centres ({p}), I\u00b2 = {i2}",
        q=numeral(found.q, ".1f"),
        n=found.n,
        p=p,
        i2=percent(found.i2, 0),
    )
    return tr("{what} differs between centres {more}: {figures}.", what=what, more=more, figures=figures)


def centre_words(figures: Sequence[Diagnosis]) -> tuple[str, ...]:
    """Whether accuracy, sensitivity and specificity differ between centres, whose figures these are."""
    shares_of = {
        "Accuracy": [one.accuracy for one in figures],
        "Sensitivity": [one.sensitivity for one in figures if one.sensitivity is not None],
        "Specificity": [one.specificity for one in figures if one.specificity is not None],
    }
    return tuple(filter(None, (heterogeneity_words(what, shares) for what, shares in shares_of.items())))
