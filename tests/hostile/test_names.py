"""A table whose columns, levels and classes have one malicious name, from the file to all exports and reports."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
import sqlite3
import zlib
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from threading import Event
from xml.etree import ElementTree

import pandas as pd
import pytest

from components.compare.comparer import style
from components.messages.text import file_name, html, plain
from components.session.run_files import keep, reopen
from components.session.work import Source, prepare
from components.widgets import shown_rows
from solvers.__main__ import main
from solvers.certificates import make_optimum_certificate, write_folder, zip_files
from solvers.diagram import Diagram, render, to_dot
from solvers.diagram.python_code import to_python
from solvers.diagram.sql import to_sql
from solvers.methods import get
from solvers.posing import limits_of, problem_on
from solvers.problem import Limits, Problem, Shape, infer_columns, read_table, suggest_outcome
from solvers.problem.texts import composed
from solvers.report.html_page import to_html
from solvers.report.pdf_pages import to_pdf
from solvers.report.predictions import table_predictions
from solvers.report.sections import report
from solvers.report.subject import Author, Subject
from solvers.request import Request
from solvers.run import load_run, solve
from solvers.run.folder import RunFolder
from solvers.solution import Finished, Solution
from solvers.spreadsheet import safe_cell
from solvers.study.folder import StudyFolder
from solvers.study.study import Study, StudyPlan, run_study
from tests.hostile.names import (
    CODE,
    DRAWINGS,
    FORMULAS,
    NAMES,
    PATHS,
    QUERIES,
    SCRIPTS,
    UNSEEN,
    Page,
    hostile_csv,
    hostile_dataset,
)
from tests.pages.handmade import ask

STARTS = tuple("=+-@\t\r\n＝＋－＠")
"""Characters that start a formula in a spreadsheet, also as full-width characters."""

named = pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))


FEW = (SCRIPTS[0], SCRIPTS[8], DRAWINGS[0], QUERIES[0], FORMULAS[1], PATHS[0], PATHS[4], UNSEEN[0], "(x) Tj ET /JS (y)")
"""One name of each kind, for slow tests."""

few = pytest.mark.parametrize("name", FEW, ids=range(len(FEW)))

MADE = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
LIMITS = Limits(seconds=30.0)


@cache
def solved(name: str) -> tuple[Problem, Solution]:
    """A table with this name everywhere, and its best tree."""
    problem = Problem(hostile_dataset(name), Shape(max_depth=2))
    return problem, solve(problem, "cart", LIMITS)


def model(name: str) -> Diagram:
    """The tree alone."""
    return solved(name)[1].diagram


def subject(name: str) -> Subject:
    """The content of its report."""
    return Subject(*solved(name), "CART", name, MADE)


def formulas(text: str) -> list[str]:
    """The cells of a CSV text that a spreadsheet would calculate."""
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    return [cell for cell in cells if cell.startswith(STARTS) and not re.fullmatch(r"[+-][\d.]+(e[+-]?\d+)?", cell)]


@named
def test_the_drawing_has_no_active_content(name):
    """The SVG has drawing elements only, no handler and no address, and shows the name as text."""
    svg = render(to_dot(model(name)), "svg")
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        assert element.tag.rpartition("}")[2] in {"svg", "g", "title", "desc", "path", "polygon", "text", "polyline"}
        for attribute in element.attrib:
            assert not attribute.startswith("on") and "href" not in attribute and attribute != "style"
    assert not Page(svg.decode()).faults()


@named
def test_programs_differ_only_in_their_texts(name):
    """The Python module has the statements of a harmless model, and SQLite executes a single query."""
    harmless, found = model("x"), model(name)
    assert _statements(to_python(found)) == _statements(to_python(harmless))
    table = f"{name}'\""
    query = to_sql(found, table=table)
    with sqlite3.connect(":memory:") as base:
        columns = ", ".join(_quote(column) for column in found.schema.names)
        base.execute(f"CREATE TABLE {_quote(table)} ({columns})")
        base.execute(f"INSERT INTO {_quote(table)} VALUES (1, ?)", (name,))
        (row,) = base.execute(query).fetchall()
        assert row[-3] in found.classes
        assert base.execute(f"SELECT count(*) FROM {_quote(table)}").fetchone() == (1,)


def test_code_in_names_does_not_run(tmp_path, monkeypatch):
    """A name that is Python code, with every escape from a string and a comment, has no effect when the module runs."""
    monkeypatch.chdir(tmp_path)
    for way_out in ("'", '"', '"""', "\\", "\n", "\r", "\u2028", "#\n", "*/", "%s", "{", "\x0c"):
        exec(compile(to_python(model(f"{way_out}{CODE}{way_out}")), "model", "exec"), {})
        exec(compile(to_python(model(f"{way_out};{CODE}#")), "model", "exec"), {})
    assert not list(tmp_path.iterdir())


def _statements(source: str) -> list[str]:
    """The kinds of all statements and expressions of a module, in order."""
    return [type(node).__name__ for node in ast.walk(ast.parse(source))]


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@named
def test_downloaded_rows_have_no_formulas(name):
    """In rows and predictions no cell or header starts as a formula, and escaped texts are only quoted."""
    dataset = solved(name)[0].dataset
    rows = shown_rows.to_csv(dataset.frame()).decode("utf-8-sig")
    for text in (rows, table_predictions(model(name), dataset.frame()).text):
        assert not formulas(text)
        assert safe_cell(composed(name)) in [cell for row in csv.reader(io.StringIO(text)) for cell in row]


@pytest.mark.parametrize(
    "cell", [*FORMULAS, "@x", "-x", "+x", "\t=1", "\r=1", "\n=1", "-", "+", "= 1", "-1e5x", "＋1", "－1"]
)
def test_formulas_are_quoted_and_numbers_are_not(cell):
    """Text that starts as a formula gets a quote before it; numbers are unchanged."""
    assert safe_cell(cell) == f"'{cell}"
    for harmless in ("-3.5", "+7", "-1e-5", "-1.5e3", "a=1"):
        assert safe_cell(harmless) == harmless


@named
def test_texts_of_the_screen_are_escaped(name):
    """As HTML the name is plain text; as Markdown each special character follows a backslash."""
    shown = style.pill(name, "good") + style.balance((name, f"{name} b"), (3.0, 4.0), ("#000", "#fff"))
    assert not Page(shown).faults() and Page(html(name)).tags == set()
    escaped = plain(name, 5000)
    for mark in "[]()<>`*_$:!|~#":
        assert f"{mark}" not in escaped.replace(f"\\{mark}", "")


@named
def test_no_name_leads_out_of_a_folder(name, tmp_path):
    """A run of a table of this name is in the folder of runs, under a generated name, and can be read."""
    runs = tmp_path / "runs"
    problem, solution = solved(name)
    run = RunFolder.create(runs, problem, "cart", Limits(seconds=1.0))
    run.write_outcome(Finished(0.1, solution))
    assert [path.parent for path in runs.iterdir()] == [runs]
    assert {path.name for path in tmp_path.iterdir()} == {"runs"}
    assert all(c.isalnum() or c == "-" for c in run.path.name)
    assert load_run(run.path).problem.dataset.name == name


@pytest.mark.parametrize("names", [SCRIPTS, DRAWINGS, QUERIES, FORMULAS, PATHS, UNSEEN], ids=range(6))
def test_a_report_as_a_page_has_no_active_content(names):
    """Whatever title, author, table and columns are called: no element or attribute runs or loads, also by policy."""
    name = " ".join(names)
    text = to_html(report(subject(name), Author(name, name, name))).decode()
    page = Page(text)
    assert not page.faults()
    policies = [value for tag, key, value in page.attributes if tag == "meta" and key == "content"]
    assert policies[0].startswith("default-src 'none'")
    assert {tag for tag, key, _ in page.attributes if key == "style"} <= {"text"}
    assert text.count("<style>") == text.count("</style>") == 1 and text.count("<body>") == 1


ACTING = (
    rb"/JavaScript",
    rb"/JS\b",
    rb"/OpenAction\s*<<",
    rb"/AA\b",
    rb"/URI",
    rb"/Launch",
    rb"/EmbeddedFile",
    rb"/AcroForm",
)


@pytest.mark.parametrize("names", [(PATHS[4], UNSEEN[0]), [name for name in FEW if name not in PATHS]], ids=range(2))
def test_a_report_as_a_pdf_has_no_active_content(names):
    """No script, action, link, file or form is among the objects of the PDF, including compressed ones."""
    name = " ".join(names)
    content = to_pdf(report(subject(name), Author(name, name, name)), MADE)
    assert content.startswith(b"%PDF-") and content.rstrip().endswith(b"%%EOF")
    objects = re.sub(rb"stream\r?\n.*?endstream", b"", content, flags=re.DOTALL)
    objects = re.sub(rb"\((?:\\.|[^\\()])*\)", b"()", objects, flags=re.DOTALL)  # without its texts
    for key in ACTING:
        assert not re.search(key, objects), key
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", content, flags=re.DOTALL)
    pages = [text for text in map(_unpacked, streams) if b" Tf" in text]
    assert pages and not [text for text in pages if b"/JS" in text]


def _unpacked(stream: bytes) -> bytes:
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return stream


@few
def test_a_certificate_has_names_only_in_cells(name, tmp_path):
    """Its rows and file names are those of a harmless table; its README quotes the names on one line."""
    made, harmless = (_certificate(n) for n in (name, "x"))
    assert made.keys() == harmless.keys()
    assert made["cases.csv"] == harmless["cases.csv"] and not formulas(made["cases.csv"].decode())
    assert len(made["README.md"].splitlines()) == len(harmless["README.md"].splitlines())
    write_folder(made, tmp_path / "certificate")
    assert {path.name for path in tmp_path.rglob("*")} == {"certificate", *made}
    assert zip_files(made) == zip_files(made)


@cache
def _certificate(name: str) -> dict[str, bytes]:
    problem = Problem(hostile_dataset(name), Shape(max_depth=2))
    return make_optimum_certificate(problem, get("contree").run(problem, Limits(), lambda event: None, Event()).diagram)


@few
def test_a_sweep_stays_in_its_folder_and_has_no_formulas(name, tmp_path):
    """Models have plain file names, whatever the table contains; tables have no cell that a spreadsheet calculates."""
    plan = StudyPlan(Problem(hostile_dataset(name), Shape(max_depth=2)), Study(("cart",), depths=(1, 2)))
    table = run_study(plan, tmp_path / "sweep")
    assert len(table) == 2 and table["error"].isna().all()
    assert {path.name for path in tmp_path.iterdir()} == {"sweep"}
    assert all(re.fullmatch(r"[\w.-]+", path.name) for path in tmp_path.rglob("*"))
    assert not formulas((tmp_path / "sweep" / "table.csv").read_text())
    assert pd.read_parquet(tmp_path / "sweep" / "table.parquet")["key"].tolist() == table["key"].tolist()


@named
def test_models_of_a_sweep_are_read_from_its_folder_only(name, tmp_path):
    """A key with a path to another folder, as in a damaged table, is not followed."""
    files = StudyFolder(tmp_path / "sweep")
    path = files.path / files._model(f"{name}/../../{name}")
    assert path.parent == tmp_path / "sweep" / "models" and re.fullmatch(r"[\w-]+\.json", path.name)


@pytest.mark.parametrize("name", [*NAMES, "", "...", "CON", "\r\nSet-Cookie: a=b", 'x"; y="'])
def test_names_of_downloads_are_plain(name):
    """A file name has letters, digits and hyphens only: no path, device, header or hidden file."""
    assert re.fullmatch(r"\w[\w-]{0,90}-node-3\.csv", file_name(name, "node", 3, ending="csv"))
    at = datetime(2026, 1, 31, 8, 45, 12)
    assert file_name("breast cancer", "a b", ending="csv", at=at) == "espalier-breast-cancer-2026-01-31-084512-a-b.csv"
    assert file_name("\u00fcber 140", ending="csv", at=at) == "espalier-\u00fcber-140-2026-01-31-084512.csv"


@few
def test_rows_of_a_run_are_unchanged(name, tmp_path):
    """The table of a run has the names and cells of the file: nothing is added or lost."""
    table = read_table(hostile_csv(name), header=True, name=name)
    reports = infer_columns(table)
    outcome = suggest_outcome(reports)
    prepared = prepare(Source(1, table, reports, outcome), Request(target=outcome, test_share=0.25))
    request = ask(max_depth=1, method="cart").with_rows(prepared.request)
    problem = problem_on(request, prepared.train)
    folder = RunFolder.create(tmp_path, problem, "cart", limits_of(request))
    keep(folder.path, prepared, request)
    folder.write_outcome(Finished(0.1, solve(problem, "cart", limits_of(request))))
    assert reopen(folder.path, 1).prepared.source.table.frame.astype(str).equals(table.frame.astype(str))


@few
def test_the_command_line_writes_only_the_given_files(name, tmp_path, monkeypatch, capsys):
    """`fit --out`, `report` and `predict` on a malicious table write the requested files, and nothing else."""
    monkeypatch.chdir(tmp_path)
    Path("own.csv").write_bytes(hostile_csv(name))
    target = next(csv.reader(io.StringIO(hostile_csv(name).decode())))[-1]
    fitted = ["fit", "own.csv", "--target", target, "--method", "cart", "--max-depth", "2", "--out", "out"]
    assert main(fitted) == 0, capsys.readouterr().err
    before = set(tmp_path.rglob("*"))
    assert main(["report", "out", "own.csv", "--out", "report.html"]) == 0
    assert main(["predict", "out", "own.csv", "--out", "told.csv"]) == 0
    assert {path.name for path in tmp_path.rglob("*")} - {path.name for path in before} == {"report.html", "told.csv"}
    assert not Page(Path("report.html").read_text()).faults()
    assert not formulas(Path("told.csv").read_text("utf-8-sig"))
    assert json.loads(Path("out/solution.json").read_text())["request"]
