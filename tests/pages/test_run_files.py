"""A run of the dashboard is restored from its folder after a restart: table, choices, design and model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from components.session.run_files import keep, reopen
from components.session.work import Prepared, Source, prepare
from solvers.constraints import MaxLeaves
from solvers.errors import RunError
from solvers.posing import limits_of, method_of, problem_on
from solvers.problem import infer_columns, load_sample, sample, suggest_outcome, table_of_frame
from solvers.request import Request
from solvers.run import ReadTable, solve, table_wire
from solvers.run.folder import RunFolder
from solvers.solution import Finished
from tests.pages.handmade import ask


def sample_rows(key: str = "xor") -> Prepared:
    """The rows of a sample, a quarter held out."""
    table = load_sample(key)
    source = Source(1, table, infer_columns(table), sample(key).outcome, sample(key))
    return prepare(source, ask(target=sample(key).outcome))


def own_rows() -> Prepared:
    """A user's table with missing cells, a renamed level order, a group, a weight, and patients."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 80, 60).astype(str),
            "stage": rng.choice(["low", "mid", "high", ""], 60),
            "sex": rng.choice(["f", "m"], 60),
            "=cmd|' /C calc'!A0": rng.choice(["x", "<b>y</b>"], 60),
            "share": rng.choice(["1", "2"], 60),
            "ill": rng.choice(["yes", "no"], 60),
            "patient": np.arange(60) // 3,
        }
    )
    table = replace(table_of_frame(frame, "my patients"), notes=("Read from a file.",))
    source = Source(1, table, infer_columns(table), suggest_outcome(infer_columns(table)))
    rows = ask(
        target="ill",
        positive="yes",
        types={"sex": "categorical"},
        levels={"stage": ("low", "mid", "high")},
        weight="share",
        groups=("sex",),
        group_rows="patient",
        dictionary={"sex": {"label": "Sex at birth", "family": "history"}},
        test_share=0.3,
        seed=4,
    )
    return prepare(source, rows)


DESIGNS = [
    ask(max_depth=2),
    ask(
        max_depth=2,
        method="cart",
        class_costs={"no": {"yes": 5.0}},
        split_penalty=0.5,
        min_samples_leaf=3,
        time_limit=9.0,
    ),
    ask((MaxLeaves(3),), max_depth=2, options={}, max_leaf_nodes=4, gap=0.1),
]


def run_of(tmp_path: Path, prepared: Prepared, design: Request) -> RunFolder:
    """The folder of a finished run."""
    design = design.with_rows(prepared.request)
    problem = problem_on(design, prepared.train)
    folder = RunFolder.create(tmp_path, problem, method_of(design), limits_of(design), owner="ada")
    keep(folder.path, prepared, design)
    folder.write_outcome(Finished(0.1, solve(problem, method_of(design), limits_of(design))))
    return folder


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("rows", [sample_rows, own_rows])
def test_a_run_is_restored_unchanged(tmp_path: Path, rows, design: Request) -> None:
    """Rows, division, design and model are those of the run, under its current number."""
    prepared = rows()
    folder = run_of(tmp_path, prepared, design)
    run = reopen(folder.path, 7)
    assert (run.number, run.prepared.source.number, run.request) == (7, -7, design.with_rows(prepared.request))
    assert run.prepared.request == prepared.request
    assert run.prepared.source.title == prepared.source.title
    for part in ("whole", "train", "test"):
        mine, other = getattr(run.prepared, part), getattr(prepared, part)
        assert (mine.fingerprint, mine.rows.tolist()) == (other.fingerprint, other.rows.tolist())
    assert run.problem.id == problem_on(design, prepared.train).id
    assert run.best.solution == folder.outcome().solution
    assert run.job.done and run.job.owner == "ada"


def test_a_changed_table_is_noticed(tmp_path: Path) -> None:
    """A model is not shown with rows on which it was not trained."""
    folder = run_of(tmp_path, own_rows(), ask(max_depth=1))
    frame = own_rows().source.table.frame
    frame.loc[0, "age"] = "1"
    table = table_of_frame(frame, "my patients")
    table_wire.write_table(folder.path, ReadTable(table, infer_columns(table)))
    with pytest.raises(RunError, match="changed: another version"):
        reopen(folder.path, 1)


def test_damaged_files_are_errors_in_sentences(tmp_path: Path) -> None:
    """For any missing or truncated file the message says what to do."""
    folder = run_of(tmp_path, own_rows(), ask(max_depth=1))
    whole = (folder.path / "screen.json").read_bytes()
    for content in (b"", b"[]", whole[: len(whole) // 2], b'{"version": 1}'):
        (folder.path / "screen.json").write_bytes(content)
        with pytest.raises(RunError, match=r"Solve|again"):
            reopen(folder.path, 1)
    (folder.path / "screen.json").write_bytes(whole)
    (folder.path / "cells.arrow").write_bytes(b"ARROW1 not at all")
    with pytest.raises(RunError, match="damaged"):
        reopen(folder.path, 1)
