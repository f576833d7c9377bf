"""Tables from all sources on the command line: files, standard input, databases."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.commands import call, fit
from tests.problem.sources.files import FORMATS, as_sqlite, as_xlsx

SMALL = pd.DataFrame({"age": [30, 40, 50, 60] * 5, "crp": range(20), "ill": (["no"] * 2 + ["yes"] * 2) * 5})
ASK = ("--target", "ill", "--method", "cart", "--max-depth", 1)


@pytest.fixture
def csv_id(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> str:
    """The identity of the problem from the CSV file."""
    path = tmp_path / "small.csv"
    SMALL.to_csv(path, index=False)
    return fit(capsys, path, *ASK)["problem_id"]


def test_how_cells_were_read_is_printed(capsys, tmp_path):
    """The chosen sheet and decimal commas are reported on stderr; the usual is not."""
    rows = [["age", "crp", "ill"], *([30 + i, f"{i},5", "yes" if i % 3 else "no"] for i in range(20))]
    path = tmp_path / "ward.xlsx"
    path.write_bytes(as_xlsx({"title": [["Ward 7"]], "2023": rows, "2024": rows}))
    status, _, err = call(capsys, "fit", path, *ASK)
    assert status == 0
    assert "The sheet '2023' is read, and not 'title', '2024'." in err
    assert "Decimal commas are read in 'crp'." in err
    SMALL.to_csv(tmp_path / "small.csv", index=False)
    assert "line names" not in call(capsys, "fit", tmp_path / "small.csv", *ASK)[2]


def test_too_few_rows_for_the_size_are_reported(capsys, tmp_path):
    """The rows recommended for a regression are reported, unless no depth is given."""
    SMALL.to_csv(tmp_path / "small.csv", index=False)
    assert "are recommended for" in call(capsys, "fit", tmp_path / "small.csv", *ASK)[2]
    assert "The training data has 20, 10 of them 'yes'" in call(capsys, "fit", tmp_path / "small.csv", *ASK)[2]
    any_depth = ("--target", "ill", "--method", "smallest-tree")
    assert "Riley" not in call(capsys, "fit", tmp_path / "small.csv", *any_depth)[2]


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_gives_the_same_problem(kind, capsys, tmp_path, csv_id):
    """Fit, predict and verify read every format."""
    path = tmp_path / f"small.{kind}"
    path.write_bytes(FORMATS[kind](SMALL, tmp_path))
    found = fit(capsys, path, *ASK, "--out", tmp_path / "out")
    assert found["problem_id"] == csv_id
    assert call(capsys, "verify", tmp_path / "out", path)[0] == 0
    status, out, _ = call(capsys, "predict", tmp_path / "out", path)
    assert status == 0 and len(out.splitlines()) == 21


def test_standard_input(capsys, tmp_path, monkeypatch, csv_id):
    """'-' is standard input, in any format."""
    for content in (SMALL.to_csv(index=False).encode(), FORMATS["parquet"](SMALL, tmp_path)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert fit(capsys, "-", *ASK)["problem_id"] == csv_id


def test_a_query(capsys, tmp_path, csv_id):
    """A database is a file; the query may be in another file."""
    path = tmp_path / "ward.sqlite"
    path.write_bytes(as_sqlite(SMALL, tmp_path))
    query = tmp_path / "query.sql"
    query.write_text('SELECT age, crp, ill FROM "patients"')
    assert fit(capsys, path, *ASK, "--query", query)["problem_id"] == csv_id
    found = fit(
        capsys, path, *ASK, "--query", "SELECT age, ill FROM patients WHERE age > 30", "--out", tmp_path / "out"
    )
    assert found["problem_id"] != csv_id
    assert call(capsys, "verify", tmp_path / "out", path)[0] == 0


def test_a_sheet_and_lines(capsys, tmp_path, csv_id):
    """A sheet by name or number, with a title above the names, units below them and a total at the end."""
    rows = [
        ["Ward 3"],
        [],
        ["age", "crp", "ill"],
        ["years", "mg/l", ""],
        *SMALL.to_numpy().tolist(),
        ["Total", 190, None],
    ]
    path = tmp_path / "ward.xlsx"
    path.write_bytes(as_xlsx({"notes": [["nothing here"]], "data": rows}))
    words = ("--header-line", 3, "--skip-first", 1, "--skip-last", 1)
    for sheet in ("data", "2"):
        assert fit(capsys, path, *ASK, "--sheet", sheet, *words, "--out", tmp_path / sheet)["problem_id"] == csv_id
        assert call(capsys, "verify", tmp_path / sheet, path)[0] == 0
    status, _, err = call(capsys, "fit", path, *ASK, "--sheet", "three")
    assert status != 0 and "'notes', 'data'" in err


def test_groups_are_crossed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Groups of two columns are compared, and the solution is verified; an unknown column is named."""
    table, rules, out, i = tmp_path / "pairs.csv", tmp_path / "rules.json", tmp_path / "out", np.arange(60)
    ill = np.where((i % 4 == 0) | (i % 7 == 0), "yes", "no")
    pd.DataFrame({"age": i % 13, "sex": i % 2, "site": i // 2 % 2, "ill": ill}).to_csv(table, index=False)
    rules.write_text(json.dumps([{"kind": "demographic-parity", "column": "sex x site", "difference": 0.2}]))
    common = (table, "--target", "ill", "--groups", "sex x site", "--max-depth", 2)
    free = fit(capsys, *common)["errors"]
    assert fit(capsys, *common, "--constraints", rules, "--out", out)["errors"] > free
    assert call(capsys, "verify", out / "solution.json", table)[0] == 0
    status, _, err = call(capsys, "fit", *common, "--groups", "sex x sit")
    assert status == 2 and "no column 'sit'" in err
