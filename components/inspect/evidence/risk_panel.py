"""Calibration, decision curve and stability of the predicted risks."""

from dataclasses import replace
from statistics import median

import streamlit as st

from components.inspect.evidence import judged_rows, resampling_panel
from components.inspect.evidence.bootstrap_facts import (
    changing_rows,
    columns_used,
    mean_difference,
    same_column,
    same_root,
    unstable,
)
from components.inspect.evidence.figures import calibration_figure, decision_figure
from components.inspect.evidence.risk_facts import (
    ScoredRows,
    acting_counts,
    acting_rates,
    calibration,
    decision,
    describe_acting,
    describe_calibration,
    describe_decision,
    point_name,
)
from components.messages.text import NOTICE, capitalise, count, html, plain, points, span
from components.model.facts import SMALL
from components.session import state
from components.session.work import FinishedModel, Run
from components.widgets import segments, style
from components.workers import inquiries
from solvers.metrics import Rate
from solvers.metrics.catalogue import describe_class
from solvers.problem import Dataset, treatment_threshold
from solvers.report.risks import calibration_table
from solvers.sweeps.bootstrap import Bootstrap

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
        _stability(run, model)
    elif found is None:
        st.markdown("First fold not finished yet.")
    elif kind == _CALIBRATION:
        _calibration(run, model, found, of_class)
    else:
        _decision(run, model, found, of_class)


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
        rates, at = acting_rates(found, of_class, threshold), decision(found, of_class, threshold, threshold)
        st.markdown(plain(describe_acting(rates["Treated"][1], threshold), 300))
        name, two = describe_class(found.data, of_class), found.data.n_classes == 2
        names = (name, describe_class(found.data, 1 - of_class) if two else "other classes")
        counts = acting_counts(found, of_class, threshold)
        body = [(html(f"observed {of}", 40), *map(count, line)) for of, line in zip(names, counts, strict=True)]
        st.html(style.table(("", "treated", "not treated"), body))
        rows = [(style.hint(name, meaning), style.rate_cell(share)) for name, (meaning, share) in rates.items()]
        other = "treat-all" if at.everyone[0] > 0 else "treat-none"
        for name, meaning, one in (
            ("Net benefit per 100", "True positives minus weighted false alarms.", at.model[0]),
            (f"Gain over {other}", "Difference in net benefit per 100 rows.", at.gain[0]),
        ):
            rows.append((style.hint(name, meaning), f"{points(one.value)} <small>{span(one)}</small>"))
        st.html(style.table((f"Treat from {acts_from}%", f"{html(capitalise(found.title))}, 95% interval"), rows))
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


def _stability(run: Run, model: FinishedModel) -> None:
    if not resampling_panel.can_refit(model):
        st.markdown("Not available for an alternative. Choose the model of the run.")
        return
    found = resampling_panel.resample(run, model)
    has_fits = found is not None and bool(found.fits)
    if not has_fits:
        st.markdown("Would other training data lead to another model? Bootstrap samples show it.")
    if found is None or found.done < found.n_samples:
        resampling_panel.offer_bootstrap(run, model, "evidence")
    if found is not None and has_fits:
        _draw_stability(found, model.problem.dataset)


def _draw_stability(found: Bootstrap, data: Dataset) -> None:
    left, right = st.columns(2, gap="large")
    sizes = [fit.structure.questions for fit in found.fits]
    spread = f"{min(sizes)} to {max(sizes)}; this model {found.model.questions}"
    with left:
        rows = [
            ("Same first split", _share_cell(same_root(found))),
            ("Same first feature", _share_cell(same_column(found))),
            ("Splits", f"{median(sizes):g} <small>{spread}</small>"),
            ("Optimal on their samples", f"{count(sum(fit.proved for fit in found.fits))} of {count(len(sizes))}"),
            ("Rows with unstable predictions", _share_cell(unstable(found))),
            ("Mean difference in risk", f"{points(mean_difference(found))} points"),
        ]
        st.html(style.table((f"{count(len(sizes))} models from bootstrap samples", ""), rows))
        st.caption("Unstable: more than one in five models predicts another class.")
    with right:
        rows = [
            (html(use.name, 30) + ("" if use.own else " <small>not in this model</small>"), _share_cell(use.used))
            for use in columns_used(found, data)[:12].itertuples()
        ]
        st.html(style.table(("Feature", "Used in"), rows))
    changing = changing_rows(found, data)
    if len(changing):
        with st.expander("Least stable rows"):
            lines = [
                (count(one.Index), html(one.truth, 20), _share_cell(one.changed), f"{points(one.difference)} points")
                for one in changing.itertuples()
            ]
            st.html(style.table(("Row", "Class", "Prediction changes in", "Risk differs by"), lines))


def _share_cell(found: Rate) -> str:
    return style.rate_cell(found, counts=False, digits=0)
