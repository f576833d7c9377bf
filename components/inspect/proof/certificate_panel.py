"""Certificates: made by a worker, saved as a file."""

from pathlib import Path

import streamlit as st

from components.session.work import FinishedModel, Run
from components.words.text import amount, count, plain, seconds, storage
from components.workers import inquiries
from components.workers.inquiries import WorkerInquiry
from solvers.certificates import CertifyOptimum, OptimumReport, smallest_of, uncertified
from solvers.problem import ShapeKind
from solvers.solution import Status

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
        st.markdown(f":material/{mark}: {plain(certified_optimum(report, model.diagram.kind), 400)}")
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


def certified_optimum(report: OptimumReport, kind: ShapeKind) -> str:
    """The result of making a certificate, in one or two sentences."""
    if not report.accepted:
        return f"Not certified. {report.fault}"
    if report.gap:
        words = (
            f"Certified lower bound {amount(report.bound or 0)}; this {kind.noun} costs {amount(report.cost or 0)}. "
            "Between the two, the result rests on the search alone."
        )
        return f"{words} Not certified: {'; '.join(report.left_out)}." if report.left_out else words
    of = f"{count(report.n_cases, 'distinct row')} of {count(report.n_rows, 'row')}"
    checked = f"Checked in {seconds(report.seconds)} from {of}"
    if kind is not ShapeKind.TREE:
        return f"{checked}: no tree of this depth costs less. Each {kind.noun} unfolds to such a tree."
    smaller = "".join(f" No {words} costs as little." for words in report.smaller)
    return f"{checked}: no tree of this size costs less.{smaller}"
