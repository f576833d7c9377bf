"""The smallest BDD of an optimum, and proofs on large tables."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from threading import Event

import numpy as np

from benchmarks.bdds.data import Bits, mushrooms, wide
from benchmarks.bdds.process import Answer, Runner
from benchmarks.bdds.ways import SEARCH, faults_of, seconds
from benchmarks.cli import Findings, tell
from benchmarks.tables import Table, digits, whole


def smallest(tables: Sequence[Bits], depth: int, limit: float, progress: Callable[[str], None] = tell) -> Findings:
    """Nodes of the best BDD: in the order of the table, in the best order, and over all best sets of features."""
    from solvers.methods import get
    from solvers.methods.bdds.sizes import STEPS_OF_ALL, candidate_of
    from solvers.methods.bdds.table import Unseen, bdd_of
    from solvers.methods.features import features_of
    from solvers.problem import Limits, Problem, Shape, ShapeKind

    get("bdd-search").precompile()
    lines = []
    for table in tables:
        problem = Problem(table.dataset(), Shape(ShapeKind.BDD, max_depth=depth))
        found = get("bdd-search").run(problem, Limits(seconds=limit), lambda event: None, Event())
        features = features_of(problem)
        asked = {node.predicate for node in found.diagram.nodes if hasattr(node, "predicate")}
        chosen = [f for f, question in enumerate(features.predicates) if question in asked]
        plain = bdd_of(problem, [features.predicates[f] for f in chosen], Unseen.PARENT)
        begun = time.process_time()
        one, complete, _ = candidate_of(features, chosen, steps=STEPS_OF_ALL)
        spent = time.process_time() - begun
        lines.append(
            (
                table.name,
                whole(found.cost),
                whole(plain.n_splits),
                f"{one.n_splits}{'' if complete else ' or fewer'}",
                digits(spent, 2),
                whole(found.stats.get("optimal sets", 1)),
                f"{found.diagram.n_splits}{'' if found.details.fewest_splits else ' or fewer'}",
                digits(found.cpu_seconds, 2),
            )
        )
        progress(f"{table.name}: {plain.n_splits} -> {one.n_splits} -> {found.diagram.n_splits} questions")
    title = (
        f"Inner nodes of the best BDD of depth {depth}: its questions in the order of the table, cells without rows "
        f"like their parents; in the best order, with the best answers in open cells; and over all sets of questions "
        f"of the same errors. User CPU seconds for one set, and for the whole run with the proof of the errors:"
    )
    headers = ("table", "errors", "in order", "best order", "s", "best sets", "smallest", "s, whole run")
    return Findings((Table(title, headers, tuple(lines)),))


def large(runner: Runner, depths: Sequence[int], limit: float, rows: int = 8124) -> Findings:
    """Proofs on a table like the mushroom data set."""
    return _proofs(runner, mushrooms(rows), depths, limit)


def tall(runner: Runner, depths: Sequence[int], limit: float, rows: int = 100_000) -> Findings:
    """Proofs on many rows of fifty independent columns."""
    return _proofs(runner, wide(rows, 50), depths, limit)


def _proofs(runner: Runner, table: Bits, depths: Sequence[int], limit: float) -> Findings:
    lines, faults = [], []
    for depth in depths:
        runner.end()  # a fresh process, so that its peak memory is that of this run
        answer = runner.run(SEARCH, table, depth, limit)
        faults += faults_of(f"{table.name}, depth {depth}", SEARCH, answer)
        sizes = (len(table.y), table.X.shape[1], len(np.unique(table.X, axis=0)), depth)
        lines.append((table.name, *map(whole, sizes), *_found(answer)))
    title = f"The exact search on a generated table, limit {limit:g} s (user CPU seconds, MB of the process):"
    headers = ("table", "rows", "columns", "different rows", "depth", "errors", "nodes", "seconds", "MB")
    return Findings((Table(title, headers, tuple(lines)),), tuple(faults))


def _found(answer: Answer) -> tuple[str, ...]:
    return whole(answer.errors), whole(answer.nodes), seconds(answer), whole(answer.peak_mb)
