"""What a dashboard does between clicks: it imports what the first run needs, and clears away what sessions left."""

import gc
import sys
import threading
import time
from functools import cache
from importlib import import_module

_PAUSE = 30.0
"""Seconds between two searches for what nobody holds any more."""

_SWITCH = 0.001
"""Seconds for which the work of one session may keep the clicks of another waiting, each time that they wait."""


@cache
def begin() -> None:
    """Start the upkeep of this process; it goes on until the process ends."""
    sys.setswitchinterval(_SWITCH)
    threading.Thread(target=_preload, name="preload", daemon=True).start()
    threading.Thread(target=_collect, name="upkeep", daemon=True).start()


def _preload() -> None:
    """Import what the first run needs while the user still looks at the data, so that its panel is there at once.

    The first figure of a process takes plotly a third of a second, the later ones a hundredth.
    """
    for name in ("graphviz", "sklearn.model_selection", "sklearn.tree"):
        import_module(name)
    from components.model.figures import live_curve
    from components.model.run_facts import Curve

    live_curve(Curve(((0.0, 1.0),), ((0.0, 0.0),), 1.0, False, ""), dark=False)


def _collect() -> None:
    """Free rows and models of sessions that ended, which refer to each other.

    Streamlit would do so after every click, when each search through all objects of the libraries takes a tenth of a
    second: most of what a click costs. `runner.postScriptGC` in `.streamlit/config.toml` keeps it from that.
    """
    while True:
        time.sleep(_PAUSE)
        gc.collect()
