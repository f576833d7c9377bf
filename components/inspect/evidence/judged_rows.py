"""Which rows risks and parts are judged on, and which class the risks are about."""

from __future__ import annotations

import streamlit as st

from components.inspect.evidence import resampling_panel
from components.inspect.evidence.risk_facts import Judged, judged, judged_by_folds
from components.session import state
from components.session.work import Model, Run
from components.widgets import segments


def choose(run: Run, model: Model, place: str) -> Judged | None:
    """Let the user choose the rows, unseen ones first; `None` while the first fold is not done."""
    diagram, train = model.solution.diagram, run.prepared.train
    external, folds = state.external(run), resampling_panel.validation(run, model)
    offered = {
        "Test rows": run.prepared.test,
        "Cross-validated": folds,
        "Second file": external,
        "Training rows": train,
    }
    names = [name for name, there in offered.items() if there is not None]
    chosen = segments.show("Rows", names, key=f"judged_{place}_{run.number}_{len(names)}")
    if chosen == "Cross-validated":
        return judged_by_folds("rows of the folds", folds, train)
    return judged("rows of the second file" if chosen == "Second file" else chosen.lower(), diagram, offered[chosen])


def choose_class(run: Run, place: str) -> int:
    """The class that risks are about: the positive one of two, or else what the user chooses."""
    data = run.prepared.train
    if data.n_classes == 2 and data.positive is not None:
        return data.positive
    return st.selectbox(
        "Risk of",
        range(data.n_classes),
        index=data.positive or 0,
        format_func=lambda k: data.classes[k],
        key=f"risk_class_{place}_{run.number}",
        width=220,
        label_visibility="collapsed",
        persist_state="session",
    )
