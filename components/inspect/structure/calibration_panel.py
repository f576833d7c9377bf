"""Which skeleton and which price of a question to choose: a sweep with validation, while the user looks on."""

import numpy as np
import pandas as pd
import streamlit as st

from components.inspect.structure.figures import sweep_figure
from components.session import next_run, state
from components.session.work import Run
from components.widgets import segments, style
from components.words.text import DASH, count, html, interval, percent, plain
from components.workers import inquiries, launch
from components.workers.inquiries import WorkerInquiry
from solvers.metrics import rate
from solvers.sweeps.calibration import ALPHAS, SKELETONS, Setting, best, calibration, settings
from solvers.sweeps.study import Results
from solvers.words.shapes import widths_words

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
        _draw(run, answer)
    inquiries.offer(run, inquiry, "Try all skeletons and prices", help)


def settings_table(tried: tuple[Setting, ...]) -> pd.DataFrame:
    """A line for each skeleton and alpha: rates on the validation and training rows, questions, proved models."""
    chosen = best(tried)
    return pd.DataFrame(
        {
            "skeleton": [widths_words(one.widths) for one in tried],
            "alpha": [one.alpha for one in tried],
            "right": [rate(np.arange(one.total) < one.right) for one in tried],
            "train": [rate(np.arange(one.train_total) < one.train_right) for one in tried],
            "questions": [one.questions / one.models if one.models else None for one in tried],
            "models": [one.models for one in tried],
            "proved": [one.proved for one in tried],
            "best": [one is chosen for one in tried],
        }
    )


def progress_words(results: Results) -> str:
    """How many models were tried, of all."""
    return f"{count(results.done)} of {count(results.of, 'model')}"


def best_words(results: Results) -> str:
    """What to choose, in a sentence; '' before the first model."""
    chosen = best(settings(results))
    if chosen is None:
        return ""
    far = "" if results.done == results.of else f" of the {progress_words(results)} that were tried"
    return (
        f"Best{far}: skeleton {widths_words(chosen.widths)} with alpha {chosen.alpha:g}, "
        f"{percent(chosen.right / chosen.total)} of the validation rows right with "
        f"{chosen.questions / chosen.models:.1f} questions on average."
    )


def _draw(run: Run, results: Results) -> None:
    share = results.done / max(results.of, 1)
    st.progress(share, text=progress_words(results) + (", done" if results.finished else ""))
    st.markdown(plain(best_words(results), 300))
    tried = settings(results)
    table, chosen = settings_table(tried), best(tried)
    left, right = st.columns([1.15, 1], gap="large")
    with left:
        alphas = sorted(table["alpha"].unique())
        cells = table.assign(cell=table.apply(_cell, axis=1)).groupby("skeleton", sort=False)
        rows = [(html(name), *of.set_index("alpha")["cell"].reindex(alphas, fill_value=DASH)) for name, of in cells]
        st.html(style.table(("Skeleton", *(f"alpha {alpha:g}" for alpha in alphas)), rows))
        st.caption(
            "Share of the validation rows that is right, and questions per model; the best is bold. Each model had at "
            f"most {STEP:g} s."
        )
        if chosen is not None and results.finished:
            help = "Sets skeleton and alpha and solves on all training rows."
            if launch.offer("Solve with the best", f"take_best_{run.number}", run, help):
                next_run.ask_again(run, widths=chosen.widths, alpha=chosen.alpha)
                launch.start()
    with right:
        if chosen is not None:
            style.chart(sweep_figure(table, state.dark()), f"sweep_{run.number}")


def _cell(one: pd.Series) -> str:
    right = one["right"]
    if right.value is None:
        return DASH
    proved = "all proved" if one["proved"] == one["models"] else f"{one['proved']} of {one['models']} proved"
    details = f"{interval(right)}, {right.k} of {right.n} rows; training {percent(one['train'].value)}; {proved}"
    share = f"<b>{percent(right.value)}</b>" if one["best"] else percent(right.value)
    return f"{style.hint(share, details)} <small>{one['questions']:.1f}</small>"
