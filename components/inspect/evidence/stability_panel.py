"""The stability of a model: models of bootstrap samples compared with this model."""

from statistics import median

import numpy as np
import pandas as pd
import streamlit as st

from components.inspect.evidence import resampling_panel
from components.messages.text import count, html, points
from components.session.work import FinishedModel, Run
from components.widgets import style
from solvers.diagram import Diagram, Split
from solvers.diagram.labels import question
from solvers.metrics import Rate, rate
from solvers.problem import Dataset
from solvers.report.blocks import rate_cell
from solvers.study.bootstrap import Bootstrap

UNSTABLE = 0.2
"""A row is unstable if its prediction changes in more than this share of the models."""


def _share(k: int, n: int) -> Rate:
    return rate(np.arange(n) < k)


def agreement(found: Bootstrap) -> dict[str, Rate]:
    """The shares of models with the same first split or feature, and of rows with unstable predictions."""
    own, firsts = first_split(found.model), [first_split(fit.diagram) for fit in found.fits]
    return {
        "Same first split": rate(np.array([one == own for one in firsts])),
        "Same first feature": rate(np.array([one[1] == own[1] for one in firsts])),
        "Rows with unstable predictions": rate(np.array(found.changed) / len(firsts) > UNSTABLE),
    }


def first_split(diagram: Diagram) -> tuple[str, tuple[str, ...]]:
    """The root's split as text, and its columns; both empty without a split."""
    root = diagram.nodes[0]
    if not isinstance(root, Split):
        return "", ()
    return question(root.predicate, diagram.schema), tuple(root.predicate.columns)


def columns_used(found: Bootstrap, data: Dataset) -> pd.DataFrame:
    """The features of the models, with the share of models that use each (`used`), the most used first.

    `own` says whether this model uses it.
    """
    lines = []
    for name in data.schema.names:
        own, k = name in found.model.features, sum(name in fit.diagram.features for fit in found.fits)
        if k or own:
            lines.append((data.schema[name].title, _share(k, len(found.fits)), own))
    lines.sort(key=lambda line: -line[1].k)
    return pd.DataFrame(lines, columns=["name", "used", "own"])


def changing_rows(found: Bootstrap, data: Dataset, most: int = 10) -> pd.DataFrame:
    """The rows whose prediction changes most often: class, share of models, mean difference of the risk."""
    n, changed = len(found.fits), np.array(found.changed)
    worst = [int(i) for i in np.argsort(-changed, kind="stable")[:most] if changed[i] > 0]
    return pd.DataFrame(
        {
            "truth": [data.classes[data.y[i]] for i in worst],
            "changed": [_share(found.changed[i], n) for i in worst],
            "difference": [found.gaps[i] / n for i in worst],
        },
        index=[int(data.rows[i]) for i in worst],
    )


def show(run: Run, model: FinishedModel) -> None:
    """Draw the stability as far as it is known, and offer the bootstrap."""
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
        _draw(found, model.problem.dataset)


def _draw(found: Bootstrap, data: Dataset) -> None:
    left, right = st.columns(2, gap="large")
    n, sizes = len(found.fits), [fit.diagram.n_splits for fit in found.fits]
    with left:
        facts = {
            **{name: rate_cell(share) for name, share in agreement(found).items()},
            "Splits": f"{median(sizes):g} ({min(sizes)} to {max(sizes)}; this model {found.model.n_splits})",
            "Optimal on their samples": f"{count(sum(fit.proved for fit in found.fits))} of {count(n)}",
            "Mean difference in risk": f"{points(float(np.mean(found.gaps)) / n)} points",
        }
        rows = [(name, style.cell(value)) for name, value in facts.items()]
        st.html(style.table((f"{count(n)} models from bootstrap samples", ""), rows))
        st.caption("Unstable: more than one in five models predicts another class.")
    with right:
        rows = [
            (
                html(use.name, 30) + ("" if use.own else " <small>not in this model</small>"),
                style.cell(rate_cell(use.used)),
            )
            for use in columns_used(found, data)[:12].itertuples()
        ]
        st.html(style.table(("Feature", "Used in"), rows))
    changing = changing_rows(found, data)
    if len(changing):
        with st.expander("Least stable rows"):
            lines = [
                (
                    count(one.Index),
                    html(one.truth, 20),
                    style.cell(rate_cell(one.changed)),
                    f"{points(one.difference)} points",
                )
                for one in changing.itertuples()
            ]
            st.html(style.table(("Row", "Class", "Prediction changes in", "Risk differs by"), lines))
