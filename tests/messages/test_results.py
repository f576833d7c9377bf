"""Sentences on a result follow from its facts, and each is said once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from components.widgets import style
from solvers.constraints import MaxErrors
from solvers.constraints.appearance import ScreenedFeatures
from solvers.messages import describe_proof, describe_result, remarks, why_ended
from solvers.messages.glossary import GLOSSARY, meaning
from solvers.messages.results import proof_facts
from solvers.methods import get, names
from solvers.problem import Kind, Limits, Problem, Shape, ShapeKind
from solvers.run import solve
from solvers.run.progress import SearchProgress
from solvers.solution import (
    Bound,
    Details,
    EndReason,
    Incumbent,
    PartialScope,
    Scope,
    Solution,
    Started,
    Status,
)
from tests.strategies import make_dataset

TABLE = make_dataset({"a": (Kind.BINARY, [0, 0, 1, 1, 1]), "b": (Kind.BINARY, [0, 1, 0, 1, 1])}, [0, 1, 1, 0, 1])
PROBLEM = Problem(TABLE, Shape(max_depth=1))
LIMITS = Limits(seconds=5, memory_mb=512)


def ended(reason: EndReason | None, **facts: object) -> Solution:
    """A tree with two errors, no proof, and a search that ended for the given reason."""
    return replace(solve(PROBLEM, "cart"), ended=reason, **{"bound": 1, "method": "contree", **facts})


@pytest.mark.parametrize("reason", [reason for reason in EndReason if reason is not EndReason.PROVED])
def test_every_reason_is_stated_once(reason: EndReason) -> None:
    """The text states the bound, and the reason of the end; a limit has its value."""
    words = describe_result(PROBLEM, ended(reason), LIMITS)
    assert (
        words.count("No tree of depth 1 has fewer than 1 error.") == 1
        and words.count(why_ended(ended(reason), LIMITS)) == 1
    )
    assert "5 s" in words or reason is not EndReason.TIME_LIMIT
    assert "512 MiB" in words or reason is not EndReason.MEMORY_LIMIT


def test_a_search_without_a_model_mentions_no_best_model() -> None:
    """Neither a model nor a bound is mentioned. Regression: the text mentioned the best tree found so far."""
    nothing = ended(EndReason.TIME_LIMIT, bound=None, diagram=None, cost=None, status=Status.NO_SOLUTION)
    words = describe_result(PROBLEM, nothing, LIMITS)
    assert words == "No tree found. No lower bound. Time limit of 5 s reached."


def test_a_bound_of_zero_proves_nothing() -> None:
    """Every cost is at least 0: sentences, table and terminal say that nothing is proved yet."""
    solution = replace(ended(EndReason.TIME_LIMIT, bound=0), status=Status.FEASIBLE, verified=True)
    assert "No lower bound yet." in describe_result(PROBLEM, solution)
    assert describe_proof(PROBLEM, solution) == f"Best so far: {solution.cost} errors. No lower bound yet."
    line = SearchProgress(PROBLEM, lambda text: None)
    for event in (Started("fake"), Incumbent(0.1, 1, solution.diagram), Bound(0.1, 0)):
        line(event)
    assert line.text.startswith("Best tree: cost 1; no lower bound yet; ")
    line(Bound(0.2, 1))
    assert line.text.startswith("Best tree: cost 1; lower bound 1; gap 0.0%; ")
    facts = dict(proof_facts(PROBLEM, replace(solution, seconds=1234.5, cpu_seconds=8.25), "ConTree", ""))
    assert facts["Optimality gap"] == "100.0%" and facts["Time"] == "20 min 34 s (processor 8.2 s)"


def test_the_choice_of_columns_is_stated_for_a_wide_table() -> None:
    """Only if a search over very many columns stops early."""
    wide = make_dataset({f"c{i}": (Kind.BINARY, [0, 0, 1, 1, i % 2]) for i in range(1000)}, [0, 1, 1, 0, 1])
    problem = Problem(wide, Shape(max_depth=1))
    texts = {reason: " ".join(remarks(problem, ended(reason))) for reason in EndReason}
    assert {reason for reason, words in texts.items() if "best of the 1,000 columns" in words} == {
        EndReason.TIME_LIMIT,
        EndReason.MEMORY_LIMIT,
    }
    assert "best of" not in " ".join(remarks(PROBLEM, ended(EndReason.TIME_LIMIT)))
    among = replace(problem, constraints=(ScreenedFeatures(50),))
    assert "best of" not in " ".join(remarks(among, ended(EndReason.TIME_LIMIT)))


@pytest.mark.parametrize("method", [name for name in names() if not name.startswith("fake")])
def test_every_method_reports_facts(method: str) -> None:
    """Methods write no sentences; their facts become complete sentences without gaps or repetition."""
    kind = get(method).kinds[0]
    shape = Shape(kind, widths=(1, 2)) if kind is ShapeKind.DIAGRAM else Shape(kind, max_depth=2)
    problem = Problem(TABLE, shape)
    for limits in (Limits(seconds=30), Limits(seconds=1e-3)):
        solution = solve(problem, method, limits)
        assert solution.message == "" and solution.ended is not None
        words = describe_result(problem, solution, limits)
        assert words and words[0].isupper() and words.endswith(".")
        assert not any(flaw in words.replace(". None of", "") for flaw in ("  ", " .", "..", "None"))
        sentences = words.split(". ")
        assert len(set(sentences)) == len(sentences)
        assert describe_proof(problem, solution).endswith(".") and all(
            isinstance(part, str) for part in remarks(problem, solution)
        )


def test_a_heuristic_is_not_called_interrupted() -> None:
    """The text says that nothing is proved, and does not mention an early end."""
    solution = solve(PROBLEM, "cart")
    assert describe_result(PROBLEM, solution).startswith("Heuristic: no lower bound.")
    assert not list(filter(None, remarks(PROBLEM, solution)))


def test_infeasibility_is_stated_with_its_reason() -> None:
    """The reason of a simple check if there is one; else that infeasibility is proved, and by which method."""
    plain = Problem(TABLE, Shape(max_depth=1, min_samples_leaf=6))
    words = describe_result(plain, solve(plain, "contree"))
    assert words == (
        "No tree is possible: the table has 5 rows, and every leaf must have at least 6. Lower the minimum leaf size."
    )
    hard = replace(PROBLEM, constraints=(MaxErrors(1),))
    proved = solve(hard, "contree")
    assert describe_result(hard, proved) == (
        "No tree of depth 1 satisfies all constraints (proved). Relax a constraint."
    )
    by = replace(proved, details=replace(proved.details, solver="HiGHS"))
    assert "proved by HiGHS" in describe_result(hard, by)


def test_a_restricted_set_of_models_is_named() -> None:
    """Optimal among some splits is not called optimal, and the text names the restriction."""
    part = PartialScope(Scope.QUANTILES, questions=3, bound=2, proved=True)
    words = describe_result(PROBLEM, ended(EndReason.EXHAUSTED, details=Details(part=part)))
    assert words.startswith("Optimal among 3 splits (thresholds at quantiles).") and "has fewer than 1 error" in words


def test_failures_of_a_run_are_quoted() -> None:
    """Failed runs, and runs of earlier versions, have a message instead of facts."""
    broken = ended(None, message="Out of memory; the tree is kept.")
    assert describe_result(PROBLEM, broken) == "Out of memory; the tree is kept." == "".join(remarks(PROBLEM, broken))
    doubted = ended(EndReason.STOPPED, status=Status.CANCELLED, message="Not verified: the cost was wrong.")
    assert describe_result(PROBLEM, doubted).endswith(
        "No tree of depth 1 has fewer than 1 error. Stopped. Not verified: the cost was wrong."
    )


TERMS = [term for terms in GLOSSARY.values() for term in terms]


def test_meanings_are_short_and_names_are_unique() -> None:
    """A tooltip has at most 25 words, and a name has one meaning."""
    names = [name.lower() for term in TERMS for name in term.names]
    assert len(names) == len(set(names))
    assert [term.title for term in TERMS if len(term.meaning.split()) > 25] == []


def test_a_table_explains_its_terms() -> None:
    """Headers and first cells that are terms have their meaning as a tooltip; other cells do not."""
    shown = style.table(("Constraint", "Slack"), [("Lower&nbsp;bound", "depth")])
    assert shown.count("title=") == 3
    assert f'title="{meaning("lower bound")}"' in shown
