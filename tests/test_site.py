"""The documentation site."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    """Every link works, every page is in the navigation, every docstring of the reference can be parsed."""
    # without the search index, which takes a fifth of the time and checks nothing
    settings = (ROOT / "mkdocs.yml").read_text("utf-8").replace("  - search\n", "")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", tmp_path / "site", "-f-"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(
        command, cwd=ROOT, env=environment, input=settings, capture_output=True, text=True, timeout=300
    )
    assert built.returncode == 0, built.stderr
    reference = (tmp_path / "site" / "api" / "estimators.html").read_text("utf-8")
    assert "OptimalTreeClassifier" in reference
    assert "<math" in (tmp_path / "site" / "objective.html").read_text("utf-8")
