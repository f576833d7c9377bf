"""`dashboard`: the screens, in the browser of this machine."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from ..errors import MissingPackageError
from .app import Dashboard

_PACKAGE = Path(__file__).resolve().parents[1]
_INSTALLED = _PACKAGE / "dashboard" / "app.py"
APP = _INSTALLED if _INSTALLED.exists() else _PACKAGE.parent / "app.py"
"""Within the installed package, or next to it in a clone."""


def run(asked: Dashboard) -> NoReturn:
    """Serve the dashboard in this process until it is stopped.

    Raises `MissingPackageError` if the packages of the dashboard are not installed.
    """
    if find_spec("streamlit") is None:
        raise MissingPackageError("The dashboard needs more packages. Install 'espalier-trees[dashboard]'.")
    sys.stdout.flush()
    served = ["--server.port", str(asked.port), "--server.headless", str(asked.no_browser).lower()]
    os.execv(sys.executable, [sys.executable, "-m", "streamlit", "run", str(APP), *served])
