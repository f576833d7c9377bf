"""Background work of a dashboard: import what the first run needs, and free the memory of ended sessions."""

import gc
import sys
import threading
import time
from functools import cache
from importlib import import_module

_PAUSE = 30.0
"""Seconds between two garbage collections."""

_SWITCH = 0.001
"""Thread switch interval: seconds that the work of one session may delay the clicks of another, each time."""


@cache
def begin() -> None:
    """Start the maintenance threads of this process; they run until the process ends."""
    sys.setswitchinterval(_SWITCH)
    threading.Thread(target=_preload, name="preload", daemon=True).start()
    threading.Thread(target=_collect, name="upkeep", daemon=True).start()


def _preload() -> None:
    """Import what the first run needs while the user still looks at the data, so that its panel appears at once.

    The first figure of a process takes plotly a third of a second, later ones a hundredth.
    """
    for name in ("graphviz", "sklearn.model_selection", "sklearn.tree"):
        import_module(name)
    from components.model.figures import live_curve
    from components.model.run_facts import Curve

    live_curve(Curve(((0.0, 1.0),), ((0.0, 0.0),), 1.0, False, ""), dark=False)


def _collect() -> None:
    """Free rows and models of ended sessions, which are in reference cycles.

    Streamlit would collect after every click, and each collection over all objects of the libraries takes a tenth of a
    second: most of the cost of a click. `runner.postScriptGC` in `.streamlit/config.toml` turns that off.
    """
    while True:
        time.sleep(_PAUSE)
        gc.collect()
