"""Whose runs are whose: the signed-in user's, or the session's; on one's own machine everybody is the same person."""

from __future__ import annotations

import hashlib

import streamlit as st

LOCAL = "local"
"""The owner of all runs where the dashboard listens to this machine only, and nobody signs in."""

_THIS_MACHINE = {"localhost", "127.0.0.1", "::1"}


def owner() -> str:
    """Who owns what this session makes.

    With sign-in it is derived from the identity that the provider vouches for. Without it, where others may reach the
    dashboard, every session is somebody else.
    """
    if signs_in():
        return _of_user() if st.user.is_logged_in else ""
    if st.get_option("server.address") in _THIS_MACHINE:
        return LOCAL
    session = st.runtime.scriptrunner.get_script_run_ctx()
    return "session:" + _hash(session.session_id if session else "")


def signs_in() -> bool:
    """Whether an administrator has set up Streamlit's sign-in."""
    try:
        return "auth" in st.secrets
    except FileNotFoundError:
        return False


def require() -> bool:
    """Draw the sign-in screen where it is needed; whether the session may go on."""
    if not signs_in():
        return True
    if st.user.is_logged_in:
        with st.sidebar:
            st.caption("Signed in. Runs and tables are yours alone.")
            st.button("Sign out", on_click=st.logout, key="sign_out")
        return True
    st.title("Espalier")
    st.markdown("Sign in to see your tables and runs. Nobody else sees them.")
    st.button("Sign in", type="primary", on_click=st.login, key="sign_in")
    return False


def _of_user() -> str:
    """A name for the user that tells nobody who it is, the same at every sign-in."""
    told = st.user.to_dict()
    identity = f"{told.get('iss', '')} {told.get('sub') or told.get('email', '')}"
    return "user:" + _hash(identity)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
