"""Errors of trees of all sizes, on rows that they saw and on rows that they did not. No Streamlit in here."""

import pandas as pd
import plotly.graph_objects as go

from components.model.figures import INK, calm
from solvers.metrics.recommended_size import Recommendation, SizeCandidate


def sizes_by_leaves(known: Recommendation) -> pd.DataFrame:
    """For each number of leaves the optimal and the greedy tree that do best, the fewest leaves first.

    Columns: greedy, leaves, validated and training error, standard error, and which is recommended.
    """
    lines = []
    for greedy in (False, True):
        best: dict[int, SizeCandidate] = {}
        for one in known.candidates:
            # the constant answer is where both lines begin
            if (one.greedy == greedy or one.n_leaves == 1) and one.errors:
                before = best.get(one.n_leaves)
                better = before is None or (before is not known.choice and one.mean < before.mean)
                if one is known.choice or better:
                    best[one.n_leaves] = one
        if max(best, default=1) > 1:
            lines += [
                (greedy, n, one.mean, one.train_error, one.standard_error, one is known.choice)
                for n, one in sorted(best.items())
            ]
    return pd.DataFrame(lines, columns=["greedy", "leaves", "validated", "training", "spread", "recommended"])


def size_figure(sizes: pd.DataFrame, costs: bool, dark: bool) -> go.Figure:
    """Validated errors as strong lines with their standard errors, training errors dotted; a ring around the choice.

    `costs` says that mistakes have costs of their own, so that errors are no shares.
    """
    ink, figure = INK[dark], go.Figure()
    factor = 1 if costs else 100
    for greedy, title, colour in ((False, "optimal", ink.accent), (True, "greedy (CART)", ink.warm)):
        line = sizes[sizes["greedy"] == greedy]
        if line.empty:
            continue
        figure.add_scatter(
            x=line["leaves"],
            y=factor * line["validated"],
            name=f"{title}, on rows not seen",
            mode="lines+markers",
            line={"color": colour, "width": 2.5, "dash": "dash" if greedy else "solid"},
            marker={"size": 7, "symbol": "square" if greedy else "circle"},
            error_y=None if greedy else {"type": "data", "array": factor * line["spread"], "thickness": 1, "width": 3},
        )
        figure.add_scatter(
            x=line["leaves"],
            y=factor * line["training"],
            name=f"{title}, in training",
            mode="lines",
            line={"color": colour, "width": 1.2, "dash": "dot"},
        )
    chosen = sizes[sizes["recommended"]][:1]
    if len(chosen):
        figure.add_scatter(
            x=chosen["leaves"],
            y=factor * chosen["validated"],
            name="recommended",
            mode="markers",
            marker={"size": 17, "symbol": "circle-open", "color": ink.text, "line": {"width": 2.5}},
        )
    across = {"title": "leaves of the tree", "rangemode": "tozero"}
    upwards = {"title": "errors a row" if costs else "% wrong", "rangemode": "tozero"}
    return calm(figure, ink, 320, x=across, y=upwards, top=64, legend=True, clip=False)
