"""Certificates: made by a worker, described in a sentence, saved as a file."""

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
    "A file that proves, with Python and numpy alone, that no tree costs less. It holds the distinct cases (no "
    "values), the tree, and a short checker that computes a bound on every other tree from the cases."
)


def show(run: Run, model: FinishedModel) -> None:
    """Draw the part about certificates where there can be one."""
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
        st.caption("A proof that no tree costs less, for readers who trust neither this program nor its makers.")
    else:
        mark = "verified" if report.optimal else "help"
        st.markdown(f":material/{mark}: {plain(certified_optimum(report, model.diagram.kind), 400)}")
        _download(run, report, name)
    inquiries.offer(run, inquiry, "Make a certificate", f"Takes up to {SECONDS:g} s, in the background.")


def _download(run: Run, report: OptimumReport, name: str) -> None:
    """Draw the button that saves the certificate, if its file is still there."""
    file = Path(report.path or "")
    if file.is_file():
        st.download_button(
            f"Download the certificate (zip, {storage(report.n_bytes)})",
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
            f"Certified up to a gap of {amount(report.gap)}: no allowed {kind.noun} costs less than "
            f"{amount(report.bound or 0)}, and this one costs {amount(report.cost or 0)}. That none lies between the "
            "two rests on the search alone."
        )
        return f"{words} The proof leaves out: {'; '.join(report.left_out)}." if report.left_out else words
    of = f"{count(report.n_cases, 'distinct case')} of {count(report.n_rows, 'row')}"
    taken = f"Checked in {seconds(report.seconds)} from {of}"
    if kind is not ShapeKind.TREE:
        return (
            f"{taken}: no tree of this depth costs less. Each {kind.noun} unfolds to such a tree, so none costs less."
        )
    smaller = "".join(f" No {words} costs as little." for words in report.smaller)
    return f"{taken}: no tree of this size costs less.{smaller}"
