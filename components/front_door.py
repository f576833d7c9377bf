"""Every address leads through `app.py`, also the first one that is asked for after a start.

Streamlit takes a folder `pages/` beside the main script for an app of its older kind until `st.navigation` is called
for the first time. If that first visit is to the address of a screen, the screen alone would run, without look and
navigation. This module is imported by every screen; the first import says which kind of app this is, and begins again.
"""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

if PagesManager.uses_pages_directory and get_script_run_ctx(suppress_warning=True) is not None:
    PagesManager.uses_pages_directory = False
    st.rerun()
