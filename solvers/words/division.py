"""How rows are divided, and whether centres differ, in sentences."""

from collections.abc import Sequence

from solvers.metrics import Rate, heterogeneity
from solvers.metrics.words import count, percent
from solvers.problem import Division, DivisionRule


def fold_words(division: Division, n_folds: int, repeats: int) -> str:
    """The parts of a cross-validation.

    Example
    -------
    >>> fold_words(division, 10, 5)  # doctest: +SKIP
    '10 folds, 5 times; rows with the same 'patient' stay together'
    """
    times = "once" if repeats == 1 else f"{repeats} times"
    match division.rule:
        case DivisionRule.TIME:
            words = f"{count(n_folds, 'part')} in the order of '{division.column}', each judged by the rows before it"
        case DivisionRule.CENTRES:
            words = f"{count(n_folds, 'centre')} of '{division.column}', each judged by the rows of the others"
        case _:
            words = f"{count(n_folds, 'fold')}, {times}"
    return words + _together(division)


def held_out_words(division: Division, seed: int | None) -> str:
    """Which rows are held out, as a sentence without a subject: 'At random within each class (seed 0).'"""
    seeded = "" if seed is None else f" (seed {seed})"
    match division.rule:
        case DivisionRule.TIME:
            words = f"The latest rows by '{division.column}'"
        case DivisionRule.CENTRES:
            words = f"Whole centres of '{division.column}', at random{seeded}"
        case DivisionRule.GROUPS:
            words = f"At random with about the same share of each class{seeded}"
        case _:
            words = f"At random with the same share of each class{seeded}"
    return f"{words}{_together(division)}."


def _together(division: Division) -> str:
    return "" if division.groups is None else f"; no '{division.groups.name}' is learned from and judged on"


def heterogeneity_words(what: str, shares: Sequence[Rate]) -> str:
    """Whether a share differs between centres by more than chance; '' for fewer than two centres."""
    found = heterogeneity(shares)
    if found is None:
        return ""
    differs = "differs between centres by more than chance" if found.p < 0.05 else "differs no more than by chance"
    p = "p < 0.001" if found.p < 0.001 else f"p = {found.p:.3f}"
    return (
        f"{what} {differs}: Cochran's Q = {found.q:.1f} over {found.n} centres ({p}), I\u00b2 = {percent(found.i2, 0)}."
    )
