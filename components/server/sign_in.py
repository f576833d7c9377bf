"""The screen on which users sign in, and their account in the navigation."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from components.messages.text import plain
from components.session import ownership
from components.session.ownership import SignIn


def show(settings: SignIn) -> None:
    """Draw the screen: a button for each provider, or why sign-in is not possible."""
    _, middle, _ = st.columns([1, 1.4, 1])
    with middle.container(border=True, key="sign_in_card"):
        st.title("Sign in to Espalier")
        if settings.trouble:
            st.error("Sign-in does not work. Contact your administrator.", icon=":material/lock:")
            st.caption(f"Sign-in settings: {plain(settings.trouble, 500)}")
            return
        st.markdown("Only you can see your data and runs.")
        for name in settings.providers:
            words = "Sign in" if name == "default" else f"Sign in with {plain(name.capitalize(), 40)}"
            st.button(words, key=f"sign_in_{name}", type="primary", on_click=partial(st.login, name), width="stretch")
        st.caption("You sign in at your organisation and then return here.")


def with_account(pages: Sequence[st.Page]) -> list[st.Page] | dict[str, list[st.Page]]:
    """The pages of the navigation, with the account of the user if one has signed in."""
    person = ownership.person()
    if not person:
        return list(pages)
    leave = st.Page(_leave, title="Sign out", url_path="sign_out", icon=":material/logout:")
    return {"": list(pages), plain(person, 30): [leave]}


def _leave() -> None:
    """Sign out; the browser goes to the first screen, in a new session."""
    st.logout()
