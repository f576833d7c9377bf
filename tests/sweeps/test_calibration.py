"""Choosing skeleton and alpha by validation: every setting is judged on rows that its models have not seen."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from solvers.__main__ import main
from solvers.errors import DataError
from solvers.problem import Kind, Limits, Objective, Problem, Shape, ShapeKind, holdout
from solvers.problem.skeleton import objective_of
from solvers.run import solve
from solvers.sweeps.calibration import Setting, best, calibration, settings
from solvers.sweeps.study import Results
from tests.strategies import make_dataset

SMALL = ((1,), (1, 2))


def table(n: int = 60, weight: list[float] | None = None):
    """Rows of three classes that two thresholds tell apart, but for a few."""
    rng = np.random.default_rng(0)
    X = rng.random((n, 3))
    y = (X[:, 0] > 0.4).astype(int) + ((X[:, 0] > 0.4) & (X[:, 1] > 0.5))
    wrong = rng.random(n) < 0.1
    return make_dataset(
        {f"x{j}": (Kind.NUMERIC, X[:, j]) for j in range(3)}, np.where(wrong, (y + 1) % 3, y).tolist(), weight=weight
    )


def diagrams(n: int = 60, **more: object) -> Problem:
    """The table as a problem for diagrams."""
    return Problem(table(n), Shape(kind=ShapeKind.DIAGRAM, widths=(1, 2)), **more)


def test_every_setting_is_tried_on_every_division() -> None:
    """Each skeleton is tried with each alpha, on training rows that are divided again for each repeat."""
    problem = diagrams(objective=Objective(class_costs=((0, 1, 1), (2, 0, 1), (3, 1, 0))))
    study = calibration("odd-greedy", skeletons=SMALL, alphas=(0.1, 0.5), share=0.25, repeats=2, step=3.0)
    cells = list(study.planned(problem, Limits(seconds=3.0, seed=4)))
    divisions = [holdout(problem.dataset, 0.25, seed) for seed in (4, 5)]
    tried = [(widths, alpha) for widths in SMALL for alpha in (0.1, 0.5)]
    assert len(cells) == 8
    for i, cell in enumerate(cells):
        posed, (train, unseen) = cell.job.problem, divisions[i // 4]
        widths, alpha = tried[i % 4]
        assert posed.dataset.rows.tolist() == train.rows.tolist() and cell.unseen.rows.tolist() == unseen.rows.tolist()
        assert posed.shape.widths == widths
        assert posed.objective == objective_of(alpha, train.n_samples, base=problem.objective)
        assert posed.objective.class_costs == problem.objective.class_costs


def test_alpha_counts_weights() -> None:
    """With weights the price of a question is a share of their sum."""
    weighted = replace(diagrams(), dataset=table(weight=[2.0] * 60))
    study = calibration("odd-greedy", skeletons=SMALL[1:], alphas=(0.7,), share=0.5)
    assert next(study.planned(weighted, Limits())).job.problem.objective.split_cost == pytest.approx(
        0.7 * 60 / 14, abs=1e-4
    )


def test_the_best_is_the_most_accurate_then_the_smallest() -> None:
    """Accuracy on unseen rows decides, then the questions, then the larger alpha; partly tried settings do not."""
    base = Setting((1,), 0.1, 2, 0, 8, 10, 0, 0, 6, 0)
    better = base._replace(widths=(1, 2), right=9)
    smaller = better._replace(questions=4, alpha=0.2)
    dearer = smaller._replace(alpha=0.5)
    partial = base._replace(alpha=1.0, models=1, failed=1, right=5, total=5)
    none = base._replace(models=0, failed=2, right=0, total=0)
    assert best((base, better)) is better
    assert best((better, smaller, base)) is smaller
    assert best((smaller, dearer)) is dearer
    assert best((base, partial, none)) is base
    assert best((none,)) is None and best(()) is None


def test_models_are_judged_as_they_predict() -> None:
    """The counts are those of the models on the rows that were set apart."""
    problem, told = diagrams(), []
    study = calibration("odd-greedy", skeletons=SMALL, alphas=(0.01, 1.0))
    found = settings(study.results(problem, Limits(seconds=None), tell=told.append))
    train, unseen = holdout(problem.dataset, 1 / 3, 0)
    for one in found:
        posed = Problem(train, replace(problem.shape, widths=one.widths), objective_of(one.alpha, train.n_samples))
        model = solve(posed, "odd-greedy").diagram
        assert one.right == sum(int(a == b) for a, b in zip(model.predict(unseen), unseen.y, strict=True))
        assert one.questions == model.n_splits
    assert [known.done for known in told] == [0, 1, 2, 3, 4, 4]


def test_models_that_fail_are_counted() -> None:
    """If no model is found, the setting has none."""
    failed = tuple({"cell": key, "widths": "1 2", "alpha": 0.1, "verified": None, "test_errors": None} for key in "ab")
    assert [(one.models, one.failed) for one in settings(Results(2, failed))] == [(0, 1), (0, 1)]
    assert best(settings(Results(2, failed))) is None


def test_rows_that_are_too_few_are_refused() -> None:
    """Some rows must be left to judge on."""
    with pytest.raises(DataError, match="share"):
        calibration("odd-greedy", share=1.5).results(diagrams())


@pytest.fixture
def data(tmp_path):
    """The table as a file."""
    rows = table(90)
    lines = [",".join([*map(str, x.round(3)), f"c{k}"]) for x, k in zip(rows.X, rows.y, strict=True)]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["a,b,c,outcome", *lines]), "utf-8")
    return path


def test_command_line(data, capsys: pytest.CaptureFixture[str]) -> None:
    """`recommend` prints every setting of a diagram, the best one, and the model of all training rows with it."""
    words = ["recommend", str(data), "--target", "outcome", "--method", "odd-greedy", "--skeletons", "1,2;I"]
    assert main([*words, "--alphas", "0.1,1", "--test-share", "0.25", "--time-per-model", "5"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("\n1 2") == 4 and "Best: skeleton 1 2" in printed and "Held out:" in printed
    assert main([*words, "--alphas", "0.1,1", "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert len(output["settings"]) == 4 and output["finished"]
    most = max(output["settings"], key=lambda t: (t["right"] / t["total"], -t["questions"], t["alpha"]))
    assert output["best"] == most
    assert output["model"]["verified"] and output["model"]["n_samples"] == 90


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--alpha", "0.1"], "Leave --alpha out"),
        (["--skeleton", "I"], "Leave --skeleton out"),
        (["--split-penalty", "1"], "Leave --split-penalty out"),
        (["--skeletons", "1,2;V"], "A skeleton must be I, II, III, IV"),
        (["--shape", "bdd", "--method", "bdd-maxsat"], "decision diagram"),
    ],
)
def test_wrong_words_are_told(data, words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What does not belong to a sweep is refused in a sentence."""
    method = [] if "--method" in words else ["--method", "odd-greedy"]
    assert main(["recommend", str(data), "--target", "outcome", *method, *words]) == 2
    assert said in capsys.readouterr().err
