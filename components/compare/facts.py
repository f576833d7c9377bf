"""Several models on the same rows: which can be compared, how each does, and whether chance could make a difference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from components.session.work import FinishedModel, Prepared, Run
from components.words.text import NARROW, count, points, span
from solvers.diagram import Diagram
from solvers.metrics import Estimate, Paired, Rate, changes, paired, performance
from solvers.problem import Dataset


class SessionModel(NamedTuple):
    """A model of the session: a key that tells it apart, a title that does so for the user, and whose it is."""

    key: str
    title: str
    run: Run
    model: FinishedModel


def entries(of_runs: Iterable[tuple[Run, Sequence[FinishedModel]]]) -> tuple[SessionModel, ...]:
    """The models of several runs, each once; where there are several runs, titles say which."""
    of_runs = list(of_runs)
    made: dict[str, SessionModel] = {}
    for run, models in of_runs:
        for model in models:
            title = model.title if len(of_runs) == 1 else f"{model.title}, run {run.number}"
            made.setdefault(f"{run.number} {model.key}", SessionModel(f"{run.number} {model.key}", title, run, model))
    return tuple(made.values())


def difference_of_rows(first: Prepared, second: Prepared) -> str | None:
    """What makes the rows of two runs others, so that their models cannot be compared; `None` where they are the same.

    The columns that may be asked about can differ: with and without a column is a comparison worth making.
    """
    if first is second:
        return None
    if first.source.number != second.source.number:
        return "its rows come from another table"
    a, b = first.train, second.train
    if (a.outcome, a.classes, a.positive) != (b.outcome, b.classes, b.positive):
        return "its outcome is another one"
    same = first.test is second.test
    if first.test is not None and second.test is not None:
        same = _same(first.test, second.test)
    return None if same and _same(a, b) else "its rows were divided, left out or weighted otherwise"


def _same(a: Dataset, b: Dataset) -> bool:
    if not (np.array_equal(a.rows, b.rows) and np.array_equal(a.y, b.y)):
        return False
    if a.weight is None or b.weight is None:
        return a.weight is b.weight
    return np.array_equal(a.weight, b.weight)


class Predictions(NamedTuple):
    """What a model says of some rows: class indices, int (n_samples,)."""

    entry: SessionModel
    data: Dataset
    predicted: np.ndarray

    @property
    def diagram(self) -> Diagram:
        """The model."""
        return self.entry.model.diagram

    @property
    def title(self) -> str:
        """Its name on the screen."""
        return self.entry.title

    @property
    def wrong(self) -> float:
        """The share of the rows that it gets wrong, by weight."""
        return float(np.average(~self.right, weights=self.data.weight))

    @property
    def right(self) -> np.ndarray:
        """Which rows it gets right, bool (n_samples,)."""
        return self.predicted == self.data.y


def answers(entry: SessionModel, data: Dataset) -> Predictions:
    """What a model says of some rows.

    Raises `DataError` where the rows lack a column that the model asks about, or have a missing value that it must not
    meet.
    """
    return Predictions(entry, data, entry.model.diagram.predict(data))


class MetricCell(NamedTuple):
    """A metric of a model, `None` where it has no meaning, and this model minus the first on the same rows.

    There is no difference for the first model, and where both are not shares of the same rows.
    """

    found: Rate | Estimate | None
    against: Estimate | None


class MetricLine(NamedTuple):
    """A metric of all models: its name, what it means, and a figure for each."""

    name: str
    meaning: str
    figures: tuple[MetricCell, ...]


def lines(models: Sequence[Predictions]) -> tuple[MetricLine, ...]:
    """The metrics of all models, side by side; differences are to the first one."""
    first, data = models[0], models[0].data
    judged = [performance(data, one.predicted) for one in models]

    def line(name: str, meaning: str, cells: Iterable[Rate | Estimate | None], among: np.ndarray) -> MetricLine:
        """A share of the rows `among`, which is compared on these rows."""
        against = (None if one is first else _paired(first, one, among).difference for one in models)
        return MetricLine(name, meaning, tuple(map(MetricCell, cells, against)))

    mean = "The mean of the shares predicted right in each class."
    balanced = (None if one is first else _balanced(first, one) for one in models)
    out = [
        line("Accuracy", "Of all rows, the share predicted right.", [one.accuracy for one in judged], data.y >= 0),
        MetricLine("Balanced accuracy", mean, tuple(map(MetricCell, [f.balanced_accuracy for f in judged], balanced))),
    ]
    if data.positive is None:
        for k, name in enumerate(data.classes):
            recalls = [one.by_class[k].recall for one in judged]
            out.append(line(f"Recall of {name}", "Of its rows, the share predicted so.", recalls, data.y == k))
        return tuple(out)
    positive, ill = data.classes[data.positive], data.y == data.positive
    with_it = f"Of the rows with {positive}, the share predicted so."
    without = f"Of the rows without {positive}, the share predicted so."
    out.append(line("Sensitivity", with_it, [one.sensitivity for one in judged], ill))
    out.append(line("Specificity", without, [one.specificity for one in judged], ~ill))
    other_rows = "Each model speaks of other rows here, so no difference is shown."
    for name, meaning, values in (
        (
            "PPV",
            f"Of the rows predicted {positive}, the share that are.",
            [one.ppv for one in judged],
        ),
        (
            "NPV",
            f"Of the rows predicted otherwise, the share that are not {positive}.",
            [one.npv for one in judged],
        ),
    ):
        out.append(MetricLine(name, f"{meaning} {other_rows}", tuple(MetricCell(value, None) for value in values)))
    return tuple(out)


def _paired(first: Predictions, other: Predictions, among: np.ndarray) -> Paired:
    weight = None if first.data.weight is None else first.data.weight[among]
    return paired(first.right[among], other.right[among], weight)


def _balanced(first: Predictions, other: Predictions) -> Estimate:
    """The mean of the differences in each class; their rows are others, so their distances add up as squares."""
    y = first.data.y
    gains = np.array([_paired(first, other, y == k).difference for k in np.unique(y)], np.float64)
    value, low, high = gains.T
    mean = float(value.mean())
    below, above = (float(np.sqrt((distance**2).sum())) / len(gains) for distance in (value - low, high - value))
    return Estimate(mean, max(-1.0, mean - below), min(1.0, mean + above))


def wrong_words(one: Predictions) -> str:
    """How many rows a model gets wrong, exactly, for instance '23 of 426'."""
    return f"{count(int((~one.right).sum()))} of {count(one.data.n_samples)}"


def verdict(first: Predictions, second: Predictions, rows: str) -> str:
    """What changes between two models on the rows of this name, in sentences, with how much of it chance could do."""
    everyone = first.data.y >= 0
    found, n_changed = _paired(second, first, everyone), int((first.predicted != second.predicted).sum())
    if not n_changed:
        return f"Both give the same answer for each of the {count(found.n)} {rows} rows."
    fewer, share = found.gained - found.lost, f"{100 * n_changed / found.n:.1f}{NARROW}%"
    sentence = f"{count(n_changed)} of {count(found.n)} {rows} rows ({share}) get another answer. "
    if fewer:
        sentence += (
            f"{first.title} is wrong in {count(abs(fewer), 'row')} fewer than {second.title}"
            if fewer > 0
            else f"{first.title} is wrong in {count(abs(fewer), 'row')} more than {second.title}"
        )
    else:
        sentence += "Both are wrong equally often"
    if rows == "training":
        return (
            f"{sentence}. The models were made for these rows; only rows that they have not seen tell which is better."
        )
    difference = found.difference
    sentence += f": {signed(difference.value)} points of accuracy, 95{NARROW}% interval {span(difference)}"
    if found.p is None:
        return f"{sentence}."
    chance = "chance alone seldom does that" if found.p < 0.05 else "chance alone could do that"
    return f"{sentence}; McNemar\u2019s exact p = {p_words(found.p)}, {chance}."


def p_words(p: float) -> str:
    """A p-value with the digits that matter."""
    if p < 0.001:
        return "below 0.001"
    return format(p, ".3f" if p < 0.1 else ".2f")


def signed(difference: float | None) -> str:
    """A difference of shares in percentage points, with its sign; a dash where there is none."""
    shown = points(difference)
    return f"+{shown}" if difference is not None and round(100 * difference, 1) > 0 else shown


class ChangedRow(NamedTuple):
    """A row that two models answer differently: its number in the file, the truth, both answers, and what that means.

    `turn` is 'gained' where the second is right and the first is not, 'lost' where it is the other way round, and
    'both wrong'.
    """

    row: int
    truth: str
    first: str
    second: str
    turn: str


TURNS = ("gained", "lost", "both wrong")


class ChangedRows(NamedTuple):
    """The rows that two models answer differently, and where they stand among the rows."""

    rows: tuple[ChangedRow, ...]
    positions: np.ndarray

    def of(self, turn: str) -> ChangedRows:
        """Those of one turn."""
        places = [i for i, row in enumerate(self.rows) if row.turn == turn]
        return ChangedRows(tuple(self.rows[i] for i in places), self.positions[places])


def changed_rows(first: Predictions, second: Predictions) -> ChangedRows:
    """The rows that two models answer differently."""
    data, names = first.data, first.data.classes
    changed = changes(data, first.predicted, second.predicted)
    turns = dict.fromkeys(changed.gained.tolist(), "gained") | dict.fromkeys(changed.lost.tolist(), "lost")
    rows = tuple(
        ChangedRow(
            int(data.rows[i]),
            names[data.y[i]],
            names[first.predicted[i]],
            names[second.predicted[i]],
            turns.get(i, "both wrong"),
        )
        for i in changed.changed.tolist()
    )
    return ChangedRows(rows, changed.changed)
