"""The progress and the final result of a search in one line."""

from dataclasses import replace
from typing import Any

from solvers.problem import Problem
from solvers.run import solve
from solvers.run.progress import SearchProgress, notebook_progress
from solvers.solution import Incumbent, Scope, Solution, Status
from tests.run.problems import mixed


def test_only_a_verified_optimum_is_shown_as_proved() -> None:
    problem, texts = mixed(), []
    shown = SearchProgress(problem, texts.append)
    solution = solve(problem, "contree", emit=shown)
    assert solution.status is Status.OPTIMAL and solution.cost is not None
    assert "optimal" not in shown.text and f"cost {solution.cost / problem.scale:g}" in shown.text
    shown.close(solution)
    assert texts[-1] == shown.text
    assert f"cost {solution.cost / problem.scale:g}; optimal on the training data" in shown.text
    assert "optimal" not in _last(problem, replace(solution, verified=False))


def test_a_bound_for_some_models_only_is_not_shown() -> None:
    problem = mixed()
    solution = replace(solve(problem, "contree"), status=Status.FEASIBLE)
    assert _last(problem, solution).count("lower bound") == 1
    assert "no lower bound" in _last(problem, replace(solution, scope=Scope.QUANTILES))
    assert _last(problem, replace(solution, diagram=None, cost=None)).startswith("No tree;")
    nothing = replace(solution, diagram=None, cost=None, bound=None, status=Status.INFEASIBLE)
    assert "satisfies the constraints (proved)" in _last(problem, nothing)


def test_the_first_model_is_shown_at_once_and_later_ones_are_throttled() -> None:
    problem, texts = mixed(), []
    solution = solve(problem, "contree")
    assert solution.diagram is not None
    shown = SearchProgress(problem, texts.append, 0.5)
    for cost in (9, 8, 7):
        shown(Incumbent(0.0, cost, solution.diagram))
    assert len(texts) == 1 and "cost 4.5" in texts[0] and "cost 3.5" in shown.text


def test_nothing_is_shown_outside_a_notebook(capsys: Any) -> None:
    assert notebook_progress(mixed()) is None
    solve(mixed(), "cart")
    assert capsys.readouterr().out == ""


def _last(problem: Problem, solution: Solution) -> str:
    texts: list[str] = []
    SearchProgress(problem, texts.append).close(solution)
    return texts[-1]
