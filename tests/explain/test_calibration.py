"""Choosing skeleton and alpha by validation: every setting is judged on rows that its models have not seen."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import numpy as np
import pytest

from solvers.__main__ import main
from solvers.errors import DataError, ShapeError
from solvers.explain import Calibrate, Calibration, Trial, calibrate, solver
from solvers.explain.calibration import ALPHAS, SKELETONS
from solvers.methods.diagrams.draft import DiagramDraft, leaf_arc
from solvers.problem import Kind, Limits, Objective, Problem, Shape, ShapeKind, holdout
from solvers.problem.skeleton import objective_of
from solvers.run import StopFlag
from solvers.run.json_types import kind_from_json, kind_to_json
from solvers.run.solver_run import Channel
from solvers.run.tasks import carry_task, task_from_json, task_to_json
from solvers.solution import Answered, Solution, Status
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


class Asked:
    """A solver that answers one class always, and keeps what it was asked."""

    def __init__(self, label: int = 0, lie: int = 0, give_up: bool = False) -> None:
        self.label, self.lie, self.give_up = label, lie, give_up
        self.problems: list[Problem] = []
        self.seconds: list[float | None] = []

    def __call__(self, problem: Problem, limits: Limits, emit, stop) -> Solution:
        self.problems.append(problem)
        self.seconds.append(limits.seconds)
        if self.give_up:
            return Solution(problem.id, "asked", Status.NO_SOLUTION, None, None, None, 0.5, 0.5)
        diagram = DiagramDraft(root=leaf_arc(self.label)).diagram(problem)
        cost = problem.cost(diagram.predict(problem.dataset)) - self.lie
        return Solution(problem.id, "asked", Status.FEASIBLE, diagram, cost, None, 0.5, 0.5)


def test_every_setting_is_asked_on_every_division() -> None:
    """The solver gets each skeleton with each alpha, on training rows that are divided anew for each repeat."""
    stub = Asked()
    problem = diagrams(objective=Objective(class_costs=((0, 1, 1), (2, 0, 1), (3, 1, 0))))
    found = calibrate(problem, stub, Limits(seed=4), skeletons=SMALL, alphas=(0.1, 0.5), share=0.25, repeats=2, step=3)
    assert found.complete and found.finished and found.done == 8
    assert set(stub.seconds) == {3}
    divisions = [holdout(problem.dataset, 0.25, seed) for seed in (4, 5)]
    settings = [(widths, alpha) for widths in SMALL for alpha in (0.1, 0.5)]
    for i, posed in enumerate(stub.problems):
        train, _ = divisions[i // 4]
        widths, alpha = settings[i % 4]
        assert posed.dataset.rows.tolist() == train.rows.tolist()
        assert posed.shape.widths == widths
        assert posed.objective == objective_of(alpha, train.n_samples, base=problem.objective)
        assert posed.objective.class_costs == problem.objective.class_costs
    for trial in found.trials:
        assert trial.right == sum(int((test.y == 0).sum()) for _, test in divisions)
        assert trial.total == sum(test.n_samples for _, test in divisions)
        assert trial.train_right == sum(int((train.y == 0).sum()) for train, _ in divisions)
        assert (trial.models, trial.failed, trial.proved, trial.mean_questions, trial.seconds) == (2, 0, 0, 0, 1.0)


def test_alpha_counts_weights() -> None:
    """With weights the price of a question is a share of their sum."""
    stub = Asked()
    weighted = replace(diagrams(), dataset=table(weight=[2.0] * 60))
    calibrate(weighted, stub, Limits(), skeletons=SMALL[:1], alphas=(0.7,), share=0.5)
    assert stub.problems[0].objective.split_cost == pytest.approx(0.7 * 60 / 14, abs=1e-4)


def test_the_best_is_the_most_accurate_then_the_smallest() -> None:
    """Accuracy on unseen rows decides, then the questions, then the larger alpha; partly tried settings do not."""
    base = Trial((1,), 0.1, models=2, right=8, total=10, questions=6)
    better = replace(base, widths=(1, 2), right=9)
    smaller = replace(better, questions=4, alpha=0.2)
    dearer = replace(smaller, alpha=0.5)
    partial = replace(base, alpha=1.0, models=1, failed=1, right=5, total=5)
    none = Trial((1,), 2.0)
    assert Calibration((base, better)).best is better
    assert Calibration((better, smaller, base)).best is smaller
    assert Calibration((smaller, dearer)).best is dearer
    assert Calibration((base, partial, none)).best is base
    assert Calibration((none,)).best is None and Calibration((none,)).done == 0
    assert none.accuracy is None and none.train_accuracy is None and none.mean_questions is None
    assert partial.accuracy == 1.0


def test_real_models_are_judged_as_they_predict() -> None:
    """With a method of the registry, the counts are those of the models on the rows that were set apart."""
    problem, answers = diagrams(), []
    found = calibrate(
        problem, solver("odd-greedy"), Limits(seconds=None), tell=answers.append, skeletons=SMALL, alphas=(0.01, 1.0)
    )
    train, unseen = holdout(problem.dataset, 1 / 3, 0)
    for trial in found.trials:
        shape = replace(problem.shape, widths=trial.widths)
        posed = Problem(train, shape, objective_of(trial.alpha, train.n_samples))
        model = solver("odd-greedy")(posed, Limits(), lambda event: None, threading.Event()).diagram
        assert trial.right == sum(int(a == b) for a, b in zip(model.predict(unseen), unseen.y, strict=True))
        assert trial.questions == model.n_splits
    assert found.best.accuracy == max(trial.accuracy for trial in found.trials)
    assert [answer.done for answer in answers] == [0, 1, 2, 3, 4]
    assert [answer.seconds for answer in answers] == sorted(answer.seconds for answer in answers)


def test_models_that_fail_are_counted() -> None:
    """Where no model is found, or one fails its check, the setting has none."""
    for stub in (Asked(give_up=True), Asked(lie=1)):
        found = calibrate(diagrams(), stub, Limits(), skeletons=SMALL, alphas=(0.1,))
        assert [(trial.models, trial.failed) for trial in found.trials] == [(0, 1), (0, 1)]
        assert found.complete and found.best is None


def test_stopped_and_out_of_time() -> None:
    """What was tried until then is kept, and the answer says that it is not complete."""
    stop = threading.Event()

    def once(answer: Calibration) -> None:
        if answer.done == 1:
            stop.set()

    stopped = calibrate(diagrams(), Asked(), Limits(), stop, once, skeletons=SMALL, alphas=(0.1, 1.0))
    assert (stopped.done, stopped.finished, stopped.complete) == (1, True, False)
    late = calibrate(diagrams(), Asked(), Limits(seconds=1e-6), skeletons=SMALL, alphas=(0.1,))
    assert (late.done, late.finished, late.complete) == (0, True, False)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"skeletons": ()}, "at least one skeleton"),
        ({"alphas": ()}, "one alpha"),
        ({"repeats": 0}, "at least once"),
        ({"skeletons": ((1, 3),)}, "at most 2 questions"),
    ],
)
def test_impossible_sweeps_are_refused(change: dict, said: str) -> None:
    """Nothing is solved before it is clear that the whole sweep makes sense."""
    with pytest.raises(ShapeError, match=said):
        calibrate(diagrams(), Asked(), Limits(), **change)


def test_other_shapes_and_too_few_rows_are_refused() -> None:
    """Skeletons are those of diagrams, and some rows must be left to judge on."""
    with pytest.raises(ShapeError, match="decision diagrams"):
        calibrate(Problem(table(), Shape(max_depth=2)), Asked(), Limits())
    with pytest.raises(DataError, match="share"):
        calibrate(diagrams(), Asked(), Limits(), share=1.5)


def test_task_and_answer_are_written_and_read() -> None:
    """A calibration can be asked of a worker: task and answer survive JSON."""
    task = Calibrate(skeletons=SMALL, alphas=(0.1,), repeats=2, step=0.5)
    assert task_from_json(json.loads(json.dumps(task_to_json(task)))) == task
    answers: list[Calibration] = []
    hear = Channel(lambda event: answers.append(event.answer) if isinstance(event, Answered) else None)
    carry_task(task, diagrams(), "odd-greedy", Limits(seconds=None), hear, StopFlag())
    assert answers[-1].complete and answers[-1].finished
    assert kind_from_json("answer", json.loads(json.dumps(kind_to_json("answer", answers[-1])))) == answers[-1]
    assert Calibrate().skeletons == SKELETONS and Calibrate().alphas == ALPHAS


@pytest.fixture
def data(tmp_path):
    """The table as a file."""
    rows = table(90)
    lines = [",".join([*map(str, x.round(3)), f"c{k}"]) for x, k in zip(rows.X, rows.y, strict=True)]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["a,b,c,outcome", *lines]), "utf-8")
    return path


def test_command_line(data, capsys: pytest.CaptureFixture[str]) -> None:
    """`calibrate` prints every setting, the best one, and the model of all training rows with it."""
    words = ["calibrate", str(data), "--target", "outcome", "--method", "odd-greedy", "--skeletons", "1,2;I"]
    assert main([*words, "--alphas", "0.1,1", "--test-share", "0.25", "--step", "5"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("\n1 2") == 4 and "Best: skeleton 1 2" in printed and "Held out:" in printed
    assert main([*words, "--alphas", "0.1,1", "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert len(output["trials"]) == 4 and output["finished"]
    best = max(output["trials"], key=lambda t: (t["right"] / t["total"], -t["questions"], t["alpha"]))
    assert output["best"] == best
    assert output["model"]["verified"] and output["model"]["n_samples"] == 90


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--alpha", "0.1"], "Leave --alpha out"),
        (["--skeleton", "I"], "Leave --skeleton out"),
        (["--split-cost", "1"], "Leave --split-cost out"),
        (["--skeletons", "1,2;V"], "A skeleton must be I, II, III, IV"),
        (["--shape", "tree", "--method", "cart"], "decision diagram"),
    ],
)
def test_wrong_words_are_told(data, words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What does not belong to a sweep is refused in a sentence."""
    method = [] if "--method" in words else ["--method", "odd-greedy"]
    assert main(["calibrate", str(data), "--target", "outcome", *method, *words]) == 2
    assert said in capsys.readouterr().err
