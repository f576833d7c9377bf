"""Which skeleton and which price of a question to choose: a sweep with validation, while the user looks on."""

import streamlit as st

from components.inspect.structure.calibration_facts import CalibrationSetting, CalibrationTable, sweep
from components.inspect.structure.figures import sweep_figure
from components.session import state
from components.session.work import Run
from components.widgets import segments, style
from components.words.text import DASH, count, html, interval, percent, plain
from components.workers import inquiries, launch
from components.workers.inquiries import WorkerInquiry
from solvers.sweeps.calibration import ALPHAS, SKELETONS, calibration

STEP = 5.0
"""Seconds for each model."""

DIVISIONS = {"Once": 1, "Three times": 3, "Five times": 5}


def show(run: Run) -> None:
    """Draw the sweep, or the button that starts it."""
    chosen = segments.show("Divide the rows", list(DIVISIONS), key=f"divisions_{run.number}", shown=True)
    inquiries.watch(run, _show, key=f"calibration_{run.number}", args=(run, DIVISIONS[chosen]))


def _show(run: Run, repeats: int) -> None:
    task = calibration(run.design.method, run.design.options, repeats=repeats, step=STEP)
    n_models = len(SKELETONS) * len(ALPHAS) * repeats
    inquiry = WorkerInquiry(f"calibration_{repeats}", task, seconds=n_models * STEP)
    answer = inquiries.answer(run, inquiry)
    if answer is None:
        st.markdown(
            "A wider skeleton and a smaller alpha fit the training rows better, and may do worse on "
            "new ones. The sweep learns from two thirds of the training rows and judges on the others; "
            "test rows stay unseen."
        )
        help = f"{count(n_models, 'model')}, each of at most {STEP:g} s."
    else:
        help = ""
        _draw(run, sweep(answer))
    inquiries.offer(run, inquiry, "Try all skeletons and prices", help)


def _draw(run: Run, facts: CalibrationTable) -> None:
    st.progress(facts.done / max(facts.of, 1), text=facts.progress + (", done" if facts.finished else ""))
    st.markdown(plain(facts.sentence, 300))
    left, right = st.columns([1.15, 1], gap="large")
    with left:
        st.html(_table(facts))
        st.caption(
            "Share of the validation rows that is right, and questions per model; the best is bold. Each model had at "
            f"most {STEP:g} s."
        )
        best = facts.best
        if best is not None and facts.finished:
            _offer(run, best)
    with right:
        if facts.best is not None:
            style.chart(sweep_figure(facts, state.dark()), f"sweep_{run.number}")


def _table(facts: CalibrationTable) -> str:
    head = ("Skeleton", *(f"alpha {alpha:g}" for alpha in facts.alphas))
    return style.table(
        head, [(html(name), *(_cell(facts.at(name, alpha)) for alpha in facts.alphas)) for name in facts.skeletons]
    )


def _cell(setting: CalibrationSetting | None) -> str:
    if setting is None or setting.validation.value is None:
        return DASH
    right = setting.validation
    proved = "all proved" if setting.proved == setting.models else f"{setting.proved} of {setting.models} proved"
    details = f"{interval(right)}, {right.k} of {right.n} rows; training {percent(setting.train.value)}; {proved}"
    share = f"<b>{percent(right.value)}</b>" if setting.best else percent(right.value)
    return f"{style.hint(share, details)} <small>{setting.questions:.1f}</small>"


def _offer(run: Run, best: CalibrationSetting) -> None:
    help = "Sets skeleton and alpha and solves on all training rows."
    if launch.offer("Solve with the best", f"take_best_{run.number}", run, help):
        state.ask_again(run, widths=best.widths, alpha=best.alpha)
        launch.start()
