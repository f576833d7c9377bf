"""Training and test accuracy, sizes and proofs on folds (Tables 5 and 6, figure 6), beside the paper's figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import NamedTuple

from benchmarks.bdds.data import Bits, folds
from benchmarks.bdds.paper import on_folds
from benchmarks.bdds.process import Answer, Runner, Way
from benchmarks.bdds.ways import FOLDED, SEARCH, average, disagreements, faults_of, share
from benchmarks.cli import Findings
from benchmarks.tables import NOTHING, Table
from solvers.methods import get

POLICIES = tuple(
    Way(f"search, {policy}", SEARCH.method, {"unseen": policy}) for policy in ("parent", "merge", "solved")
)
"""One optimum, three policies for cells without rows."""


class Fit(NamedTuple):
    """One run on the rows of a fold."""

    table: str
    depth: int
    way: Way
    answer: Answer


def measure(
    runner: Runner,
    tables: Sequence[Bits],
    depths: Sequence[int],
    *,
    count: int,
    seeds: int,
    limit: float,
    ways: Sequence[Way] = FOLDED,
) -> Findings:
    """Everything on every fold, also what is late: its accuracy counts, too."""
    fits, faults = [], []
    for table, seed in product(tables, range(seeds)):
        for number, (train, test) in enumerate(folds(table, count, seed)):
            for depth in depths:
                name = f"{table.name}, seed {seed}, fold {number}, depth {depth}"
                every = (*ways, *POLICIES)
                here = [Fit(table.name, depth, way, runner.run(way, train, depth, limit, test)) for way in every]
                fits += here
                for fit in here:
                    faults += faults_of(name, fit.way, fit.answer)
                faults += disagreements(name, [(f.way, f.answer) for f in here if f.way.kind == "bdd"])
    runs = f"{count}-fold cross-validation with {seeds} seed{'s' * (seeds > 1)}, limit {limit:g} s a run"
    return Findings((_summary(fits, ways, runs), _policies(fits, runs), _details(fits, ways)), tuple(faults))


def _cells(way: Way, answers: Sequence[Answer]) -> tuple[str, ...]:
    """Training and test accuracy, nodes, questions, literals, proofs (of a method that proves) and seconds."""
    return (
        average((a.train for a in answers), 1, 100),
        average((a.test for a in answers), 1, 100),
        average((a.nodes for a in answers), 1),
        average((a.questions for a in answers), 1),
        average((a.literals for a in answers), 2, 1e-4),
        share([a.settled for a in answers]) if get(way.method).exact else NOTHING,
        average((a.seconds for a in answers), 2),
    )


FIGURES = ("train %", "test %", "nodes", "questions", "literals", "proved %", "seconds")


def _summary(fits: Sequence[Fit], ways: Sequence[Way], runs: str) -> Table:
    lines = []
    for way in ways:
        for depth in sorted({fit.depth for fit in fits}):
            lines.append(
                (way.title, str(depth), *_cells(way, [f.answer for f in fits if (f.way, f.depth) == (way, depth)]))
            )
    title = f"Means over all tables; {runs} (literals in ten thousands, user CPU seconds):"
    return Table(title, ("method", "depth", *FIGURES), tuple(lines))


def _policies(fits: Sequence[Fit], runs: str) -> Table:
    lines = []
    for depth in sorted({fit.depth for fit in fits}):
        cells: list[str] = []
        for way in POLICIES:
            answers = [f.answer for f in fits if (f.way, f.depth) == (way, depth)]
            cells += [average((a.test for a in answers), 2, 100), average((a.nodes for a in answers), 1)]
        lines.append((str(depth), *cells))
    headers = [f"{way.options['unseen']}: {figure}" for way in POLICIES for figure in ("test %", "nodes")]
    title = f"What cells without rows answer, for the same optimal questions; means over all tables, {runs}:"
    return Table(title, ("depth", *headers), tuple(lines))


def _details(fits: Sequence[Fit], ways: Sequence[Way]) -> Table:
    lines = []
    for table in dict.fromkeys(fit.table for fit in fits):
        for depth in sorted({fit.depth for fit in fits}):
            for way in ways:
                answers = [f.answer for f in fits if (f.table, f.depth, f.way) == (table, depth, way)]
                lines.append((table, str(depth), way.title, *_cells(way, answers), *_printed(table, depth, way)))
    paper = ("paper: train %", "test %", "nodes", "literals", "proved %")
    title = "Each table, beside the figures of the paper (five seeds, Loandra for 15 minutes a run):"
    return Table(title, ("table", "depth", "method", *FIGURES, *paper), tuple(lines))


def _printed(table: str, depth: int, way: Way) -> Iterable[str]:
    printed = on_folds(table, depth, way.title) or {}
    return [printed.get(key) or NOTHING for key in ("train", "test", "nodes", "literals", "proved")]
