"""The problem, what was proved, what was verified by recomputation, and certificates for others."""

import streamlit as st

from components.inspect.proof import certificate_panel
from components.model import live_panel
from components.model.run_facts import proof_rows
from components.session.work import FinishedModel, Run
from components.widgets import style
from components.words.text import html
from solvers.metrics import verify

_HEIGHT = 280


def show(run: Run, model: FinishedModel) -> None:
    """Draw the proof of a model beside its checks, which are recomputed now; below, the search and certificates."""
    left, right = st.columns([1, 1.5], gap="large")
    with left:
        rows = [(html(name).replace(" ", "&nbsp;"), html(value, 300)) for name, value in proof_rows(model)]
        st.html(style.table(("Proof", ""), rows))
    with right:
        holds, fails = "holds", "<b>fails</b>"
        checks = verify(model.problem, model.solution).checks
        found = [(html(one.name), html(one.detail, 300), holds if one.ok else fails) for one in checks]
        st.html(style.table(("Verified by recomputation", "Found", ""), found))
    if run.best is not None and model.key == run.best.key:
        st.markdown("**Search**")
        live_panel.show(run, run.job.snapshot(), "proof", _HEIGHT)
    certificate_panel.show(run, model)
