"""Whether the risks can be trusted and used: calibration, decision curve, stability."""

import streamlit as st

from components.inspect.evidence import judged_rows, resampling_panel
from components.inspect.evidence.bootstrap_facts import StabilityFacts, stability_facts
from components.inspect.evidence.figures import calibration_figure, decision_figure, wavering_figure
from components.inspect.evidence.risk_facts import (
    Judged,
    RiskPoint,
    acting_facts,
    calibration_facts,
    decision_facts,
)
from components.model.facts import SMALL
from components.session import state
from components.session.work import FinishedModel, Run
from components.widgets import segments, style
from components.words.text import NOTICE, count, html, percent, plain, points, span
from components.workers import inquiries
from solvers.metrics import Rate

_CALIBRATION, _STABILITY = "Calibration", "Stability"
_KINDS = (_CALIBRATION, "Decision curve", _STABILITY)


def show(run: Run, model: FinishedModel) -> None:
    """Draw what was chosen; drawn again while a worker is busy."""
    inquiries.watch(run, _show, key=f"evidence_{run.number}_{model.key}", args=(run, model))


def _show(run: Run, model: FinishedModel) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = segments.show("Evidence", _KINDS, key=f"evidence_kind_{run.number}")
        if kind != _STABILITY:
            found = judged_rows.choose(run, model, "evidence")
            of_class = judged_rows.choose_class(run, "evidence")
    if kind == _STABILITY:
        _stability(run, model)
    elif found is None:
        st.markdown("The first fold is not done yet.")
    elif kind == _CALIBRATION:
        _calibration(run, model, found, of_class)
    else:
        _decision(run, model, found, of_class)


def _calibration(run: Run, model: FinishedModel, found: Judged, of_class: int) -> None:
    facts = calibration_facts(found, of_class, model.diagram.kind.noun)
    st.markdown(plain(facts.sentence, 700))
    left, right = st.columns([1.25, 1], gap="large")
    with left:
        head = ("Who", "Risk", "Observed", "Rows")
        rows = [_point(point) for point in facts.points]
        st.html(style.scrolled(head, rows))
        more = f" {count(facts.empty, 'leaf has', 'leaves have')} none of these rows." if facts.empty else ""
        source = (
            "The folds have models of their own, so similar risks are put together." if found.diagram is None else ""
        )
        st.caption(
            "The risk is the share among the training rows of the leaf; observed is the share here, with its 95 % "
            f"interval. {source}{more} {NOTICE}"
        )
    with right:
        style.chart(calibration_figure(facts, state.dark()), f"calibration_figure_{run.number}")
        st.caption(
            f"Larger points have more rows, open ones fewer than {SMALL}. Shaded: where the observed share may lie, "
            "with 95 % confidence for all risks at once, if it does not fall as the risk rises."
        )


def _point(point: RiskPoint) -> tuple[str, ...]:
    name = style.hint(html(point.name, 110), point.name)
    return (
        name + (" <small>few rows</small>" if point.small else ""),
        percent(point.risk) + (f" <small>of {point.learned_from}</small>" if point.learned_from else ""),
        style.rate_cell(point.observed, counts=False),
        f"{count(point.observed.k)}/{count(point.observed.n)}",
    )


def _decision(run: Run, model: FinishedModel, found: Judged, of_class: int) -> None:
    noun = model.diagram.kind.noun
    left, right = st.columns([1, 1.4], gap="large")
    with left:
        acts_from = st.slider(
            "Act from this risk on, %",
            1,
            99,
            key=state.first(f"threshold_{run.number}", 50),
            persist_state="session",
            help="To act is, for instance, to treat or to send to a test. To act from 10 % on means: "
            "missing one case is as bad as nine false alarms.",
        )
        acting = acting_facts(found, of_class, acts_from / 100)
        st.markdown(plain(acting.sentence, 300))
        benefits = (
            (
                "Net benefit, per 100",
                "Cases found, minus false alarms weighed by the odds.",
                acting.net_benefit,
            ),
            (f"Gain over {acting.other}", "How much more that is, per 100 people.", acting.gain),
        )
        rows = [(name, meaning, style.rate_cell(share)) for name, meaning, share in acting.figures]
        rows += [(name, meaning, f"{points(one.value)} <small>{span(one)}</small>") for name, meaning, one in benefits]
        head = (
            f"From {acts_from} % on",
            f"In the {html(found.title)}, 95 % interval",
        )
        st.html(style.table(head, [(style.hint(name, meaning), cell) for name, meaning, cell in rows]))
    with right:
        key = state.first(f"thresholds_{run.number}", (1, 60))
        st.slider("Thresholds to draw, %", 1, 99, key=key, persist_state="session")
        low, high = state.get(key)
        facts = decision_facts(found, of_class, low / 100, high / 100, noun)
        style.chart(decision_figure(facts, noun, state.dark(), acts_from, height=300), f"decision_figure_{run.number}")
        st.markdown(plain(facts.sentence, 500))
        st.caption(
            "Net benefit: cases found, minus false alarms weighed by the odds of the threshold, with its 95 % "
            "interval at each threshold. The highest line at your threshold is the best way to act; where it is "
            f"shaded, that is the {noun}. {NOTICE}"
        )


def _stability(run: Run, model: FinishedModel) -> None:
    if not resampling_panel.can_refit(model):
        st.markdown("This model was chosen from a list; the stability of the model of the run can be looked at.")
        return
    found = resampling_panel.resampled(run, model)
    facts = None if found is None else stability_facts(found, model.problem.dataset)
    if facts is None:
        st.markdown("Would other patients have led to another model? Models are made from rows drawn anew, to see.")
    else:
        st.markdown(plain(facts.sentence, 500))
    if found is None or found.done < found.n_samples:
        resampling_panel.offer_bootstrap(run, model, "evidence")
    if facts is not None:
        _draw_stability(run, model, facts)


def _draw_stability(run: Run, model: FinishedModel, facts: StabilityFacts) -> None:
    left, middle, right = st.columns([1, 1, 1.2], gap="large")
    fewest, middle_size, most = facts.questions
    sizes = f"{middle_size:g} <small>{fewest} to {most}; this model {facts.own_questions}</small>"
    with left:
        rows = [
            ("Same first question", _share_cell(facts.same_root)),
            ("Same first column", _share_cell(facts.same_column)),
            ("Questions", sizes),
            ("Proved optimal", f"{count(facts.proved)} of {count(facts.models)}"),
            ("Rows with changing answers", _share_cell(facts.unstable)),
            ("Risk differs by", f"{points(facts.mean_gap)} points"),
        ]
        st.html(style.table(("Of the models", ""), rows))
        st.caption("A row has a changing answer where more than one in five models answers otherwise than this one.")
    with middle:
        rows = [
            (
                html(use.name, 30) + ("" if use.own else " <small>not in this model</small>"),
                _share_cell(use.used),
            )
            for use in facts.features[:12]
        ]
        st.html(style.table(("Column", "Asked about"), rows))
    with right:
        style.chart(wavering_figure(facts, state.dark()), f"wavering_{run.number}")
        if facts.wavering:
            with st.expander("Rows whose answer changes most often"):
                wavering = [
                    (
                        count(one.row),
                        html(one.truth, 20),
                        _share_cell(one.changed),
                        f"{points(one.gap)} points",
                    )
                    for one in facts.wavering
                ]
                st.html(style.table(("Row", "Class", "Answered otherwise", "Risk differs by"), wavering))


def _share_cell(found: Rate) -> str:
    return style.rate_cell(found, counts=False, digits=0)
