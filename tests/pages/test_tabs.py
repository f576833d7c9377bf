"""Tabs whose content is only made when they are open."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from components.widgets import segments


def shown(open_tab: str | None = None) -> list[str]:
    """The drawn sections of tabs with one open, by default the first."""

    def script() -> None:
        import streamlit as st

        from components.widgets import segments

        panels = {name: lambda name=name: st.text(f"all of {name}") for name in ("Proof", "Constraints", "Bounds")}
        segments.show_tabs({"Proof": panels.pop("Proof"), "Limits": panels}, key="told")

    app = AppTest.from_function(script)
    if open_tab is not None:
        app.session_state["told"] = open_tab
    return [text.value for text in app.run().text]


def test_only_the_open_tab_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other tabs and sections are not drawn until they are opened."""
    monkeypatch.setattr(segments, "ALL_AT_ONCE", False)
    assert shown() == ["all of Proof"]
    assert shown("Limits") == ["all of Constraints"]


def test_all_tabs_are_drawn_if_none_can_be_clicked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other tests of the screens rely on this."""
    monkeypatch.setattr(segments, "ALL_AT_ONCE", True)
    assert shown() == ["all of Proof", "all of Constraints", "all of Bounds"]


@pytest.mark.parametrize("in_fragment", [False, True])
def test_a_panel_that_fails_does_not_stop_the_screen(in_fragment: bool) -> None:
    """The panel shows the reason; the following panels, and those below the tabs, are drawn."""

    def script(in_fragment: bool) -> None:
        import streamlit as st

        from components.session.contained import contain
        from components.widgets import segments

        def fail() -> None:
            raise IndexError("no cut in 'gcs'")

        panel = st.fragment(contain(fail)) if in_fragment else fail
        segments.show_tabs({"Groups": {"Parts": panel, "Fairness": lambda: st.text("fair")}}, key="told")
        st.text("below")

    app = AppTest.from_function(script, kwargs={"in_fragment": in_fragment}).run()
    assert [text.value for text in app.text] == ["fair", "below"]
    assert [error.value for error in app.exception] == ["no cut in 'gcs'"]
