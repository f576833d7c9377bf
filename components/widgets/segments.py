"""A choice among a few things that all stand on the screen."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from components.messages.text import distinguish
from components.session import state


def show(
    label: str, options: Sequence[str], *, key: str, words: Callable[[str], str] = str, shown: bool = False, **more: Any
) -> str:
    """Draw the options side by side and return the chosen one, at first the first; the choice is kept for the session.

    The label is read aloud, and stands on the screen where `shown`; `words` writes an option as
    Markdown, by default as it is.
    """
    current, drawn = state.get(key), f"{key}_drawn"
    visit, before = state.get(drawn, (None, options[0]))
    if current not in options or visit != state.visit():
        # nothing yet, or for one run nothing although something was chosen, or what another screen with other options
        # left behind: something is always chosen. What the same choice on another screen left behind is set again,
        # without which the browser shows none as chosen
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
    # While screens change quickly, Streamlit may hand out nothing, or an option of before, for one run.
    chosen = chosen if chosen in options else current
    state.put(drawn, (state.visit(), chosen))
    return chosen
