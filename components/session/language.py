"""The language of a session: what the user chose, or the browser prefers where there is a catalogue for it."""

from streamlit import context
from streamlit.runtime.scriptrunner import get_script_run_ctx

from solvers.language import ENGLISH, languages

MOST_SESSIONS = 10_000
_chosen: dict[str, str] = {}
_screens: dict[str, str] = {}
"""Language and last screen by session; not in `st.session_state`, access to which may end a script at any text."""


def enter() -> None:
    """Begin with the language that the browser prefers, unless the session has one."""
    if (session := _session()) and session not in _chosen:
        preferred = (context.locale or ENGLISH).partition("-")[0].lower()
        _put(_chosen, session, preferred if preferred in languages() else ENGLISH)


def choose(code: str) -> None:
    """Show everything in another language from now on."""
    if session := _session():
        _put(_chosen, session, code)


def chosen() -> str | None:
    """The language of the session for which this thread works; `None` where it works for none."""
    session = _session()
    return None if session is None else _chosen.get(session)


def note_screen(name: str) -> None:
    """Remember where the user is, to come back after the language was changed."""
    if session := _session():
        _put(_screens, session, name)


def last_screen() -> str:
    """Where the user was."""
    return _screens.get(_session() or "", "")


def _put(known: dict[str, str], session: str, value: str) -> None:
    while session not in known and len(known) >= MOST_SESSIONS:
        known.pop(next(iter(known)), None)
    known[session] = value


def _session() -> str | None:
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else context.session_id
