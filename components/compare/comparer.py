"""The parts of the Compare screen: differences between models in metrics, structure and rows."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from components.compare import structure
from components.compare.facts import TURNS, Predictions, changed_rows, describe_wrong, full_verdict, gain, sign
from components.compare.picker import Comparison, violated
from components.compare.structure import shared_columns
from components.messages.text import NOTICE, amount, capitalise, count, html, plain, span
from components.model import structure_facts
from components.session.work import Run
from components.widgets import segments, shown_rows, style
from solvers.messages.costs import cost_parts, counts_errors, error_unit
from solvers.metrics import Criterion, Diagnosis, Estimate, compared_groups, fairness, rate
from solvers.metrics.catalogue import Metric, list_metrics
from solvers.report.blocks import figure_cell, points_cell
from solvers.report.measures import group_title

_DIFFERENCE = (
    "Below each metric: difference to the first model in percentage points with 95% interval (Newcombe 1998, "
    "method 10). Bold: the interval excludes 0."
)


def show_verdict(choice: Comparison) -> None:
    """Draw a sentence on how the predictions of the two models differ."""
    if len(choice.pair) < 2:
        st.markdown("Choose two or more models above.")
        return
    st.markdown(plain(full_verdict(choice.pair, choice.rows, choice.run.problem), 1200))


def show_side_by_side(choice: Comparison) -> None:
    """Draw both models with their shared splits, and the structural differences of all models."""
    models, pair = choice.answers(choice.chosen), choice.pair
    if len(pair) < 2:
        return
    structure.show_pair(pair)
    table = structure_facts.structure([(one.title, one.diagram, one.data) for one in models])
    alike = (figure_cell(rate(models[0].predicted == one.predicted, one.data.weight)) for one in models[1:])
    st.html(style.block(table._replace(rows=(*table.rows, ("Same predictions as the first", "", *alike)))))
    st.markdown(plain(shared_columns(*(one.diagram for one in models[:2])), 600))


def show_figures(choice: Comparison) -> None:
    """Draw the metrics of all chosen models side by side, with their differences from the first one."""
    models = choice.answers(choice.chosen)
    if not models:
        return
    head = ("", *(html(one.title) for one in models))
    body = [
        (f"Errors, {name} rows", *(html(describe_wrong(one)) for one in judged))
        for name in ("training", "held-out", "external")
        if len(judged := choice.answers(choice.chosen, name)) == len(models)
    ]
    if choice.run.problem.constraints:
        found = ("; ".join(one.violated) for one in models)
        words = (f"violates: {html(one, 300)}" if one else "satisfied on training data" for one in found)
        body.insert(0, ("Constraints", *words))
    diagnoses = [one.diagnosis for one in models]
    data, reference = choice.run.prepared.train, f"{diagnoses[0].brier.reference:.3f} in these rows"
    for metric in list_metrics(data, data.positive, reference):
        against = [None, *(gain(models[0], one, metric) for one in models[1:])]
        pairs = zip(diagnoses, against, strict=True)
        cells = [_figure_cell(metric, found, difference, choice.rows) for found, difference in pairs]
        body.append((style.hint(html(metric.label, 60), metric.meaning), *cells))
    body += _fairness_rows(choice.run, models)
    st.html(style.table(head, body))
    notes = f"{capitalise(choice.rows)} rows, with 95% intervals."
    if choice.rows == "training":
        notes += " The models were fitted to these rows: differences say little about new rows."
    elif len(models) > 1:
        notes += f" {_DIFFERENCE}"
    st.caption(f"{notes} {NOTICE}")
    for reason in choice.run.refusals():
        st.caption(plain(reason, 300))


def _fairness_rows(run: Run, models: Sequence[Predictions]) -> list[tuple[str, ...]]:
    """The largest difference between groups for each model, one line per group column and measure."""
    data, rows = models[0].data, []
    for group in compared_groups(run.problem, data) if data.positive is not None else ():
        found = [fairness(data, one.predicted, group) for one in models]
        for criterion in (Criterion.PARITY, Criterion.OPPORTUNITY, Criterion.EQUALITY):
            name = html(f"{capitalise(criterion)}, {group_title(data, group.name)}", 60)
            title = style.hint(name, "Highest minus lowest rate, in points.")
            rows.append((title, *(style.cell(points_cell(one.disparities[criterion].difference)) for one in found)))
    return rows


def _figure_cell(metric: Metric, found: Diagnosis, against: Estimate | None, rows: str) -> str:
    """A metric with its interval, and below it the difference from the first model."""
    shown = style.cell(figure_cell(metric.figure(found, 0.5), metric.unit))
    if against is None or against.value is None:
        return shown
    difference = f"{sign(against.value)} points"
    if rows != "training":
        apart = against.low is not None and against.high is not None and not against.low <= 0 <= against.high
        difference = f"<b>{difference}</b>" if apart else difference
        difference += f" ({span(against)})"
    return f"{shown}<br><small>{difference}</small>"


def show_changes(choice: Comparison) -> None:
    """Draw the rows with different predictions."""
    if len(choice.pair) < 2:
        return
    first, second = choice.pair
    changed = changed_rows(first, second)
    if changed.empty:
        st.markdown("Both models predict the same class for every row.")
        return
    a, b = first.title, second.title
    right = {
        "all": "All",
        "gained": f"Only {b} is correct",
        "lost": f"Only {a} is correct",
        "both wrong": "Neither is correct",
    }
    offered = {"all": changed, **{turn: changed[changed["turn"] == turn] for turn in TURNS}}
    offered = {name: rows for name, rows in offered.items() if len(rows)}
    turn = segments.show(
        "Rows",
        list(offered),
        key=f"turn_{first.entry.key}_{second.entry.key}_{choice.rows}",
        words=lambda name: f"{plain(right[name], 60)} ({count(len(offered[name]))})",
    )
    shown = offered[turn]

    def table() -> pd.DataFrame:
        out = shown.drop(columns="position").replace({"turn": {"gained": b, "lost": a, "both wrong": "neither"}})
        out.columns = ["observed", f"{a}: prediction", f"{b}: prediction", "correct"]
        values = first.data.take(shown["position"].to_numpy()).frame().drop(columns=first.data.outcome)
        values.columns = [f"{name} (column)" if name in out.columns else name for name in values.columns]
        values.index = out.index
        return pd.concat([out, values], axis=1)

    st.dataframe(table(), height=min(320, 36 * (len(shown) + 1) + 3))
    shown_rows.offer(
        f"Download {count(len(shown), 'row')} (CSV)",
        choice.run,
        choice.rows,
        table,
        turn,
        key="download_changes",
    )


def sentence(choice: Comparison) -> str:
    """The cost of the compared models on the training rows by the objective of the run, in one line of Markdown."""
    problem, parts = choice.run.problem, []
    for entry in choice.chosen[:2]:
        if entry.model.problem.objective == problem.objective:
            costs = cost_parts(entry.run.problem, entry.model.diagram)
            wrong = "" if counts_errors(problem) else f" ({count(costs.wrong, 'error')})"
            mark = ", violates a constraint" if violated(choice.run, entry) else ""
            parts.append(f"{plain(entry.title)} {amount(costs.cost)}{wrong}{mark}")
    if not parts:
        return plain(f"{count(len(choice.offered), 'model')} can be compared.")
    unit = error_unit(problem) if counts_errors(problem) else "cost on training data"
    return f"{unit.capitalize()}: {'; '.join(parts)}"
