"""Fragmentation: the rows of leaves, and the rows per split of a BDD or diagram next to equivalent trees."""

from collections.abc import Callable
from statistics import mean, median
from typing import NamedTuple

import streamlit as st

from components.messages.text import DASH, capitalise, count, html, percent, plain
from components.model.facts import once
from components.session import state
from components.session.work import FinishedModel, Prepared, Run
from components.widgets import style
from components.widgets.shown_rows import NamedRows
from solvers.diagram import Diagram
from solvers.metrics import Fragmentation, fragmentation, unfolded
from solvers.problem import Dataset, ShapeKind


class Spread(NamedTuple):
    """A model with its title, its errors, and the distribution of rows over its splits."""

    title: str
    diagram: Diagram
    wrong: int
    rows: Fragmentation


def spreads(diagram: Diagram, data: Dataset, support: int) -> tuple[Spread, ...]:
    """A model, then the tree with the same predictions, unless that is too large.

    Each split should have at least `support` rows of `data`.
    """
    shown = [(f"This {diagram.kind.noun}", diagram)]
    if (same := unfolded(diagram)) is not None:
        shown.append(("Equivalent tree", same))
    return tuple(
        Spread(title, one, int((one.predict(data) != data.y).sum()), fragmentation(one, data, support=support))
        for title, one in shown
    )


def describe_sharing(found: tuple[Spread, ...]) -> str:
    """A sentence on the effect of sharing splits."""
    own, *trees = found
    noun, rows = own.diagram.kind.noun, own.rows
    if rows.mean_question is None:
        return f"This {noun} has no splits."
    average = f"A split of this {noun} has {percent(rows.mean_question / rows.n, 0)} of the rows on average"
    if not trees:
        return f"{average}. The equivalent tree would have thousands of splits."
    tree = trees[0]
    if tree.diagram.n_splits == own.diagram.n_splits:
        return f"{average}. No split is shared, so the equivalent tree has the same size."
    mean = percent((tree.rows.mean_question or 0) / rows.n, 0)
    return (
        f"{average} (at least {count(rows.smallest_question or 0, 'row')}). The equivalent tree has "
        f"{count(tree.diagram.n_splits)} splits instead of {count(own.diagram.n_splits)}, with {mean} on average "
        f"(at least {count(tree.rows.smallest_question or 0, 'row')})."
    )


def show(run: Run, model: FinishedModel, rows: NamedRows) -> None:
    """Draw the distribution of rows over leaves and splits."""
    diagram = model.diagram
    tree = diagram.kind is ShapeKind.TREE
    support = st.number_input(
        "Mark leaves under (rows)" if tree else "Mark splits under (rows)",
        1,
        10_000,
        key=state.first("support", 20),
        width=240,
        persist_state="session",
    )
    if tree:
        _show_leaves(diagram, run.prepared, int(support))
    else:
        _show_contrast(run, model, rows, int(support))


def _show_leaves(diagram: Diagram, prepared: Prepared, support: int) -> None:
    parts = [("Training", fragmentation(diagram, prepared.train, support=support))]
    if prepared.test is not None:
        parts.append(("Held-out", fragmentation(diagram, prepared.test, support=support)))
    found = [part for _, part in parts]
    left, right = st.columns(2, gap="large")
    with left:
        st.html(
            style.table(
                ("Leaves", *(name for name, _ in parts)),
                [
                    ("Leaves", *(count(len(f.leaves)) for f in found)),
                    ("Rows in smallest leaf", *(count(min(f.leaves), "row") for f in found)),
                    (f"Leaves under {support} rows", *(count(f.n_small) for f in found)),
                    ("Rows in those leaves", *(percent(f.share_small_samples) for f in found)),
                    ("Effective number of leaves", *(f"{f.effective_leaves:.1f}" for f in found)),
                ],
            )
        )
    with right:
        head = ("Depth", *(f"{name}: min / median / max rows" for name, _ in parts))
        layers = zip(*(f.layers for f in found), strict=True)
        rows = [
            (
                str(layer),
                *(" / ".join(f"{n:,g}" for n in (min(one), median(one), max(one))) for one in same),
            )
            for layer, same in enumerate(layers)
        ]
        st.html(style.table(head, rows))


def _show_contrast(run: Run, model: FinishedModel, rows: NamedRows, support: int) -> None:
    found = once(
        run,
        (model.key, "contrast", support),
        (model.diagram, rows.data),
        lambda: spreads(model.diagram, rows.data, support),
    )
    st.markdown(plain(describe_sharing(found), 500))
    head = ("", *(html(one.title) for one in found))
    st.html(style.table(head, [(name, *map(write, found)) for name, write in _LINES.items()]))
    st.caption(f"{plain(capitalise(rows.name))} rows ({count(rows.data.n_samples)}).")


def _rows(n: float | None, one: Spread) -> str:
    return DASH if n is None else f"{count(round(n))} <small>{percent(n / max(one.rows.n, 1), 0)}</small>"


_LINES: dict[str, Callable[[Spread], str]] = {
    "Splits": lambda one: count(one.diagram.n_splits),
    "Depth": lambda one: count(one.diagram.depth),
    "Errors": lambda one: count(one.wrong),
    "Fewest rows per split": lambda one: _rows(min(one.rows.questions, default=None), one),
    "Median rows per split": lambda one: _rows(median(one.rows.questions) if one.rows.questions else None, one),
    "Mean rows per split": lambda one: _rows(mean(one.rows.questions) if one.rows.questions else None, one),
    "Splits below the minimum": lambda one: count(one.rows.n_small_questions),
}
