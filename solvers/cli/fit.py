"""`fit`: find the best model for a table, in this process, and report its performance."""

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TextIO

from ..diagram import Diagram, render, to_json, to_rules
from ..errors import ConstraintError, RenderError, UnsupportedError
from ..messages import describe_proof, describe_result, remarks
from ..messages.confirmation import describe_confirmation
from ..messages.shapes import size_found
from ..metrics import rate
from ..metrics.words import in_units
from ..posing import PreparedProblem, limits_of, method_of, under
from ..problem import Dataset, Limits, Problem, ShapeKind
from ..report.drawing import drawn, row_facts
from ..report.rivals import caution_lines
from ..request import Request
from ..run import StopFlag, solve, wire
from ..run.record import JobState, Record
from ..solution import Cancelled, Emit, Event, Finished, Solution, Status, Stop, relative_gap
from ..sweeps import Cluster
from ..sweeps.confirmation import descend
from ..sweeps.shared_proof import SharedConTree, prove
from .app import Fit
from .kept_constraints import constraint_figures, lines_of
from .line import Line
from .table import read_problem


def run(asked: Fit) -> int:
    """Run `fit`; returns 0 for a verified model, 1 if there is none."""
    request = asked.request
    _check(request, asked.scheduler)
    posed = read_problem(request, asked.data)
    problem, test, _, aside = posed
    if asked.out is not None:
        asked.out.mkdir(parents=True, exist_ok=True)
    line = ProgressLine(sys.stderr, problem)
    confirmed: dict[str, Any] = {}
    with stopped_by_interrupt() as stop:
        if aside is not None:
            problem, solution, confirmed = _confirm(posed, aside, request, line, stop)
            request = under(request, problem.constraints)
        elif asked.scheduler is not None:
            folder = None if asked.out is None else asked.out / "parts"
            solution = prove(problem, Cluster(asked.scheduler), folder, limits_of(request), line, stop)
        else:
            solution = solve(problem, method_of(request), limits_of(request), line, stop, request.options)
        line.clear()
    if asked.out is not None:
        _write(asked.out, request, solution, problem.dataset)
    if asked.json:
        more = {"confirmed": confirmed} if confirmed else {}
        print(wire.dumps({**result(problem, solution, test), "options": request.options, **more}))
    else:
        print(summary(problem, solution, test))
        if aside is not None and solution.diagram is not None:
            lines = lines_of(confirmed["constraints"])
            print("\n".join(["", describe_confirmation(problem, solution.diagram, aside), *lines]))
    held = not confirmed or confirmed["confirmed"]
    return 0 if solution.diagram is not None and solution.verified and held else 1


def _check(request: Request, scheduler: str | None) -> None:
    """Refuse mutually exclusive options."""
    method = method_of(request)
    if scheduler is not None and method != SharedConTree.name:
        raise UnsupportedError(
            f"'{method}' runs on one machine only. Choose '{SharedConTree.name}', or leave --scheduler out."
        )
    if scheduler is not None and request.validation_share is not None:
        raise UnsupportedError("--validation-share and --scheduler exclude each other. Leave one of them out.")


def _confirm(
    posed: PreparedProblem, aside: Dataset, request: Request, line: Emit, stop: StopFlag
) -> tuple[Problem, Solution, dict[str, Any]]:
    """The model that held-out rows confirm (or else that of the strictest limits), its problem, and the results."""

    def made(posed: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        return solve(posed, method_of(request), limits, line, stop, request.options)

    found = descend(posed.problem, aside, made, limits_of(request), stop)
    judged = found.chosen or next(iter(found.tests), None)
    if judged is None:
        raise ConstraintError(
            "No model was found for any of the limits. Run 'explain' with the same options for the reason, or raise "
            "the time limit."
        )
    problem = replace(posed.problem, constraints=judged.constraints)
    payload = {
        "confirmed": judged.confirmed,
        "tried": len(found.tests),
        "n_samples": found.n_aside,
        "constraints": constraint_figures(problem, judged.solution.diagram, aside),
    }
    return problem, judged.solution, payload


def result(problem: Problem, solution: Solution, test: Dataset | None) -> dict[str, Any]:
    """The numbers of a solution; undefined values are `None`.

    `errors` counts misclassified rows; `cost` is the objective's cost of errors and splits, in units of 1 / `scale`, as
    are `bound` and `split_penalty`. `seconds` is the wall time and `cpu_seconds` the user CPU time of the search
    itself, without start-up and compilation.
    """
    diagram = solution.diagram
    out: dict[str, Any] = {
        "status": solution.status,
        "method": solution.method,
        "shape": problem.shape.kind,
        "errors": None if diagram is None else errors(problem.dataset, diagram),
        "cost": solution.cost,
        "bound": solution.bound,
        "split_penalty": problem.split_penalty,
        "scale": problem.scale,
        "n_samples": problem.dataset.n_samples,
        "n_features": problem.dataset.n_columns,
        "n_classes": problem.dataset.n_classes,
        **{name: getattr(diagram, name, None) for name in ("depth", "n_splits", "n_leaves", "n_nodes", "features")},
        "seconds": solution.seconds,
        "cpu_seconds": solution.cpu_seconds,
        "verified": solution.verified,
        "ended": solution.ended,
        "message": describe_result(problem, solution),
        "problem_id": problem.id,
        "details": asdict(solution.details),
        "stats": solution.stats,
    }
    if "examples_used" in solution.stats:
        out["examples_used"] = solution.stats["examples_used"]
    if problem.constraints:
        out["constraints"] = None if diagram is None else constraint_figures(problem, diagram, problem.dataset)
    out["cautions"] = None if diagram is None else caution_lines(problem, diagram, test)
    if test is not None:
        out["test_n_samples"] = test.n_samples
        out["test_errors"] = None if diagram is None else errors(test, diagram)
        if problem.constraints:
            out["test_constraints"] = None if diagram is None else constraint_figures(problem, diagram, test)
    return out


def errors(dataset: Dataset, diagram: Diagram) -> int:
    """The number of misclassified rows, whatever their weight."""
    return int((diagram.predict(dataset) != dataset.y).sum())


def summary(problem: Problem, solution: Solution, test: Dataset | None) -> str:
    """The result as text: performance, proof, size, and the rules."""
    diagram = solution.diagram
    proved = solution.status is Status.OPTIMAL and solution.verified
    lines = [describe_proof(problem, solution)]
    if not proved:
        lines = [" ".join(filter(None, (*lines, *remarks(problem, solution))))]
    if diagram is None:
        why = ["Run 'explain' with the same options for the reason and possible changes."]
        return "\n".join(lines + (why if solution.status is Status.INFEASIBLE and problem.constraints else []))
    lines.append(f"Training: {_wrong(problem.dataset, diagram)}")
    if _priced(problem) and solution.cost is not None:
        splits = problem.splits_cost(diagram.n_splits)
        lines.append(
            f"Cost: {units(solution.cost, problem)}, of which {units(splits, problem)} for {diagram.n_splits} splits"
        )
    if test is not None:
        lines.append(f"Held out: {_wrong(test, diagram)}")
    if problem.constraints:
        lines += ["Constraints:", *lines_of(constraint_figures(problem, diagram, problem.dataset))]
    lines += [f"Caution: {sentence}" for sentence in caution_lines(problem, diagram, test)]
    checked = "verified" if solution.verified else "NOT VERIFIED"
    kind = "" if diagram.kind is ShapeKind.TREE else f"{diagram.kind.noun} of "
    lines.append(f"{solution.method}, {kind}{size_found(diagram)}, {solution.seconds:.2f} s, {checked}")
    return "\n".join([*lines, "", to_rules(diagram).rstrip()])


def _priced(problem: Problem) -> bool:
    """Whether the cost includes more than the number or weight of misclassified rows."""
    return problem.objective.class_costs is not None or problem.split_penalty > 0


def units(cost: int, problem: Problem) -> str:
    """A cost in the user's own units."""
    return in_units(cost, problem.scale)


def _wrong(dataset: Dataset, diagram: Diagram) -> str:
    share = rate(diagram.predict(dataset) != dataset.y)
    words = f"{share.k} of {share.n} rows wrong"
    if share.value is None or share.low is None or share.high is None:
        return words
    return f"{words} ({100 * share.value:.1f}%, 95% interval {100 * share.low:.1f} to {100 * share.high:.1f}%)"


class ProgressLine(Line):
    """Rewrites one line of a terminal with incumbent, bound, gap and time; silent without a terminal."""

    def __init__(self, stream: TextIO, problem: Problem) -> None:
        super().__init__(stream)
        self._problem = problem
        self._record = Record()
        self._next = 0.0

    def __call__(self, event: Event) -> None:
        """Process an event."""
        self._record.apply(event)
        if self.shown and time.monotonic() >= self._next:
            self._next = time.monotonic() + 0.1
            self.write(self.text())

    def text(self) -> str:
        """The line."""
        record = self._record
        if record.state is JobState.STARTING:
            return record.text
        cost, bound = record.cost, record.bound
        parts = [f"incumbent {'-' if cost is None else units(cost, self._problem)}"]
        if bound is not None and bound <= 0 and cost != bound:
            parts.append("no lower bound yet")
        elif bound is not None:
            parts.append(f"bound {units(bound, self._problem)}")
        if (gap := relative_gap(cost, bound)) is not None and gap < 1:
            parts.append(f"gap {100 * gap:.1f}%")
        return "  ".join([*parts, f"{record.elapsed:.1f} s"])


@contextmanager
def stopped_by_interrupt() -> Iterator[StopFlag]:
    """A flag that the first Ctrl-C sets, so that the best model is kept; the second ends the program."""
    stop = StopFlag()
    before = signal.getsignal(signal.SIGINT)

    def interrupt(*_: object) -> None:
        stop.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def _write(out: Path, request: Request, solution: Solution, rows: Dataset) -> None:
    """Write the files for `predict`, `verify` and the user."""
    end = (Cancelled if solution.status is Status.CANCELLED else Finished)(solution.seconds, solution)
    content = wire.add_version({**wire.event_to_json(end), "request": request.to_json()})
    (out / "solution.json").write_text(wire.dumps(content), "utf-8")
    diagram = solution.diagram
    if diagram is None:
        return
    (out / "model.json").write_text(to_json(diagram), "utf-8")
    name = diagram.kind.value
    dot = drawn(diagram, row_facts(diagram, rows))
    (out / f"{name}.dot").write_text(dot, "utf-8")
    (out / "rules.txt").write_text(to_rules(diagram), "utf-8")
    try:
        (out / f"{name}.svg").write_bytes(render(dot, "svg"))
    except RenderError as error:
        print(f"{name}.svg was not written: {error}", file=sys.stderr)
