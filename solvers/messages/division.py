"""How rows are divided, and whether centres differ, in sentences."""

from collections.abc import Sequence

from ..metrics import Diagnosis, Rate, heterogeneity
from ..metrics.words import count, percent
from ..problem import Division, DivisionRule


def describe_fold(division: Division, n_folds: int, repeats: int) -> str:
    """The parts of a cross-validation.

    Example
    -------
    >>> describe_fold(division, 10, 5)  # doctest: +SKIP
    "10 folds, 5 times; no 'patient' is in both training and held-out rows"
    """
    times = "once" if repeats == 1 else f"{repeats} times"
    match division.rule:
        case DivisionRule.TIME:
            words = f"{count(n_folds, 'part')} in the order of '{division.column}', each later than its training rows"
        case DivisionRule.CENTRES:
            words = f"{count(n_folds, 'centre')} of '{division.column}', each left out once"
        case _:
            words = f"{count(n_folds, 'fold')}, {times}"
    return words + _together(division)


def describe_held_out(division: Division, seed: int | None) -> str:
    """Which rows are held out, for instance 'drawn at random within each class (seed 0)'."""
    seeded = "" if seed is None else f" (seed {seed})"
    match division.rule:
        case DivisionRule.TIME:
            words = f"the latest rows by '{division.column}'"
        case DivisionRule.CENTRES:
            words = f"whole centres of '{division.column}', chosen at random{seeded}"
        case DivisionRule.GROUPS:
            words = f"at random, stratified approximately by class{seeded}"
        case _:
            words = f"drawn at random within each class{seeded}"
    return words + _together(division)


def _together(division: Division) -> str:
    return "" if division.groups is None else f"; no '{division.groups.name}' is in both training and held-out rows"


def describe_independence(division: Division) -> str:
    """What intervals ignore if several rows belong together; '' if rows are independent."""
    if division.groups is None:
        return ""
    return f"Intervals assume independent rows; with several rows per '{division.groups.name}' they are too narrow."


def describe_heterogeneity(what: str, shares: Sequence[Rate]) -> str:
    """Whether a share differs between centres by more than chance; '' for fewer than two centres."""
    found = heterogeneity(shares)
    if found is None:
        return ""
    more = "by more than chance" if found.p < 0.05 else "no more than by chance"
    p = "p < 0.001" if found.p < 0.001 else f"p = {found.p:.3f}"
    figures = f"Cochran's Q = {found.q:.1f} over {found.n} centres ({p}), I\u00b2 = {percent(found.i2, 0)}"
    return f"{what} differs between centres {more}: {figures}."


def describe_centre(figures: Sequence[Diagnosis]) -> tuple[str, ...]:
    """Whether accuracy, sensitivity and specificity differ between centres, whose metrics are given."""
    shares_of = {
        "Accuracy": [one.accuracy for one in figures],
        "Sensitivity": [one.sensitivity for one in figures if one.sensitivity is not None],
        "Specificity": [one.specificity for one in figures if one.specificity is not None],
    }
    return tuple(filter(None, (describe_heterogeneity(what, shares) for what, shares in shares_of.items())))
