"""The Data screen with files of every kind, and their options."""

from __future__ import annotations

import pytest

from tests.pages.journey import PATIENCE, opened, session
from tests.problem.sources.exports import EXPORTS, NAMES
from tests.problem.sources.files import as_parquet, as_sqlite, typed_sample


def uploaded(content: bytes, name: str = "own.data"):
    """The Data screen once a file was read or refused."""
    app = opened()
    app.file_uploader[0].upload(name, content, "application/octet-stream")
    return wait_for(app.run())


def wait_for(app):
    """The same once the reading has ended."""
    reading = app.session_state["_reading_table"] if "_reading_table" in app.session_state else None  # noqa: SIM401
    if reading is not None:
        assert reading.wait(PATIENCE)
        app.run()
    return app


def chosen(app, start: str, value: object):
    """The screen after a value was chosen in a widget whose key has this prefix."""
    kinds = (app.number_input, app.text_input, app.text_area, app.checkbox, app.selectbox)
    widget = next(w for kind in kinds for w in kind if w.key and w.key.startswith(start))
    widget.set_value(value)
    return wait_for(app.run())


def test_a_refused_file_is_read_after_a_choice():
    """The option is next to the file, which need not be uploaded again."""
    export = EXPORTS["a title with separators"]
    app = uploaded(export.content)
    assert not app.exception and app.error and session(app).source is None
    app = chosen(app, "header_line_", 3)
    assert not app.exception and not app.error
    assert session(app).source.table.names == tuple(export.names)


def test_sheets_queries_and_parquet_files_are_supported(tmp_path):
    """Each is detected by its content; a database needs a query if it has several tables."""
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
    app = wait_for(app.run())
    assert "refuses the query" in app.error[0].value
    app = chosen(app, "query_", "SELECT * FROM iris LIMIT 60")
    assert session(app).source.table.n_rows == 60


@pytest.mark.parametrize(
    ("kind", "button"),
    [
        ("a title with separators", "Take names from line 3"),
        ("a workbook with a title over all columns", "Take names from line 3"),
        ("a total", "Skip the last row"),
        ("two encodings", "Read as latin-1"),
    ],
)
def test_a_refusal_has_buttons_for_its_options(kind, button):
    """One click reads the file with the suggested option, without another upload."""
    app = uploaded(EXPORTS[kind].content)
    assert app.error and session(app).source is None
    app = wait_for(next(b for b in app.button if b.label == button).click().run())
    assert not app.exception and not app.error, [e.value for e in app.error]
    assert session(app).source.table.names == tuple(EXPORTS[kind].names)
