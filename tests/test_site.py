"""The documentation site, and the tutorial notebook, which shows cost and bound of its searches."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

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


PAGE = ROOT / "docs" / "notebooks" / "data_scientist.ipynb"


def test_the_notebook_is_kept_without_outputs() -> None:
    cells = json.loads(PAGE.read_text("utf-8"))["cells"]
    assert not any(cell.get("outputs") for cell in cells)


def test_the_notebook_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """No cell fails, and the output of a search ends with its last cost and bound."""
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    nbformat = pytest.importorskip("nbformat", reason="nbclient is not installed")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = nbformat.read(PAGE, as_version=4)
    nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(PAGE.parent)}}
    ).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    texts = [output.data.get("text/plain", "") for output in outputs if output.output_type == "display_data"]
    assert any("optimal on the training data" in text and "lower bound" not in text for text in texts), texts
    assert "The search starts." not in texts
    assert any("image/svg+xml" in output.get("data", {}) for output in outputs)
