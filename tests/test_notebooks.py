"""The tutorial notebook runs from top to bottom, and shows cost and bound of its searches."""

import json
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[1] / "docs" / "notebooks" / "data_scientist.ipynb"


def test_the_notebook_is_kept_without_outputs() -> None:
    cells = json.loads(PAGE.read_text("utf-8"))["cells"]
    assert not any(cell.get("outputs") for cell in cells)


def test_the_notebook_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """No cell fails, and the output of a search ends with its last cost and bound."""
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    nbformat = pytest.importorskip("nbformat", reason="nbclient is not installed")
    monkeypatch.setenv("PYTHONPATH", str(PAGE.parents[2]))
    notebook = nbformat.read(PAGE, as_version=4)
    nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(PAGE.parent)}}
    ).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    texts = [output.data.get("text/plain", "") for output in outputs if output.output_type == "display_data"]
    assert any("optimal on the training data" in text and "lower bound" not in text for text in texts), texts
    assert "The search starts." not in texts
    assert any("image/svg+xml" in output.get("data", {}) for output in outputs)
