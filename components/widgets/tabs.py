"""Tabs of which only the open one is worked out: what nobody looks at costs neither the server nor the browser time."""

from collections.abc import Callable, Mapping

import streamlit as st

ALL_AT_ONCE = False
"""Whether closed tabs are drawn, too; tests that cannot click a tab set it."""


def show(panels: Mapping[str, Callable[[], None]], *, key: str) -> None:
    """Draw the tabs, at first with the first one open, and its panel; `panels` draw the content by the tab's name."""
    # as high as the window: where the content of another tab is still to come, the screen must not jump
    with st.container(key=f"tabs_{key}"):
        tabs = st.tabs(list(panels), key=key, on_change="rerun")
        for tab, draw in zip(tabs, panels.values(), strict=True):
            if tab.open or ALL_AT_ONCE:
                with tab:
                    draw()
