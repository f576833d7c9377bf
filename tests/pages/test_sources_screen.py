"""The Data screen with files of every kind, what is chosen about them, and databases; a password goes nowhere."""

from __future__ import annotations

import pytest

from components.data import database_form
from components.session import ownership, state
from solvers.run import QueriedTable, ReadingLimits, TableReader
from solvers.settings import settings
from tests.pages.journey import PATIENCE, last_run, opened, session, words
from tests.problem.sources.exports import EXPORTS, NAMES
from tests.problem.sources.files import as_parquet, as_sqlite, typed_sample
from tests.problem.sources.test_databases import SECRET, server, ward  # noqa: F401 - a fixture

QUERY = "SELECT * FROM iris ORDER BY place"


def uploaded(content: bytes, name: str = "own.data"):
    """The Data screen once a file was read or refused."""
    app = opened()
    app.file_uploader[0].upload(name, content, "application/octet-stream")
    return awaited(app.run())


def awaited(app):
    """The same once what is being read is over."""
    reading = app.session_state["_reading_table"] if "_reading_table" in app.session_state else None  # noqa: SIM401
    if reading is not None:
        assert reading.wait(PATIENCE)
        app.run()
    return app


def chosen(app, start: str, value: object):
    """The screen after a value was chosen in a widget whose key starts so."""
    kinds = (app.number_input, app.text_input, app.text_area, app.checkbox, app.selectbox)
    widget = next(w for kind in kinds for w in kind if w.key and w.key.startswith(start))
    widget.set_value(value)
    return awaited(app.run())


@pytest.mark.parametrize(
    ("kind", "widgets"),
    [
        ("a title with separators", {"header_line_": 3}),
        ("names that come twice", {"number_": True}),
        ("a workbook with a title over all columns", {"header_line_": 3}),
    ],
)
def test_a_refused_file_is_read_once_it_is_chosen_how(kind, widgets):
    """The choice stands beside the file; nothing has to be uploaded again."""
    app = uploaded(EXPORTS[kind].content)
    assert not app.exception and app.error and session(app).source is None
    for start, value in widgets.items():
        app = chosen(app, start, value)
    assert not app.exception and not app.error
    assert session(app).source.table.names == tuple(EXPORTS[kind].names)


def test_a_sheet_a_query_and_a_parquet_file(tmp_path):
    """Each is chosen by its content; a database asks for a query where it has several tables."""
    app = uploaded(EXPORTS["a workbook with a second sheet"].content, "ward.xlsx")
    assert not app.error and session(app).source is None
    (sheets,) = (box for box in app.selectbox if box.key.startswith("sheet_"))
    assert sheets.options == ["read me", "data"] and sheets.value is None
    app = chosen(app, "sheet_", "data")
    assert session(app).source.table.names == tuple(NAMES)
    frame = typed_sample("iris")
    assert session(uploaded(as_parquet(frame), "iris.parquet")).source.table.n_rows == 150
    content = as_sqlite(frame, tmp_path, "iris")
    app = chosen(opened(), "query_", "DROP TABLE iris")
    app.file_uploader[0].upload("iris.sqlite", content, "application/octet-stream")
    app = awaited(app.run())
    assert "refuses the query" in app.error[0].value
    app = chosen(app, "query_", "SELECT * FROM iris LIMIT 60")
    assert session(app).source.table.n_rows == 60


@pytest.mark.parametrize(
    ("kind", "button"),
    [
        ("a title with separators", "Take the names from line 3"),
        ("names that come twice", "Number names that come twice"),
        ("a workbook with a title over all columns", "Take the names from line 3"),
        ("a total", "Leave out the last row"),
        ("two encodings", "Read all characters as latin-1"),
    ],
)
def test_a_refusal_offers_its_ways_out_as_buttons(kind, button):
    """One click where the refusal stands reads the file as it says, without another upload."""
    app = uploaded(EXPORTS[kind].content)
    assert app.error and session(app).source is None
    app = awaited(next(b for b in app.button if b.label == button).click().run())
    assert not app.exception and not app.error, [e.value for e in app.error]
    assert session(app).source.table.names == tuple(EXPORTS[kind].names)


def test_a_listed_database_is_queried_and_its_password_goes_nowhere(server, monkeypatch, tmp_path, caplog):  # noqa: F811
    """Neither onto the screen nor into the run, its log, or a file on the way."""
    runs = tmp_path / "runs"
    quoted = SECRET.replace("/", "%2F").replace(" ", "%20")
    monkeypatch.setenv("ESPALIER_SOURCES", f"clinic=postgresql://reader:{quoted}@127.0.0.1:{server.port}/ward")
    monkeypatch.setenv("ESPALIER_RUNS", str(runs))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    state.pool.clear()
    app = opened()
    app.selectbox(key="database").set_value("clinic").run()
    app.text_area(key="database_query").set_value(QUERY)
    app = awaited(next(b for b in app.button if b.label == "Load the rows").click().run())
    assert not app.exception and not app.error, [e.value for e in app.error]
    assert app.title[0].value == "clinic" and session(app).source.table.n_rows == 150
    shown = words(app)
    app = app.button(key="next").click().run()
    job = last_run(app).job
    assert job.wait(PATIENCE)
    state.pool.clear()
    found = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(runs in path.parents for path in found)
    for path in found:
        assert SECRET.encode() not in path.read_bytes() and quoted.encode() not in path.read_bytes(), path
    for text in (shown, words(app), caplog.text):
        assert SECRET not in text and quoted not in text


def test_a_worker_gets_the_password_through_its_pipe(server, monkeypatch, tmp_path):  # noqa: F811
    """What lies in the folder of a reading while it works holds none, nor does what it says."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    source = QueriedTable(ward(server), "ward")
    seen: list[bytes] = []
    from solvers.run import table_reader

    monkeypatch.setattr(
        table_reader, "watch", lambda *_: seen.extend(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    )
    reading = TableReader().read(source, ReadingLimits())
    assert reading.wait(PATIENCE)
    with pytest.raises(Exception) as refused:
        reading.result()
    assert "the tables" in str(refused.value) and seen
    assert all(SECRET.encode() not in content for content in seen) and SECRET not in repr(source)


def test_who_may_type_an_address(monkeypatch):
    """One person on one machine may; elsewhere only where the administrator says so, and no file of the server."""
    monkeypatch.setattr(ownership, "owner", lambda: ownership.LOCAL)
    assert database_form.may_type(settings({}))
    assert not database_form.may_type(settings({"ESPALIER_TYPED_ADDRESSES": "off"}))
    monkeypatch.setattr(ownership, "owner", lambda: "user:1")
    assert not database_form.may_type(settings({}))
    assert database_form.may_type(settings({"ESPALIER_TYPED_ADDRESSES": "on"}))


def test_a_typed_address_opens_no_file(monkeypatch, tmp_path):
    """Whoever types that of a file is told to upload it, and the file is not touched."""
    monkeypatch.setattr(ownership, "owner", lambda: ownership.LOCAL)
    path = tmp_path / "private.sqlite"
    path.write_bytes(as_sqlite(typed_sample("iris"), tmp_path))
    app = opened()
    app.text_input(key="address").set_value(f"sqlite:///{path}")
    next(b for b in app.button if b.label == "Load the rows").click()
    app = awaited(app.run())
    assert "Upload the database" in app.error[0].value and session(app).source is None


def test_without_databases_there_is_no_form(monkeypatch):
    """A user of a server whose administrator lists none sees nothing of it."""
    monkeypatch.setenv("ESPALIER_TYPED_ADDRESSES", "off")
    app = opened()
    assert not [one for one in app.expander if one.label == "Or query a database"]
    assert not app.exception
