"""The command that reproduces the papers' tables measures, resumes, compares and writes its page, on generated data."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import reproduce
from benchmarks.bdds import paper
from benchmarks.bdds.ways import BDD2, MAXSAT
from benchmarks.reproduction import cptree, diagram_cases, diagrams
from benchmarks.reproduction.page import whole_page
from benchmarks.reproduction.papers import MEASURES, PAPERS, TABLES
from benchmarks.reproduction.registry import Verdict, higher, lower
from benchmarks.reproduction.state import State

EXCLUSIVE = "\n".join(["a,b,class", *(f"{a},{b},{int((a < 2) != (b < 2))}" for a in range(4) for b in range(4))])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with one table, an exclusive or, under the name of a paper's table."""
    (tmp_path / "sat").mkdir()
    (tmp_path / "sat" / "monk1.csv").write_text(EXCLUSIVE, "utf-8-sig")
    return tmp_path


def test_every_table_has_cases_that_can_be_measured() -> None:
    """Keys are unique, no medium setting takes longer than the full one, and each case names a function."""
    assert len(TABLES) == sum(len(paper.tables) for paper in PAPERS)
    for table in TABLES.values():
        assert table.hours(table.medium) <= table.hours(table.full)
        for case in (*table.cases(table.full), *table.cases(table.medium)):
            assert case.measure in MEASURES
            assert json.loads(case.key) == [case.measure, dict(case.arguments), case.seconds]


def test_a_page_is_written_before_anything_is_measured() -> None:
    """Without results, every table has its section, and no line claims a measurement."""
    page = whole_page(PAPERS, State(None).find)
    for table in TABLES.values():
        assert f"`--table {table.key}`" in page
        verdicts = {line.verdict for line in table.compare(table.medium, State(None).find).lines}
        assert verdicts <= {Verdict.OPEN, Verdict.CITED}, table.key
        for line in table.compare(table.medium, State(None).find).lines:
            assert len(line.cells) == len(table.compare(table.medium, State(None).find).headers) - 1, table.key


def test_a_table_is_measured_resumed_and_written(folder: Path, tmp_path: Path, capsys) -> None:
    """One line per case in the state; a second run measures nothing and prints the same; the page has the results."""
    state, page = tmp_path / "cases.jsonl", tmp_path / "page.md"
    words = [str(folder), "--table", "inferdt-4", "--medium", "--sets", "monk1", "--state", str(state)]
    assert reproduce.main([*words, "--page", str(page)]) == 0
    first, lines = capsys.readouterr(), state.read_text("utf-8").splitlines()
    assert len(lines) == 6 and first.err.count("optimal") == 6
    row = next(line for line in first.out.splitlines() if line.startswith("| monk1 | thresholds |"))
    assert "2 / 7*" in row and "differs: another number of rows" in row
    assert "| monk1 | thresholds |" in page.read_text("utf-8")
    assert reproduce.main(words) == 0
    again = capsys.readouterr()
    assert (again.out, again.err) == (first.out, "")


def test_failures_are_reported(folder: Path, tmp_path: Path, capsys) -> None:
    """A missing table is named, and the command ends with status 1."""
    words = [str(folder), "--table", "inferdt-4", "--medium", "--sets", "monk2"]
    assert reproduce.main(words) == 1
    assert "'sat/monk2.csv' must be in the folder" in capsys.readouterr().err


def test_verdicts() -> None:
    """Reproduced within the tolerance, better or different beyond it; open or ours only if a value is missing."""
    assert higher(90.0, 91.0, 2, "") == (Verdict.REPRODUCED, "")
    assert higher(90.0, 95.0, 2, "folds") == (Verdict.BETTER, "")
    assert higher(90.0, 80.0, 2, "folds") == (Verdict.DIFFERS, "folds")
    assert lower(90.0, 80.0, 2, "folds") == (Verdict.BETTER, "")
    assert lower(90.0, None, 2, "") == (Verdict.OPEN, "")
    assert higher(None, 3.0, 2, "") == (Verdict.OWN, "")


def test_a_page_keeps_sections_without_new_results() -> None:
    """A table without new results keeps its section and its line; a measured one is written again, with its setting."""
    table, state = TABLES["contree-6"], State(None)
    before = whole_page(PAPERS, state.find).replace("at depth 3: greedy", "at a depth: greedy")
    before = before.replace("Table 3: depth 5", "Table 3: at a depth of 5").replace(
        "| `contree-3` | T", "| `contree-3` | t"
    )
    for case in table.cases(table.medium):
        state.add(case, {"failure": "made up"})
    page = whole_page(PAPERS, state.find, before)
    assert "at depth 3: greedy" in page and "at a depth: greedy" not in page and "Here (medium)" in page
    assert "Table 3: at a depth of 5" in page and "| `contree-3` | table 3 |" in page
    assert whole_page(PAPERS, state.find, page) == page


def test_recovery_of_random_trees(folder: Path) -> None:
    """The share of recovered trees in a batch, for every method of drawing trees."""
    for drawn in ("complete", "leaves", "all"):
        found = MEASURES["inferdt.recovery"](folder, 20.0, drawn=drawn, examples=40, method="c45", first=0)
        assert 0 <= found["found"] <= found["of"] and found["questions"] > 1
    assert np.isfinite(found["cpu"])


def test_the_figures_of_the_papers() -> None:
    """Some values from the printed tables; tables keep the names of the paper; totals add up."""
    row = paper.on_folds("lymph", 3, MAXSAT.title)
    assert (row["train"], row["test"], row["nodes"], row["literals"], row["proved"]) == (
        "86.76",
        "78.35",
        "5.92",
        "5.55",
        "32",
    )
    assert paper.on_folds("heart-cleveland", 2, "CART")["questions"] == "2.72"
    assert paper.on_folds("lymph", 7, MAXSAT.title) is None
    assert paper.on_samples("vote", 0.25, "BDD1")["seconds"] == "348.56"
    assert cptree.printed("wine", 4, "test", "CPTree-2") == 92.89
    assert cptree.printed("monk2", 2, "test", "CART") is None, "a line that cannot be read"
    assert [sum(row) for row in zip(*diagrams.PROVED.values(), strict=True)] == [754, 775, 811, 890, 1126]
    assert [sum(row) for row in zip(*diagrams.IMPROVED.values(), strict=True)] == [201, 493, 668, 1030, 1028]
    assert 5 * 5 * diagrams.RUNS == 13_500


def test_mean_ranks() -> None:
    """Ranks by hand, with ties; the critical difference of Demšar (2006), table 5, for 4 learners."""
    scores = np.array([[3.0, 2.0, 1.0, 1.0]] * 10)
    ranks, critical, p = cptree.nemenyi(scores)
    assert ranks.tolist() == [1, 2, 3.5, 3.5] and p < 0.01
    assert critical == pytest.approx(2.569 * (4 * 5 / 60) ** 0.5, abs=0.002)


def test_cases_of_all_papers_on_generated_tables(tmp_path: Path) -> None:
    """Every measure returns the fields that its tables read, on small tables in the papers' formats."""
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (40, 5))
    label = (bits[:, :3].sum(axis=1) > 1).astype(int)
    for kind in ("binary", "contree_train", "cptree/monk1", "clinical", "mixed"):
        (tmp_path / kind).mkdir(parents=True)
    lines = [" ".join(map(str, (a, *row))) for a, row in zip(label, bits, strict=True)]
    (tmp_path / "binary" / "vote.csv").write_text("\n".join(lines), "ascii")
    (tmp_path / "contree_train" / "bank.txt").write_text("\n".join(lines), "ascii")
    for where, end, rows in (("train", "_1.csv", slice(30)), ("test", "_1.csv", slice(30, 40))):
        text = ["a;b;c;d;e;class", *(";".join(map(str, (*r, a))) for r, a in zip(bits[rows], label[rows], strict=True))]
        (tmp_path / "cptree" / "monk1" / f"cat_num_{where}{end}").write_text("\n".join(text), "ascii")
    ages = rng.integers(20, 80, (60, 3))
    died = 1 + (ages[:, 0] > ages[:, 2])
    text = ["age_patient,year_of_operation,positive_nodes,survival_status"]
    text += [",".join(map(str, (*row, a))) for row, a in zip(ages, died, strict=True)]
    (tmp_path / "clinical" / "habermans-survival.csv").write_text("\n".join(text), "ascii")
    (tmp_path / "mixed" / "iris.csv").write_text("\n".join(["0,1,2,y", *text[1:]]), "ascii")

    def run(measure: str, **arguments: object) -> dict:
        return dict(MEASURES[measure](tmp_path, 5.0, **arguments))

    assert run("maxsat.about", name="vote") == {"rows": 40, "columns": 5, "positive": pytest.approx(label.mean())}
    fold = run("maxsat.fold", name="vote", way="search", depth=3, seed=0, part=0)
    assert fold["settled"] and fold["train"] == 1.0
    assert run("maxsat.sample", name="vote", way=BDD2.title, share=0.25, seed=0)["fewest"] <= 3
    engine = run("contree.engine", name="bank", depth=3, learner="engine")
    assert engine["proved"] and engine["train"] == 1.0
    assert run("contree.within", name="bank", depth=2, gap=0.01)["proved"]
    assert 0 <= run("contree.unseen", name="bank", learner="quantiles", seed=0)["test"] <= 1
    for learner in ("CART", "optimum, price of a leaf"):
        assert run("cptree.learned", name="monk1", learner=learner, depth=2, part=1)["train"] > 0.6
    curve = run("cptree.curve", name="monk1", depth=2, part=1)
    assert curve["proved"] and curve["points"][-1][1] == curve["train"]
    assert [train for _, train, _ in curve["points"]] == sorted(train for _, train, _ in curve["points"])
    tree = run("cptree.use", use="Haberman, age before nodes", way="constrained", seed=0)
    assert tree["holds"] and tree["proved"] and tree["method"] == "contree"
    free = run("cptree.use", use="Haberman, age before nodes", way="free", seed=0)
    assert free["train"] >= tree["train"]
    costs = {}
    for skeleton in ("I", diagrams.TREE):
        found = run("diagrams.case", name="iris", skeleton=skeleton, alpha=0.5, sums=False, seed=0)
        costs[skeleton] = found["cost"]
        assert found["bound"] <= found["cost"] + 1e-9 and 0 <= found["valid"] <= 1
    assert costs["I"] <= costs[diagrams.TREE] + 1e-9, "every tree of the skeleton is a diagram of it"


def test_extensions_of_diagrams(tmp_path: Path) -> None:
    """Parsimony and stability for every table, fairness if a column has two values; a constraint costs something."""
    rng = np.random.default_rng(1)
    x, sex = rng.integers(0, 9, (32, 2)), rng.integers(0, 2, 32)
    y = (x[:, 0] > 4) ^ (x[:, 1] > 3)
    (tmp_path / "mixed").mkdir()
    for name, header in (("iris", "0,1,sex,y"), ("wine", "0,1,y")):
        rows = [
            (*row, "mf"[s], int(a)) if name == "iris" else (*row, int(a)) for row, s, a in zip(x, sex, y, strict=True)
        ]
        text = "\n".join([header, *(",".join(map(str, row)) for row in rows)])
        (tmp_path / "mixed" / f"{name}.csv").write_text(text, "ascii")
    assert list(diagram_cases.constraints(diagram_cases.divide(tmp_path, "iris", 0).train)) == [
        *diagram_cases.CONSTRAINTS[1:]
    ]
    assert list(diagram_cases.constraints(diagram_cases.divide(tmp_path, "wine", 0).train)) == [
        "parsimony",
        "stability",
    ]
    free = diagram_cases.extension(tmp_path, 10.0, name="wine", constraint="none")
    few = diagram_cases.extension(tmp_path, 10.0, name="wine", constraint="parsimony")
    assert free["proved"] and few["proved"] and few["cost"] >= free["cost"] and few["questions"] <= diagram_cases.FEW
    assert diagram_cases.extension(tmp_path, 10.0, name="wine", constraint="fairness") == {
        "status": "no column of two values"
    }
