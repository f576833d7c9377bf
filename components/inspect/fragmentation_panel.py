"""Fragmentation: the rows of leaves, and the rows per split of a BDD or diagram next to equivalent trees."""

from statistics import median

import streamlit as st

from components.messages.text import capitalise, count, percent, plain
from components.model.once import once
from components.model.structure_facts import describe_sharing, structure
from components.session import state
from components.session.work import FinishedModel, Prepared, Run
from components.widgets import style
from components.widgets.shown_rows import NamedRows
from solvers.diagram import Diagram
from solvers.metrics import fragmentation, unfolded
from solvers.problem import ShapeKind
from solvers.report.blocks import TableBlock


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
    parts = {"Training": prepared.train} | ({} if prepared.test is None else {"Held-out": prepared.test})
    found = [fragmentation(diagram, data, support=support) for data in parts.values()]
    leaves = [i for i, _ in diagram.leaves]
    smallest = (int(diagram.reach(data).sum(axis=0)[leaves].min()) for data in parts.values())
    left, right = st.columns(2, gap="large")
    with left:
        st.html(
            style.table(
                ("Leaves", *parts),
                [
                    ("Leaves", *(count(len(leaves)) for _ in parts)),
                    ("Rows in smallest leaf", *(count(n, "row") for n in smallest)),
                    (f"Leaves under {support} rows", *(count(f.n_small) for f in found)),
                    ("Rows in those leaves", *(percent(f.share_small_samples) for f in found)),
                    ("Effective number of leaves", *(f"{f.effective_leaves:.1f}" for f in found)),
                ],
            )
        )
    with right:
        head = ("Depth", *(f"{name}: min / median / max rows" for name in parts))
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
    diagram, data = model.diagram, rows.data

    def contrast() -> tuple[str, TableBlock]:
        same, shown = unfolded(diagram), [(f"This {diagram.kind.noun}", diagram, data)]
        shown += [] if same is None else [("Equivalent tree", same, data)]
        return describe_sharing(diagram, data), structure(shown, support)

    sentence, table = once(run, (model.key, "contrast", support), (diagram, data), contrast)
    st.markdown(plain(sentence, 500))
    st.html(style.block(table))
    st.caption(f"{plain(capitalise(rows.name))} rows ({count(data.n_samples)}).")
