"""Two models side by side, whatever their shapes: drawings, structure, metrics, and the rows that change."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from components import drawing, numbers, rows_file, style
from components.cost_facts import charge, counts_errors, error_unit
from components.facts import pill, size_words
from components.model_facts import Change, Comparison, comparison, results
from components.model_picker import Rows
from components.structure_facts import structure
from components.text import amount, count, html, percent, plain
from components.work import Model, Run

_HEIGHT = 380
_MOST_MODELS = 4


def show_metrics(run: Run, pair: tuple[Model, Model]) -> None:
    """Draw the metrics of the pair and of the other models of the run, training and test side by side."""
    shown = {model.key: model for model in (*pair, *run.models())}
    models = list(shown.values())[:_MOST_MODELS]
    st.html(
        numbers.performance_table([(model.title, results(model.solution.diagram, run.prepared)) for model in models])
    )


def show_models(run: Run, pair: tuple[Model, Model], rows: Rows) -> None:
    """Draw two models side by side, each with its proof and size."""
    for column, model in zip(st.columns(2, gap="medium"), pair, strict=True):
        with column:
            proof, diagram = pill(model.solution, model.exact, model.problem), model.solution.diagram
            status = style.pill(proof.words, proof.tone)
            st.html(f'<b>{html(model.title)}</b> &nbsp;{status} <span class="known">&nbsp;{size_words(diagram)}</span>')
            drawing.show(
                diagram,
                key=f"compare_{run.number}_{model.key}",
                height=_HEIGHT,
                data=rows.data,
            )


def show_structure(pair: tuple[Model, Model], rows: Rows) -> None:
    """Draw what differs in the structure of two models."""
    first, second = pair
    found = structure(first.solution.diagram, second.solution.diagram, rows.data)
    head = ("", html(first.title), html(second.title))
    lines = [
        (f'<span title="{html(line.meaning, 300)}">{html(line.name)}</span>', html(line.first), html(line.second))
        for line in found.lines
    ]
    left, right = st.columns([1.5, 1], gap="large")
    with left:
        st.html(style.table(head, lines))
    with right:
        st.markdown(plain(found.sentence, 600))
        if found.same_questions:
            asked = count(len(found.same_questions), "question is", "questions are")
            st.caption(plain(f"{asked} asked by both: {'; '.join(found.same_questions)}.", 600))


def show_changes(pair: tuple[Model, Model], rows: Rows) -> None:
    """Draw the rows that the two models predict differently."""
    found = comparison(*pair, rows.data)
    st.markdown(plain(changes_sentence(found, pair, rows), 400))
    if not found.n_changed:
        return
    first, second = pair
    table = pd.DataFrame(found.rows, columns=Change._fields).set_index("row")
    table.columns = ["truth", f"{first.title} says", f"{second.title} says", "right"]
    values = rows.data.take(found.positions).frame().drop(columns=rows.data.outcome)
    values.columns = [f"{name} (column)" if name in table.columns else name for name in values.columns]
    table = pd.concat([table, values], axis=1)
    st.dataframe(table, height=280)
    st.download_button(
        f"Download these {count(found.n_changed, 'row')} (CSV)",
        lambda: rows_file.to_csv(table),
        file_name=f"{rows.data.name}-{first.key}-{second.key}.csv",
        mime="text/csv",
        key="download_changes",
        on_click="ignore",
    )


def changes_sentence(found: Comparison, pair: tuple[Model, Model], rows: Rows) -> str:
    """What changes between two models, in a sentence."""
    first, second = pair
    if not found.n_changed:
        return f"Both give the same answer for each of the {count(found.n)} {rows.name} rows."
    share = percent(found.n_changed / found.n)
    if found.fewer > 0:
        verdict = f"{first.title} is wrong in {count(found.fewer, 'row')} fewer than {second.title}."
    elif found.fewer < 0:
        verdict = f"{first.title} is wrong in {count(-found.fewer, 'row')} more than {second.title}."
    else:
        verdict = "Both are wrong equally often."
    return f"{count(found.n_changed)} of {count(found.n)} {rows.name} rows ({share}) get another answer. {verdict}"


def pair_sentence(run: Run, first: Model, second: Model) -> str:
    """What both models cost on the training rows by the objective of the run, in one line of Markdown."""
    problem, parts = run.problem, []
    for model in (first, second):
        found = charge(problem, model.solution.diagram)
        wrong = "" if counts_errors(problem) else f" ({count(found.wrong)} wrong)"
        parts.append(f"{plain(model.title)} {amount(found.cost)}{wrong}")
    unit = error_unit(problem) if counts_errors(problem) else "cost on the training rows, in errors"
    return f"{unit.capitalize()}: {', '.join(parts)}"
