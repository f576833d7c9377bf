"""The path of a user through the screens, without a browser."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from streamlit.testing.v1 import AppTest

from components.session.state import Session
from components.session.work import Run
from solvers.posing import problem_on
from solvers.problem import Problem

APP = str(Path(__file__).parents[2] / "app.py")
SECONDS = 60
PATIENCE = 60


def unopened() -> AppTest:
    """The dashboard before its first screen is drawn."""
    return AppTest.from_file(APP, default_timeout=SECONDS)


def opened() -> AppTest:
    """The dashboard as it opens."""
    return unopened().run()


def with_sample(key: str = "breast_cancer") -> AppTest:
    """The Data screen with a sample."""
    return opened().button(key=f"sample_{key}").click().run()


def with_file(content: bytes, name: str = "own.csv") -> AppTest:
    """The Data screen after a file was uploaded."""
    app = opened()
    app.file_uploader[0].upload(name, content, "text/csv")
    return app.run()


def solving(key: str = "breast_cancer") -> AppTest:
    """The Solve screen right after the click on Solve."""
    return with_sample(key).button(key="next").click().run()


def solved(key: str = "breast_cancer") -> AppTest:
    """The Solve screen once the run is over."""
    app = solving(key)
    last_run(app).job.wait(PATIENCE)
    return app.run()


def problem_of(app: AppTest) -> Problem:
    """The problem that Solve would build."""
    held = session(app)
    assert held.prepared is not None
    return problem_on(held.asked, held.prepared.train)


@cache
def solved_once(key: str) -> Run:
    """A run on a sample, shared by all tests that only read it."""
    return last_run(solved(key))


def finished(key: str = "breast_cancer") -> Run:
    """A run on a sample, without any requests about it."""
    return replace(solved_once(key), inquiries={}, opened={})


def go_to(app: AppTest, screen: str) -> AppTest:
    """Another screen of the same session."""
    return app.switch_page(f"pages/{screen}.py").run()


def on_training(app: AppTest) -> AppTest:
    """The same screen with the figures of the training rows."""
    return app.button_group(key="rows").set_value("training").run()


def session(app: AppTest) -> Session:
    """The state of the session in addition to the values of its widgets."""
    return app.session_state["_session"]


def last_run(app: AppTest):
    """The run that was started last."""
    return session(app).runs[-1]


def words(app: AppTest) -> str:
    """All text on the screen, without the backslashes that escape Markdown."""
    parts = [
        e.value
        for kind in ("title", "markdown", "caption", "error", "warning", "info", "html")
        for e in getattr(app, kind)
    ]
    parts += [e.label for e in app.expander]
    return "\n".join(parts).replace("\\", "")
