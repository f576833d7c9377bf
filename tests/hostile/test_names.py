"""A table whose columns, levels and classes have one malicious name, from the file to all exports."""

from __future__ import annotations

import ast
import csv
import io
import sqlite3
from xml.etree import ElementTree

import pytest

from components.compare.comparer import style
from components.messages.text import html, plain
from components.widgets import shown_rows
from solvers.diagram import Diagram, render, to_dot
from solvers.diagram.python_code import to_python
from solvers.diagram.sql import to_sql
from solvers.problem import Dataset, Limits, Problem, Shape
from solvers.problem.texts import composed
from solvers.report.predictions import predictions
from solvers.run import load_run, solve
from solvers.run.folder import RunFolder
from solvers.solution import Finished, Solution
from solvers.spreadsheet import safe_cell
from tests.hostile.names import CODE, FORMULAS, NAMES, Page, hostile_dataset

STARTS = tuple("=+-@\t\r\n＝＋－＠")
"""Characters that start a formula in a spreadsheet, also as full-width characters."""

named = pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))


def solved(name: str) -> tuple[Dataset, Solution]:
    """A table with this name everywhere, and its best tree."""
    dataset = hostile_dataset(name)
    return dataset, solve(Problem(dataset, Shape(max_depth=2)), "cart", Limits(seconds=30.0))


def model(name: str) -> Diagram:
    """The tree alone."""
    return solved(name)[1].diagram


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
    dataset, solution = solved(name)
    rows = shown_rows.to_csv(dataset.frame()).decode("utf-8-sig")
    predicted = predictions(solution.diagram, dataset.X).text
    for text in (rows, predicted):
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        assert not [cell for cell in cells if cell.startswith(STARTS) and not _is_number(cell)]
        assert safe_cell(composed(name)) in cells


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("cell", [*FORMULAS, "\t=1", "\r=1", "\n=1", "-", "+", "= 1", "-1e5x", "＋1", "－1"])
def test_formulas_are_quoted_and_numbers_are_not(cell):
    """Text that starts as a formula gets a quote before it; numbers are unchanged."""
    assert safe_cell(cell) == f"'{cell}"
    assert [safe_cell(number) for number in ("-3.5", "+7", "-1e-5")] == ["-3.5", "+7", "-1e-5"]


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
    dataset, solution = solved(name)
    problem = Problem(dataset, Shape(max_depth=2))
    run = RunFolder.create(runs, problem, "cart", Limits(seconds=1.0))
    run.write_outcome(Finished(0.1, solution))
    assert [path.parent for path in runs.iterdir()] == [runs]
    assert {path.name for path in tmp_path.iterdir()} == {"runs"}
    assert all(c.isalnum() or c == "-" for c in run.path.name)
    assert load_run(run.path).problem.dataset.name == name
