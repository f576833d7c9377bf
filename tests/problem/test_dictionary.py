"""Labels, units and families of columns, from a data dictionary to what a reader sees."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from solvers.diagram import Diagram, Leaf, Split, describe, from_json, to_dot, to_json, to_rules
from solvers.diagram.labels import asked, question
from solvers.diagram.python_code import to_python
from solvers.errors import DataError
from solvers.problem import (
    Column,
    Kind,
    Op,
    Predicate,
    Schema,
    ShapeKind,
    build_dataset,
    dictionary_of,
    load_dataset,
    read_dictionary,
    read_table,
)
from solvers.problem.linear import LinearPredicate
from tests.commands import call, fit
from tests.hospital import HISTORY, LABORATORY, dictionary_csv, hospital_csv

REDCAP = (
    '"Variable / Field Name","Form Name","Section Header","Field Type","Field Label"\n'
    "lactate,laboratory,,text,Lactate\nage,history,,text,Age at admission\n"
)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """The hospital export and its data dictionary."""
    data, dictionary = tmp_path / "hospital.csv", tmp_path / "dictionary.csv"
    data.write_text(hospital_csv(300), "utf-8")
    dictionary.write_text(dictionary_csv(), "utf-8")
    return data, dictionary


def test_a_dictionary_names_columns_units_and_families(files: tuple[Path, Path], tmp_path: Path) -> None:
    """Also a dictionary of REDCap is read; columns that the table lacks are ignored."""
    data, dictionary = files
    schema = load_dataset(data, "smoker", drop=("icu_transfer",), dictionary=read_dictionary(dictionary)).schema
    assert (schema["lactate"].title, schema["lactate"].unit) == ("Lactate", "mmol/L")
    assert schema.families["laboratory"] == LABORATORY
    assert set(schema.families["history"]) == {*HISTORY} - {"smoker"}
    (tmp_path / "redcap.csv").write_text(REDCAP)
    found = dictionary_of(read_table(tmp_path / "redcap.csv"))
    assert (found["age"].label, found["lactate"].family) == ("Age at admission", "laboratory")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n", "no data dictionary: it has the columns a, b"),
        ("column,family\nage,x\nage,y\n", "describes the column 'age' twice"),
        ("column,family\nage,lactate\n", "'lactate' is the name of a family and of a column"),
        ("column,family\nages,x\n", "describes no column of the table. It describes ages"),
    ],
)
def test_a_wrong_dictionary_says_what_is_wrong(files: tuple[Path, Path], text: str, words: str) -> None:
    """The message names the file's columns, the column, or the family."""
    files[1].write_text(text)
    with pytest.raises(DataError, match=words):
        load_dataset(files[0], "smoker", dictionary=read_dictionary(files[1]))


def test_equal_labels_stay_distinct() -> None:
    """Two columns called the same for readers get their names behind the label."""
    table = read_table(io.BytesIO(b"a,b,y\n1,2,0\n2,1,1\n"))
    schema = build_dataset(table, "y", dictionary={"a": {"label": "Age"}, "b": {"label": "Age"}}).schema
    assert schema.titles(["a", "b"]) == ("Age (a)", "Age (b)")


def test_questions_have_label_and_unit_and_code_has_the_name() -> None:
    """Drawings, rules and conditions agree; a model file keeps both; Python reads the real column."""
    lactate = Column("lac_1", Kind.NUMERIC, label="Lactate", unit="mmol/L", family="laboratory", has_missing=True)
    age = Column("age", Kind.NUMERIC, label="Age", unit="years", integral=True, has_missing=True)
    share = Column("o2", Kind.NUMERIC, unit="%", has_missing=True)
    schema = Schema((lactate, age, share))
    root, below = Predicate("lac_1", Op.LE, 1.5, False), Predicate("age", Op.LE, 60.5, False)
    leaves = (Leaf(0, (5.0, 1.0)), Leaf(1, (1.0, 5.0)), Leaf(0, (3.0, 1.0)))
    diagram = Diagram(ShapeKind.TREE, schema, ("no", "yes"), "ill", 1, (Split(root, 1, 2), Split(below, 3, 4), *leaves))
    assert question(root, schema).replace("\xa0", " ") == asked(root, schema) == "Lactate at most 1.5 mmol/L?"
    assert Predicate("o2", Op.LE, 40.0, False).words(schema) == "o2 is at most 40%"
    assert describe(diagram, 3) == "Lactate is at most 1.5 mmol/L and Age is at most 60 years"
    assert "IF Lactate is at most 1.5 mmol/L AND Age is" in to_rules(diagram)
    assert "Lactate" in to_dot(diagram) and "lac_1" not in to_dot(diagram)
    assert diagram.path(np.array([2.0, 1.0, 1.0])).steps[0].words == "Lactate is more than 1.5 mmol/L"
    total = LinearPredicate(("lac_1", "age"), (1.0, 0.5), 3.0, False)
    assert total.words(schema, mention_missing=False) == "Lactate + 0.5 Age is at most 3"
    assert from_json(to_json(diagram)) == diagram
    code: dict[str, object] = {}
    exec(to_python(diagram), code)
    assert code["predict"]({"lac_1": 2.0, "age": 50}) == "no"  # type: ignore[operator]


def test_the_command_line_takes_a_dictionary_and_its_result_keeps_it(
    capsys: pytest.CaptureFixture[str], files: tuple[Path, Path], tmp_path: Path
) -> None:
    """The rules have the labels, and the result is verified with the same descriptions again."""
    data, dictionary = files
    words = ("--target", "smoker", "--features", "lactate,age,crp", "--max-depth", 1, "--dictionary", dictionary)
    assert fit(capsys, data, *words, "--out", tmp_path / "out")["verified"]
    assert call(capsys, "verify", tmp_path / "out", data)[0] == 0
    rules = call(capsys, "export", tmp_path / "out", "--format", "rules")[1]
    assert any(f"if {label} is" in rules for label in ("Lactate", "Age", "Crp"))
