"""Sentences on a recommended size: what it is, why, its error on new rows, and what is unknown."""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from solvers.messages.recommendation import describe_recommendation
from solvers.metrics.recommended_size import OuterFold, Recommendation, SizeCandidate
from solvers.problem import Objective, Problem, sample_dataset

PROBLEM = Problem(sample_dataset("iris"))
SMALL = SizeCandidate("contree", 2, 8, 6.0, 3, 2, 0.12, (0.18, 0.22))
LARGE = SizeCandidate("contree", 3, 8, 0.0, 8, 3, 0.05, (0.17, 0.21))
GREEDY = SizeCandidate("cart", 8, 5, 1.0, 12, 6, 0.04, (0.1, 0.1))
FOUND = Recommendation((SMALL, LARGE), 0, n_folds=2, repeats=1, n_outer=2, finished=True)


def sentences(found: Recommendation, problem: Problem = PROBLEM) -> str:
    """All sentences."""
    return " ".join(describe_recommendation(found, problem))


def test_size_and_reason_are_stated() -> None:
    """Depth, rows per leaf, split penalty and leaves, the validated error, and the lowest of all errors."""
    words = sentences(FOUND)
    assert "a tree of depth at most 2, with at least 8 rows per leaf, split penalty 6 errors" in words
    assert "on these rows 3 leaves" in words
    assert "Validated error: 20.0%; lowest of all sizes 19.0% (8 leaves)" in words
    assert "On new rows" not in words


def test_the_error_on_new_rows_is_from_the_outer_loop() -> None:
    """It is weighted by rows; if some folds are missing, the sentence gives their number."""
    fold = OuterFold(3, "contree", 0.2, 0.3, 0.5, 10.0)
    part = structs.replace(FOUND, outer=(fold,))
    assert "20.0% (1 of 2 folds); a greedy tree of recommended size 30.0%" in sentences(part)
    whole = structs.replace(FOUND, outer=(fold, replace(fold, error=0.4, greedy_error=None, weight=30.0)))
    assert "35.0%; a constant prediction 50.0%." in sentences(whole)
    assert "No better than" not in sentences(whole)
    useless = structs.replace(FOUND, outer=(fold, replace(fold, error=0.9)))
    assert "No better than a constant prediction" in sentences(useless)


def test_a_constant_prediction_and_a_greedy_tree_are_named() -> None:
    """If no tree is better than the constant prediction, or if nothing is proved."""
    leaf = replace(SMALL, n_leaves=1, depth=0, proved=True)
    assert "No size is better than a constant prediction" in sentences(structs.replace(FOUND, candidates=(leaf,)))
    words = sentences(structs.replace(FOUND, candidates=(GREEDY,)))
    assert "No optimal tree was compared in time" in words and "not proved optimal" in words
    assert "No optimal tree was as good" in sentences(structs.replace(FOUND, candidates=(GREEDY, LARGE)))


def test_costs_are_not_percentages() -> None:
    """With misclassification costs errors are given per row, not in percent."""
    costs = ((0.0, 2.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, 0.0))
    assert "Validated error: 0.2 errors a row" in sentences(FOUND, replace(PROBLEM, objective=Objective(costs)))


def test_missing_results_are_stated() -> None:
    """If there was no time at all, or depths were omitted; nothing is said before a result exists."""
    late = Recommendation(finished=True, left_out=(2, 3))
    assert sentences(late) == "No size is recommended, because the time ended before depth 2 and 3 could be compared."
    assert "before sizes could be compared" in sentences(structs.replace(late, left_out=()))
    assert "Not compared for lack of time: depth 3." in sentences(structs.replace(FOUND, left_out=(3,)))
    assert sentences(Recommendation()) == ""
