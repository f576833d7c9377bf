"""Parts of a screen that may fail without breaking the rest of the screen."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

import streamlit as st


def contain(draw: Callable[..., None]) -> Callable[..., None]:
    """A wrapper that shows the reason if the function raises an error; the rest of the screen is drawn."""

    @wraps(draw)
    def drawn(*args: Any) -> None:
        try:
            draw(*args)
        except Exception as error:
            logging.getLogger(__name__).error("A part of a screen could not be drawn.", exc_info=error)
            st.error("This part of the screen cannot be shown. You can use the other parts.")
            st.exception(error.with_traceback(None))

    return drawn
