"""`recommend` on the command line: the table of sizes, the choice, and the tree of this size on all rows."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.commands import call


@pytest.fixture
def crossed(tmp_path: Path) -> Path:
    """90 rows whose class is an XOR of two splits, with a few exceptions."""
    random = np.random.default_rng(1)
    table = random.random((90, 2)).round(2)
    ill = (table[:, 0] > 0.5) ^ (table[:, 1] > 0.5) ^ (random.random(90) < 0.05)
    path = tmp_path / "crossed.csv"
    rows = zip(table.tolist(), ill.tolist(), strict=True)
    path.write_text("a,b,state\n" + "".join(f"{a},{b},{'ill' if y else 'well'}\n" for (a, b), y in rows))
    return path


SMALL = ("--target", "state", "--folds", 3, "--repeats", 1, "--outer-folds", 2, "--choice-time", 100)


def test_the_recommended_tree_is_found_on_all_rows(capsys: pytest.CaptureFixture[str], crossed: Path) -> None:
    """The table has the recommended size, the error on new rows is reported, and the tree of this size is found."""
    status, out, err = call(capsys, "recommend", crossed, *SMALL, "--test-share", 0.25)
    assert status == 0, err
    head, *lines = out.splitlines()
    assert head.split() == ["trees", "leaves", "depth", "training", "validated", "std.", "error"]
    (chosen,) = (line for line in lines if line.endswith("  recommended"))
    assert chosen.split()[:3] == ["optimal", "4", "2"]
    assert "Error on new rows of a tree chosen like this:" in out
    assert "On all rows, with this size: " in out and "Held out: " in out


def test_the_result_as_json(capsys: pytest.CaptureFixture[str], crossed: Path) -> None:
    """One JSON object with the sizes, the choice, the outer folds, and the model."""
    status, out, err = call(capsys, "recommend", crossed, *SMALL, "--json")
    assert status == 0, err
    found = json.loads(out.splitlines()[-1])
    chosen = found["candidates"][found["chosen"]]
    assert (chosen["n_leaves"], len(chosen["errors"]), len(found["outer"])) == (4, 3, 2)
    assert found["model"]["n_leaves"] == 4 and found["model"]["verified"] and found["model"]["status"] == "optimal"


def test_a_given_size_is_refused(capsys: pytest.CaptureFixture[str], crossed: Path) -> None:
    """The size is what the command chooses, so it cannot be given; other shapes are compared by sweeps."""
    status, _, err = call(capsys, "recommend", crossed, *SMALL, "--max-depth", 3)
    assert status == 2 and "Leave --max-depth out" in err
    status, _, err = call(capsys, "recommend", crossed, *SMALL, "--shape", "bdd", "--method", "bdd-maxsat")
    assert status == 2 and "for trees only" in err
