"""A choice among a few options that are all visible."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from components.messages.text import distinguish
from components.session import state


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
