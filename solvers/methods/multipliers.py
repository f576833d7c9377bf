"""Cutting planes for a Lagrangian bound over limited sums; see Kelley (1960), 'The cutting-plane method'."""

import numpy as np


def highest_bound(costs: np.ndarray, over: np.ndarray, most: float) -> tuple[float, np.ndarray] | None:
    """The upper bound that the known models allow for the Lagrangian bound, and the multipliers that attain it.

    These are a proposal, computed in floats. Returns `None` if the linear program has no solution.

    Parameters
    ----------
    costs : float64 (n_models,), the costs of the known models.
    over : float64 (n_models, Q), the excess of each sum of each model over its limit.
    most : the largest cost of a model. No multiplier needs to exceed the value of one unit of its sum.
    """
    from scipy.optimize import linprog

    # sums can be as large as products of group sizes, costs as small as 1: scale both by their largest value
    top, units = costs.max() + 1.0, np.maximum(np.abs(over).max(axis=0), 1.0)
    # maximise z with z <= cost + multipliers . over for each model
    solved = linprog(
        [-1.0, *([0.0] * over.shape[1])],
        A_ub=np.column_stack((np.ones(len(costs)), -over / units)),
        b_ub=costs / top,
        bounds=[(0, 1), *((0, most / top * unit) for unit in units)],
        method="highs",
    )
    return None if solved.x is None else (float(solved.x[0]) * top, np.asarray(solved.x[1:] * top / units))
