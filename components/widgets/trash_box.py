"""What was deleted, to take it back or to delete it for good."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from solvers.store.trash import TRASH_DAYS


def show(items: str, table: pd.DataFrame, *, key: str, restore: Callable[[], None], empty: Callable[[], None]) -> None:
    """Draw the table of what was deleted, which is called for instance '2 runs'."""
    with st.expander(f"Trash ({items})"):
        st.caption(f"What was deleted stays here for {TRASH_DAYS:g} days; then it is deleted for good, with its data.")
        st.dataframe(table, hide_index=True)
        with st.container(horizontal=True):
            st.button("Take all back", key=f"{key}_restore", on_click=restore)
            if st.button("Empty the trash", key=f"{key}_empty"):
                _confirm(items, key, empty)


@st.dialog("Delete for good?", on_dismiss="rerun")
def _confirm(items: str, key: str, empty: Callable[[], None]) -> None:
    st.markdown(f"{items} with tables and models will be deleted. This cannot be undone.")
    if st.button("Delete for good", key=f"{key}_empty_now", type="primary", on_click=empty):
        st.rerun()
