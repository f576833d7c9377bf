"""Certificates of smallest trees: `python -m benchmarks.certificates FOLDER`.

For each table (CSV with a header, the outcome last) the smallest tree without mistakes is found, and that no tree is
less deep and none of its depth has fewer nodes is proved by formula and by boxes. The proofs are checked from their
files, the small ones by a checker of another package as well, and damaged copies must be rejected. Times are user CPU
seconds.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cli import Findings, conclude, names, parser, seconds, tell
from benchmarks.tables import NOTHING, Table, digits
from solvers.certificates import Wanted, make_certificate
from solvers.certificates.box_checker import proves
from solvers.certificates.contents import Contents, Proofs
from solvers.certificates.dimacs import Clauses, read_formula, read_proof, write_formula
from solvers.certificates.proof_checker import refutes
from solvers.certificates.rebuilt_formula import Rebuilt, differ
from solvers.methods import get
from solvers.methods.search.clock import Clock
from solvers.problem import Choices, Limits, Problem, Shape, build, read_table

DEPTH = 12
"""Deeper trees are not looked for."""

OTHER_LINES = 20_000
"""Longer proofs take the other checker too long, which is plain Python."""

HEADERS = (
    "set, claim",
    "cases used",
    "clauses",
    "proof lines",
    "check s",
    "other checker",
    "damaged",
    "boxes",
    "check s",
)


@dataclass(frozen=True)
class Row:
    """What was measured of a claim; texts as they are shown, and what must not be."""

    cells: tuple[str, ...]
    faults: tuple[str, ...]


def main(argv: list[str] | None = None) -> int:
    """Carry out the command."""
    command = parser("certificates", "Make, check and damage certificates of smallest trees.", folder=False)
    command.add_argument("folder", type=Path, metavar="FOLDER", help="holds tables, *.csv, the outcome last")
    command.add_argument("--sets", type=names, metavar="A,B", help="the tables to take (default: all)")
    command.add_argument("--time-limit", type=seconds, default=120.0, metavar="S", help="for the proofs of a table")
    options = command.parse_args(argv)
    return conclude(lambda: measure(options.folder, options.sets, options.time_limit), options.out)


def measure(folder: Path, sets: tuple[str, ...] | None, limit: float) -> Findings:
    """Certificates of all tables."""
    chosen = [path for path in sorted(folder.glob("*.csv")) if sets is None or path.stem in sets]
    rows = [row for path in chosen for row in _claims(path, limit)]
    told = tuple(row.cells for row in rows)
    return Findings((Table("Certificates", HEADERS, told),), tuple(fault for row in rows for fault in row.faults))


def _claims(path: Path, limit: float) -> Iterator[Row]:
    """What is measured of a table, claim by claim."""
    table = read_table(path)
    problem = Problem(build(table, Choices(table.names[-1])).dataset, Shape(max_depth=DEPTH))
    found = get("smallest-tree").run(problem, Limits(), lambda event: None, threading.Event())
    tell(f"{path.stem}: depth {found.diagram.depth}, {found.diagram.n_nodes} nodes")
    files, report = make_certificate(problem, found.diagram, Wanted(), limit)
    contents = Contents.read(files.__getitem__)
    faults = () if report.accepted else (f"{path.stem}: not everything was proved and accepted",)
    for part in contents.proofs:
        formula_cells, more = _formula(part, contents, files)
        cells = (f"{path.stem}, {part.claim.size}", *formula_cells, *_boxes(part, contents, files))
        yield Row(cells, (*faults, *(f"{path.stem}: {fault}" for fault in more)))
        faults = ()


def _formula(part: Proofs, contents: Contents, files: dict[str, bytes]) -> tuple[tuple[str, ...], list[str]]:
    """Size of a formula and its proof, the time of our check, and what came of other checks."""
    if part.formula is None:
        return (NOTHING,) * 6, []
    formula, text, used = read_formula(files[part.formula]), files[part.proof], list(part.used)
    clock = Clock()
    rebuilt = Rebuilt(contents.cases, used, part.claim).clauses
    accepted = not differ(formula, rebuilt) and refutes(formula, proof := read_proof(text)).accepted
    spent, faults = clock.cpu, [] if accepted else [f"{part.formula} was not accepted"]
    other = _other(formula, text) if proof.n_lines <= OTHER_LINES else None
    faults += [f"the other checker refuses {part.formula}"] if other is False else []
    lines = text.splitlines(keepends=True)
    fewer = Rebuilt(contents.cases, used[:-1], part.claim).clauses
    rejected = [
        not refutes(formula, read_proof(b"")).accepted,
        not refutes(formula, read_proof(b"".join(lines[: len(lines) // 2]))).accepted,
        not refutes(formula, read_proof(b"1 0\n-1 0\n0\n")).accepted,
        bool(differ(fewer, rebuilt)),
    ]
    faults += [] if all(rejected) else [f"a damaged copy of {part.formula} was accepted"]
    told = {None: NOTHING, True: "accepts", False: "REJECTS"}[other]
    counts = f"{len(used):,}", f"{formula.n_clauses:,}", f"{proof.n_lines:,}"
    return (*counts, digits(spent, 2), told, f"{sum(rejected)} of {len(rejected)} rejected"), faults


def _boxes(part: Proofs, contents: Contents, files: dict[str, bytes]) -> tuple[str, str]:
    """What the check of a table of boxes says, and its time."""
    if part.boxes is None:
        return NOTHING, NOTHING
    clock = Clock()
    verdict = proves(contents.cases, part.claim, files[part.boxes])
    return ("accepted" if verdict.accepted else "REJECTED"), digits(max(clock.cpu, 0.01), 2)


def _other(formula: Clauses, proof: bytes) -> bool:
    """Whether the checker of another package accepts a proof."""
    import dratify

    return dratify.check_proof(dratify.parse_dimacs(write_formula(formula).decode()), proof.decode()).ok


if __name__ == "__main__":
    sys.exit(main())
