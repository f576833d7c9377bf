"""Each model of a search on training and on held-out rows: what is drawn is what they get wrong."""

from __future__ import annotations

import numpy as np
import pytest

from components.model.figures import unseen_live_curve
from components.model.unseen_facts import unseen_points, unseen_words
from components.session.work import Design, Run, train_greedy
from solvers.metrics import paired
from solvers.problem import Problem, Shape
from solvers.run import JobState, Snapshot
from solvers.solution import Incumbent
from tests.pages.handmade import prepared_sample


def a_run(**choices: object) -> tuple[Run, tuple[Incumbent, ...]]:
    """A run with two models on its way: greedy trees of depth 1 and 6."""
    prepared = prepared_sample("triage", **choices)
    problem = Problem(prepared.train, Shape(max_depth=6))
    found = []
    for depth in (1, 6):
        model = train_greedy("cart", Problem(prepared.train, Shape(max_depth=depth)))
        found.append(Incumbent(float(depth), model.cost, model.diagram))
    return Run(1, prepared, Design(), problem, None), tuple(found)


def at(incumbents: tuple[Incumbent, ...]) -> Snapshot:
    """A search at work that has found these."""
    return Snapshot(JobState.RUNNING, 8.0, None, None, (), None, "", incumbents=incumbents)


def test_each_model_is_counted_on_both_kinds_of_rows() -> None:
    """Shares are those of a plain count; the sentence has the first, the last, and whether chance may explain it."""
    run, incumbents = a_run(test_share=0.4)
    found = unseen_points(run, at(incumbents))
    train, test = run.prepared.train, run.prepared.test
    for point, one in zip(found.itertuples(), incumbents, strict=True):
        assert point.elapsed == one.elapsed
        assert point.train.value == pytest.approx(np.mean(one.diagram.predict(train) != train.y))
        assert (point.test.k, point.test.n) == ((one.diagram.predict(test) != test.y).sum(), test.n_samples)
    first, last = (one.diagram.predict(test) == test.y for one in incumbents)
    sentence = unseen_words(found, at(incumbents), test)
    p, way = paired(first, last).p, "fell" if last.sum() > first.sum() else "rose"
    assert f"on {test.n_samples} held-out rows it {way} from" in sentence
    assert sentence.endswith("more than chance explains." if p < 0.05 else "that chance may explain.")
    figure = unseen_live_curve(found, 8.0, dark=True)
    drawn = {round(y, 6) for trace in figure.data for y in trace.y}
    assert {round(100 * point.test.value, 6) for point in found.itertuples()} <= drawn
    labels = [label.text.split()[0] for label in figure.layout.annotations]
    assert labels == ["training", "held-out"]


def test_a_single_model_is_told_without_a_change() -> None:
    """With one model there is nothing to compare; a model that comes later is added, the others stay as counted."""
    run, incumbents = a_run(test_share=0.4)
    one = unseen_points(run, at(incumbents[:1]))
    assert "by the only tree so far" in unseen_words(one, at(incumbents[:1]), run.prepared.test) and len(one) == 1
    assert unseen_points(run, at(incumbents))["test"][0] is one["test"][0]


def test_without_held_out_rows_or_models_there_is_nothing() -> None:
    """Training figures alone are the usual curve."""
    run, incumbents = a_run(test_share=None)
    assert unseen_points(run, at(incumbents)) is None
    run, _ = a_run(test_share=0.4)
    assert unseen_points(run, at(())) is None
