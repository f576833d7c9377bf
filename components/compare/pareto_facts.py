"""Errors, size and fairness: the models of the session that no other model beats."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from components.compare.facts import Predictions, wrong_words
from components.words.text import count
from solvers.errors import DataError
from solvers.metrics import Estimate, fairness, pareto_front, rate
from solvers.solution import Status
from solvers.words.status import status_badge

MEASURES = {
    "demographic_parity": ("Demographic parity", "Rate of positive predictions."),
    "equal_opportunity": ("Equal opportunity", "Sensitivity."),
    "predictive_equality": ("Predictive equality", "False positive rate."),
    "equalized_odds": ("Equalised odds", "The larger difference of the two."),
    "accuracy": ("Equal accuracy", "Accuracy."),
}
"""What groups are compared by: the fields of `Fairness`, each with its name and its meaning."""


class ParetoFront(NamedTuple):
    """All models of the session, and the rows that errors are counted on.

    Attributes
    ----------
    models : a line for each model by its key: title, kind, share of wrong rows (`wrong` as a rate, `share`), counts
        of errors in words (`counts`, `train`, `test`), splits, difference between groups as a share (NaN if none is
        measured), proof in words, whether it is proved, on the front, and chosen.
    rows : the name of the rows.
    group : the column whose groups are compared; `None` if none are.
    """

    models: pd.DataFrame
    rows: str
    group: str | None

    @property
    def sentence(self) -> str:
        """What the front says, in a sentence."""
        best, of = int(self.models["on_front"].sum()), len(self.models)
        if of == 1:
            return "There is one model so far."
        what = "errors and splits" if self.group is None else "errors, splits and group difference"
        are = "is" if best == 1 else "are"
        return f"{best} of {count(of, 'model')} {are} on the front of {what}: no other beats them."

    def steps(self, across: str) -> list[tuple[float, float]]:
        """The front of errors against 'splits' or 'difference', as corners (x, share wrong), x growing.

        From one corner to the next the share wrong falls; models beaten in these two figures alone have no corner.
        """
        pairs = sorted(set(self.models[[across, "share"]].dropna().itertuples(index=False, name=None)))
        if not pairs:
            return []
        best = pareto_front(np.array(pairs, np.float64))
        return [pair for pair, is_best in zip(pairs, best, strict=True) if is_best]


def front(
    models: Sequence[Predictions],
    rows: str,
    *,
    train: Sequence[Predictions],
    test: Sequence[Predictions] | None,
    chosen: Sequence[str] = (),
    group: str | None = None,
    measure: str = "demographic_parity",
) -> ParetoFront:
    """The models of the session by errors, size and, with a group column, fairness.

    `models` are the predictions for the rows called `rows`, where errors are counted, `train` and `test` those for the
    training and the held-out rows; `chosen` are the keys of the models that are compared.
    """
    apart = [None if group is None else _difference(one, group, measure) for one in models]
    if None in apart:
        # too few rows of a group, whatever a model predicts for them
        apart, group = [None] * len(models), None
    solutions = [one.entry.model.solution for one in models]
    found = pd.DataFrame(
        {
            "title": [one.title for one in models],
            "kind": [one.diagram.kind for one in models],
            "wrong": [rate(~one.right, one.data.weight) for one in models],
            "share": [float(np.average(~one.right, weights=one.data.weight)) for one in models],
            "counts": [wrong_words(one) for one in models],
            "train": [wrong_words(one) for one in train],
            "test": [None] * len(models) if test is None else [wrong_words(one) for one in test],
            "splits": [one.diagram.n_splits for one in models],
            "difference": np.array([np.nan if one is None else one.value for one in apart], np.float64),
            "proof": [status_badge(m.solution, m.exact, m.problem).words for m in (one.entry.model for one in models)],
            "proved": [one.status is Status.OPTIMAL and one.verified is True for one in solutions],
            "chosen": [one.entry.key in chosen for one in models],
        },
        index=[one.entry.key for one in models],
    )
    shown = ["share", "splits", *(["difference"] if group else [])]
    return ParetoFront(found.assign(on_front=pareto_front(found[shown].to_numpy(np.float64))), rows, group)


def _difference(one: Predictions, group: str, measure: str) -> Estimate | None:
    """The difference between groups; `None` if too few rows are in them."""
    try:
        found: Estimate = getattr(fairness(one.data, one.predicted, group), measure).difference
    except DataError:
        return None
    return None if found.value is None else found
