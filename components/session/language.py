"""The language of a session: what the user chose, or the browser prefers where there is a catalogue for it."""

from streamlit import context
from streamlit.runtime.scriptrunner import get_script_run_ctx

from solvers.language import ENGLISH, languages

MOST_SESSIONS = 10_000
_chosen: dict[str, str] = {}
"""By session; not in `st.session_state`, access to which may end a script at any text."""


def enter() -> None:
    """Begin with the language that the browser prefers, unless the session has one."""
    if (session := _session()) and session not in _chosen:
        preferred = (context.locale or ENGLISH).partition("-")[0].lower()
        _put(session, preferred if preferred in languages() else ENGLISH)


def choose(code: str) -> None:
    """Show everything in another language from now on."""
    if session := _session():
        _put(session, code)


def chosen() -> str | None:
    """The language of the session for which this thread works; `None` where it works for none."""
    session = _session()
    return None if session is None else _chosen.get(session)


def _put(session: str, code: str) -> None:
    while session not in _chosen and len(_chosen) >= MOST_SESSIONS:
        _chosen.pop(next(iter(_chosen)), None)
    _chosen[session] = code


def _session() -> str | None:
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else context.session_id
