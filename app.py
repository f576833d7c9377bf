"""Espalier's dashboard: `streamlit run app.py`. The navigation follows the user's workflow.

The server imports this file once, as a module, for the access control; each visit runs it as a script.
"""

from pathlib import Path

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from components.server import access, maintenance, sign_in
from components.session import drafts, ownership, state
from components.widgets import style
from solvers.settings import settings

PICTURES = Path(__file__).parent / "components" / "server"
PAGES = {
    "data": "Data",
    "design": "Design",
    "solve": "Solve",
    "inspect": "Inspect",
    "compare": "Compare",
    "sweep": "Sweep",
    "learn": "Learn",
    "runs": "Runs",
}


def main() -> None:
    """Set up the page and run the chosen screen, if the user is authorized."""
    st.set_page_config(page_title="Espalier", page_icon=str(PICTURES / "mark.svg"), layout="wide")
    st.logo(str(PICTURES / "name.svg"), size="large")
    screens = {
        name: st.Page(f"pages/{name}.py", title=title, url_path=name, default=name == "data")
        for name, title in PAGES.items()
    }
    ownership.keep_logs_impersonal()
    inside = ownership.inside()
    page = st.navigation(sign_in.with_account([*screens.values()]), position="top" if inside else "hidden")
    style.apply(state.dark())
    if not inside:
        sign_in.show(ownership.sign_in())
        return
    if shown := [name for name, screen in screens.items() if screen is page]:
        state.enter(*shown)
    state.pool()
    maintenance.begin()
    try:
        page.run()
    finally:
        # also if the screen ends with the next one
        if trouble := drafts.save(state.session(), ownership.owner(), settings()):
            st.toast(trouble, icon=":material/warning:")


if __name__ == "__main__":
    main()
else:
    # Streamlit treats a folder `pages/` as an old-style multipage app, in which the first visit to the address of a
    # screen runs only that screen; this must be turned off before.
    PagesManager.uses_pages_directory = False
    app = st.App(__file__, **access.guard())
