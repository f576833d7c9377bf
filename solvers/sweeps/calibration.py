"""Which skeleton and which price of a question to choose: by validation, as Florio et al. (2023), section 5.

Every pair of a skeleton and an alpha is tried on the same rows: a model is learned from one part of them and judged on
the other. The best pair is the one whose models predict most of the other rows right; of equally good ones the one with
fewer questions, because what explains as much with less is preferred.

Example
-------
>>> results = calibration("odd-search").results(problem)  # doctest: +SKIP
>>> best(settings(results)).widths  # doctest: +SKIP
(1, 2, 4, 4, 4)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..problem.skeleton import PRESETS
from ..solution import Status
from .study import Results, Study

SKELETONS = tuple(skeleton.widths for skeleton in PRESETS.values())
"""The skeletons of the paper."""

ALPHAS = (0.01, 0.1, 0.2, 0.5, 1.0)
"""The regularisation weights of the paper."""

VALIDATION = 1 / 3
"""The share of the rows that models are judged on: with a quarter held out for testing, the paper's 50, 25 and 25%."""

STEP = 10.0
"""Seconds for each model."""


def calibration(
    method: str,
    options: Mapping[str, str] | None = None,
    *,
    skeletons: Sequence[tuple[int, ...]] = SKELETONS,
    alphas: Sequence[float] = ALPHAS,
    share: float = VALIDATION,
    repeats: int = 1,
    step: float = STEP,
) -> Study:
    """The study that tries every skeleton with every alpha, for a problem of decision diagrams.

    Parameters
    ----------
    method, options : who learns.
    share : of the rows, those that models are judged on.
    repeats : how often the rows are divided; few rows need several divisions.
    step : seconds for each model.
    """
    return Study(
        (method,),
        {method: dict(options or {})},
        alphas=tuple(alphas),
        widths=tuple(skeletons),
        free=False,
        share=share,
        repeats=repeats,
        step=step,
    )


class Setting(NamedTuple):
    """A skeleton and an alpha, and what models with them got right.

    Attributes
    ----------
    widths, alpha : the setting.
    models, failed : how many models were learned and judged, and how many times none was found.
    right, total : rows that the models had not seen: those that they got right, and all, over all models.
    train_right, train_total : the same of the rows that they were learned from.
    questions : of all models together; proved : how many of them were proved to be optimal.
    """

    widths: tuple[int, ...]
    alpha: float
    models: int
    failed: int
    right: int
    total: int
    train_right: int
    train_total: int
    questions: int
    proved: int


def settings(results: Results) -> tuple[Setting, ...]:
    """The settings that were tried, in their order."""
    found = []
    for cell in dict.fromkeys(row["cell"] for row in results.rows):
        rows = [row for row in results.rows if row["cell"] == cell]
        judged = [row for row in rows if row["verified"] and row["test_errors"] is not None]
        found.append(
            Setting(
                tuple(map(int, rows[0]["widths"].split())),
                rows[0]["alpha"],
                len(judged),
                len(rows) - len(judged),
                sum(row["test_rows"] - row["test_errors"] for row in judged),
                sum(row["test_rows"] for row in judged),
                sum(row["rows"] - row["train_errors"] for row in judged),
                sum(row["rows"] for row in judged),
                sum(row["questions"] for row in judged),
                sum(row["status"] == Status.OPTIMAL for row in judged),
            )
        )
    return tuple(found)


def best(found: Sequence[Setting]) -> Setting | None:
    """The setting that got most unseen rows right, of equals the one with fewer questions, then the larger alpha.

    Only settings with a model on every division can be compared, unless none has; `None` without any model.
    """
    most = max((one.models for one in found), default=0)
    judged = [one for one in found if one.models == most and most]
    return max(judged, key=lambda one: (one.right / one.total, -one.questions, one.alpha), default=None)
