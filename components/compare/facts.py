"""Several models on the same rows: which are comparable, and whether they differ by more than chance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from components.messages.text import MINUS, count, points, span
from components.session.work import FinishedModel, Prepared, Run
from solvers.diagram import Diagram
from solvers.errors import EspalierError
from solvers.messages import describe_chance
from solvers.metrics import Diagnosis, Estimate, Paired, diagnose, paired
from solvers.metrics.catalogue import Metric
from solvers.metrics.comparable import comparable, describe_violated
from solvers.metrics.intervals import Z95, effective_size
from solvers.problem import Dataset, Problem, treatment_threshold
from solvers.problem.objective import ClassCosts


class SessionModel(NamedTuple):
    """A model of the session: its key, a title that is unique on the screen, and its run."""

    key: str
    title: str
    run: Run
    model: FinishedModel


def entries(of_runs: Iterable[tuple[Run, Sequence[FinishedModel]]]) -> tuple[SessionModel, ...]:
    """The models of several runs, each once; titles include the run if there are several."""
    of_runs = list(of_runs)
    made: dict[str, SessionModel] = {}
    for run, models in of_runs:
        for model in models:
            title = model.title if len(of_runs) == 1 else f"{model.title}, run {run.number}"
            made.setdefault(f"{run.number} {model.key}", SessionModel(f"{run.number} {model.key}", title, run, model))
    return tuple(made.values())


def difference_of_rows(first: Prepared, second: Prepared) -> str | None:
    """Why the models of two runs cannot be compared; `None` if their rows are the same.

    The features may differ: comparing models with and without a feature is useful.
    """
    if first is second:
        return None
    if first.source.number != second.source.number:
        return "its rows come from another table"
    a, b = first.train, second.train
    if (a.outcome, a.classes, a.positive) != (b.outcome, b.classes, b.positive):
        return "its outcome differs"
    same = first.test is second.test
    if first.test is not None and second.test is not None:
        same = _same(first.test, second.test)
    return None if same and _same(a, b) else "its rows were selected, divided or weighted differently"


def _same(a: Dataset, b: Dataset) -> bool:
    if not (np.array_equal(a.rows, b.rows) and np.array_equal(a.y, b.y)):
        return False
    if a.weight is None or b.weight is None:
        return a.weight is b.weight
    return np.array_equal(a.weight, b.weight)


class Predictions(NamedTuple):
    """A model on some rows.

    Attributes
    ----------
    predicted : class indices, int (n_samples,).
    violated : the constraints that it violates on the training rows, in words.
    fair : the model relabelled to satisfy them; `None` if that is impossible.
    """

    entry: SessionModel
    data: Dataset
    predicted: np.ndarray
    violated: tuple[str, ...] = ()
    fair: Diagram | None = None

    @property
    def diagram(self) -> Diagram:
        """The model."""
        return self.entry.model.diagram

    @property
    def title(self) -> str:
        """Its name on the screen."""
        return self.entry.title

    @property
    def right(self) -> np.ndarray:
        """Which rows it predicts correctly, bool (n_samples,)."""
        return self.predicted == self.data.y

    @property
    def diagnosis(self) -> Diagnosis:
        """All metrics on these rows, for the positive class if there is one."""
        return diagnose(self.diagram, self.data, self.data.positive)


def gain(first: Predictions, other: Predictions, metric: Metric) -> Estimate | None:
    """The metric of the other model minus that of the first; `None` if the metric is not a share of the same rows.

    For a mean over several sets of rows, such as the classes, the margins of error are combined as the root of the sum
    of their squares.
    """
    if metric.rows is None:
        return None
    sets = metric.rows(first.data, first.data.positive or 0)
    found = [_pair(first, other, rows).difference for rows in sets]
    if len(found) == 1 or any(one.value is None for one in found):
        return found[0]
    value, low, high = np.array(found, np.float64).T
    mean = float(value.mean())
    below, above = (float(np.sqrt((distance**2).sum())) / len(found) for distance in (value - low, high - value))
    return Estimate(mean, max(-1.0, mean - below), min(1.0, mean + above))


def _pair(first: Predictions, other: Predictions, among: np.ndarray) -> Paired:
    weight = None if first.data.weight is None else first.data.weight[among]
    return paired(first.right[among], other.right[among], weight)


def describe_wrong(one: Predictions) -> str:
    """The errors of a model, for instance '23 of 426'."""
    return f"{count(int((~one.right).sum()))} of {count(one.data.n_samples)}"


def verdict(first: Predictions, second: Predictions, rows: str) -> str:
    """How the predictions of two models differ on the named rows, and whether chance could explain it."""
    everyone = first.data.y >= 0
    found, n_changed = _pair(second, first, everyone), int((first.predicted != second.predicted).sum())
    if not n_changed:
        return f"Both models predict the same class for each of the {count(found.n)} {rows} rows."
    fewer, share = found.gained - found.lost, f"{100 * n_changed / found.n:.1f}%"
    sentence = f"Predictions differ in {count(n_changed)} of {count(found.n)} {rows} rows ({share}). "
    more = "fewer" if fewer > 0 else "more"
    same = "Both make the same number of errors"
    sentence += f"{first.title} makes {count(abs(fewer), f'{more} error')} than {second.title}" if fewer else same
    if rows == "training":
        return f"{sentence}. Only held-out rows show which model is better."
    difference = found.difference
    sentence += f": {sign(difference.value)} points of accuracy, 95% interval {span(difference)}"
    if found.p is None:
        return f"{sentence}."
    return f"{sentence}; McNemar\u2019s exact p {format_p_value(found.p)}{describe_chance(found.p)}."


def judge(problem: Problem, entry: SessionModel) -> tuple[tuple[str, ...], Diagram | None]:
    """`violated` and `fair` of `Predictions`, by the constraints of a problem and the features of the model's run."""
    try:
        problem = replace(problem, dataset=entry.run.prepared.train)
        diagram = entry.model.diagram
        return describe_violated(problem, diagram), comparable(problem, diagram)
    except EspalierError:
        # a constraint may be about a feature that the other run left out
        return (), entry.model.diagram


def full_verdict(pair: Sequence[Predictions], rows: str, problem: Problem) -> str:
    """How two models differ on the named rows by the constraints and the costs of a problem.

    If a model violates a constraint, neither is called better. A last sentence compares them with relabelled leaves.
    """
    first, second = pair
    costs = problem.objective.class_costs
    both = [one for one in pair if one.violated]
    if not both:
        return verdict(first, second, rows) if costs is None else _cost_verdict(first, second, rows, costs)
    words = [f"{one.title} violates: {'; '.join(one.violated)}." for one in both]
    changed = int((first.predicted != second.predicted).sum())
    words.append(f"Predictions differ in {count(changed)} of {count(len(first.predicted))} {rows} rows.")
    fair = [one._replace(predicted=one.fair.predict(one.data)) for one in pair if one.fair is not None]
    if len(fair) == len(pair):
        names = " and ".join(one.title for one in both)
        a, b = (_burden(one, costs) for one in fair)
        words.append(
            f"To satisfy the constraints on training data, leaves of {names} must be relabelled: then {first.title} "
            f"makes {a} on {rows} rows, {second.title} {b}."
        )
    return " ".join(words)


def _burden(one: Predictions, class_costs: ClassCosts | None) -> str:
    """The errors of a model; with misclassification costs, its mean cost of a row."""
    if class_costs is None:
        return count(int((~one.right).sum()), "error")
    return f"{_mean_cost(one, class_costs):.3g} errors a row"


def _mean_cost(one: Predictions, class_costs: ClassCosts) -> float:
    return float(np.average(np.array(class_costs)[one.data.y, one.predicted], weights=one.data.row_weights))


def _cost_verdict(first: Predictions, second: Predictions, rows: str, class_costs: ClassCosts) -> str:
    """The mean costs of a row with two models, their difference, and the net benefits at the implied threshold."""
    data, matrix = first.data, np.array(class_costs)
    weight = data.row_weights
    a, b = (_mean_cost(one, class_costs) for one in (first, second))
    each = matrix[data.y, first.predicted] - matrix[data.y, second.predicted]
    words = f"A row costs {a:.3g} errors on average with {first.title} and {b:.3g} with {second.title}"
    if rows != "training" and (n := effective_size(weight)) > 1:
        half = Z95 * float(np.sqrt(np.average((each - (a - b)) ** 2, weights=weight) / (n - 1)))
        ends = (f"{value:.3g}".replace("-", MINUS) for value in (a - b, a - b - half, a - b + half))
        words += ": difference {}, 95% interval {} to {}".format(*ends)
    threshold = treatment_threshold(class_costs, data.positive)
    if threshold is None:
        return f"{words}."
    positive = 1 if data.positive is None else data.positive
    share, miss = float(np.average(data.y == positive, weights=weight)), matrix[positive, 1 - positive]
    benefit = " and ".join(f"{100 * (share - cost / miss):.2f}" for cost in (a, b))
    return f"{words}. Net benefit per 100 rows at a treatment threshold of {float(100 * threshold):g}%: {benefit}."


def format_p_value(p: float) -> str:
    """A p-value with the digits that matter."""
    return "< 0.001" if p < 0.001 else f"= {p:{'.3f' if p < 0.1 else '.2f'}}"


def sign(difference: float | None) -> str:
    """A difference of shares in percentage points, with its sign; a dash for `None`."""
    shown = points(difference)
    return f"+{shown}" if difference is not None and round(100 * difference, 1) > 0 else shown


TURNS = ("gained", "lost", "both wrong")


def changed_rows(first: Predictions, second: Predictions) -> pd.DataFrame:
    """The rows that two models predict differently, by their numbers in the file.

    'turn' is 'gained' if only the second is correct, 'lost' if only the first is, and 'both wrong' if neither is;
    'position' is the position among the rows.
    """
    data, names = first.data, np.array(first.data.classes, object)
    at = np.flatnonzero(first.predicted != second.predicted)
    right = [one.predicted[at] == data.y[at] for one in (second, first)]
    return pd.DataFrame(
        {
            "truth": names[data.y[at]],
            "first": names[first.predicted[at]],
            "second": names[second.predicted[at]],
            "turn": np.select(right, TURNS[:2], TURNS[2]),
            "position": at,
        },
        index=pd.Index(data.rows[at], name="row"),
    )
