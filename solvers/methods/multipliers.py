"""The cutting planes of a Lagrangian bound over limited sums; see Kelley (1960), 'The cutting-plane method'."""

import numpy as np


def highest_bound(costs: np.ndarray, over: np.ndarray, most: float) -> tuple[float, np.ndarray] | None:
    """The multipliers at which the bound may be highest as far as known models say, after that height.

    A proposal, since it is found in floats. `None` where the linear program has no answer.

    Parameters
    ----------
    costs : float64 (n_models,), what known models cost.
    over : float64 (n_models, Q), by how much each of their sums is above its limit.
    most : the largest cost of a model: no multiplier need be larger than what one unit of its sum can be worth.
    """
    from scipy.optimize import linprog

    # sums are as large as products of group sizes, costs as small as 1: both in units of their largest number
    top, units = costs.max() + 1.0, np.maximum(np.abs(over).max(axis=0), 1.0)
    # maximise z with z <= cost of the model + multipliers . over, model by model
    solved = linprog(
        [-1.0, *([0.0] * over.shape[1])],
        A_ub=np.column_stack((np.ones(len(costs)), -over / units)),
        b_ub=costs / top,
        bounds=[(0, 1), *((0, most / top * unit) for unit in units)],
        method="highs",
    )
    return None if solved.x is None else (float(solved.x[0]) * top, np.asarray(solved.x[1:] * top / units))
