"""Whether searching longer helps on rows that the search does not see: each model on its way, on both kinds of rows.

As in figure 8 of CPTree: training error falls by what the search is; the error on other rows may rise meanwhile. No
Streamlit and no drawing in here.
"""

from typing import NamedTuple

from components.session.work import Run
from components.words.text import count, percent, seconds
from solvers.diagram import Diagram
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
    now = f"{percent(end.test.value)} of {count(test.n_samples, 'held-out row')} are wrong"
    if len(points) == 1:
        return f"{now} by the only {noun} so far, {percent(end.train.value)} in training."
    change = (end.test.value or 0.0) - (begin.test.value or 0.0)
    way = "fell" if change < 0 else "rose" if change > 0 else "stayed"
    words = (
        f"From the {noun} of {seconds(begin.elapsed)} to that of {seconds(end.elapsed)} the training error "
        f"went from {percent(begin.train.value)} to {percent(end.train.value)}; on "
        f"{count(test.n_samples, 'held-out row')} it {way} from {percent(begin.test.value)} to "
        f"{percent(end.test.value)}"
    )
    found = paired(first.predict(test) == test.y, last.predict(test) == test.y, test.weight)
    return f"{words}{chance_words(found.p if change else None)}."
