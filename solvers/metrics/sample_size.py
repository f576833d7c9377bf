"""Sample size for a model, by the rules for regressions of clinical outcomes."""

import math

import numpy as np

from ..problem import Dataset
from .words import count

SHRINKAGE, OPTIMISM, PRECISION = 0.9, 0.05, 0.05

NAGELKERKE = 0.15
"""The proportion of the largest possible R² that is assumed if nothing is known about a model (Riley et al.)."""


def rows_wanted(share: float, n_parameters: int, r_squared: float | None = None) -> int:
    """The number of rows for a logistic regression, by the three criteria of Riley et al. (2019, 2020).

    With R² of Cox and Snell, at most R²max = 1 − (φ^φ (1 − φ)^(1 − φ))²: (i) coefficients shrink by at most 10%,
    n = P / ((S − 1) ln(1 − R²/S)) with S = 0.9; (ii) the apparent R² is too high by at most 0.05 R²max, the same n with
    S = R² / (R² + 0.05 R²max); (iii) the prevalence is known to 0.05, n = (1.96 / 0.05)² φ (1 − φ).

    Parameters
    ----------
    share : φ, the prevalence of the outcome, between 0 and 1; n_parameters : P.
    r_squared : the expected R² of the model; by default 0.15 R²max.
    """
    largest = 1 - math.exp(2 * (share * math.log(share) + (1 - share) * math.log(1 - share)))
    reached = NAGELKERKE * largest if r_squared is None else r_squared
    shrinkages = (SHRINKAGE, reached / (reached + OPTIMISM * largest))
    by_size = (n_parameters / ((s - 1) * math.log(1 - reached / s)) for s in shrinkages)
    return math.ceil(max(*by_size, (1.96 / PRECISION) ** 2 * share * (1 - share)))


def too_few_rows(dataset: Dataset, n_questions: int) -> str:
    """A warning if a model with this many splits needs more rows than there are; '' if there are enough.

    A split counts as one parameter: a minimum, as its column and threshold are also chosen. Only for two classes.
    """
    present = np.flatnonzero(dataset.class_counts)
    if dataset.n_classes != 2 or len(present) < 2 or not n_questions:
        return ""
    positive = dataset.positive if dataset.positive is not None else int(dataset.class_counts.argmin())
    events = int(dataset.class_counts[positive])
    wanted = rows_wanted(events / dataset.n_samples, n_questions)
    if wanted <= dataset.n_samples:
        return ""
    return (
        f"{count(wanted, 'row')} are recommended for {count(n_questions, 'split')} (Riley et al. 2020, one parameter "
        f"per split). The training data has {count(dataset.n_samples)}, {count(events)} of them "
        f"'{dataset.classes[positive]}'. Choose a smaller model, or rely on held-out results."
    )
