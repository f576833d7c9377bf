"""A choice among a few things that all stand on the screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from components.session import state


def show(
    label: str, options: Sequence[str], *, key: str, words: Callable[[str], str] = str, shown: bool = False, **more: Any
) -> str:
    """Draw the options side by side and return the chosen one, at first the first.

    Parameters
    ----------
    label : what is chosen, for screen readers, and on the screen where `shown`.
    options : at least one.
    key : of the widget; the choice is kept for the session.
    words : how an option is written, as Markdown.
    more : further arguments of `st.segmented_control`.
    """
    if state.get(key) not in options:
        # nothing yet, or what another screen with other options left behind: something is always chosen
        state.put(key, options[0])
    chosen = st.segmented_control(
        label,
        options,
        format_func=words,
        key=key,
        required=True,
        label_visibility="visible" if shown else "collapsed",
        persist_state="session",
        **more,
    )
    # While screens change quickly, Streamlit may hand out nothing, or an option of before, for one run.
    return chosen if chosen in options else options[0]
