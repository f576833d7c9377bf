"""The rows on which risks and subgroups are evaluated, and the class of the risks."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from components.inspect.evidence import resampling_panel
from components.inspect.evidence.risk_facts import ScoredRows, scored, scored_by_folds
from components.messages.text import capitalise, label_with
from components.session.work import FinishedModel, Run
from components.widgets import segments, shown_rows

_ORDER = ("Held-out", "Cross-validated", "External", "Training")


def choose(run: Run, model: FinishedModel, place: str) -> ScoredRows | None:
    """Let the user choose the rows, unseen ones first; `None`, with a message, while the first fold is not done."""
    folds, sets = resampling_panel.validation(run, model), shown_rows.rows_of(run)
    offered: dict[str, Callable[[], ScoredRows | None]] = {
        capitalise(name): partial(scored, f"{name} rows", model.diagram, data) for name, data in sets.items()
    }
    if folds is not None:
        offered["Cross-validated"] = partial(scored_by_folds, "cross-validated rows", folds, run.prepared.train)
    names = sorted(offered, key=_ORDER.index)
    found = offered[segments.show("Rows", names, key=f"judged_{place}_{run.number}_{len(names)}")]()
    if found is None:
        st.markdown("First fold not finished yet.")
    return found


def choose_class(run: Run, label: str, *, all_alike: bool = False, **looks: Any) -> int | None:
    """The class for the metrics: the positive one of two, or the user's choice.

    With `all_alike`, `None` means the mean of all classes.
    """
    data = run.prepared.train
    if data.n_classes == 2 and data.positive is not None:
        return data.positive
    offered = [*([None] if all_alike else []), *range(data.n_classes)]
    return st.selectbox(
        label,
        offered,
        index=0 if data.positive is None else offered.index(data.positive),
        format_func=label_with(offered, lambda k: "All classes" if k is None else data.classes[k]),
        persist_state="session",
        **looks,
    )
