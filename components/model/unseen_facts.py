"""Whether searching longer helps on rows that the search does not see: each model on its way, on both kinds of rows.

As in figure 8 of CPTree: training error falls by what the search is; the error on other rows may rise meanwhile. No
Streamlit and no drawing in here.
"""

import pandas as pd

from components.session.work import Run
from components.words.text import count, percent, seconds
from solvers.diagram import Diagram
from solvers.metrics import Rate, paired, rate
from solvers.problem import Dataset
from solvers.run import Snapshot
from solvers.words import chance_words


def unseen_points(run: Run, snapshot: Snapshot) -> pd.DataFrame | None:
    """The models of a search so far: when each was found, and which shares of training and held-out rows are wrong.

    `None` if there is no model yet, or no row is held out. Each model is counted once.
    """
    train, test = run.prepared.train, run.prepared.test
    if test is None or not snapshot.incumbents:
        return None
    points = []
    for found in snapshot.incumbents:
        # a result that costs as much as the last incumbent takes its place with fewer questions
        key = ("unseen", found.elapsed, found.cost, found.diagram.n_splits)
        if key not in run.worked_out:
            run.worked_out[key] = found.elapsed, _wrong(found.diagram, train), _wrong(found.diagram, test)
        points.append(run.worked_out[key])
    return pd.DataFrame(points, columns=["elapsed", "train", "test"])


def _wrong(diagram: Diagram, data: Dataset) -> Rate:
    return rate(diagram.predict(data) != data.y, data.weight)


def unseen_words(points: pd.DataFrame, snapshot: Snapshot, test: Dataset) -> str:
    """How the held-out error went, and whether chance alone does that."""
    first, last = snapshot.incumbents[0].diagram, snapshot.incumbents[-1].diagram
    begin, end, noun = points.iloc[0], points.iloc[-1], last.kind.noun
    held_out = count(test.n_samples, "held-out row")
    if len(points) == 1:
        return (
            f"{percent(end['test'].value)} of {held_out} are wrong by the only {noun} so far, "
            f"{percent(end['train'].value)} in training."
        )
    change = (end["test"].value or 0.0) - (begin["test"].value or 0.0)
    way = "fell" if change < 0 else "rose" if change > 0 else "stayed"
    words = (
        f"From the {noun} of {seconds(begin['elapsed'])} to that of {seconds(end['elapsed'])} the training error went "
        f"from {percent(begin['train'].value)} to {percent(end['train'].value)}; on {held_out} it {way} from "
        f"{percent(begin['test'].value)} to {percent(end['test'].value)}"
    )
    found = paired(first.predict(test) == test.y, last.predict(test) == test.y, test.weight)
    return f"{words}{chance_words(found.p if change else None)}."
