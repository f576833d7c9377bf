"""Espalier's dashboard: `streamlit run app.py`. The user's journey is the navigation."""

from pathlib import Path

import streamlit as st

from components import ownership, state, style

PICTURES = Path(__file__).parent / "components"
PAGES = {
    "data": "Data",
    "design": "Design",
    "solve": "Solve",
    "inspect": "Inspect",
    "compare": "Compare",
    "learn": "Learn",
    "runs": "Runs",
}


def main() -> None:
    """Set up the page and run the screen that was chosen."""
    st.set_page_config(page_title="Espalier", page_icon=str(PICTURES / "mark.svg"), layout="wide")
    st.logo(str(PICTURES / "name.svg"), size="large")
    pages = [
        st.Page(f"pages/{name}.py", title=title, url_path=name, default=name == "data") for name, title in PAGES.items()
    ]
    page = st.navigation(pages, position="top")
    style.apply(state.dark())
    if not ownership.require():
        return
    state.enter(page.title)
    state.pool()
    page.run()


if __name__ == "__main__":
    main()
