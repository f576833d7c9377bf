"""Several models on the same rows: which can be compared, how each does, and whether chance could make a difference."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from components.session.work import Model, Prepared, Run
from components.words.text import MINUS, NARROW, count, points, span
from solvers.metrics import Estimate, Paired, Performance, Rate, changes, paired, performance
from solvers.problem import Dataset


class Entry(NamedTuple):
    """A model of the session: a key that tells it apart, a title that does so for the user, and whose it is."""

    key: str
    title: str
    run: Run
    model: Model


def entries(found: Iterable[tuple[Run, Sequence[Model]]]) -> tuple[Entry, ...]:
    """The models of several runs, each once; where there are several runs, titles say which."""
    found = list(found)
    made: dict[str, Entry] = {}
    for run, models in found:
        for model in models:
            title = model.title if len(found) == 1 else f"{model.title}, run {run.number}"
            made.setdefault(f"{run.number} {model.key}", Entry(f"{run.number} {model.key}", title, run, model))
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
    same = _same(a, b) and (
        first.test is second.test
        or (first.test is not None and second.test is not None and _same(first.test, second.test))
    )
    return None if same else "its rows were divided, left out or weighted otherwise"


def _same(a: Dataset, b: Dataset) -> bool:
    if not (np.array_equal(a.rows, b.rows) and np.array_equal(a.y, b.y)):
        return False
    return (a.weight is None) == (b.weight is None) and (a.weight is None or np.array_equal(a.weight, b.weight))


class Answers(NamedTuple):
    """What a model says of some rows: class indices, int (n_samples,)."""

    entry: Entry
    data: Dataset
    predicted: np.ndarray

    @property
    def right(self) -> np.ndarray:
        """Which rows it gets right, bool (n_samples,)."""
        return self.predicted == self.data.y


def answers(entry: Entry, data: Dataset) -> Answers:
    """What a model says of some rows.

    Raises
    ------
    DataError
        The rows lack a column that the model asks about, or have a missing value that it must not meet.
    """
    return Answers(entry, data, entry.model.solution.diagram.predict(data))


class Figure(NamedTuple):
    """A metric of a model, and how it differs from that of the first model.

    Attributes
    ----------
    found : the metric; `None` where it has no meaning.
    against : this model minus the first on the same rows; `None` for the first model, and where both are not shares of
        the same rows.
    """

    found: Rate | Estimate | None
    against: Estimate | None


class Line(NamedTuple):
    """A metric of all models: its name, what it means, and a figure for each."""

    name: str
    meaning: str
    figures: tuple[Figure, ...]


def lines(said: Sequence[Answers]) -> tuple[Line, ...]:
    """The metrics of all models, side by side; differences are to the first one."""
    data = said[0].data
    found = [performance(data, one.predicted) for one in said]
    positive = None if data.positive is None else data.classes[data.positive]
    out = [
        _line(said, found, "accuracy", "Accuracy", "Of all rows, the share predicted right.", None),
        Line(
            "Balanced accuracy",
            "The mean of the shares predicted right in each class.",
            tuple(
                Figure(figures.balanced_accuracy, None if one is said[0] else _balanced(said[0], one))
                for figures, one in zip(found, said, strict=True)
            ),
        ),
    ]
    if positive is None:
        for k, name in enumerate(data.classes):
            figures = tuple(
                Figure(one.by_class[k].recall, _difference(said[0], other, data.y == k))
                for one, other in zip(found, said, strict=True)
            )
            out.append(Line(f"Recall of {name}", "Of its rows, the share predicted so.", figures))
        return tuple(out)
    ill = data.y == data.positive
    of = f"Of the rows with {positive}, the share predicted so."
    out.append(_line(said, found, "sensitivity", "Sensitivity", of, ill))
    of = f"Of the rows without {positive}, the share predicted so."
    out.append(_line(said, found, "specificity", "Specificity", of, ~ill))
    for field, name, of in (
        ("ppv", "PPV", f"Of the rows predicted {positive}, the share that are."),
        ("npv", "NPV", f"Of the rows predicted otherwise, the share that are not {positive}."),
    ):
        of += " Each model speaks of other rows here, so no difference is told."
        out.append(Line(name, of, tuple(Figure(getattr(one, field), None) for one in found)))
    return tuple(out)


def _line(
    said: Sequence[Answers], found: Sequence[Performance], field: str, name: str, meaning: str, among: np.ndarray | None
) -> Line:
    figures = tuple(
        Figure(getattr(one, field), _difference(said[0], other, among)) for one, other in zip(found, said, strict=True)
    )
    return Line(name, meaning, figures)


def _difference(first: Answers, other: Answers, among: np.ndarray | None) -> Estimate | None:
    """How much more of some rows the other model gets right."""
    return None if other is first else _paired(first, other, among).difference


def _paired(first: Answers, other: Answers, among: np.ndarray | None = None) -> Paired:
    among = np.ones(first.data.n_samples, bool) if among is None else among
    weight = None if first.data.weight is None else first.data.weight[among]
    return paired(first.right[among], other.right[among], weight)


def _balanced(first: Answers, other: Answers) -> Estimate:
    """The mean of the differences in each class; their rows are others, so their distances add up as squares."""
    y = first.data.y
    found = [_paired(first, other, y == k).difference for k in np.unique(y)]
    value = sum(one.value for one in found) / len(found)
    below = math.sqrt(sum((one.value - one.low) ** 2 for one in found)) / len(found)
    above = math.sqrt(sum((one.high - one.value) ** 2 for one in found)) / len(found)
    return Estimate(value, max(-1.0, value - below), min(1.0, value + above))


def wrong_words(said: Answers) -> str:
    """How many rows a model gets wrong, exactly, for instance '23 of 426'."""
    return f"{count(int((~said.right).sum()))} of {count(said.data.n_samples)}"


def verdict(first: Answers, second: Answers, rows: str) -> str:
    """What changes between two models, in sentences, with how much of it chance could do.

    Parameters
    ----------
    rows : the name of the rows; those of training chose the models, so nothing is tested on them.
    """
    found, n_changed = _paired(second, first), int((first.predicted != second.predicted).sum())
    if not n_changed:
        return f"Both give the same answer for each of the {count(found.n)} {rows} rows."
    a, b, fewer = first.entry.title, second.entry.title, found.gained - found.lost
    told = f"{count(n_changed)} of {count(found.n)} {rows} rows ({_share(n_changed, found.n)}) get another answer. "
    if fewer:
        told += f"{a} is wrong in {count(abs(fewer), 'row')} {'fewer' if fewer > 0 else 'more'} than {b}"
    else:
        told += "Both are wrong equally often"
    if rows == "training":
        return f"{told}. The models were made for these rows; only rows that they have not seen tell which is better."
    difference = found.difference
    told += f": {signed(difference.value)} points of accuracy, 95{NARROW}% interval {span(difference)}"
    if found.p is None:
        return f"{told}."
    chance = "chance alone seldom does that" if found.p < 0.05 else "chance alone could do that"
    return f"{told}; McNemar\u2019s exact p = {p_words(found.p)}, {chance}."


def _share(k: int, n: int) -> str:
    return f"{100 * k / n:.1f}{NARROW}%"


def p_words(p: float) -> str:
    """A p-value with the digits that matter."""
    if p < 0.001:
        return "below 0.001"
    return f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def signed(difference: float) -> str:
    """A difference of shares in percentage points, with its sign."""
    shown = points(difference)
    return shown if shown.startswith(MINUS) or not float(shown) else f"+{shown}"


class Changed(NamedTuple):
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

    rows: tuple[Changed, ...]
    positions: np.ndarray

    def of(self, turn: str) -> ChangedRows:
        """Those of one turn."""
        kept = [i for i, row in enumerate(self.rows) if row.turn == turn]
        return ChangedRows(tuple(self.rows[i] for i in kept), self.positions[kept])


def changed_rows(first: Answers, second: Answers) -> ChangedRows:
    """The rows that two models answer differently."""
    data, names = first.data, first.data.classes
    found = changes(data, first.predicted, second.predicted)
    turns = dict.fromkeys(found.gained.tolist(), "gained") | dict.fromkeys(found.lost.tolist(), "lost")
    rows = tuple(
        Changed(
            int(data.rows[i]),
            names[data.y[i]],
            names[first.predicted[i]],
            names[second.predicted[i]],
            turns.get(i, "both wrong"),
        )
        for i in found.changed.tolist()
    )
    return ChangedRows(rows, found.changed)
