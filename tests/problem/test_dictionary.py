"""Labels, units and families of columns, from a data dictionary to what a reader sees."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.diagram import Diagram, Leaf, Split, describe, from_json, to_dot, to_json, to_rules
from solvers.diagram.labels import asked, question
from solvers.errors import DataError
from solvers.problem import Column, Dataset, Kind, Op, Predicate, Schema, ShapeKind, load_dataset, read_dictionary
from solvers.problem.predicate import LinearPredicate
from tests.commands import call, fit
from tests.hospital import HISTORY, LABORATORY, dictionary_csv, hospital_csv

REDCAP = '"Variable / Field Name","Form Name","Field Type","Field Label"\nlactate,lab,text,Lac\ncrp,lab,text,Lac\n'


@pytest.fixture
def described(tmp_path):
    """A function that reads the hospital export with the text of a dictionary."""
    (tmp_path / "hospital.csv").write_text(hospital_csv(300), "utf-8")

    def load(text: str) -> Dataset:
        (tmp_path / "dictionary.csv").write_text(text, "utf-8")
        dictionary = read_dictionary(tmp_path / "dictionary.csv")
        return load_dataset(tmp_path / "hospital.csv", "smoker", dictionary=dictionary)

    return load


def test_a_dictionary_names_columns_units_and_families(described) -> None:
    """Also a dictionary of REDCap is read; behind equal labels are the names of the columns."""
    schema = described(dictionary_csv()).schema
    assert (schema["lactate"].title, schema["lactate"].unit) == ("Lactate", "mmol/L")
    assert schema.families["laboratory"] == LABORATORY
    assert set(schema.families["history"]) == {*HISTORY} - {"smoker"}
    schema = described(REDCAP).schema
    assert (schema.families, schema["crp"].title) == ({"lab": ("lactate", "crp")}, "Lac (crp)")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n", "no data dictionary: it has the columns a, b"),
        ("column,family\nage,x\nage,y\n", "describes the column 'age' twice"),
        ("column,family\nage,lactate\n", "'lactate' is the name of a family and of a column"),
        ("column,family\nages,x\n", "describes no column of the table. It describes ages"),
    ],
)
def test_a_wrong_dictionary_says_what_is_wrong(described, text: str, words: str) -> None:
    """The message names the file's columns, the column, or the family."""
    with pytest.raises(DataError, match=words):
        described(text)


def test_questions_have_label_and_unit() -> None:
    """Drawings, rules and conditions agree, and a model file keeps both."""
    lactate = Column("lac_1", Kind.NUMERIC, label="Lactate", unit="mmol/L", family="laboratory", has_missing=True)
    age = Column("age", Kind.NUMERIC, label="Age", unit="years", integral=True, has_missing=True)
    schema = Schema((lactate, age, Column("o2", Kind.NUMERIC, unit="%", has_missing=True)))
    root, below = Predicate("lac_1", Op.LE, 1.5, False), Predicate("age", Op.LE, 60.5, False)
    leaves = (Leaf(0, (5.0, 1.0)), Leaf(1, (1.0, 5.0)), Leaf(0, (3.0, 1.0)))
    diagram = Diagram(ShapeKind.TREE, schema, ("no", "yes"), "ill", 1, (Split(root, 1, 2), Split(below, 3, 4), *leaves))
    assert question(root, schema).replace("\xa0", " ") == asked(root, schema) == "Lactate at most 1.5 mmol/L?"
    assert Predicate("o2", Op.LE, 40.0, False).words(schema) == "o2 is at most 40%"
    assert describe(diagram, 3) == "Lactate is at most 1.5 mmol/L and Age is at most 60 years"
    high = Split(Predicate("lac_1", Op.LE, 2.5, False), 1, 2)
    between = Diagram(ShapeKind.TREE, schema, ("no", "yes"), "ill", 1, (high, Split(root, 3, 4), *leaves))
    assert describe(between, 4) == "Lactate is more than 1.5, up to 2.5 mmol/L"
    assert "IF Lactate is at most 1.5 mmol/L AND Age is" in to_rules(diagram)
    assert "Lactate" in to_dot(diagram) and "lac_1" not in to_dot(diagram)
    assert diagram.path(np.array([2.0, 1.0, 1.0])).steps[0].words == "Lactate is more than 1.5 mmol/L"
    total = LinearPredicate(("lac_1", "age"), (1.0, 0.5), 3.0, False)
    assert total.words(schema, mention_missing=False) == "Lactate + 0.5 Age is at most 3"
    assert from_json(to_json(diagram)) == diagram


def test_the_command_line_takes_a_dictionary_and_its_result_keeps_it(capsys, described, tmp_path) -> None:
    """The rules have the labels, and the result is verified with the same descriptions again."""
    described(dictionary_csv())
    words = ("--target", "smoker", "--features", "lactate,crp", "--dictionary", tmp_path / "dictionary.csv")
    assert fit(capsys, tmp_path / "hospital.csv", *words, "--max-depth", 1, "--out", tmp_path / "out")["verified"]
    assert call(capsys, "verify", tmp_path / "out", tmp_path / "hospital.csv")[0] == 0
    rules = call(capsys, "export", tmp_path / "out", "--format", "rules")[1]
    assert "Lactate is" in rules or "Crp is" in rules
