"""Tabs of which only the open one is computed, to save time of the server and the browser."""

from collections.abc import Callable, Mapping

import streamlit as st

from components.session.contained import contain
from components.widgets import footer, segments

Panel = Callable[[], None]

ALL_AT_ONCE = False
"""Whether closed tabs are drawn, too; tests that cannot click a tab set it."""


def show(panels: Mapping[str, Panel | Mapping[str, Panel]], *, key: str) -> None:
    """Draw the tabs, with the first one open initially, and the open panel; `panels` draw the content by tab name.

    A tab with several parts has a panel for each, of which one is chosen.
    """
    # as high as the window, so that the screen does not jump while the content of another tab loads
    with st.container(key=f"tabs_{key}"):
        tabs = st.tabs(list(panels), key=key, on_change="rerun")
        for tab, (name, panel) in zip(tabs, panels.items(), strict=True):
            if tab.open or ALL_AT_ONCE:
                with tab:
                    footer.link()
                    contain(panel)() if callable(panel) else _one_of(panel, name, f"{key}_{name.lower()}")


def _one_of(parts: Mapping[str, Panel], name: str, key: str) -> None:
    with st.container(key=f"parts_{key}"):
        chosen = segments.show(name, list(parts), key=key)
    for part, draw in parts.items():
        if part == chosen or ALL_AT_ONCE:
            contain(draw)()
