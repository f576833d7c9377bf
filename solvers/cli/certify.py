"""`certify`: prove that no tree without mistakes is smaller, or that none costs less, so that others can check it."""

import argparse
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from solvers.certificates import (
    CertificateReport,
    OptimumReport,
    Standing,
    Technique,
    Wanted,
    check_optimum,
    make_certificate,
    make_optimum_certificate,
    question_of,
    write_folder,
    zipped,
)
from solvers.cli.fit import stopped_by_interrupt
from solvers.cli.solved import solved
from solvers.methods.search.clock import Clock
from solvers.methods.trees.smallest.cases import predicates_of
from solvers.problem import Limits, Problem
from solvers.run import wire
from solvers.solution import Criterion, Solution, Stop


def run(options: argparse.Namespace) -> int:
    """Carry out `certify`; 0 where every claim is proved, without a gap, and its proofs were accepted, 1 elsewhere."""
    stored = solved(options.solution, options.data)
    problem, solution = stored.problem, stored.solution
    if solution.details.consistent is None and not options.smallest:
        optimum = _write_optimum(problem, solution, options.out, options.time_limit, None)
        print(wire.dumps(optimum_json(optimum)) if options.json else words_of_optimum(optimum, options.out))
        return 0 if optimum.optimal else 1
    wanted = Wanted(
        predicates_of(solution),
        Criterion(options.smallest) if options.smallest else question_of(solution.method, stored.options),
        tuple(map(Technique, options.proofs)),
        not options.no_rows,
        not options.no_words,
    )
    with stopped_by_interrupt() as stop:
        report = _write(problem, solution, wanted, options.out, options.time_limit, stop)
    print(wire.dumps(report.to_json()) if options.json else words_of(report, options.out))
    return 0 if report.accepted else 1


def certify(
    problem: Problem,
    solution: Solution,
    chosen: Mapping[str, str],
    out: Path,
    seconds: float | None,
    stop: Stop,
) -> dict[str, Any]:
    """Write the certificate of a solution that was just found; where it is, what it proves, and whether it holds.

    Parameters
    ----------
    chosen : the options of the method.
    out : the folder or zip file to write.
    seconds : for the proofs; `None` for no limit.
    """
    if solution.details.consistent is None:
        return {"path": str(out), **optimum_json(_write_optimum(problem, solution, out, seconds, stop))}
    predicates = predicates_of(solution)
    wanted = Wanted(predicates, question_of(solution.method, chosen))
    report = _write(problem, solution, wanted, out, seconds, stop)
    return {"path": str(out), "accepted": report.accepted, "proved": list(report.conclusions)}


def _write(
    problem: Problem, solution: Solution, wanted: Wanted, out: Path, seconds: float | None, stop: Stop
) -> CertificateReport:
    """Make a certificate, telling how far that is, and write it to a folder or zip file."""

    def say(text: str) -> None:
        print(text, file=sys.stderr)

    files, report = make_certificate(problem, solution.diagram, wanted, seconds, stop, say)
    _write_files(files, out)
    return report


def _write_optimum(
    problem: Problem, solution: Solution, out: Path, seconds: float | None, stop: Stop | None
) -> OptimumReport:
    """The same of a certificate that no tree costs less, which is written where its check proves it."""
    files = make_optimum_certificate(problem, solution.diagram, Limits(seconds=seconds), stop)
    print("Computing the bound anew, by the checker that is part of the certificate.", file=sys.stderr)
    clock = Clock()
    report = check_optimum(files.__getitem__, lambda: seconds is not None and clock.elapsed > seconds)
    if report.accepted:
        _write_files(files, out)
    return report


def _write_files(files: Mapping[str, bytes], out: Path) -> None:
    if out.suffix == ".zip":
        out.write_bytes(zipped(files))
    else:
        write_folder(files, out)


def optimum_json(report: OptimumReport) -> dict[str, Any]:
    """What came of a certificate that no tree costs less, as plain values."""
    return {**asdict(report), "accepted": report.accepted, "optimal": report.optimal}


def words_of_optimum(report: OptimumReport, where: Path, table: Path | None = None) -> str:
    """The same in lines; `table` is what the cases were made from, `None` for the certificate's own."""
    source = "as the certificate tells them" if table is None else f"made from '{table}'"
    summary = f"{report.n_cases:,} cases of {report.n_rows:,} rows, {source}."
    if report.accepted:
        proved = f"The tree costs {report.cost:g}, and no tree that is allowed costs less"
        proved += f" than {report.bound:g}: it is optimal up to a gap of {report.gap:g}." if report.gap else "."
        proved += f" The proof leaves out: {'; '.join(report.left_out)}." if report.left_out else ""
        claimed = f"What is claimed: {report.statement}"
        return f"{summary} {proved}\n{claimed}\nAccepted: '{where}', checked in {report.seconds:.1f} s."
    return f"{summary} Not certified: {report.fault}"


def words_of(report: CertificateReport, where: Path) -> str:
    """What came of a certificate, in lines."""
    lines = [f"{report.n_cases:,} cases of {report.n_rows:,} rows."]
    if report.used:
        lines[0] += f" The formulas need {len(report.used):,} of them."
    lines += [f"  {sentence}" for sentence in report.conclusions]
    for claim in report.claims:
        mark = {Standing.PROVED: "proved", Standing.FALSE: "FALSE", Standing.OPEN: "NOT PROVED"}[claim.standing]
        lines.append(f"{mark}: {claim.claim.words} {claim.note}".rstrip())
        for proof in claim.evidence:
            made = f", made in {proof.seconds:.2f} s" if proof.seconds else ""
            lines.append(f"  {proof.technique}: {proof.size + ', ' if proof.size else ''}{proof.n_bytes:,} bytes{made}")
        lines += [f"  {_mark(check.accepted)}  {check.detail} {check.seconds:.2f} s" for check in claim.checks]
    if report.tree is not None:
        lines.append(f"{_mark(report.tree.accepted)}  {report.tree.what}. {report.tree.detail}")
    lines.append(f"{'Accepted' if report.accepted else 'NOT ACCEPTED'}: '{where}', {report.seconds:.1f} s.")
    return "\n".join(lines)


def _mark(ok: bool) -> str:
    return "ok    " if ok else "FAILED"
