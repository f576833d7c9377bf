"""The papers in page order, their tables by key, and the measuring functions of their cases by name."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.reproduction import contree, cptree, diagrams, inferdt, maxsat_bdd
from benchmarks.reproduction.registry import Paper, PaperTable, Result

PAPERS: tuple[Paper, ...] = (inferdt.PAPER, maxsat_bdd.PAPER, contree.PAPER, cptree.PAPER, diagrams.PAPER)

TABLES: dict[str, PaperTable] = {table.key: table for paper in PAPERS for table in paper.tables}

MEASURES: dict[str, Callable[..., Result]] = {
    name: measure for paper in PAPERS for name, measure in paper.measures.items()
}
