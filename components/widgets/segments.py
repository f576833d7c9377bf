"""A choice among a few options that are all visible, and tabs of which only the open one is computed."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from components.messages.text import distinguish
from components.session import state
from components.session.contained import contain
from components.widgets import footer


def show(
    label: str, options: Sequence[str], *, key: str, words: Callable[[str], str] = str, shown: bool = False, **more: Any
) -> str:
    """Draw the options side by side and return the chosen one, initially the first; the choice is kept for the session.

    The label is read by screen readers, and visible if `shown`; `words` formats an option as Markdown, by default
    unchanged.
    """
    current, drawn = state.get(key), f"{key}_drawn"
    visit, before = state.get(drawn, (None, options[0]))
    if current not in options or visit != state.visit():
        # One option must always be chosen, but the value may be unset, unset for one run, or left by another screen
        # with other options. A valid value left by another screen must be set again, or the browser shows no choice.
        current = next(option for option in (current, before, options[0]) if option in options)
        state.put(key, current)
    shown_as = dict(zip(options, distinguish([words(option) for option in options]), strict=True))
    chosen = st.segmented_control(
        label,
        options,
        format_func=lambda option: shown_as.get(option) or words(option),
        key=key,
        required=True,
        label_visibility="visible" if shown else "collapsed",
        persist_state="session",
        **more,
    )
    # While screens change quickly, Streamlit may return nothing or a former option for one run.
    chosen = chosen if chosen in options else current
    state.put(drawn, (state.visit(), chosen))
    return chosen


Panel = Callable[[], None]

ALL_AT_ONCE = False
"""Whether closed tabs are drawn, too; tests that cannot click a tab set it."""


def show_tabs(panels: Mapping[str, Panel | Mapping[str, Panel]], *, key: str) -> None:
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
        chosen = show(name, list(parts), key=key)
    for part, draw in parts.items():
        if part == chosen or ALL_AT_ONCE:
            contain(draw)()
