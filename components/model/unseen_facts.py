"""Whether searching longer helps on rows that the search does not see: each model on its way, on both kinds of rows.

As in figure 8 of CPTree: training error falls by what the search is; the error on other rows may rise meanwhile. No
Streamlit and no drawing in here.
"""

from typing import NamedTuple

from components.session.work import Run
from components.words.text import count, percent, seconds
from solvers.diagram import Diagram
from solvers.language import tr
from solvers.metrics import Rate, paired, rate
from solvers.problem import Dataset
from solvers.run import Snapshot
from solvers.words import chance_words


class UnseenPoint(NamedTuple):
    """A model on the way of a search: when it was found, and the shares of rows that it gets wrong."""

    elapsed: float
    train: Rate
    test: Rate


class UnseenCurve(NamedTuple):
    """The better and better models of a search; `end` is when it was looked at, `sentence` tells what they came to."""

    points: tuple[UnseenPoint, ...]
    end: float
    sentence: str


def unseen_curve(run: Run, snapshot: Snapshot) -> UnseenCurve | None:
    """The models of a search until now; `None` where there is none yet, or no row is held out.

    What a model makes of the rows is counted once.
    """
    train, test = run.prepared.train, run.prepared.test
    if test is None or not snapshot.incumbents:
        return None
    points = []
    for found in snapshot.incumbents:
        # a result that costs as much as the last incumbent takes its place with fewer questions
        key = ("unseen", found.elapsed, found.cost, found.diagram.n_splits)
        if key not in run.worked_out:
            shares = _wrong(found.diagram, train), _wrong(found.diagram, test)
            run.worked_out[key] = UnseenPoint(found.elapsed, *shares)
        points.append(run.worked_out[key])
    first, last = snapshot.incumbents[0].diagram, snapshot.incumbents[-1].diagram
    return UnseenCurve(tuple(points), max(snapshot.elapsed, points[-1].elapsed), _sentence(points, first, last, test))


def _wrong(diagram: Diagram, data: Dataset) -> Rate:
    return rate(diagram.predict(data) != data.y, data.weight)


def _sentence(points: list[UnseenPoint], first: Diagram, last: Diagram, test: Dataset) -> str:
    """How the held-out error went, and whether chance alone does that."""
    begin, end = points[0], points[-1]
    noun = last.kind.noun
    now = tr("{value} of {rows} are wrong", value=percent(end.test.value), rows=count(test.n_samples, "held-out row"))
    if len(points) == 1:
        return tr(
            "{now} by the only {noun} so far, {value} in training.", now=now, noun=noun, value=percent(end.train.value)
        )
    change = (end.test.value or 0.0) - (begin.test.value or 0.0)
    way = tr("fell") if change < 0 else tr("rose") if change > 0 else tr("stayed")
    words = tr(
        "From the {noun} of {elapsed} to that of {elapsed_2} the training error went from {value} to "
        "{value_2}; on {rows} it {way} from {value_3} to {value_4}",
        noun=noun,
        elapsed=seconds(begin.elapsed),
        elapsed_2=seconds(end.elapsed),
        value=percent(begin.train.value),
        value_2=percent(end.train.value),
        rows=count(test.n_samples, "held-out row"),
        way=way,
        value_3=percent(begin.test.value),
        value_4=percent(end.test.value),
    )
    found = paired(first.predict(test) == test.y, last.predict(test) == test.y, test.weight)
    return f"{words}{chance_words(found.p if change else None)}."
