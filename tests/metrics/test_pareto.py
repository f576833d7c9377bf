"""The models that no other one beats when several figures count."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from solvers.metrics import pareto_front

FIGURES = st.integers(1, 3).flatmap(
    lambda k: arrays(
        np.float64,
        st.tuples(st.integers(0, 14), st.just(k)),
        elements=st.sampled_from([0.0, 1.0, 2.0, 3.0, 4.0, float("nan")]),
    )
)


def beaten(model: list[float], others: list[list[float]]) -> bool:
    """Whether another model is nowhere worse and somewhere better."""
    return any(
        all(b <= a for a, b in zip(model, other, strict=True)) and any(b < a for a, b in zip(model, other, strict=True))
        for other in others
    )


@given(FIGURES)
def test_the_front_is_that_of_brute_force(figures):
    """Every model is held against every other one; what lacks a figure takes no part."""
    listed = figures.tolist()
    judged = [model for model in listed if not any(np.isnan(model))]
    expected = [model in judged and not beaten(model, judged) for model in listed]
    assert pareto_front(figures).tolist() == expected


@given(FIGURES)
def test_doubling_a_model_or_stretching_a_figure_changes_nothing(figures):
    """Equal models do not beat each other, and only the order of figures matters."""
    front = pareto_front(figures)
    twice = pareto_front(np.vstack([figures, figures]))
    assert twice.tolist() == [*front, *front]
    assert pareto_front(figures * 7 + 1).tolist() == front.tolist()
