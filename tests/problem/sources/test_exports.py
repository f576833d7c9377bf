"""Files that resemble real exports: each is read correctly, or refused with a sentence whose remedy works."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from solvers.errors import DataError
from solvers.problem import Table, infer_columns, is_missing_mark, read_table
from solvers.problem.texts import parse_numbers
from tests.commands import call
from tests.problem.sources.exports import EXPORTS, Export
from tests.problem.sources.files import as_xlsx

FLAGS = {
    "header_line": "--header-line",
    "skip_first": "--skip-first",
    "skip_last": "--skip-last",
    "day_first": "--day-first",
    "parse_censored": "--parse-censored",
    "encoding": "--file-encoding",
    "sheet": "--sheet",
}


def as_expected(table: Table, export: Export) -> None:
    """The names and cells of a table: numbers by value, all marks of missing values alike, everything else as text."""
    assert list(table.names) == export.names
    assert table.n_rows == len(export.rows)
    for j, name in enumerate(table.names):
        for found, wanted in zip(table.frame[name], [row[j] for row in export.rows], strict=True):
            if isinstance(wanted, int | float):
                assert parse_numbers([found])[0] == wanted, (name, found, wanted)
            elif wanted is None:
                assert is_missing_mark(found), (name, found)
            else:
                assert found.strip() == wanted, (name, found, wanted)


def by_choices(export: Export, options: dict[str, Any]) -> bool:
    """Whether the options that the refusals suggest, one after the other, lead to the rows of the export."""
    try:
        as_expected(read_table(export.content, **options), export)
    except AssertionError:
        return False
    except DataError as refused:
        ways = [way for way in refused.choices if not set(way) & set(options)]
        return any(by_choices(export, options | way) for way in ways)
    return True


@pytest.mark.parametrize("kind", EXPORTS)
def test_an_export_is_read_or_refused(kind):
    """It is refused until the suggested option is chosen."""
    export = EXPORTS[kind]
    if export.refused:
        with pytest.raises(DataError) as refused:
            read_table(export.content)
        assert re.search(export.refused, str(refused.value)), refused.value
        assert any(FLAGS[name] in str(refused.value) for name in export.options)
        assert any(by_choices(export, way) for way in refused.value.choices), refused.value.choices
    if export.problem:
        plain = read_table(export.content)
        text = " ".join([*plain.notes, *(report.problem or report.why for report in infer_columns(plain))])
        assert re.search(export.problem, text), text
    as_expected(read_table(export.content, **export.options), export)


@pytest.mark.parametrize("kind", {tuple(one.options): kind for kind, one in EXPORTS.items() if one.options}.values())
def test_the_remedy_works_on_the_command_line(kind, capsys, tmp_path):
    """The options in the sentences are those of the command line, and lead to a model."""
    export = EXPORTS[kind]
    path = tmp_path / "export.dat"
    path.write_bytes(export.content)
    words = []
    for name, value in export.options.items():
        words += [FLAGS[name]] if value is True else [FLAGS[name], value]
    target = export.names[-1]
    command = ("fit", path, "--target", target, "--method", "cart", "--max-depth", 1, *words)
    status, _, err = call(capsys, *command)
    assert status == 0, err


def test_types_are_those_of_the_plain_file():
    """An age is a number, a day of admission a date."""
    for kind in ("commas", "German dates", "a workbook", "thousands in French", "UTF-16 of a spreadsheet"):
        kinds = [report.kind.value for report in infer_columns(read_table(EXPORTS[kind].content))]
        assert kinds == ["categorical", "numeric", "binary", "numeric", "date", "binary"], kind
        assert np.all([report.problem is None for report in infer_columns(read_table(EXPORTS[kind].content))])


@pytest.mark.parametrize(
    "content",
    [
        "age,ill\nnot known,yes\n41,no\n52,yes\n63,no\n74,yes\n",
        "age,crp,ill\n<18,not known,yes\n41,2,no\n52,3,yes\n63,4,no\n74,5,yes\n",
        "operation,age\ntotal,50\npartial,40\ntotal,45\npartial,60\ntotal,61\n",
        "id,a,b\n1,,3\n2,2,3\n3,2,\n4,,4\n",
        "a\n1\n2\n3\n",
        "name,value,note\nx,1,source\ny,2,total\nz,3,n\n",
    ],
)
def test_rows_of_data_are_not_units_or_footers(content):
    """A value that was not measured, a level that reads like a total, missing values: nothing is refused."""
    assert read_table(content.encode(), header=True).n_rows == content.count("\n") - 1


SENTENCES = ("no known allergies", "fell at home, then called", "see letter", "pain in the left knee since May", "none")


def test_a_single_column_of_sentences_is_one_column():
    """In a text file and in a sheet, commas are not separators then."""
    lines = [line.replace(",", " ") for line in SENTENCES]
    assert read_table("\n".join(("comment", *lines)).encode()).names == ("comment",)
    sheet = read_table(as_xlsx({"notes": [[line] for line in ("comment", *SENTENCES)]}))
    assert (sheet.names, sheet.n_rows) == (("comment",), 5)
    assert read_table(b"name sex\nann f\nbob m\n").names == ("name", "sex")


ROWS = "".join(f"{20 + i % 7};{i},5;{'fm'[i % 2]};{i % 3 > 0:d}\n" for i in range(30))


@pytest.mark.parametrize(
    "text",
    [
        "age;crp;sex;died\n" + ROWS.replace("\n", ";\n"),
        "age;crp;sex;died\n" + ROWS.replace("\n", ";;;\n"),
        "age;crp;sex;died;;\n" + ROWS.replace("\n", ";;\n"),
        "age;crp;sex;died;;;\n" + ROWS,
    ],
)
def test_separators_at_the_end_of_lines_make_no_columns(text):
    """At the end of all lines, of the rows only, or of the header only, as spreadsheets write them."""
    plain, table = (read_table(one.encode()) for one in ("age;crp;sex;died\n" + ROWS, text))
    assert table.names == ("age", "crp", "sex", "died")
    assert table.frame.equals(plain.frame)


def test_rows_are_not_suggested_as_names_or_footers():
    """A missing name in the header, or another length in half of the rows, is reported without a wrong remedy."""
    for text in ("age;crp;died\n" + ROWS, "age;crp;sex;died\n" + ROWS + ROWS.replace("\n", ";x\n")):
        with pytest.raises(DataError, match=r"fields where the header has \d") as refused:
            read_table(text.encode())
        assert not refused.value.choices
        assert "--" not in str(refused.value)
    rows = "".join(f"P{i};{row}\n" for i, row in enumerate(ROWS.split()))
    with pytest.raises(DataError, match="Row 1 has 5 fields where the header has 4"):
        read_table(("age;crp;sex;died\n" + rows).encode())
