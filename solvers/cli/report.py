"""`report`: a run as a self-contained page, or as a PDF."""

import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from ..errors import RunError
from ..methods import registry
from ..report.drawing import Detail
from ..report.html_page import to_html
from ..report.pdf_pages import to_pdf
from ..report.rivals import rivals
from ..report.sections import report
from ..report.subject import Author, Subject
from ..run.solver_run import rechecked
from .app import Report
from .inputs import solved, verification_fault, write


def run(asked: Report) -> int:
    """Run `report`; returns 0 if the result passes its check, 1 if the report says that it does not."""
    ending = asked.out.suffix.lower()
    if ending not in (".html", ".pdf"):
        raise RunError(f"A report is an HTML page or a PDF. Name a file that ends in .html or .pdf, not '{asked.out}'.")
    subject = _subject(asked.solution, asked.data)
    made = report(subject, Author(asked.title, asked.author, asked.purpose, asked.suppress, Detail(asked.detail)))
    write(to_html(made) if ending == ".html" else to_pdf(made, subject.made), asked.out)
    if subject.solution.verified is True:
        return 0
    fault = verification_fault(subject.problem, subject.solution) or subject.solution.message
    print(f"The report says 'Not verified'. {fault}", file=sys.stderr)
    return 1


def _subject(path: Path, data: str | None) -> Subject:
    """The subject of a report, from a run's folder, or from the solution of `fit --out` with its table."""
    made = datetime.now(UTC)
    problem, solution, options, limits, request, posed = solved(path, data)
    method = registry.get(solution.method)
    subject = Subject(problem, solution, method.title, method.source, made, options, limits)
    if request is None or posed is None:
        return subject
    return replace(
        subject,
        solution=rechecked(problem, method.name, solution),
        test=posed.test,
        aside=posed.aside,
        test_share=request.test_share or request.validation_share,
        test_seed=request.seed,
        notes=posed.notes,
        rivals={} if posed.test is None else rivals(problem),
    )
