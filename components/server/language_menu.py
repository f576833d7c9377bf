"""The languages beside the screens in the navigation; to choose one leads back to the screen where one was."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from components.session import language, state
from solvers.language import current, languages

ICON = ":material/translate:"


def with_languages(
    pages: Sequence[Any] | dict[str, list[Any]], screens: Mapping[str, Any]
) -> Sequence[Any] | dict[str, list[Any]]:
    """The pages of the navigation, and under the name of the language in use the other ones.

    `screens` are the pages to which one goes back, by their names.
    """
    entries = [
        st.Page(partial(_show_in, code, screens), title=name, url_path=f"language_{code}", icon=ICON)
        for code, name in languages().items()
        if code != current()
    ]
    if not entries:
        return pages
    groups = dict(pages) if isinstance(pages, dict) else {"": list(pages)}
    return {"": groups.pop(""), languages()[current()]: entries, **groups}


def _show_in(code: str, screens: Mapping[str, Any]) -> None:
    """Change the language, and go on at the screen where the user was, or at the first one."""
    language.choose(code)
    st.switch_page(screens.get(state.page(), next(iter(screens.values()))))
