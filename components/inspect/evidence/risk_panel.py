"""Calibration, decision curve and stability of the predicted risks."""

from dataclasses import replace

import streamlit as st

from components.inspect.evidence import judged_rows, stability_panel
from components.inspect.evidence.figures import calibration_figure, decision_figure
from components.inspect.evidence.risk_facts import (
    ScoredRows,
    acting_counts,
    calibration,
    decision,
    describe_acting,
    describe_calibration,
    describe_decision,
    point_name,
)
from components.messages.text import NOTICE, capitalise, count, html, plain
from components.session import state
from components.session.work import FinishedModel, Run
from components.widgets import segments, style
from components.workers import inquiries
from solvers.metrics.catalogue import describe_class
from solvers.metrics.risks import SMALL
from solvers.problem import treatment_threshold
from solvers.report.risks import calibration_table, treatment_table

_CALIBRATION, _STABILITY = "Calibration", "Stability"
_KINDS = (_CALIBRATION, "Decision curve", _STABILITY)


def show(run: Run, model: FinishedModel) -> None:
    """Draw the chosen part; refreshed while a worker is busy."""
    inquiries.watch(run, _show, key=f"evidence_{run.number}_{model.key}", args=(run, model))


def _show(run: Run, model: FinishedModel) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = segments.show("Evidence", _KINDS, key=f"evidence_kind_{run.number}")
        if kind != _STABILITY:
            found = judged_rows.choose(run, model, "evidence")
            key = f"risk_class_evidence_{run.number}"
            of_class = judged_rows.choose_class(run, "Risk of", key=key, width=220, label_visibility="collapsed") or 0
    if kind == _STABILITY:
        stability_panel.show(run, model)
    elif found is not None:
        (_calibration if kind == _CALIBRATION else _decision)(run, model, found, of_class)


def _calibration(run: Run, model: FinishedModel, found: ScoredRows, of_class: int) -> None:
    whole = calibration(found, of_class)
    of = replace(whole, points=tuple(point for point in whole.points if point.observed.n))
    names = [point_name(found, point) for point in of.points]
    st.markdown(plain(describe_calibration(found, of), 700))
    left, right = st.columns([1.25, 1], gap="large")
    with left:
        st.html(style.block(calibration_table(of, names, "")))
        empty = len(whole.points) - len(of.points)
        more = f" {count(empty, 'leaf', 'leaves')} without these rows." if empty else ""
        source = " Similar risks of the fold models are grouped." if found.diagram is None else ""
        st.caption(
            "Predicted risk: share in the training rows of the leaf. Observed: share in these rows, 95% interval."
            f"{source}{more} {NOTICE}"
        )
    with right:
        figure = calibration_figure(of.points, names, of.band, state.dark())
        style.chart(figure, f"calibration_figure_{run.number}")
        st.caption(
            f"Larger points: more rows. Open points: fewer than {SMALL}. Shaded: 95% band for all risks at once.",
            help="The band assumes that the observed share does not fall as the risk rises.",
        )


def _decision(run: Run, model: FinishedModel, found: ScoredRows, of_class: int) -> None:
    noun = model.diagram.kind.noun
    left, right = st.columns([1, 1.4], gap="large")
    with left:
        acts_from = st.slider(
            "Treatment threshold (risk, %)",
            1,
            99,
            key=state.first(f"threshold_{run.number}", _first_threshold(run)),
            persist_state="session",
            help="Predicted risk from which you would treat or test. 10% means: one missed case is as bad as nine "
            "false alarms.",
        )
        threshold = acts_from / 100
        st.markdown(plain(describe_acting(found, of_class, threshold), 300))
        name, two = describe_class(found.data, of_class), found.data.n_classes == 2
        names = (name, describe_class(found.data, 1 - of_class) if two else "other classes")
        counts = acting_counts(found, of_class, threshold)
        body = [(html(f"observed {of}", 40), *map(count, line)) for of, line in zip(names, counts, strict=True)]
        st.html(style.table(("", "treated", "not treated"), body))
        positive, weight = found.data.y == of_class, found.data.weight
        treated = treatment_table(found.shares[:, of_class], positive, weight, "", [threshold])
        st.html(style.block(treated.transposed))
        st.caption(f"{plain(capitalise(found.title))}, 95% intervals.")
    with right:
        key = state.first(f"thresholds_{run.number}", (0, 60))
        st.slider("Plotted thresholds (%)", 0, 99, key=key, persist_state="session")
        low, high = state.get(key)
        curve = decision(found, of_class, low / 100, high / 100)
        style.chart(decision_figure(curve, noun, state.dark(), acts_from, height=300), f"decision_figure_{run.number}")
        st.markdown(plain(describe_decision(found, curve, of_class, noun), 500))
        st.caption(
            "Net benefit: true positives minus false alarms weighted by the odds of the threshold, 95% interval. "
            f"Shaded: the {noun} has the highest net benefit. Treat-all starts at the prevalence. {NOTICE}"
        )


def _first_threshold(run: Run) -> int:
    """The treatment threshold that the costs of a run imply, in percent; 50 if they imply none."""
    implied = treatment_threshold(run.problem.objective.class_costs, run.problem.dataset.positive)
    return 50 if implied is None else min(max(round(100 * implied), 1), 99)
