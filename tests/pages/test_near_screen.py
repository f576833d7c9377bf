"""The tab of alternatives on the Inspect screen, with a search by a real worker."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.journey import PATIENCE, go_to, last_run, solved, words

KEY = "near as needed ModelFilter(must=(), never=(), first='', questions=None)"


@pytest.fixture(scope="module")
def searched() -> AppTest:
    """The alternatives of a tree of iris, within the smallest tolerance that has any."""
    app = go_to(solved("iris"), "inspect")
    assert not app.exception and "Finds all trees that are nearly as good" in words(app)
    app = app.button(key=f"ask_{KEY}_1").click().run()
    last_run(app).inquiries[KEY].wait(PATIENCE)
    return app.run()


def test_alternatives_are_found_filtered_and_opened(searched: AppTest):
    """A worker finds them; the columns are summarized; filters apply; one model is opened and compared."""
    app = searched
    assert not app.exception and not app.error
    shown = words(app)
    assert "counted exactly" in shown
    assert "Features of all trees within the tolerance" in [e.label for e in app.expander]
    table = next(frame.value for frame in app.dataframe if "features" in frame.value.columns)
    assert len(table) > 1 and table["extra errors"].max() == 0
    assert app.selectbox(key="alternative_1").options[0].startswith("1: proved tree, as good")
    row = int(last_run(app).prepared.train.rows[0])
    app = app.number_input(key="near_row_1").set_value(row).run()
    voted = rf"Row {row}: the proved tree predicts .* other equally good trees?.* decide differently"
    assert re.search(voted, words(app))
    name = app.multiselect(key="near_must_1").options[0]
    app = app.multiselect(key="near_must_1").set_value([name]).run()
    fewer = next(frame.value for frame in app.dataframe if "features" in frame.value.columns)
    assert 0 < len(fewer) <= len(table) and fewer["features"].str.contains(name, regex=False).all()
    app = app.multiselect(key="near_must_1").set_value([]).run()
    number = int(table["number"].iloc[-1])
    app = app.selectbox(key="alternative_1").set_value(number).run()
    app = app.button(key="open_1").click().run()
    assert not app.exception
    (opened,) = last_run(app).opened.values()
    assert opened.solution.verified and opened.title.startswith(f"Alternative {number}")
    assert "1 error more than the optimum" in words(app) or "As good as the optimum" in words(app)
    app = go_to(app, "compare")
    assert not app.exception and opened.title in words(app)
