"""Files of every kind, from their bytes to an exported model: each ends in a correct model or in a sentence."""

from __future__ import annotations

import json
import random
from collections import Counter

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solvers.diagram import Diagram, from_json, to_dot, to_json, to_rules
from solvers.diagram.sql import to_sql
from solvers.errors import EspalierError
from solvers.metrics import verify
from solvers.problem import (
    Dataset,
    Limits,
    MissingPolicy,
    Problem,
    Request,
    Shape,
    build,
    infer_columns,
    read_table,
    suggest_outcome,
)
from solvers.run import StopFlag, solve
from tests.diagram.exported import by_diagram, by_python, raw_cases
from tests.fuzz.contract import CASES, is_said_in_sentences, patience
from tests.fuzz.files import Drawn, files

LEAST_SOLVED = 0.15
"""The minimum share of files that lead to a model, so that the test reaches its purpose."""


def test_every_file_is_solved_or_refused_in_a_sentence():
    """Reading, typing, building, solving, verifying and exporting end in a model or in an error message."""
    ends: Counter[str] = Counter()

    @given(files(), st.integers(0, 2**16), st.sampled_from(list(MissingPolicy)))
    @settings(max_examples=CASES, suppress_health_check=list(HealthCheck))
    def each(drawn: Drawn, seed: int, policy: MissingPolicy) -> None:
        with patience():
            try:
                ends[_solve(drawn, random.Random(seed), policy)] += 1
            except EspalierError as error:
                assert is_said_in_sentences(str(error)), str(error)
                ends["refused"] += 1

    each()
    assert ends["solved"] >= LEAST_SOLVED * CASES, ends
    assert ends["refused"], ends


def _solve(drawn: Drawn, rng: random.Random, policy: MissingPolicy) -> str:
    """The outcome for a file: 'solved', or 'nothing to solve' if it has no outcome column."""
    table = read_table(drawn.content, header=drawn.header, max_mb=5)
    reports = infer_columns(table)
    assert [report.name for report in reports] == list(table.names)
    outcome = suggest_outcome(reports)
    if drawn.outcome is not None and drawn.outcome < len(table.names):
        outcome = table.names[drawn.outcome]
    if outcome is None:
        return "nothing to solve"
    others = [name for name in table.names if name != outcome]
    groups = (rng.choice(others),) if others and rng.random() < 0.2 else ()
    weight = rng.choice(others) if others and rng.random() < 0.1 else None
    features = tuple(others) if others and rng.random() < 0.3 else None
    if features is not None and weight in features:
        features = tuple(name for name in features if name != weight) or None
    choices = Request(target=outcome, features=features, groups=groups, weight=weight, missing=policy)
    dataset = build(table, choices).dataset
    problem = Problem(dataset, Shape(max_depth=rng.choice((1, 2)), min_samples_leaf=rng.choice((1, 1, 2))))
    method = rng.choice(("contree", "cart"))
    solution = solve(problem, method, Limits(seconds=30.0, seed=1), lambda event: None, StopFlag())
    if solution.diagram is None:
        return "no model"
    assert solution.verified and verify(problem, solution).ok
    _export(solution.diagram, dataset)
    return "solved"


def _export(diagram: Diagram, dataset: Dataset) -> None:
    """Every format can be written; models in JSON and Python are read again and have the same predictions."""
    assert to_rules(diagram) and to_dot(diagram).startswith("digraph")
    assert to_sql(diagram, dialect="postgres")
    written = to_json(diagram)
    json.loads(written)
    assert from_json(written) == diagram
    cases = raw_cases(diagram.schema, dataset.X)
    assert by_python(diagram, cases) == by_diagram(diagram, dataset.X, dataset.y < 0)
