"""The screens in another language."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from components.inspect.structure import calibration_panel, truth_panel
from components.session import language
from solvers.language import follow, use
from solvers.problem.skeleton import PRESETS
from tests.pages.journey import go_to, solved, with_sample, words


@pytest.fixture
def german(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """All sessions have chosen German."""
    monkeypatch.setattr(language, "chosen", lambda: "de")
    yield
    monkeypatch.undo()
    follow(language.chosen)


def test_the_journey_in_german(german) -> None:
    """From a sample to a proved tree, and on every other screen, nothing fails, and what is read is German."""
    app = with_sample("breast_cancer")
    assert "Zielgröße" in words(app)
    app = go_to(app, "design")
    assert not app.exception
    assert "Tiefe" in words(app)
    app = solved("breast_cancer")
    assert not app.exception
    assert "nachgewiesen" in words(app).lower()
    for screen in ("inspect", "compare", "sweep", "learn", "runs", "data"):
        app = go_to(app, screen)
        assert not app.exception, screen


def test_what_can_be_chosen_is_in_german() -> None:
    """Choices and hints that are translated where they are shown stand in the catalogue."""
    offered = (*calibration_panel.DIVISIONS, *truth_panel.KINDS, *(preset.summary for preset in PRESETS.values()))
    with use("de"):
        assert not [words for words in offered if words == words]
