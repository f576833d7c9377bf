"""Proofs that a stranger can check: made by a worker, told in plain words, saved as a file."""

from pathlib import Path

import streamlit as st

from components.inspect.proof.certificate_facts import (
    Certificate,
    can_be_certified,
    certificate,
    certified_optimum,
    file_name,
)
from components.session.work import FinishedModel, Run
from components.widgets import style
from components.words.text import html, plain, storage
from components.workers import inquiries
from components.workers.inquiries import WorkerInquiry
from solvers.certificates import CertificateReport, Certify, CertifyOptimum, question_of, uncertified
from solvers.methods.trees.smallest.cases import predicates_of
from solvers.solution import Status

SECONDS = 120.0
"""For the proofs and their check."""

_HELP = (
    "A file that proves, without this program, that no smaller tree gets every case right. It holds the "
    "distinct cases (their answers to the questions, no values), the tree, the proofs, and a text on how "
    "to check them."
)

_OPTIMUM_HELP = (
    "A file that proves, with Python and numpy alone, that no tree costs less. It holds the distinct cases "
    "(answers and costs, no values), the tree, and a short checker that computes a bound on every other "
    "tree from the cases."
)

_CHECKS = (
    "Formula: 'there is such a tree' as logic, which a SAT solver refuted. The checker writes the formula "
    "again from the cases with code of its own and follows the proof line by line; other programs, such as "
    "drat-trim, can do so, too. Boxes: for every combination of sets of values the least depth or size; "
    "each is compared with the parts into which questions divide it."
)


def show(run: Run, model: FinishedModel) -> None:
    """Draw the part about certificates where there can be one."""
    if not can_be_certified(run, model):
        if model.solution.status is Status.OPTIMAL:
            st.subheader("Certificate", help=_OPTIMUM_HELP, divider="gray")
            inquiries.watch(run, _show_optimum, key=f"certificate_{run.number}", args=(run, model))
        return
    st.subheader("Certificate", help=_HELP, divider="gray")
    private = st.checkbox(
        "Leave out row numbers and the wording of the questions",
        key=f"certificate_private_{run.number}",
        help="Then the file tells neither which rows of your table its cases come from nor what was asked. "
        "It can be checked all the same. The tree itself is told in words in any case.",
    )
    inquiries.watch(run, _show, key=f"certificate_{run.number}", args=(run, model, private))


def _show(run: Run, model: FinishedModel, private: bool) -> None:
    name = "certificate_private" if private else "certificate"
    task = Certify(
        out=str(run.job.folder / f"{name.replace('_', '-')}.zip"),
        diagram=model.diagram,
        predicates=str(predicates_of(model.solution)),
        question=str(question_of(run.design.method, run.design.options)),
        rows=not private,
        words=not private,
    )
    inquiry = WorkerInquiry(name, task, seconds=SECONDS)
    report = inquiries.answer(run, inquiry)
    if report is None or not report.finished:
        st.caption("Proofs that no smaller tree is right, for readers who trust neither this program nor its makers.")
        if report is not None and inquiries.is_open(run, inquiry):
            st.caption(plain(report.doing, 200))
    else:
        _draw(run, report, certificate(run, report), name)
    _offer(run, inquiry)


def _show_optimum(run: Run, model: FinishedModel) -> None:
    if fault := uncertified(model.problem, model.diagram):
        st.caption(fault)
        return
    name = f"optimum_{model.key}"
    task = CertifyOptimum(str(run.job.folder / f"{name}.zip"), model.diagram)
    inquiry = WorkerInquiry(name, task, seconds=SECONDS)
    report = inquiries.answer(run, inquiry)
    if report is None:
        st.caption("A proof that no tree costs less, for readers who trust neither this program nor its makers.")
    else:
        mark = "verified" if report.optimal else "help"
        st.markdown(f":material/{mark}: {plain(certified_optimum(report, model.diagram.kind), 400)}")
        _download(run, report.path, storage(report.n_bytes), name)
    _offer(run, inquiry)


def _offer(run: Run, inquiry: WorkerInquiry) -> None:
    help = f"Takes up to {SECONDS:g} s, in the background."
    inquiries.offer(run, inquiry, "Make a certificate", help)


def _download(run: Run, path: str | None, size: str, name: str) -> bool:
    """Draw the button that saves a certificate; whether its file is still there."""
    file = Path(path or "")
    if not file.is_file():
        return False
    st.download_button(
        f"Download the certificate (zip, {size})",
        file.read_bytes,
        file_name=file_name(run),
        mime="application/zip",
        key=f"save_{name}_{run.number}",
        on_click="ignore",
    )
    return True


def _draw(run: Run, report: CertificateReport, facts: Certificate, name: str) -> None:
    for sentence in facts.sentences:
        st.markdown(f":material/verified: {plain(sentence, 300)}")
    if not facts.accepted:
        st.markdown(":material/help: Not everything could be proved; the table says what is missing.")
    rows = [
        (html(row.claim, 200), html(f"{row.proof}: {row.size}" if row.size else row.proof, 200), html(row.check, 300))
        for row in facts.rows
    ]
    st.html(style.table(("Claim", "Proof", "Check"), rows))
    st.caption(
        "A case is a training row, or several that answer every question alike. Each proof was checked from the file.",
        help=_CHECKS,
    )
    if not _download(run, report.path, facts.size, name):
        st.caption("The file is gone. Solve again to make it once more.")
    if facts.deciding:
        with st.expander(plain(facts.deciding, 200)):
            rows = run.prepared.train.take(facts.positions).frame().rename_axis("row")
            st.dataframe(rows, key=f"deciding_{name}_{run.number}")
