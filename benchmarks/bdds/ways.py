"""The compared methods, and the format of their figures in tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import mean

from benchmarks.bdds.process import Answer, Way
from benchmarks.tables import NOTHING, digits

SEARCH = Way("search", "bdd-search")
MAXSAT = Way("MaxSAT-BDD", "bdd-maxsat")
OODG = Way("OODG", "oodg", {"empty_cells": "merge"})
ODT = Way("ODT", "oodg", {"empty_cells": "parent"})
MAXSAT_DT = Way("MaxSAT-DT", "maxsat-dt", kind="tree")
CART = Way("CART", "cart", kind="tree")
HEURISTIC = Way("heuristic MaxSAT-BDD", "bdd-maxsat", {"candidates": "cart"})
BDD2 = Way("BDD2", "bdd-sat")

EXACT = (SEARCH, MAXSAT)
"""Methods that prove the same optimum."""

PAPER_NAMES = {
    "australian-credit": "australian",
    "breast-wisconsin": "cancer",
    "heart-cleveland": "cleveland",
    "primary-tumor": "tumor",
}
"""Names of tables in the paper, if they differ."""


def seconds(answer: Answer) -> str:
    """User CPU seconds to the proof; for a run without a proof, its bound and errors."""
    if answer.failure:
        return "failed"
    if answer.proved:
        return digits(max(answer.seconds, 0.001), 2)
    if answer.errors is None:
        return answer.status
    bound = NOTHING if answer.bound is None else answer.bound
    return f"{bound} to {answer.errors}"


def average(values: Iterable[float | None], places: int = 1, factor: float = 1.0) -> str:
    """The mean of the values that are not `None`."""
    known = [value for value in values if value is not None]
    return f"{factor * mean(known):.{places}f}" if known else NOTHING


def share(flags: Sequence[bool]) -> str:
    """The percentage of true values."""
    return f"{100 * sum(flags) / len(flags):.0f}" if flags else NOTHING


def faults_of(name: str, way: Way, answer: Answer) -> list[str]:
    """Errors in a single result."""
    if answer.failure:
        return [f"{name}: {way.title} failed: {answer.failure}"]
    if answer.errors is not None and not answer.verified:
        return [f"{name}: the result of {way.title} does not pass the verifier"]
    return []


def disagreements(name: str, answers: Sequence[tuple[Way, Answer]]) -> list[str]:
    """Different optima, and diagrams better than a proved optimum; for BDDs, among those over the same features."""
    proved = {answer.errors for _, answer in answers if answer.proved}
    if len(proved) > 1:
        return [f"{name}: proved optima differ: {', '.join(map(str, sorted(proved)))}"]
    found = [answer.errors for _, answer in answers if answer.errors is not None]
    bounds = [answer.bound for _, answer in answers if answer.bound is not None]
    if found and bounds and max(bounds) > min(found):
        return [f"{name}: a bound of {max(bounds)} was claimed, but {min(found)} errors are possible"]
    return []
