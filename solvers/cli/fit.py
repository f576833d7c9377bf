"""`fit`: find the best model for a table, in this process, and report its performance."""

import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ..constraints import Constraint
from ..diagram import Diagram, render, to_json, to_rules
from ..errors import ConstraintError, RenderError, UnsupportedError
from ..messages import describe_proof, describe_result, remarks
from ..messages.confirmation import describe_confirmation
from ..messages.shapes import size_found
from ..metrics import achieved, rate
from ..metrics.words import in_units
from ..posing import PreparedProblem, limits_of, method_of, under
from ..problem import Dataset, Problem, ShapeKind
from ..report.drawing import drawn, row_facts
from ..report.rivals import caution_lines
from ..request import Request
from ..run import StopFlag, solve, wire
from ..run.progress import SearchProgress
from ..solution import Cancelled, Finished, Solution, Status
from ..study import Cluster
from ..study.confirmation import STEPS, Confirmation, ConfirmationStudy
from ..study.shared_proof import SharedConTree, prove
from .app import Fit
from .inputs import read_problem
from .terminal import Line, stopped_by_interrupt


def run(asked: Fit) -> int:
    """Run `fit`; returns 0 for a verified model, 1 if there is none."""
    request = asked.request
    _check(request, asked.scheduler)
    posed = read_problem(request, asked.data)
    problem, test, _, aside = posed
    if asked.out is not None:
        asked.out.mkdir(parents=True, exist_ok=True)
    line = Line(sys.stderr)
    shown = SearchProgress(problem, line.write)
    confirmed: dict[str, Any] = {}
    with stopped_by_interrupt() as stop:
        if aside is not None:
            problem, solution, confirmed = _confirm(posed, aside, request, line, stop)
            request = under(request, problem.constraints)
        elif asked.scheduler is not None:
            folder = None if asked.out is None else asked.out / "parts"
            solution = prove(problem, Cluster(asked.scheduler), folder, limits_of(request), shown, stop)
        else:
            solution = solve(problem, method_of(request), limits_of(request), shown, stop, request.options)
        line.clear()
    if asked.out is not None:
        _write(asked.out, request, solution, problem.dataset)
    if asked.json:
        more = {"confirmed": confirmed} if confirmed else {}
        print(wire.dumps({**result(problem, solution, test), "options": request.options, **more}))
    else:
        print(summary(problem, solution, test))
        if aside is not None and solution.diagram is not None:
            lines = _lines_of(confirmed["constraints"])
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
    posed: PreparedProblem, aside: Dataset, request: Request, line: Line, stop: StopFlag
) -> tuple[Problem, Solution, dict[str, Any]]:
    """The model that held-out rows confirm (or else that of the strictest limits), its problem, and the results."""

    def show(found: Confirmation) -> None:
        line.write(f"{len(found.tests)} of at most {STEPS + 1} limits, {found.seconds:.0f} s")

    how = method_of(request), request.options, limits_of(request)
    found = ConfirmationStudy(posed.problem, aside, *how, show).run(stop=stop)
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
        total, splits = (in_units(one, problem.scale) for one in (solution.cost, problem.splits_cost(diagram.n_splits)))
        lines.append(f"Cost: {total}, of which {splits} for {diagram.n_splits} splits")
    if test is not None:
        lines.append(f"Held out: {_wrong(test, diagram)}")
    if problem.constraints:
        lines += ["Constraints:", *_lines_of(constraint_figures(problem, diagram, problem.dataset))]
    lines += [f"Caution: {sentence}" for sentence in caution_lines(problem, diagram, test)]
    checked = "verified" if solution.verified else "NOT VERIFIED"
    kind = "" if diagram.kind is ShapeKind.TREE else f"{diagram.kind.noun} of "
    lines.append(f"{solution.method}, {kind}{size_found(diagram)}, {solution.seconds:.2f} s, {checked}")
    return "\n".join([*lines, "", to_rules(diagram).rstrip()])


def _priced(problem: Problem) -> bool:
    """Whether the cost includes more than the number or weight of misclassified rows."""
    return problem.objective.class_costs is not None or problem.split_penalty > 0


def _wrong(dataset: Dataset, diagram: Diagram) -> str:
    share = rate(diagram.predict(dataset) != dataset.y)
    words = f"{share.k} of {share.n} rows wrong"
    if share.value is None or share.low is None or share.high is None:
        return words
    return f"{words} ({100 * share.value:.1f}%, 95% interval {100 * share.low:.1f} to {100 * share.high:.1f}%)"


def constraint_figures(problem: Problem, diagram: Diagram | None, dataset: Dataset) -> list[dict[str, Any]]:
    """Each constraint with the model's value on some rows; undefined values are `None`.

    `value` and `limit` are in the unit of the constraint (shares from 0 to 1); `interval` is the 95% interval of a
    share of rows, and `binds` means that there is no slack. Empty without a model. Rows other than those of the problem
    are compared with the limit that a stricter one confirms.
    """
    if diagram is None:
        return []
    learned = dataset is problem.dataset
    return [_figures(one if learned else one.judged, diagram, dataset) for one in problem.constraints]


def _figures(constraint: Constraint, diagram: Diagram, dataset: Dataset) -> dict[str, Any]:
    figure = achieved(constraint, diagram, dataset)  # held-out rows may lack what the constraint refers to
    value, seen = (None, None) if figure is None else (figure.value, figure.observed)
    limit = constraint.limit
    return {
        "kind": constraint.kind,
        "words": constraint.full_words(dataset),
        "holds": None if figure is None else figure.holds,
        "idle": "" if figure is None else figure.idle,
        "value": None if value is None else float(value),
        "limit": None if limit is None else float(limit),
        "shown": None if value is None else constraint.show(value),
        "binds": None if figure is None else constraint.binds(diagram, dataset),
        "interval": None if seen is None else [seen.low, seen.high],
    }


def _lines_of(constraints: list[dict[str, Any]]) -> list[str]:
    """The constraints as text, one line each."""
    lines = []
    for constraint in constraints:
        room = ", binding" if constraint["binds"] else ""
        value = "" if constraint["shown"] is None else f" ({constraint['shown']}{room})"
        idle = f" ({constraint['idle']})" if constraint["idle"] else ""
        lines.append(f"  {'holds' if constraint['holds'] else 'VIOLATED'}: {constraint['words']}{value}{idle}")
    return lines


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
