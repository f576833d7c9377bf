"""The notebooks of docs/notebooks run from top to bottom, and show cost and bound of their searches."""

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "notebooks"
SHOWN = {"clinician": "none costs less (proved)", "teacher": "none costs less (proved)", "data_scientist": "(proved)"}
"""What the output of each notebook's searches ends with."""


def test_notebooks_are_kept_without_outputs() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == sorted(SHOWN)
    for path in FOLDER.glob("*.ipynb"):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        assert not any(cell.get("outputs") for cell in cells), path.name


@pytest.mark.parametrize("name", SHOWN)
def test_notebook_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No cell fails, and a search leaves its last cost and bound in the output of its cell."""
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    nbformat = pytest.importorskip("nbformat", reason="nbclient is not installed")
    monkeypatch.setenv("PYTHONPATH", str(FOLDER.parents[1]))
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}
    ).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    texts = [output.data.get("text/plain", "") for output in outputs if output.output_type == "display_data"]
    assert any(SHOWN[name] in text and "lower bound" not in text for text in texts), texts
    assert "The search starts." not in texts
    pictures = [output for output in outputs if "image/svg+xml" in output.get("data", {})]
    assert name == "teacher" or pictures
