"""Texts from users and addresses: names and comments of runs, searches, and links to lessons."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from components.runs.run_list import lines
from components.session import run_store
from solvers.problem import Limits, Problem, Shape
from solvers.run import solve
from solvers.run.folder import RunFolder
from solvers.solution import Failed
from solvers.store import Entry, Query, RunIndex
from solvers.teaching.addresses import params_of, setting_of
from tests.hostile.names import NAMES, SCRIPTS, hostile_dataset
from tests.hostile.test_names import named
from tests.hostile.test_screens import acting
from tests.pages.journey import go_to, unopened
from tests.pages.place import own_place
from tests.store.test_index import put

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)


def entry(run_id: str, **more: object) -> Entry:
    """A finished run."""
    blank = Entry(id=run_id, folder=run_id, owner="local", created=NOW, name="harmless")
    return replace(blank, **{"state": "finished", "status": "optimal", "method": "contree", **more})


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> RunIndex:
    """A list with a run for each malicious name, and one run of another user."""
    runs = tmp_path_factory.mktemp("runs")
    for i, name in enumerate(NAMES):
        put(runs, entry(f"run{i}", name=name, comment=name, title=name, outcome=name))
    put(runs, entry("other", owner="session:somebody", name="other"))
    made = RunIndex(runs)
    made.synchronize()
    return made


@named
def test_a_search_term_is_plain_text(name, index):
    """A malicious name finds its own run only and changes nothing; so does each word of it as a search term."""
    found = index.find(Query(owner="local", text=name))
    assert f"run{NAMES.index(name)}" in {one.id for one in found}
    assert "other" not in {one.id for one in found}
    assert index.count(Query()) == len(NAMES) + 1
    for pattern in ("%", "_", "\\", "' OR 1=1 --"):
        words = pattern.split()
        expected = {f"run{i}" for i, text in enumerate(NAMES) if all(word.lower() in text.lower() for word in words)}
        assert expected <= {one.id for one in index.find(Query(owner="local", text=pattern))}
    assert not index.find(Query(owner=f"{name}' OR '1'='1"))


def test_names_of_runs_are_unchanged(index):
    """The list keeps every character, and the list shows it on one line."""
    for i, name in enumerate(NAMES):
        found = index.get(f"run{i}", "local")
        assert (found.name, found.comment, found.title) == (name, name, name)
        assert lines([found])["Data set"].tolist() == [name]


@named
def test_an_address_opens_a_lesson(name):
    """Whatever the address contains, a lesson opens; invalid values are reported and ignored."""
    params = dict.fromkeys(
        ("lesson", "table", "rows", "noise", "distractors", "size", "seed", "depth", "part", "method"), name
    )
    found = setting_of(params | {name: name})
    assert len(found.notes) == len(params)
    assert params_of(found.setting) == params_of(setting_of({}).setting)


@pytest.mark.parametrize("number", ["1e999", "nan", "inf", "-1", "9" * 5000, "\u0663", "1_0", " 7 ", "0x7", "1;2"])
def test_numbers_in_an_address_are_parsed_or_ignored(number):
    """Text that is not a number, or out of range, is ignored; digits of other scripts have their usual value."""
    for key in ("rows", "noise", "depth", "seed", "size", "distractors"):
        found = setting_of({key: number})
        value = params_of(found.setting).get(key)
        assert found.notes or value is None or float(value) == float(number)


@pytest.fixture
def own_runs(tmp_path: Path):
    """A separate folder of runs."""
    with own_place(tmp_path / "runs"):
        yield tmp_path / "runs"


def test_the_list_of_runs_interprets_no_name(own_runs):
    """Runs with a malicious table, name, comment and failure reason are listed and searched as texts."""
    problem = Problem(hostile_dataset(SCRIPTS[5]), Shape(max_depth=1))
    folder = RunFolder.create(own_runs, problem, "cart", Limits(seconds=5.0), owner="local")
    folder.write_outcome(Failed(0.1, SCRIPTS[6], solve(problem, "cart")))
    app = go_to(unopened(), "runs")
    store = run_store.store(fresh=True)
    (listed,) = store.find(Query(owner="local"))
    store.mark(listed.id, "local", title=SCRIPTS[0], comment=SCRIPTS[10])
    for text in (SCRIPTS[0], SCRIPTS[5], "'; DROP TABLE runs; --"):
        app.text_input(key="runs_text").set_value(text)
        app.run()
        assert not app.exception and not list(acting(app))
    app.text_input(key="runs_text").set_value("")
    app.session_state["runs_table_0"] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    app.run()
    assert not app.exception and not list(acting(app))
    assert any("evil.example" in caption.value.replace("\\", "") for caption in app.caption)


def test_a_malicious_address_of_a_lesson_is_shown_as_text():
    """The screen of the lessons lists the ignored values, without interpreting them."""
    app = unopened()
    app.query_params["noise"], app.query_params["lesson"] = SCRIPTS[5], SCRIPTS[1]
    app = go_to(app, "learn")
    assert not app.exception and not list(acting(app))
