"""The options that all methods for binary decision diagrams share, and the paper of their problem."""

from dataclasses import replace

from ...problem import Thresholds
from ..base import Option
from .table import Unseen

PAPER = (
    "Hu, Huguet, Siala: Optimizing Binary Decision Diagrams with MaxSAT for Classification. AAAI 2022, "
    "doi:10.1609/aaai.v36i4.20291."
)

UNSEEN = Option.among(
    "empty_cells",
    "Prediction for empty cells",
    "The prediction for feature combinations without training rows. Predictions for training rows stay the same.",
    {
        Unseen.MERGE: "smallest diagram",
        Unseen.PARENT: "majority of nearest rows",
        Unseen.SOLVED: "prediction of the solver",
    },
)
"""For methods whose solver fills in the whole truth table."""

UNSEEN_OF_CHOSEN = replace(UNSEEN, values=UNSEEN.values[:2], titles=UNSEEN.titles[:2])
"""For methods that choose splits and derive the table from the rows: there is no solver's prediction."""

CANDIDATES = Option.among(
    "candidates",
    "Splits to choose from",
    "With the splits of a CART tree of the same depth the search is faster, but proves nothing about other splits.",
    {"all": "all", "cart": "those of a CART tree (heuristic)"},
)
"""The heuristic variant of the paper (section 4)."""

THRESHOLDS = Option.among(
    "thresholds",
    "Thresholds",
    "'quantiles' offers nine thresholds for a feature with more than ten values. Proofs hold among the thresholds "
    "offered.",
    {Thresholds.QUANTILES: "at quantiles", Thresholds.ALL: "all"},
)
