"""The result of checking a certificate, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..metrics.words import amount, count
from ..problem import ShapeKind

if TYPE_CHECKING:
    from ..certificates import OptimumReport


def describe_certificate(report: OptimumReport, kind: ShapeKind = ShapeKind.TREE) -> str:
    """Whether the optimum of a model of this shape is certified, and up to which gap."""
    if not report.accepted:
        return f"Not certified. {report.fault}"
    if report.gap:
        words = (
            f"Certified lower bound {amount(report.bound or 0)}; this {kind.noun} costs {amount(report.cost or 0)}. "
            "Between the two, the result rests on the search alone."
        )
        return f"{words} Not certified: {'; '.join(report.left_out)}." if report.left_out else words
    checked = f"Checked in {report.seconds:.1f} s from {count(report.n_cases, 'distinct row')} of "
    checked += count(report.n_rows, "row")
    if kind is not ShapeKind.TREE:
        return f"{checked}: no tree of this depth costs less. Each {kind.noun} unfolds to such a tree."
    smaller = "".join(f" No {words} has a cost as low." for words in report.smaller)
    return f"{checked}: no tree of this size costs less.{smaller}"
