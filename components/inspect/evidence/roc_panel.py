"""The ROC curve of a model beside those of reference models."""

import numpy as np
import streamlit as st

from components.inspect.evidence import judged_rows
from components.inspect.evidence.figures import ROC_LINES, roc_figure
from components.messages.text import count, html, percent, plain
from components.model.once import once
from components.session import state
from components.session.work import FinishedModel, Run
from components.widgets import style
from components.workers import inquiries
from components.workers.inquiries import WorkerInquiry
from solvers.metrics import rate
from solvers.metrics.catalogue import Unit, describe_class
from solvers.problem import Problem
from solvers.report.blocks import figure_cell
from solvers.study.references import RocCurve, TrainReferences, roc


def show(run: Run, model: FinishedModel) -> None:
    """Draw the curve; refreshed while a worker is busy."""
    inquiries.watch(run, _show, key=f"roc_{run.number}_{model.key}", args=(run, model))


def _show(run: Run, model: FinishedModel) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        found = judged_rows.choose(run, model, "roc")
        key = f"risk_class_roc_{run.number}"
        of_class = judged_rows.choose_class(run, "Class", key=key, width=220, label_visibility="collapsed") or 0
    if found is None:
        return
    data, noun, name = found.data, model.diagram.kind.noun, describe_class(found.data, of_class)
    positive, called = data.y == of_class, found.predicted == of_class
    alarms, hits = (rate(called, data.weight, among).value for among in (~positive, positive))
    if alarms is None or hits is None:
        st.markdown(plain(f"A ROC curve needs rows with and without {name}. Choose other rows.", 300))
        return
    of = roc(noun, found.shares[:, of_class], positive, data.weight)
    inquiry = once(run, ("references", of_class), (run.prepared,), lambda: _references(run, of_class))
    held_out = found.data is run.prepared.test
    answer = inquiries.answer(run, inquiry) if inquiry is not None and held_out else None
    references = answer.curves if answer is not None else ()
    left, right = st.columns([1, 1.2], gap="large")
    with left:
        _table(of, references)
        words = f"In the {found.title}, the {noun} finds {percent(hits)} of the rows with {name}, with false alarms in "
        words += f"{percent(alarms)} of the others. Each point is a predicted risk from which you could act."
        st.markdown(plain(words, 500))
        _offer(run, inquiry, held_out)
    with right:
        style.chart(roc_figure(of, (alarms, hits), references, state.dark()), f"roc_figure_{run.number}")


def _references(run: Run, of_class: int) -> WorkerInquiry | None:
    """The training of the reference models on the rows of a run; `None` without held-out rows."""
    prepared = run.prepared
    if prepared.test is None:
        return None
    rows = np.concatenate((prepared.train.rows, prepared.test.rows))
    both = prepared.whole.take(np.searchsorted(prepared.whole.rows, rows))
    task = TrainReferences(prepared.train.n_samples, of_class)
    return WorkerInquiry(f"references_{of_class}", task, Problem(both, run.problem.shape))


def _table(of: RocCurve, references: tuple[RocCurve, ...]) -> None:
    areas = [(f"<b>The {of.name}</b> <small>solid, with points</small>", of.area)]
    areas += [(f"{html(one.name)} <small>reference, {ROC_LINES[one.name]}</small>", one.area) for one in references]
    meaning = "Chance that a row of the class has a higher predicted risk than another row. 95% interval by DeLong."
    head = ("", style.hint("Area under the curve", meaning))
    st.html(style.table(head, [(name, style.cell(figure_cell(area, Unit.SCORE))) for name, area in areas]))


def _offer(run: Run, inquiry: WorkerInquiry | None, held_out: bool) -> None:
    """Offer the reference models, or show why there are none."""
    if inquiry is None:
        st.caption("Reference models need held-out rows. Hold out rows on Data, and solve again.")
    elif not held_out:
        st.caption("Reference models are compared on the held-out rows only.")
    else:
        help = "Trains a logistic regression and a random forest (scikit-learn) in the background."
        inquiries.offer(run, inquiry, "Add reference models", help)
        n = run.prepared.train.n_samples
        st.caption(
            f"References, not results of Espalier: scikit-learn's defaults, the same columns, the same {count(n)} "
            "training rows. Nothing is proved of them, and they are not exported."
        )
