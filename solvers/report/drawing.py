"""The drawing of a model with what its rows say: the same on screens, in files and reports, and on the command line."""

from solvers.diagram import Diagram, Excerpt, LeafNote, NodeId, to_dot
from solvers.diagram.labels import answer
from solvers.metrics import LeafRisk, Rate, answer_counts, leaf_risks, node_counts
from solvers.metrics.intervals import wilson
from solvers.metrics.risks import SMALL
from solvers.metrics.words import DASH, NARROW, count
from solvers.problem import Dataset, Unknown


def drawn(
    diagram: Diagram,
    data: Dataset | None = None,
    *,
    theme: str = "light",
    excerpt: Excerpt | None = None,
    sideways: bool = False,
    background: bool = False,
    unknown: Unknown = Unknown.REFUSE,
) -> str:
    """The model as DOT text with a legend: leaves tell their risk with its interval, those of few rows are striped.

    `data` are the rows that it tells of, by default those that its leaves remember; the others are as for `to_dot`.
    """
    counts = flows = None
    if data is not None:
        counts, flows = node_counts(diagram, data), answer_counts(diagram, data)
    return to_dot(
        diagram,
        theme=theme,
        counts=counts,
        flows=flows,
        excerpt=excerpt,
        sideways=sideways,
        background=background,
        notes=leaf_notes(diagram, data),
        legend=legend(diagram),
        unknown=unknown,
    )


def legend(diagram: Diagram) -> tuple[str, ...]:
    """What must be known to read a drawing besides the colours of the answers."""
    pale = f"Paler: less sure. Striped: fewer than {SMALL} rows."
    if diagram.positive is None:
        return pale, "Per cent: share of the answer, with its 95 % interval."
    return pale, f"Risk: share of '{answer(diagram, diagram.positive)}', with its 95 % interval."


def leaf_notes(diagram: Diagram, data: Dataset | None) -> dict[NodeId, LeafNote]:
    """The risk of every leaf with its 95 % interval and its rows; leaves of fewer than `SMALL` rows say so.

    With a positive class the risk is its share, whatever the leaf answers; otherwise it is the share of its answer.
    """
    risks = _remembered(diagram) if data is None else leaf_risks(diagram, data)
    return {found.node: _note(diagram, found) for found in risks}


def _remembered(diagram: Diagram) -> tuple[LeafRisk, ...]:
    """What the leaves themselves remember of the training rows; nothing where that are weights, and not rows."""
    out = []
    for i, leaf in diagram.leaves:
        of_class = leaf.label if diagram.positive is None else diagram.positive
        counts = tuple(int(k) for k in leaf.counts)
        if counts != tuple(leaf.counts):
            return ()
        k, n = counts[of_class], sum(counts)
        risk = Rate(k / n, *wilson(k / n, n), k, n) if n else Rate(None, None, None, 0, 0)
        out.append(LeafRisk(i, leaf.label, counts, of_class, risk))
    return tuple(out)


def _note(diagram: Diagram, found: LeafRisk) -> LeafNote:
    risk = found.risk
    if risk.value is None:
        return LeafNote(("no rows",), True)
    small = risk.n < SMALL
    shown = short_rate(risk)
    rows = f"{count(risk.k)} of {count(risk.n)}{': few rows' if small else ''}"
    return LeafNote((shown if diagram.positive is None else f"risk {shown}", rows), small)


def short_rate(risk: Rate) -> str:
    """A share with its 95 % interval as it fits a leaf, for instance '86 % (49-97 %)'."""
    if risk.value is None or risk.low is None or risk.high is None:
        return DASH
    shown = f"{100 * risk.value:.0f}"
    # nothing is rounded to none or all that it is not
    if shown == "0" and risk.value > 0:
        shown = "<1"
    elif shown == "100" and risk.value < 1:
        shown = ">99"
    low, high = (f"{100 * end:.0f}" for end in (risk.low, risk.high))
    if low == high:
        # whole numbers would leave nothing of the interval
        low, high = (f"{100 * end:.1f}" for end in (risk.low, risk.high))
    return f"{shown}{NARROW}% ({low}{DASH}{high}{NARROW}%)"
