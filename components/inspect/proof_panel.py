"""The problem, what was proved, what was verified by recomputation, and certificates that others can check."""

from pathlib import Path

import streamlit as st

from components.messages.text import DASH, html, plain, storage
from components.model import live_panel
from components.session.work import FinishedModel, Run
from components.widgets import style
from components.workers import inquiries
from components.workers.inquiries import WorkerInquiry
from solvers.certificates import CertifyOptimum, OptimumReport, smallest_of, uncertified
from solvers.messages.certificates import describe_certificate
from solvers.messages.results import describe_result, proof_facts
from solvers.report.sections import checks_table
from solvers.solution import Status

_HEIGHT = 280
_SECONDS = 120.0
"""Time limit for a certificate and its check."""

_CERTIFICATE_HELP = (
    "Proves with Python and numpy alone that no tree costs less. Contains the merged rows without values, the tree, "
    "and a short checker."
)


def show(run: Run, model: FinishedModel) -> None:
    """Draw the proof of a model with its checks, which are recomputed now; below, the search and certificates."""
    left, right = st.columns([1, 1.5], gap="large")
    with left:
        result = describe_result(model.problem, model.solution) or DASH
        facts = proof_facts(model.problem, model.solution, model.title, result)
        rows = [(html(name).replace(" ", "&nbsp;"), html(value, 400)) for name, value in facts]
        st.html(style.table(("Proof", ""), rows))
    with right:
        st.html(style.block(checks_table(model.problem, model.solution)))
    if run.best is not None and model.key == run.best.key:
        st.markdown("**Search**")
        live_panel.show(run, run.job.snapshot(), "proof", _HEIGHT)
    _certificate(run, model)


def _certificate(run: Run, model: FinishedModel) -> None:
    """Draw the section on certificates if the model can have one."""
    if model.solution.status is Status.OPTIMAL:
        st.subheader("Certificate", help=_CERTIFICATE_HELP, divider="gray")
        inquiries.watch(run, _show_certificate, key=f"certificate_{run.number}", args=(run, model))


def _show_certificate(run: Run, model: FinishedModel) -> None:
    if fault := uncertified(model.problem, model.diagram):
        st.caption(fault)
        return
    name = f"certificate_{model.key}"
    smallest = smallest_of(model.solution)
    task = CertifyOptimum(
        str(run.job.folder / f"{name}.zip"),
        model.diagram,
        None if smallest is None else str(smallest),
    )
    inquiry = WorkerInquiry(name, task, seconds=_SECONDS)
    report = inquiries.answer(run, inquiry)
    if report is None:
        st.caption("A proof that others can check without Espalier.")
    else:
        mark = "verified" if report.optimal else "help"
        st.markdown(f":material/{mark}: {plain(describe_certificate(report, model.diagram.kind), 400)}")
        _download(run, report, name)
    inquiries.offer(run, inquiry, "Make certificate", f"Up to {_SECONDS:g} s in the background.")


def _download(run: Run, report: OptimumReport, name: str) -> None:
    """Draw the button that saves the certificate, if its file still exists."""
    file = Path(report.path or "")
    if file.is_file():
        st.download_button(
            f"Download certificate ({storage(report.n_bytes)})",
            file.read_bytes,
            file_name=run.file_name("certificate", ending="zip"),
            mime="application/zip",
            key=f"save_{name}_{run.number}",
            on_click="ignore",
        )
