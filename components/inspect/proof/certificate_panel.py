"""Certificates: made by a worker, saved as a file."""

from pathlib import Path

import streamlit as st

from components.session.work import FinishedModel, Run
from components.words.text import plain, storage
from components.workers import inquiries
from components.workers.inquiries import WorkerInquiry
from solvers.certificates import CertifyOptimum, OptimumReport, smallest_of, uncertified
from solvers.solution import Status
from solvers.words.certificates import certificate_words

SECONDS = 120.0
"""For the proof and its check."""

_HELP = (
    "Proves with Python and numpy alone that no tree costs less. Contains the merged rows without values, the tree, "
    "and a short checker."
)


def show(run: Run, model: FinishedModel) -> None:
    """Draw the part about certificates if there can be one."""
    if model.solution.status is Status.OPTIMAL:
        st.subheader("Certificate", help=_HELP, divider="gray")
        inquiries.watch(run, _show, key=f"certificate_{run.number}", args=(run, model))


def _show(run: Run, model: FinishedModel) -> None:
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
    inquiry = WorkerInquiry(name, task, seconds=SECONDS)
    report = inquiries.answer(run, inquiry)
    if report is None:
        st.caption("A proof that others can check without Espalier.")
    else:
        mark = "verified" if report.optimal else "help"
        st.markdown(f":material/{mark}: {plain(certificate_words(report, model.diagram.kind), 400)}")
        _download(run, report, name)
    inquiries.offer(run, inquiry, "Make certificate", f"Up to {SECONDS:g} s in the background.")


def _download(run: Run, report: OptimumReport, name: str) -> None:
    """Draw the button that saves the certificate, if its file is still there."""
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
