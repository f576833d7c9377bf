"""Training and cross-validation errors of trees of all sizes. Does not import Streamlit."""

import pandas as pd
import plotly.graph_objects as go

from components.model.figures import INK, calm
from solvers.metrics.recommended_size import Recommendation


def sizes_by_leaves(known: Recommendation) -> pd.DataFrame:
    """The best optimal and the best greedy tree for each number of leaves, fewest leaves first.

    Columns: greedy, leaves, validated and training error, standard error, and whether it is recommended.
    The recommended tree takes precedence among trees with the same number of leaves.
    """
    columns = ["greedy", "leaves", "validated", "training", "spread", "recommended"]
    lines = [
        (greedy, one.n_leaves, one.mean, one.train_error, one.standard_error, one is known.choice)
        for greedy in (False, True)
        for one in known.candidates
        # both lines begin at the constant prediction
        if (one.greedy == greedy or one.n_leaves == 1) and one.errors
    ]
    sizes = pd.DataFrame(lines, columns=columns).sort_values(["recommended", "validated"], ascending=[False, True])
    sizes = sizes.drop_duplicates(["greedy", "leaves"]).sort_values(["greedy", "leaves"])
    return sizes[sizes.groupby("greedy")["leaves"].transform("max") > 1]


def size_figure(sizes: pd.DataFrame, costs: bool, dark: bool) -> go.Figure:
    """Validated errors as solid lines with standard errors, training errors dotted; the chosen size is circled.

    `costs` says whether there are misclassification costs, so that errors are not shares.
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
            name=f"{title}, cross-validated",
            mode="lines+markers",
            line={"color": colour, "width": 2.5, "dash": "dash" if greedy else "solid"},
            marker={"size": 7, "symbol": "square" if greedy else "circle"},
            error_y=None if greedy else {"type": "data", "array": factor * line["spread"], "thickness": 1, "width": 3},
        )
        figure.add_scatter(
            x=line["leaves"],
            y=factor * line["training"],
            name=f"{title}, training",
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
    upwards = {"title": "cost per row (errors)" if costs else "error (%)", "rangemode": "tozero"}
    return calm(figure, ink, 320, x=across, y=upwards, top=64, legend=True, clip=False)
