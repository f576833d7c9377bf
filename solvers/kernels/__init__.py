"""Compiled loops: arrays in, arrays out.

numba caches machine code by the time stamp of the file in which a function stands, and does not notice that a function
it calls in another file has changed. So the cache lies in a folder named after the contents of all kernels: whenever
one of them changes, all are compiled anew, and code that does not fit its source is never run.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path

import numba

KEPT_VERSIONS = 3


def _cache_folder() -> Path:
    """The folder for the machine code of exactly these sources; older versions are removed."""
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    home = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(home) / "espalier" / f"kernels-{digest.hexdigest()[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        return Path(tempfile.gettempdir()) / f"espalier-{os.getuid()}" / folder.name
    versions = sorted(folder.parent.glob("kernels-*"), key=lambda path: path.stat().st_mtime, reverse=True)
    for outdated in versions[KEPT_VERSIONS:]:
        shutil.rmtree(outdated, ignore_errors=True)
    return folder


numba.config.CACHE_DIR = str(_cache_folder())
numba.config.OPT = type(numba.config.OPT)(1)
"""LLVM's first level: a quarter less to compile and no slower, since the inner loops are emitted as vector code."""
