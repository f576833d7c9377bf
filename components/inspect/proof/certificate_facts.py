"""What a certificate says, as the Proof tab shows it."""

from components.words.text import amount, count, seconds
from solvers.certificates import OptimumReport
from solvers.problem import ShapeKind


def certified_optimum(report: OptimumReport, kind: ShapeKind) -> str:
    """The result of making a certificate, in one or two sentences."""
    if not report.accepted:
        return f"Not certified. {report.fault}"
    if report.gap:
        words = (
            f"Certified up to a gap of {amount(report.gap)}: no allowed {kind.noun} costs less than "
            f"{amount(report.bound or 0)}, and this one costs {amount(report.cost or 0)}. That none lies between the "
            "two rests on the search alone."
        )
        return f"{words} The proof leaves out: {'; '.join(report.left_out)}." if report.left_out else words
    of = f"{count(report.n_cases, 'distinct case')} of {count(report.n_rows, 'row')}"
    taken = f"Checked in {seconds(report.seconds)} from {of}"
    if kind is not ShapeKind.TREE:
        return (
            f"{taken}: no tree of this depth costs less. Each {kind.noun} unfolds to such a tree, so none costs less."
        )
    smaller = "".join(f" No {words} costs as little." for words in report.smaller)
    return f"{taken}: no tree of this size costs less.{smaller}"
