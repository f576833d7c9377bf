"""Which of several models are worth a look when more than one thing counts, for instance errors and size."""

import numpy as np


def pareto_front(figures: np.ndarray) -> np.ndarray:
    """The models, bool (n_models,), that no other one beats; less of a figure, float (n_models, n_figures), is better.

    A model is beaten by one that is at least as good in every figure and better in one. Equal models do not beat each
    other. A model that lacks a figure (NaN) cannot be judged: it neither beats nor is it on the front.
    """
    figures = np.asarray(figures, np.float64)
    known = ~np.isnan(figures).any(axis=1)
    front: np.ndarray = known.copy()
    for i in np.flatnonzero(known):
        others = figures[known]
        front[i] = not ((others <= figures[i]).all(axis=1) & (others < figures[i]).any(axis=1)).any()
    return front
