"""How far something is that a worker is busy with, with a way to stop it; drawn again and again until it is over."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from components.session.contained import contained
from components.session.work import AnyJob
from components.words.text import plain

_REFRESH_SECONDS = 0.5


def watch(is_busy: Callable[[], bool], draw: Callable[..., None], *args: Any, key: str, free: bool = False) -> None:
    """Draw something, again and again while `is_busy` says so, and then the whole screen once more.

    `draw` must not contain a fragment that repeats itself. Where `free`, it stands in no fragment once it is over.
    """
    busy, draw = is_busy(), contained(draw)
    watched = st.fragment(_watched, run_every=_REFRESH_SECONDS if busy else None, key=key)
    (_watched if free and not busy else watched)(is_busy, busy, draw, args)


def _watched(is_busy: Callable[[], bool], was_busy: bool, draw: Callable[..., None], args: tuple[Any, ...]) -> None:
    if was_busy and not is_busy():
        st.rerun()
    draw(*args)


def stoppable(
    words: str, stop: Callable[[], None], *, key: str, share: float | None = None, help: str | None = None
) -> None:
    """Draw what a worker does, in Markdown, with a button of this key that stops it; `share` of it is done if given."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if share is None:
            st.caption(words, width="content")
        else:
            st.progress(share, text=words, width="stretch")
        st.button("Stop", key=key, icon=":material/stop_circle:", help=help, on_click=stop)


def show(job: AnyJob, words: str, *, key: str, share: float | None = None) -> None:
    """The same for a job while it works; once it has failed, why."""
    if not job.done:
        stoppable(words, job.cancel, key=key, share=share)
    elif error := job.snapshot().error:
        st.error(plain(error, 500), icon=":material/error:")
