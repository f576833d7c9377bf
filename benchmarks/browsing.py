"""Shared by the browser measurements: a separate dashboard, Chromium, and locators of the Inspect screen."""

from __future__ import annotations

import errno
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from solvers.errors import MissingPackageError

ROOT = Path(__file__).resolve().parents[1]
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
VIEW = {"width": 1366, "height": 768}
ON_INSPECT = "[class*=st-key-diagram_]"
"""The drawing on the Inspect screen; the Solve screen has a similar one."""


class Dashboard(NamedTuple):
    """A running dashboard.

    Attributes
    ----------
    url : its address.
    pid : its process id.
    runs : its folder of runs.
    log : the file of its output.
    """

    url: str
    pid: int
    runs: Path
    log: Path


@contextmanager
def dashboard(address: str = "127.0.0.1") -> Iterator[Dashboard]:
    """Start a dashboard in a separate process with an empty folder of runs; both are removed after the block.

    Raises
    ------
    OSError
        It cannot listen to this address, or does not respond within three minutes.
    """
    with socket.socket() as free:
        free.bind((address, 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}"]
    command += [f"--server.address={address}", "--server.headless=true"]
    with tempfile.TemporaryDirectory(prefix="runs-", ignore_cleanup_errors=True) as folder:
        runs, log = Path(folder) / "runs", Path(folder) / "log.txt"
        environment = {**os.environ, "ESPALIER_RUNS": str(runs), "ESPALIER_TOKEN": "off"}
        with log.open("w") as out:
            process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out)
        try:
            url = f"http://{address}:{port}"
            _wait(f"{url}/_stcore/health")
            yield Dashboard(url, process.pid, runs, log)
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(address: str, seconds: float = 180.0) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            urllib.request.urlopen(address, timeout=5)
            return
        except OSError:
            if time.monotonic() > end:
                raise TimeoutError(errno.ETIMEDOUT, "the dashboard does not respond", address) from None
            time.sleep(0.2)


def launching() -> dict[str, Any]:
    """Options for Playwright to start Chromium: the one named by `ESPALIER_CHROMIUM`, or the one on the path.

    Raises
    ------
    MissingPackageError
        There is no Chromium.
    """
    names = (os.environ.get("ESPALIER_CHROMIUM"), "chromium", "google-chrome")
    path = next((found for name in names if name and (found := shutil.which(name))), None)
    if path is None:
        raise MissingPackageError("There is no Chromium. Install it, or name it in ESPALIER_CHROMIUM.")
    return {"executable_path": path, "args": list(FLAGS)}


def button(page: Any, name: str) -> Any:
    """The visible button of this name, for either API of Playwright; its name may continue with shortcut keys."""
    full = re.compile(f"^{re.escape(name)}( Shortcut .+)?$")
    return page.get_by_role("button", name=full).locator("visible=true")


def node(page: Any, number: int) -> Any:
    """A node of the drawing on the Inspect screen."""
    return page.locator(f"{ON_INSPECT} #node{number}")
