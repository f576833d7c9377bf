"""Decision diagrams by the protocol of Florio et al. (2023): `python -m benchmarks.odd FOLDER`.

The folder holds tables with a header, `*.csv`, the outcome in the last column. Half of the rows, by class, with seed 0,
are learned from. Three parts:

- *proofs*: every alpha with every skeleton of the paper, questions about one column; what share is proved within some
  seconds, what share is better than the paper's construction, and how good the diagram is after 0.3 s. Beside it stands
  table 1 of the paper (600 s with Gurobi, 54 sets, five divisions, questions about one column and about several).
- *multivariate*: questions that combine columns.
- *constraints*: fairness (the four-fifths rule between the two groups of the first column of two values), parsimony and
  stability.

With `--state FILE` every case is written down once it is done, and a later run goes on from there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.cli import Findings, conclude, names, number, parser, seconds
from benchmarks.constraints import read
from benchmarks.odd_cases import EARLY, Bench, Case, State, halves
from benchmarks.process import pin
from benchmarks.report import replaced
from benchmarks.tables import NOTHING, Table, digits, whole
from solvers.constraints import Constraint, DemographicParityRatio, MaxQuestions, MinQuestionRows
from solvers.errors import DataError
from solvers.methods import get
from solvers.problem import Dataset
from solvers.problem.skeleton import PRESETS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "performance-diagrams.md"

ALPHAS = (0.01, 0.1, 0.2, 0.5, 1.0)
PAPER = {
    "proved": {0.01: 599, 0.1: 617, 0.2: 648, 0.5: 713, 1.0: 901},
    "improved": {0.01: 171, 0.1: 395, 0.2: 537, 0.5: 822, 1.0: 821},
    "runs": 2160,
}
"""Table 1 of the paper, its rows of skeletons I to IV added up: runs proved, runs improved, and all runs by alpha."""

FAIR, FEW, STEADY = 0.8, 3, 0.1
"""The ratio of demographic parity, the most questions, and the share of the rows that comes to every question."""


def proofs(bench: Bench, trains: Sequence[Dataset], alphas: Sequence[float], skeletons: Sequence[str]) -> Findings:
    """Table 1: what share is proved, and what share is better than the construction."""
    found = [
        case
        for train in trains
        for skeleton in skeletons
        for alpha in alphas
        if (case := bench.run("proofs", train, skeleton, alpha, build=True)) is not None
    ]
    title = (
        f"{len({case.table for case in found})} tables, skeletons {', '.join(skeletons)}, questions about one column, "
        f"at most {bench.limit:g} s a case; the construction had {bench.built:g} s. In percent of the cases:"
    )
    shares = (
        "proved",
        "proved in the paper",
        "better than built",
        "proved or better",
        "proved or improved in the paper",
    )
    headers = ("alpha", "cases", *shares, "median s of proofs")
    rows = [_by_alpha(f"{alpha:g}", [case for case in found if case.alpha == alpha], (alpha,)) for alpha in alphas]
    rows.append(_by_alpha("all", found, alphas))
    tables = [Table(title, headers, tuple(rows)), *_objectives(found, alphas, skeletons)]
    return Findings(tuple(tables), _faults(found))


def _by_alpha(name: str, cases: Sequence[Case], alphas: Sequence[float]) -> tuple[str, ...]:
    """A row of the table of shares, with the paper's figures where it has the alpha."""
    known = [alpha for alpha in alphas if alpha in PAPER["proved"]]
    runs = PAPER["runs"] * len(known)
    paper_proved = sum(PAPER["proved"][alpha] for alpha in known)
    paper_either = paper_proved + sum(PAPER["improved"][alpha] for alpha in known)
    times = [case.seconds for case in cases if case.proved]
    return (
        name,
        whole(len(cases)),
        _percent(sum(case.proved for case in cases), len(cases)),
        _percent(paper_proved, runs),
        _percent(sum(case.improved for case in cases), len(cases)),
        _percent(sum(case.proved or case.improved for case in cases), len(cases)),
        _percent(paper_either, runs),
        digits(float(np.median(times)), 2) if times else NOTHING,
    )


def _objectives(cases: Sequence[Case], alphas: Sequence[float], skeletons: Sequence[str]) -> list[Table]:
    """For each skeleton the objectives after 0.3 s and at the end, by table and alpha."""
    made = []
    for skeleton in skeletons:
        chosen = {(case.table, case.alpha): case for case in cases if case.skeleton == skeleton}
        rows = []
        for table in dict.fromkeys(case.table for case in cases):
            cells = [_objective(chosen.get((table, alpha))) for alpha in alphas]
            rows.append((table, *cells))
        title = f"Skeleton {skeleton}: objective after {EARLY:g} s, and at the end where it is another; * proved:"
        made.append(Table(title, ("table", *(f"alpha {alpha:g}" for alpha in alphas)), tuple(rows)))
    return made


def _objective(case: Case | None) -> str:
    if case is None or case.cost is None:
        return NOTHING
    end = f"{case.cost:.5f}{'*' if case.proved else ''}"
    if case.early is None:
        return f"– → {end}"
    return end if abs(case.early - case.cost) < 5e-6 else f"{case.early:.5f} → {end}"


def _percent(count: int, total: int) -> str:
    return f"{100 * count / total:.0f} %" if total else NOTHING


def _faults(cases: Sequence[Case]) -> tuple[str, ...]:
    told = [case for case in cases if case.fault]
    return tuple(
        f"{case.table}, {case.skeleton}, alpha {case.alpha:g} {case.constraint}: {case.fault}" for case in told
    )


def multivariate(bench: Bench, trains: Sequence[Dataset], alphas: Sequence[float]) -> Findings:
    """Questions that combine columns, in skeleton I."""
    found = [
        (train, case)
        for train in trains
        for alpha in alphas
        if (case := bench.run("multivariate", train, "I", alpha, split_features=None)) is not None
    ]
    rows = [
        (
            case.table,
            whole(train.n_samples),
            whole(train.n_columns),
            f"{case.alpha:g}",
            *_ending(case),
            NOTHING if case.margin is None else f"{case.margin:.1e}",
        )
        for train, case in found
    ]
    title = f"Questions that combine any number of columns, skeleton I, at most {bench.limit:g} s a case:"
    headers = ("table", "rows", "columns", "alpha", *ENDING, "least margin")
    return Findings((Table(title, headers, tuple(rows)),), _faults([case for _, case in found]))


ENDING = ("status", "objective", "lower bound", "errors", "questions", "s", "CPU s")


def _ending(case: Case) -> tuple[str, ...]:
    """Cells on how a case ended."""
    return (
        case.status,
        *(NOTHING if value is None else f"{value:.5f}" for value in (case.cost, case.bound)),
        whole(case.errors),
        whole(case.questions),
        digits(case.seconds),
        digits(case.cpu),
    )


def constraints(train: Dataset) -> list[tuple[str, Constraint]]:
    """Fairness, parsimony and stability for a table; no fairness where no column has two values."""
    found: list[tuple[str, Constraint]] = []
    group = next((column.name for column in train.schema.columns if len(column.levels) == 2), None)
    if group is not None:
        positive = train.classes[int(train.class_counts.argmax())]
        found.append((f"parity of '{group}' at least {FAIR:.0%}", DemographicParityRatio(group, FAIR, positive)))
    found.append((f"at most {FEW} questions", MaxQuestions(FEW)))
    rows = int(np.ceil(STEADY * train.n_samples))
    found.append((f"at least {rows} rows at every question", MinQuestionRows(rows)))
    return found


def constrained(bench: Bench, trains: Sequence[Dataset], alpha: float) -> Findings:
    """The constraints of the paper, each alone and beside the free optimum, in skeleton I."""
    lines, cases = [], []
    for train in trains:
        for name, constraint in [("none", None), *constraints(train)]:
            kept = () if constraint is None else (constraint,)
            case = bench.run("constraints", train, "I", alpha, name, constraints=kept)
            if case is not None:
                cases.append(case)
                lines.append((train.name, whole(train.n_samples), name, *_ending(case)))
    title = f"Skeleton I, alpha {alpha:g}, questions about one column, at most {bench.limit:g} s a case:"
    return Findings((Table(title, ("table", "rows", "constraint", *ENDING), tuple(lines)),), _faults(cases))


def with_groups(trains: Sequence[Dataset], count: int) -> list[Dataset]:
    """The first tables that have a column of two values."""
    return [t for t in trains if any(len(column.levels) == 2 for column in t.schema.columns)][:count]


PARTS = ("proofs", "multivariate", "constraints")


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns the exit status."""
    options = _parser().parse_args(argv)

    def measured() -> Findings:
        unknown = [part for part in options.parts if part not in PARTS]
        if unknown:
            raise DataError(f"There is no part '{unknown[0]}'. Parts: {', '.join(PARTS)}.")
        for skeleton in options.skeletons:
            if skeleton not in PRESETS:
                raise DataError(f"There is no skeleton '{skeleton}'. Skeletons: {', '.join(PRESETS)}.")
        bench = Bench(options.method, options.seconds, options.built, State(options.state))
        get(bench.method).warm(constraints=True)
        trains = halves(read(options.folder, options.sets))
        findings: dict[str, Findings] = {}
        if "proofs" in options.parts:
            findings["proofs"] = proofs(bench, trains, options.alphas, options.skeletons)
        if "multivariate" in options.parts:
            small = [train for train in trains if train.n_samples <= options.rows]
            findings["multivariate"] = multivariate(bench, small, options.alphas)
        if "constraints" in options.parts:
            findings["constraints"] = constrained(bench, with_groups(trains, options.constrained), 0.2)
        for part, told in findings.items():
            if options.page is not None:
                page = replaced(options.page.read_text("utf-8"), f"odd-{part}", told.markdown)
                options.page.write_text(page, "utf-8")
        tables = tuple(table for told in findings.values() for table in told.tables)
        return Findings(tables, tuple(fault for told in findings.values() for fault in told.faults))

    return conclude(measured, options.out)


def _parser() -> argparse.ArgumentParser:
    made = parser("odd", "Decision diagrams by the protocol of the paper.", folder=False)
    add = made.add_argument
    add("folder", type=Path, metavar="FOLDER", help="holds tables, *.csv: a header, the outcome last")
    add("--sets", type=names, metavar="A,B", help="the tables to take (default: all)")
    add("--parts", type=names, default=PARTS, metavar="A,B", help=f"of {', '.join(PARTS)} (default: all)")
    add("--method", default="odd-search", metavar="M", help="the method (default: odd-search)")
    add("--seconds", type=seconds, default=10.0, metavar="S", help="for each case (default: 10)")
    add("--built", type=seconds, default=1.0, metavar="S", help="for the paper's construction (default: 1)")
    add("--alphas", type=_alphas, default=ALPHAS, metavar="A,B", help="prices of questions (default: 0.01 to 1)")
    add("--skeletons", type=names, default=tuple(PRESETS), metavar="A,B", help="of I, II, III, IV (default: all)")
    add("--rows", type=number, default=110, metavar="N", help="the most rows for questions that combine columns")
    add("--constrained", type=number, default=6, metavar="N", help="how many tables get constraints (default: 6)")
    add("--state", type=Path, metavar="FILE", help="write every case down, and go on from there")
    add("--page", type=Path, metavar="FILE", help=f"write it into a page as well, such as {PAGE.name}")
    return made


def _alphas(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be numbers with commas between. Got '{text}'") from None


if __name__ == "__main__":
    pin(1)
    sys.exit(main())
