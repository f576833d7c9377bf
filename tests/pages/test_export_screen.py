"""The tab of rules and exports, and the report, for trees, BDDs and diagrams."""

from __future__ import annotations

import csv
import io
from base64 import b64decode
from datetime import UTC, datetime, timedelta

import pytest

from components.inspect import export_panel
from components.inspect.report_panel import subject_of
from components.session import state
from components.session.work import Source, prepare
from components.widgets import segments, shown_rows
from solvers.posing import problem_on
from solvers.problem import Preparation, ShapeKind, Unknown, infer_columns, read_table
from solvers.problem.preparation import Replace
from solvers.report.drawing import Detail
from solvers.report.exports import EXPORTS
from solvers.report.html_page import to_html
from solvers.report.sections import report
from solvers.report.subject import Author
from solvers.study.cross_validation import CrossValidation
from solvers.study.folder import Results
from solvers.study.study import Study
from tests.hospital import OUTCOME, hospital_csv
from tests.pages.handmade import ask, bdd, diagram, prepared_sample, run_of, screen

pytestmark = pytest.mark.usefixtures("open_tab_only")

NOW = datetime(2026, 1, 31, tzinfo=UTC)


def finished(kind: ShapeKind):
    """A finished run with a hand-made model."""
    prepared = prepared_sample("breast_cancer")
    if kind is ShapeKind.BDD:
        design = ask(shape=kind, method="bdd-search", max_depth=3)
        return run_of(prepared, design, bdd(problem_on(design, prepared.train)))
    return run_of(prepared, ask(shape=kind, method="odd-search"), diagram(prepared.train))


@pytest.mark.parametrize("kind", [ShapeKind.BDD, ShapeKind.DIAGRAM])
def test_every_format_and_both_reports_are_offered(kind):
    """The tab has one button per format, two for the report, and the rules."""
    app = screen("inspect", finished(kind), inspect=state.EXPORT)
    assert not app.exception
    keys = {button.key for button in app.download_button}
    assert {f"export_{form.key}" for form in EXPORTS} | {"report_html", "report_pdf", "export_predictions"} <= keys
    assert any("IF " in code.value for code in app.code)


def test_partial_formats_are_tried_once(monkeypatch):
    """They are not made again at each click that redraws the screen."""
    asked = []
    monkeypatch.setattr(export_panel, "_refusal", lambda form, _: asked.append(form.key))
    app = screen("inspect", finished(ShapeKind.DIAGRAM), inspect=state.EXPORT)
    for _ in range(3):
        app.run()
    assert sorted(asked) == sorted(form.key for form in EXPORTS)


def test_unseen_values_can_get_a_prediction_and_small_counts_can_be_hidden():
    """The rules say that unseen values get no prediction or, with a switch, that they follow a branch. Another switch
    sets a limit, and the rules then hide counts.
    """
    app = screen("inspect", finished(ShapeKind.BDD), inspect=state.EXPORT)
    assert not any("to 100%" in code.value or "n hidden" in code.value for code in app.code)
    assert any("NO PREDICTION if" in code.value for code in app.code)
    app.toggle(key="follows_1").set_value(True).run()
    assert not app.exception
    assert any("PREDICTED ANYWAY" in code.value for code in app.code)
    assert not any("NO PREDICTION if" in code.value for code in app.code)
    app.toggle(key="hides_1").set_value(True).run()
    app.number_input(key="least_1").set_value(40).run()
    assert not app.exception
    assert any("to 100%" in code.value or "n hidden" in code.value for code in app.code)


def test_files_of_rows_say_which_patient_which_set_and_which_outcome():
    """Rows and predictions of the hospital export have the identifier, the set and the outcome; '39' is no '39.0'."""
    table = read_table(io.BytesIO(hospital_csv(300).encode()))
    steps = Replace(OUTCOME, ("yes", "YES"), "Yes"), Replace(OUTCOME, ("no", "NO"), "No")
    source = Source(1, table, infer_columns(table), OUTCOME).prepared_by(Preparation(steps))
    steps = tuple(source.preparation.to_json())
    asked = ask(target=OUTCOME, features=("age", "lactate", "heart_rate"), prepare=steps)
    prepared = prepare(source, asked)
    run = run_of(prepared, ask(shape=ShapeKind.DIAGRAM, method="odd-search"), diagram(prepared.train))
    test, raw = prepared.test, read(hospital_csv(300).encode(), ";")
    saved = read(shown_rows.to_csv(shown_rows.identified(run, "held-out", test.frame())))
    assert [(line["set"], int(line["row"])) for line in saved] == [("held-out", number) for number in test.rows]
    for name in ("patient_id", "age"):
        assert [line[name] for line in saved] == [raw[number - 1][name] for number in test.rows]
    lines = read(export_panel.predictions_of(run, run.best.diagram, Unknown.IGNORE, prepared.identifiers).encode())
    assert [line["patient_id"] for line in lines] == [cells["patient_id"] for cells in raw]
    assert [line[OUTCOME].lower() for line in lines] == [cells[OUTCOME].strip().lower() for cells in raw]
    assert {int(line["row"]) for line in lines if line["set"] == "held-out"} == {*test.rows}


def read(content: bytes, separator: str = ",") -> list[dict[str, str]]:
    """The lines of a CSV file by their headers."""
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig")), delimiter=separator))


def test_the_preview_counts_blank_items():
    """The preview is the page itself; more items are filled once the author enters the purpose of the model."""
    app = screen("inspect", finished(ShapeKind.BDD), inspect=state.EXPORT)
    app.toggle(key="report_1_preview").set_value(True).run()
    before = [text.value for text in app.caption if "checklist items are filled in" in text.value]
    app.text_area(key="report_1_purpose").input("Decide who is biopsied").run()
    after = [text.value for text in app.caption if "checklist items are filled in" in text.value]
    assert not app.exception
    assert len(before) == len(after) == 1
    assert int(after[0].split()[0]) == int(before[0].split()[0]) + 1


def test_the_report_has_rows_and_method_of_the_run():
    """It has training and held-out rows, the division, and the limits of the run."""
    run = finished(ShapeKind.DIAGRAM)
    subject = subject_of(run, run.best, NOW, external=run.prepared.test)
    assert [name for name, _ in subject.samples] == ["Training", "Held-out", "External"]
    page = to_html(report(subject, Author("A title", "Ada", "A purpose"))).decode()
    assert "A title" in page and "Ada" in page and "31 January 2026" in page
    assert "A row gets no prediction if a split" in page and "NO PREDICTION if" in page
    assert run.prepared.train.fingerprint in page and "25" in page
    assert run.file_name(run.best.key, ending="pdf") == "espalier-breast_cancer-2026-01-31-084512-odd-search.pdf"
    run.job.created += timedelta(days=1)
    assert "2026-02-01" in run.file_name(run.best.key, ending="pdf"), "two days have runs of the same number"


def test_an_unfinished_validation_is_omitted():
    """Figures of some folds are not a cross-validation."""
    run = finished(ShapeKind.BDD)
    subject = subject_of(
        run, run.best, NOW, validation=CrossValidation(Study(("cart",), folds=5), Results(5), run.problem)
    )
    assert subject.centres == () and subject.cross_validation is None


def test_the_report_uses_the_drawing_settings_of_the_screen(monkeypatch):
    """The setting next to the drawing also applies to the Export tab, and is kept."""
    monkeypatch.setattr(segments, "ALL_AT_ONCE", True)
    app = screen("inspect", finished(ShapeKind.DIAGRAM), inspect=state.EXPORT)
    app.toggle(key="report_1_preview").set_value(True).run()
    for detail, drawn in ((Detail.RICH, "Bars: rows by value"), (Detail.STANDARD, "risk "), (Detail.BARE, "Paler")):
        app.selectbox(key="detail").set_value(detail).run()
        assert not app.exception
        source = app.get("iframe")[0].proto.src
        picture = b64decode(source.partition("base64,")[2]).decode().partition("<svg")[2].partition("</svg>")[0]
        assert drawn in picture
        assert ("Bars" in picture) == (detail is Detail.RICH) and ("risk " in picture) == (detail is not Detail.BARE)
