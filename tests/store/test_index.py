"""The index finds, marks and removes runs, and never those of another user."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from solvers.errors import StoreError
from solvers.store import Entry, Query, RunIndex

START = datetime(2026, 3, 1, 12, 30, 15, 250_000, tzinfo=UTC)


def entry(number: int, **changes: object) -> Entry:
    """A finished run, one day later for each number."""
    base = Entry(
        id=f"{number:024x}",
        folder=f"run-{number}",
        owner="ada",
        created=START + timedelta(days=number),
        name="heart",
        outcome="disease",
        method="contree",
        kind="tree",
        size="depth 3",
        rows=297,
        features=13,
        state="finished",
        status="optimal",
        cost=44.0,
        bound=44.0,
        errors=44,
        questions=7,
        seconds=0.1,
        bytes=1000,
    )
    return replace(base, **changes)


@pytest.fixture
def index(tmp_path: Path) -> RunIndex:
    """A new index."""
    made = RunIndex(f"sqlite:///{tmp_path / 'index.sqlite'}")
    made.ensure_tables()
    return made


def found(index: RunIndex, **filters: object) -> list[str]:
    """The folders of the matching runs."""
    return [run.folder for run in index.find(Query(**filters))]


def test_runs_survive_a_round_trip(index: RunIndex) -> None:
    """The database keeps every field, and times with their zone."""
    full = entry(1, title="first try", constraints=2, starred=True, comment="good", error="x")
    bare = Entry(id="b", folder="bare", owner="", created=START, name="")
    for run in (full, bare):
        index.put(run)
        assert index.get(run.id) == run


@pytest.mark.parametrize(
    ("text", "folders"),
    [
        ("heart", ["run-2", "run-1"]),
        ("HEART depth", ["run-2", "run-1"]),
        ("second", ["run-2"]),
        ("100%", ["run-3"]),
        ("100_", []),
        ("'; DROP TABLE runs; --", []),
    ],
)
def test_every_word_must_occur(index: RunIndex, text: str, folders: list[str]) -> None:
    """Words are searched in names, titles and comments, ignoring case; special characters of SQL have no effect."""
    index.put(entry(1))
    index.put(entry(2, title="second try"))
    index.put(entry(3, name="liver", comment="100% sure"))
    assert found(index, text=text) == folders
    assert index.count(Query(text=text)) == len(folders)


def test_filters_select_runs(index: RunIndex) -> None:
    """By shape, state and favourites; explanations are omitted unless requested."""
    index.put(entry(1, method="cart", starred=True))
    index.put(entry(2, kind="bdd", state="failed"))
    index.put(entry(3, task="prices"))
    assert found(index) == ["run-2", "run-1"]
    assert found(index, tasks=True) == ["run-3", "run-2", "run-1"]
    assert found(index, kinds=("bdd",)) == ["run-2"]
    assert found(index, states=("failed", "cancelled")) == ["run-2"]
    assert found(index, starred=True) == ["run-1"]


def test_users_see_only_their_own_runs(index: RunIndex) -> None:
    """This holds for lists, single runs, marks and totals."""
    index.put(entry(1))
    index.put(entry(2, owner="grace"))
    assert found(index, owner="ada") == ["run-1"]
    assert index.get(entry(2).id, "ada") is None
    assert index.bytes_used("ada") == 1000
    with pytest.raises(StoreError, match="another user's"):
        index.mark(entry(2).id, "ada", starred=True)
    assert not index.get(entry(2).id, "grace").starred


def test_marks_are_kept_when_a_run_is_updated(index: RunIndex) -> None:
    """The user's texts are kept if the folder has something new."""
    index.put(entry(1, state="running", status=None))
    index.mark(entry(1).id, "ada", title="mine", starred=True, comment="look again")
    index.put(entry(1))
    run = index.get(entry(1).id)
    assert (run.title, run.starred, run.comment, run.state) == ("mine", True, "look again", "finished")


def test_the_trash_is_a_separate_list(index: RunIndex) -> None:
    """Deleted runs are shown in the trash only, until they are restored."""
    index.put(entry(1))
    index.mark(entry(1).id, "ada", deleted=START)
    assert (found(index), found(index, deleted=True)) == ([], ["run-1"])
    assert index.get(entry(1).id).deleted == START
    index.mark(entry(1).id, "ada", deleted=None)
    assert (found(index), found(index, deleted=True)) == (["run-1"], [])


def test_two_programs_share_one_index(tmp_path: Path) -> None:
    """Two dashboards that start at once create one index, which has the entries of both."""
    url, errors = f"sqlite:///{tmp_path / 'index.sqlite'}", []

    def work(owner: str) -> None:
        try:
            index = RunIndex(url)
            index.ensure_tables()
            for number in range(20):
                index.put(entry(number, id=f"{owner}-{number}", folder=f"{owner}-{number}", owner=owner))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(owner,)) for owner in ("ada", "grace")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert RunIndex(url).count(Query()) == 40


@pytest.mark.parametrize(
    "url",
    [
        "nonsense",
        "sqlite:////proc/nowhere/index.sqlite",
        "mysql://u:secret@nowhere/x",
        "postgresql://u:secret@127.0.0.1:1/x",
    ],
)
def test_an_unusable_database_is_an_error(url: str) -> None:
    """The error names the setting and hides the password."""
    with pytest.raises(StoreError, match="ESPALIER_DATABASE") as refused:
        RunIndex(url).ensure_tables()
    assert "secret" not in str(refused.value)
