"""The bedside page in a frame: one question at a time, as it is saved."""

from base64 import b64encode

import streamlit as st

from components.session import state
from components.words.text import plain
from solvers.errors import EspalierError
from solvers.report.exports import Material

_HEIGHT = 640


def show(material: Material, *, file: str) -> None:
    """Draw the page and the button that saves it under the name `file`."""
    _, middle, _ = st.columns([1, 4, 1])
    with middle, st.container(key="bedside"):
        try:
            page = material.bedside("dark" if state.dark() else "light")
        except EspalierError as error:
            st.error(plain(error, 400))
            return
        # as data the page has an origin of its own, and no access to this one
        st.iframe(f"data:text/html;base64,{b64encode(page).decode()}", height=_HEIGHT)
        st.download_button(
            "Save page (HTML)",
            material.bedside,
            file_name=file,
            mime="text/html",
            key="bedside_page",
            icon=":material/download:",
            on_click="ignore",
            help="One file without patient data, for offline use, phone or paper. Risks are predicted risks.",
        )
