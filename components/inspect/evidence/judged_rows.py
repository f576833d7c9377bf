"""Which rows risks and parts are judged on, and which class the risks are about."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from components.inspect.evidence import resampling_panel
from components.inspect.evidence.risk_facts import Judged, judged, judged_by_folds
from components.session import state
from components.session.work import FinishedModel, Run
from components.widgets import segments
from components.words.text import labelled


def choose(run: Run, model: FinishedModel, place: str) -> Judged | None:
    """Let the user choose the rows, unseen ones first; `None` while the first fold is not done."""
    diagram, train = model.diagram, run.prepared.train
    folds, test, external = resampling_panel.validation(run, model), run.prepared.test, state.external(run)
    offered: dict[str, Callable[[], Judged | None]] = {}
    if test is not None:
        offered["Test rows"] = partial(judged, "test rows", diagram, test)
    if folds is not None:
        offered["Cross-validated"] = partial(judged_by_folds, "rows of the folds", folds, train)
    if external is not None:
        offered["Second file"] = partial(judged, "rows of the second file", diagram, external)
    offered["Training rows"] = partial(judged, "training rows", diagram, train)
    return offered[segments.show("Rows", list(offered), key=f"judged_{place}_{run.number}_{len(offered)}")]()


def choose_class(run: Run, label: str, *, all_alike: bool = False, **looks: Any) -> int | None:
    """The class that figures are about: the positive one of two, or what the user chooses.

    With `all_alike`, `None` stands for all classes alike.
    """
    data = run.prepared.train
    if data.n_classes == 2 and data.positive is not None:
        return data.positive
    offered = [*([None] if all_alike else []), *range(data.n_classes)]
    return st.selectbox(
        label,
        offered,
        index=0 if data.positive is None else offered.index(data.positive),
        format_func=labelled(offered, lambda k: "All classes alike" if k is None else data.classes[k]),
        persist_state="session",
        **looks,
    )
