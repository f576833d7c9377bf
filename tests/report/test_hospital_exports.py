"""Exported programs on the raw rows of a hospital: decimal commas, missing codes, levels in several spellings."""

from __future__ import annotations

import csv
import io
from functools import cache
from typing import Any

from solvers.diagram import Diagram, Leaf, Split
from solvers.diagram.languages.redcap import to_redcap
from solvers.problem import Op, Predicate, Preparation, ShapeKind, Table, Unknown, build_dataset, read_table
from solvers.problem.preparation import Replace
from solvers.report.predictions import table_predictions
from tests.diagram.evaluators import by_pmml
from tests.diagram.exported import Found, by_python, by_sqlite
from tests.diagram.tasks import Task
from tests.hospital import OUTCOME, dictionary_csv, hospital_csv

STEPS = (
    Replace(OUTCOME, ("yes", "YES"), "Yes"),
    Replace(OUTCOME, ("no", "NO"), "No"),
    Replace("sex", ("f", "female"), "F"),
    Replace("sex", ("m", "male"), "M"),
    Replace("lactate", ("-99",)),
    Replace("age", ("999",)),
)
FEATURES = ("age", "sex", "lactate")


@cache
def hospital() -> tuple[Table, Diagram, list[dict[str, str]]]:
    """The table, a tree that asks about prepared columns, and the raw cells of each row as the file spells them."""
    text = hospital_csv(600)
    table = read_table(io.BytesIO(text.encode()))
    dictionary = {row["column"]: {"label": row["label"], "unit": row["unit"]} for row in read(dictionary_csv(), ",")}
    data = build_dataset(
        table, OUTCOME, features=FEATURES, prepare=Preparation(STEPS), dictionary=dictionary, positive="Yes"
    )
    level = float(data.schema["sex"].levels.index("F"))
    splits = (
        Predicate("lactate", Op.LE, 1.5, True),
        Predicate("sex", Op.IS, level, False),
        Predicate("age", Op.LE, 70.5, False),
    )
    leaves = (Leaf(0, (9.0, 1.0)), Leaf(1, (2.0, 3.0)), Leaf(0, (7.0, 2.0)), Leaf(1, (1.0, 4.0)))
    nodes = (Split(splits[0], 1, 2), Split(splits[1], 3, 4), Split(splits[2], 5, 6), *leaves)
    diagram = Diagram(ShapeKind.TREE, data.schema, data.classes, OUTCOME, data.positive, nodes)
    return table, diagram, read(text, ";")


def read(text: str, separator: str) -> list[dict[str, str]]:
    """The cells of a file."""
    return list(csv.DictReader(io.StringIO(text), delimiter=separator))


def agree(found: list[Found]) -> bool:
    """Whether an exported program gives each row the class and the leaf of the program."""
    table, diagram, _ = hospital()
    lines = read(table_predictions(diagram, table).text, ",")
    named = [(one.label, "" if one.leaf is None else str(one.leaf)) for one in found]
    return named == [(line["class"], line["leaf"]) for line in lines]


def test_the_python_program_reads_the_cells_of_the_file() -> None:
    """Decimal commas, codes and spellings as in the file, a point, a typographic minus and points of thousands."""
    _, diagram, cells = hospital()
    assert "," in cells[0]["lactate"] and agree(by_python(diagram, cells))
    changes = [{"lactate": one} for one in ("2,17", "2.17", "\N{MINUS SIGN}2,17", "1.234,5", "high")]
    found = by_python(diagram, [cells[0] | change for change in changes], Unknown.IGNORE)
    assert [one.leaf is None for one in found] == [False, False, False, False, True]
    assert found[0] == found[1]


def test_steps_travel_with_sql_and_pmml() -> None:
    """Codes and joined levels are part of the exported model: raw rows get the predictions of the program."""
    table, diagram, _ = hospital()
    texts = {name: table.texts(name).cells(slice(None)) for name in FEATURES}
    columns = [cells if name == "sex" else [float(cell) for cell in cells] for name, cells in texts.items()]
    rows: list[dict[str, Any]] = [dict(zip(texts, row, strict=True)) for row in zip(*columns, strict=True)]
    assert agree(by_sqlite(diagram, rows))
    assert agree(by_pmml(Task("hospital", diagram, rows, Unknown.ERROR)))


def test_redcap_asks_for_values_after_the_steps_in_the_words_of_the_dictionary() -> None:
    """The form has label and unit of each column, and its calculated field lists the steps."""
    _, diagram, _ = hospital()
    fields = {row["Variable / Field Name"]: row for row in read(to_redcap(diagram), ",")}
    assert (fields["lactate"]["Field Label"], fields["lactate"]["Field Note"]) == ("Lactate", "mmol/L")
    assert "treat '-99' of 'lactate' as missing" in fields["espalier_leaf"]["Field Note"]
