"""Work outlives the page and the server: a new session continues with table, preparation, design and constraints."""

from __future__ import annotations

from concurrent.futures import wait
from dataclasses import replace
from pathlib import Path

import pytest

from components.session import drafts
from components.session.constraint_list import ConstraintList
from components.session.ownership import LOCAL
from solvers.constraints import MaxLeaves, MinSensitivity
from solvers.problem import leaf_floor
from solvers.settings import settings
from tests.hospital import hospital_csv
from tests.pages.journey import go_to, opened, session, with_file, with_sample, words
from tests.pages.place import own_place

TABLE = hospital_csv(300).encode()


@pytest.fixture
def place(tmp_path: Path):
    """A dashboard of its own, without drafts."""
    with own_place(tmp_path) as patch:
        yield tmp_path, patch


def worked():
    """A session with a cleaned table of the user, another size, and a disabled constraint."""
    app = with_file(TABLE, "ward.csv").button(key="apply_findings").click().run()
    held = session(app)
    held.constraints[1] = ConstraintList().with_added([MaxLeaves(5), MinSensitivity(0.8)]).with_changed(1, on=False)
    app = go_to(app.slider(key="test_share").set_value(40).run(), "design")
    return app.slider(key="design_max_depth").set_value(2).run()


def leave(app) -> str | None:
    """What happens at the end of each run of the script: `AppTest` runs the screens without it."""
    said = drafts.save(session(app), LOCAL, settings())
    if session(app).writing:
        wait([session(app).writing])
    return said or drafts.save(session(app), LOCAL, settings())


def asked(app):
    """What a session asks, with the switches of its constraints."""
    held = session(app)
    listed = [(one.constraint, one.on) for one in held.constraints[held.source.number].items]
    return held.source.title, held.request.about_rows, held.request.max_depth, held.prepared.whole.fingerprint, listed


def draft_buttons(app, beginning: str):
    """The buttons for drafts whose key begins with this."""
    return [button for button in app.button if (button.key or "").startswith(beginning)]


def test_a_new_session_continues_with_all_that_was_asked(place) -> None:
    """A closed page loses nothing: Design offers the draft, too, and one of another user is not offered."""
    leave(app := worked())
    before = asked(app)
    with place[1].context() as other:
        other.setattr("components.session.ownership.owner", lambda: "user:other")
        assert not draft_buttons(opened(), "draft_")
    again = opened()
    assert "ward: outcome deteriorated, 8 preparation steps, 2 constraints" in words(again).replace("**", "")
    go_to(again, "design")
    again = draft_buttons(again, "draft_")[0].click().run()
    assert asked(again) == before
    assert again.slider(key="design_max_depth").value == 2 and asked(go_to(again, "data")) == before
    leave(again.slider(key="test_share").set_value(20).run())
    assert len(drafts.saved(place[0], LOCAL)) == 1
    third = draft_buttons(opened(), "draft_")[0].click().run()
    assert session(third).request.test_share == 0.2


def test_a_tree_after_the_draft_of_a_bdd_has_its_initial_size(place) -> None:
    """Regression: a draft of a BDD set the minimum number of rows per leaf of trees to 1."""
    app = go_to(with_file(TABLE, "ward.csv"), "design")
    leave(app.button(key="design_shape_bdd").click().run())
    app = go_to(draft_buttons(opened(), "draft_")[0].click().run(), "design")
    assert session(app).asked.shape == "bdd"
    app = app.button(key="design_shape_tree").click().run()
    assert session(app).asked.min_samples_leaf == leaf_floor(300) > 1


def test_a_damaged_draft_is_explained_and_the_screen_goes_on(place) -> None:
    """A damaged table or document is named and stays until it is deleted; samples can be used."""
    leave(worked())
    (folder,) = place[0].glob("drafts/local/*")
    (folder / "cells.arrow").write_bytes(b"ARROW1 cut")
    app = draft_buttons(opened(), "draft_")[0].click().run()
    assert f"The draft '{folder.name}' is damaged" in words(app) and session(app).source is None
    (folder / "screen.json").write_text("{")
    app = opened()
    assert not draft_buttons(app, "draft_") and "is damaged" in words(app)
    app = draft_buttons(app, "delete_draft_")[0].click().run()
    assert not folder.exists() and not draft_buttons(app, "delete_draft_")
    assert not app.button(key="sample_xor").click().run().exception


def test_a_draft_that_cannot_be_written_is_said_once(place) -> None:
    """The user reads that the work would be lost, and after the next change the draft is written."""
    app = with_file(TABLE, "ward.csv")
    (place[0] / "drafts").write_text("no folder")
    assert "Your work cannot be saved" in leave(app)
    (place[0] / "drafts").unlink()
    assert leave(app.slider(key="test_share").set_value(10).run()) is None
    assert draft_buttons(opened(), "draft_")


def test_drafts_that_are_no_work_or_too_old_are_not_kept(place) -> None:
    """A sample as it opens has no draft, and each table one; the latest are kept, until the retention time is over."""
    leave(app := with_sample("xor"))
    assert leave(app.run()) is None and not drafts.saved(place[0], LOCAL)
    for share in range(drafts.KEPT + 2):
        session(app).source = replace(session(app).source, number=share + 2)
        leave(app)
        leave(app.slider(key="test_share").set_value(5 * share).run())
    assert len(drafts.saved(place[0], LOCAL)) == drafts.KEPT
    drafts.expire(place[0], 0.0)
    assert not drafts.saved(place[0], LOCAL)
