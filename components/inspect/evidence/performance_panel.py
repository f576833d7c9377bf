"""Performance: training, held-out, external, cross-validated and optimism-corrected metrics side by side."""

from collections.abc import Callable

import numpy as np
import streamlit as st

from components.inspect.evidence import judged_rows, resampling_panel
from components.messages.text import NOTICE, capitalise, count, percent, plain
from components.model.once import once
from components.session import state
from components.session.work import FinishedModel, Run
from components.widgets import shown_rows, style
from components.workers import inquiries, second_file
from solvers.diagram import Diagram
from solvers.messages.division import describe_independence
from solvers.metrics import diagnose
from solvers.metrics.catalogue import describe_class
from solvers.problem import Dataset
from solvers.report.blocks import TableBlock
from solvers.report.measures import Sources, confusion_table, evidence, metric_table


def show(run: Run, model: FinishedModel) -> None:
    """Draw the metrics and further validations; refreshed while a worker is busy."""
    inquiries.watch(run, _show, key=f"performance_{run.number}_{model.key}", args=(run, model))


def _show(run: Run, model: FinishedModel) -> None:
    train = run.prepared.train
    with st.container(horizontal=True, gap="large"):
        for name, data in shown_rows.rows_of(run).items():
            st.html(style.block(_confusion(model.diagram, data, capitalise(name))), width="content")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        of_class = judged_rows.choose_class(
            run,
            "Class",
            all_alike=True,
            key=f"question_class_{run.number}",
            width=260,
            help="Sensitivity, likelihood ratios and risks compare this class with all others.",
        )
        prevalence = _prevalence(run, of_class)
    sources = Sources(
        train,
        run.prepared.test,
        state.external(run),
        resampling_panel.validation(run, model),
        resampling_panel.resample(run, model),
    )
    second_file.show_differences(run)
    # slow for many rows
    table = once(
        run,
        ("evidence", of_class, prevalence),
        # a growing bootstrap stays the same object
        (model.diagram, *sources, sources.bootstrap and sources.bootstrap.fits),
        lambda: metric_table(*evidence(model.diagram, sources, of_class, prevalence)),
    )
    st.html(style.block(table))
    st.caption(
        "95% intervals: Wilson for proportions, log method for likelihood ratios, DeLong for the AUC. "
        f"{plain(describe_independence(train.division), 300)} {NOTICE}"
    )
    _more(run, model)


def _prevalence(run: Run, of_class: int | None) -> float:
    """The prevalence of the class in the user's setting."""
    data = run.prepared.train
    if of_class is None:
        return 0.5
    share = float(np.average(data.y == of_class, weights=data.weight))
    chosen = st.number_input(
        "Prevalence in your setting (%)",
        0.001,
        99.999,
        step=1.0,
        format="%.3g",
        # not rounded, so that the predictive values are those of the rows until the user changes it
        key=state.first(f"prevalence_{run.prepared.source.number}_{of_class}", min(max(100 * share, 0.001), 99.999)),
        width=360,
        help=f"PPV and NPV depend on how common {plain(describe_class(data, of_class), 80)} is. In the training data: "
        f"{percent(share)}.",
        persist_state="session",
    )
    return chosen / 100


def _more(run: Run, model: FinishedModel) -> None:
    st.markdown("**Validation.** Training metrics are too optimistic for new data.")
    refused = "Not available for an alternative. Choose the model of the run."
    validation, bootstrap, external = st.columns(3, gap="large")
    with validation:
        st.markdown("Cross-validation")
        _refits(run, model, resampling_panel.offer_validation, refused)
    with bootstrap:
        st.markdown("Bootstrap")
        _refits(run, model, resampling_panel.offer_bootstrap, refused)
    with external:
        st.markdown("External validation")
        second_file.show(run)


def _refits(run: Run, model: FinishedModel, offer: Callable[[Run, FinishedModel, str], None], refused: str) -> None:
    """Offer a validation that trains further models, or show why it is not available."""
    if resampling_panel.can_refit(model):
        offer(run, model, "performance")
    else:
        st.caption(refused)


def _confusion(diagram: Diagram, data: Dataset, title: str) -> TableBlock:
    counts = diagnose(diagram, data, None).confusion
    return confusion_table(data, lambda c, k: count(float(counts[c, k])), corner=title)
