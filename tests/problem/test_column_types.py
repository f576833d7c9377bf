"""Types of columns, known orders, likely identifiers, and the suggested outcome."""

from __future__ import annotations

import pandas as pd
import pytest

from solvers.problem import Kind, build_dataset, infer_columns, read_table, suggest_outcome, table_of_frame
from solvers.problem.column_types import known_order
from solvers.problem.identifiers import is_shared_person
from solvers.problem.texts import distinct_texts


def report(cells, name="x"):
    """The report on one column."""
    return infer_columns(table_of_frame(pd.DataFrame({name: [str(cell) for cell in cells]}, dtype=str), "t"))[0]


@pytest.mark.parametrize(
    ("cells", "kind", "levels"),
    [
        (["1.5", "2", "?", "3"], Kind.NUMERIC, ()),
        (["5", "10", "5"], Kind.NUMERIC, ()),
        (["0", "1", "1"], Kind.BINARY, ("0", "1")),
        (["1.0", "2.0", "1.0"], Kind.BINARY, ("1", "2")),
        (["yes", "no", "", "no"], Kind.BINARY, ("no", "yes")),
        (["red", "green", "blue"], Kind.CATEGORICAL, ("blue", "green", "red")),
        (["low", "high", "medium", "low"], Kind.ORDERED, ("low", "medium", "high")),
        (["severe", "none", "mild"], Kind.ORDERED, ("none", "mild", "severe")),
        (["IV", "I", "II"], Kind.ORDERED, ("I", "II", "IV")),
        (["01", "02", "x", "y"], Kind.CATEGORICAL, ("01", "02", "x", "y")),
        (["2024-01-31", "2023-12-01", ""], Kind.DATE, ()),
        (["2024-01-31 08:00", "2023-12-01 09:30:05"], Kind.DATE, ()),
        (["", "?", "NA"], None, ()),
    ],
)
def test_kinds_are_inferred_from_the_cells(cells, kind, levels):
    """Each kind of column is recognized from its cells, with its levels in order."""
    found = report(cells)
    assert (found.kind, found.levels) == (kind, levels)
    assert found.why.endswith(".")


def test_counts_and_examples_are_reported():
    """Missing cells, distinct values, and examples: the most frequent first, then the rarest."""
    found = report(["3", "1", "", "NA", "1", "NA", "2"])
    assert (found.n_missing, found.n_distinct, found.examples) == (3, 3, ("1", "2", "3"))


def test_none_is_a_level_if_the_other_levels_suggest_it():
    """'none' below 'mild' and 'severe' is not missing; among colours it is."""
    assert report(["none", "mild", "severe", ""]).n_missing == 1
    assert report(["none", "red", "blue", "green"]).n_missing == 1


def test_a_minus_is_a_level_among_plus_signs():
    """For a dipstick '-' means negative; in other columns it is a missing value."""
    for cells, levels in ((["+", "-", "++"], ("-", "+", "++")), (["+", "-", "+"], ("-", "+"))):
        report = infer_columns(read_table("\n".join(["urine", *cells, *cells]).encode(), header=True))[0]
        assert (report.levels, report.n_missing) == (levels, 0)
    outcome = build_dataset(read_table(b"age,died\n" + b"1,+\n2,-\n" * 5, header=True), "died")
    assert outcome.classes == ("-", "+")
    assert infer_columns(read_table(b"ward\nA\n-\nB\nA\n", header=True))[0].n_missing == 1


def test_limits_among_numbers_make_no_categories():
    """Even many '<0.5' are refused with a remedy, as few are; a scale of few whole numbers remains a scale."""
    for text in ("0.5\n1.25\n7\n<0.5\n<0.5\n<0.5\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n<1\n<1\n<1\n<1\n<1\n"):
        report = infer_columns(read_table(b"crp\n" + text.encode(), header=True))[0]
        assert report.kind is Kind.NUMERIC
        assert "--parse-censored" in (report.problem or "")
    report = infer_columns(read_table(b"children\n0\n1\n2\n3+\n0\n1\n", header=True))[0]
    assert report.kind is Kind.ORDERED


def test_constant_columns_are_recognized():
    """One value in all rows is constant; one value with missing cells is not."""
    assert report(["a", "a"]).constant
    assert report(["", ""]).constant
    assert not report(["a", ""]).constant


def test_rare_texts_among_numbers_are_a_problem():
    """A column of numbers with rare texts remains numeric, and the report says where the texts are."""
    cells = [str(i / 7) for i in range(100)]
    cells[11] = cells[50] = "abc"
    found = report(cells)
    assert found.kind is Kind.NUMERIC
    assert found.problem.startswith("holds text in 2 of 100 rows (first: 'abc' in row 12).")
    cells[20] = "inf"
    assert report([c for c in cells if c != "abc"]).problem.startswith("holds an infinite value in 1 of 98 rows")
    dates = ["2024-01-02"] * 30 + ["soon"]
    assert report(dates).problem.startswith("holds no date in 1 of 31 rows (first: 'soon' in row 31).")
    assert report(["1", "2", "x", "y"]).kind is Kind.CATEGORICAL


@pytest.mark.parametrize(
    ("levels", "known"),
    [
        (("very low", "low", "medium", "high", "very high"), True),
        (("never", "sometimes", "always"), True),
        (("Jan", "Feb", "Mar", "Dec"), True),
        (("Monday", "Wednesday", "Sunday"), True),
        (("grade 1", "grade 2", "grade 10"), True),
        (("stage I", "stage IIa", "stage IIb", "stage IV"), True),
        (("T1", "T2", "T3"), True),
        (("VIII", "IX", "X"), True),
        (("<20", "20-29", "30-39", "40+"), True),
        (("0", "1-5", "6-10", ">10"), True),
        (("0", "1", "2", "3+"), True),
        (("[0,10)", "[10,20)", "[20,30)"), True),
        (("under 18", "18 to 64", "65 and over"), True),
        (("alert", "voice", "pain", "unresponsive"), True),
        (("Strongly_disagree", "Neutral", "Agree"), True),
        (("low", "high"), False),
        (("red", "low", "high"), False),
        (("low", "medium", "moderate"), False),
        (("1", "2", "3"), False),
        (("grade 1", "stage 2", "grade 3"), False),
        (("0-10", "5-15", "20+"), False),
        (("ward 1", "ward 2", "ward 3"), False),
        (("I", "2", "III"), False),
        (tuple(f"grade {i}" for i in range(50)), False),
    ],
)
def test_known_orders_are_recognized(levels, known):
    """Scales, months, grades, Roman numerals, intervals; not two levels, unknown words, synonyms, overlaps, numbers."""
    assert known_order(levels[::-1]) == known_order((*levels[1:], levels[0])) == (levels if known else None)


IDENTIFIERS = [
    ("id", range(30)),
    ("patient_id", [1, 1, 2, 2, 3, 3]),
    ("MRN", ["a", "b"]),
    ("PatientNo", [4, 4, 5]),
    ("surname", ["Muller", "Meier"]),
    ("PatNr", [1, 1, 2, 2, 3, 3]),
    ("Patienten-ID", ["a", "b", "b"]),
    ("Fallnummer", [7, 8, 8]),
    ("Nachname", ["Muller", "Meier"]),
    ("patient", [f"P{i // 2}" for i in range(50)]),
    ("ID", [i // 2 for i in range(50)]),
    ("e-mail", ["a@b.ch", "c@d.ch"]),
    ("date_of_birth", ["1950-01-01", "1960-01-01"]),
    ("no", [f"A{i}" for i in range(25)]),
    ("x", [f"text {i}" for i in range(25)]),
    ("x", range(7, 40)),
    ("x", [100_000 + i * i for i in range(40)]),
    ("Unnamed: 0", range(25)),
]
OTHERS = [
    ("platelets", [150 + 7 * ((i * 37) % 40) for i in range(40)]),
    ("bmi", [20 + i / 7 for i in range(40)]),
    ("ward_id", [1, 2, 3] * 20),
    ("number_of_nodes", range(3, 40, 2)),
    ("patient", ["inpatient", "outpatient"] * 20),
    ("age_patient", [i // 2 for i in range(50)]),
    ("drug_name", ["aspirin", "placebo"] * 20),
    ("seen", [f"2024-01-{i:02}" for i in range(1, 32)]),
    ("x", ["a", "b", "c"]),
    ("body_mass_index", [20.5 + i for i in range(40)]),
    ("grid", list("abcd") * 10),
]


@pytest.mark.parametrize(("name", "cells"), IDENTIFIERS + OTHERS)
def test_identifiers_are_recognized(name, cells):
    """Names of people and records, row numbers, unique values; no measurements, dates, groups or small tables."""
    found = report(cells, name)
    assert found.identifier == ((name, cells) in IDENTIFIERS) == found.why.startswith("Likely an identifier: ")


def test_names_of_persons_are_recognized():
    """A column that identifies persons can define groups of rows; a column about a property of theirs cannot."""
    cells = distinct_texts(pd.Series([*range(30), *range(30)]))
    names = ("patient", "Patient-ID", "PatNr", "record_id", "MRN", "ID", "PatientenNummer", "age_patient", "n_students")
    assert [name for name in names if is_shared_person(name, lambda: cells)] == list(names[:7])


@pytest.mark.parametrize(
    ("columns", "outcome"),
    [
        ({"age": "1234", "diagnosis": "abab", "sex": "mfmf"}, "diagnosis"),
        ({"age": "1234", "sex": "mfmf", "z": "abab"}, "z"),
        ({"0": "0101", "1": ["0.1", "0.2", "0.35", "0.7"]}, "0"),
        ({"a": [f"t{i}" for i in range(30)], "b": [i / 7 for i in range(30)]}, None),
        (
            {"b": [i / 7 for i in range(30)], "flag": [i % 2 for i in range(30)], "c": [i / 9 for i in range(30)]},
            "flag",
        ),
    ],
)
def test_the_outcome_is_suggested_by_name_and_position(columns, outcome):
    """A typical name, else the last column, else the first, else a column with two levels, else none."""
    table = table_of_frame(
        pd.DataFrame({name: [str(c) for c in cells] for name, cells in columns.items()}, dtype=str), "t"
    )
    assert suggest_outcome(infer_columns(table)) == outcome


@pytest.mark.parametrize(
    ("cells", "distribution"),
    [
        ([0, 0.5, 1, 5, 10, ""], (2, 1, 0, 0, 0, 1, 0, 0, 0, 1)),
        ([3, 3, 3], (3,)),
        (["-1.7e308", "1.7e308", "0"], (1, 0, 0, 0, 0, 1, 0, 0, 0, 1)),
        (["a", "b", "b", ""], (1, 2)),
        (["", ""], ()),
    ],
)
def test_the_distribution_counts_the_cells(cells, distribution):
    """By tenths of the range of numbers, or by level; missing cells are not counted."""
    assert report(cells).distribution == distribution
