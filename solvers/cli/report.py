"""`report`: a run as a page that stands alone, or as a PDF."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path

from solvers.cli.model import write
from solvers.cli.request import Request
from solvers.errors import RunError
from solvers.methods import registry
from solvers.report.html_page import to_html
from solvers.report.pdf_pages import to_pdf
from solvers.report.sections import report
from solvers.report.subject import Author, Subject
from solvers.run import load_run, wire
from solvers.run.solving import rechecked


def run(options: argparse.Namespace) -> int:
    """Carry out `report`."""
    ending = options.out.suffix.lower()
    if ending not in (".html", ".pdf"):
        raise RunError(
            f"A report is an HTML page or a PDF. Name a file that ends in .html or .pdf, not '{options.out}'."
        )
    subject = _subject(options.run, options.data)
    made = report(subject, Author(options.title, options.author, options.purpose, options.suppress))
    write(to_html(made) if ending == ".html" else to_pdf(made, subject.made), options.out)
    return 0


def _subject(path: Path, data: Path | None) -> Subject:
    """What is known of a run's folder, or of the solution of `fit --out` with the table that it was made from."""
    made = datetime.now(UTC)
    if (path / "problem.json").exists():
        if data is not None:
            raise RunError(f"The run's folder '{path}' holds its own data. Leave '{data}' out.")
        stored = load_run(path)
        if stored.solution is None:
            raise RunError(f"The run in '{path}' has no solution: {stored.snapshot.text}")
        told = {"options": stored.options, "limits": stored.limits}
        return Subject(stored.problem, stored.solution, **_method(stored.method), made=made, **told)
    file = path / "solution.json" if path.is_dir() else path
    what = f"The file '{file}'"
    content = wire.loads(file.read_bytes(), what)
    wire.check_version(content, what)
    if "request" not in content or data is None:
        raise RunError(f"{what} needs the table that it was made from. Add the data file to the command.")
    solution = wire.solution_from_json(content.get("solution") or content.get("best") or {}, what)
    request = Request.from_json(content["request"])
    posed = request.pose(data)
    split = {"test": posed.test, "test_share": request.test_share, "test_seed": request.seed, "notes": posed.notes}
    solution = rechecked(posed.problem, solution.method, solution)
    return Subject(posed.problem, solution, **_method(solution.method), made=made, **split)


def _method(name: str) -> dict[str, object]:
    method = registry.get(name)
    return {"method": method.title, "source": method.source, "exact": method.exact}
