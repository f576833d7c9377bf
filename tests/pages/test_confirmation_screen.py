"""Whether constraints will hold for new patients: the offer on Design, what held-out rows confirm, and its run."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from components.session import run_files
from solvers.constraints import MinSensitivity
from solvers.metrics import on_new_rows
from solvers.posing import constraints_in
from tests.pages.journey import PATIENCE, go_to, last_run, session, with_file, words
from tests.pages.test_constraints_screen import with_constraints

ASKED = MinSensitivity("0.8", confidence="0.95")
ROWS = np.random.default_rng(1).random((240, 3)).round(1)
NOISY = b"a,b,ill\n" + b"".join(
    f"{a},{b},{'yes' if (a > 0.3) ^ (luck < 0.2) else 'no'}\n".encode() for a, b, luck in ROWS.tolist()
)
"""Every fifth row violates the rule, so that the strictest limits cost most."""


def asking(*constraints):
    """The Design screen with the table and these constraints."""
    app = with_file(NOISY)
    app.selectbox(key="positive_1_ill").set_value("yes").run()
    app = go_to(app, "design")
    app.slider(key="design_max_depth").set_value(2).run()
    return with_constraints(app, *constraints)


def keys(app) -> list[str]:
    """The buttons on the screen."""
    return [button.key for button in app.button]


def test_constraints_confirmed_on_held_out_rows_become_a_run():
    """A worker finds it; it becomes a proved run, and Inspect reports it, also after reopening."""
    app = asking(ASKED)
    app.button(key="confirm_ask").click().run()
    (job,) = session(app).jobs.values()
    answer = job.wait(PATIENCE).answer
    app.run()
    test = session(app).prepared.test
    assert f"Confirmed on {test.n_samples} held-out rows: {ASKED.words(test)}" in words(app)
    app.button(key="confirm_take").click().run()
    assert not app.exception
    run, chosen = last_run(app), answer.chosen
    assert run.best.diagram == chosen.solution.diagram and run.best.solution.verified
    assert run.best.solution.problem_id == run.problem.id
    (stricter,) = constraints_in(run.request)
    assert stricter.judged == ASKED and stricter.share > Fraction("0.8")
    assert on_new_rows(ASKED, run.best.diagram, test).holds
    go_to(app, "inspect")
    assert "Confirmed on " in words(app) and f"to confirm: {ASKED.words(test)}" in words(app)
    assert run_files.is_kept(run.job.folder)
    again = run_files.reopen(run.job.folder, 9)
    assert (again.problem.id, again.best.diagram) == (run.problem.id, run.best.diagram)
    assert constraints_in(again.request) == (stricter,)
    # the list still has the original constraint, as does the next run
    assert session(app).constraints[session(app).source.number].on == (ASKED,)


def test_without_held_out_rows_nothing_can_be_confirmed():
    """The screen offers to hold rows out; a constraint without confidence has no offer at all."""
    app = asking(ASKED.changed(confidence=None))
    assert "Confirm on held-out data" not in words(app)
    app = go_to(app, "data").slider(key="test_share").set_value(0).run()
    app = with_constraints(go_to(app, "design"), ASKED)
    assert "Hold out rows" in words(app) and "confirm_ask" not in keys(app)
