"""Text files and data frames from users: separators, encodings, headers, numbers, and the errors for broken ones."""

from __future__ import annotations

import csv
import gzip
import io
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.errors import DataError
from solvers.problem import Table, infer_columns, read_table, table_of_frame
from solvers.problem.number_spellings import plain_spelling
from solvers.problem.sources import delimited
from solvers.problem.sources.delimited import _plain_line_ends
from solvers.problem.tables import Numbers
from solvers.problem.texts import cell_text, distinct_texts

PATIENTS = "age,sex,ill\n50,female,yes\n61,male,no\n70,male,yes\n"
ROWS = [["50", "female", "yes"], ["61", "male", "no"], ["70", "male", "yes"]]


def rows(table) -> list[list[str]]:
    """The cells of a table."""
    return table.frame.to_numpy().tolist()


@pytest.mark.parametrize("separator", [",", ";", "\t", " ", "   "])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["", "end"])
def test_separators_and_line_ends_are_recognized(separator, end, last):
    """Commas, semicolons, tabs and blanks, with the line ends of all systems, with or without the last one."""
    text = PATIENTS.replace(",", separator).replace("\n", end)
    table = read_table((text if last else text.removesuffix(end)).encode())
    assert table.names == ("age", "sex", "ill")
    assert rows(table) == ROWS
    assert table.separator == separator[0]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1"])
def test_encodings_are_recognized(encoding):
    """UTF-8 with and without byte order mark, UTF-16, and the old western European encodings."""
    table = read_table("größe,sexe\n1,féminin\n2,masculin\n".encode(encoding))
    assert table.names == ("größe", "sexe")
    assert rows(table) == [["1", "féminin"], ["2", "masculin"]]


def test_paths_bytes_and_compressed_files_give_the_same_table(tmp_path):
    """An open file does, too; the name of the table is that of the file."""
    plain, packed = tmp_path / "ward.csv", tmp_path / "ward.csv.gz"
    plain.write_bytes(PATIENTS.encode())
    packed.write_bytes(gzip.compress(PATIENTS[:20].encode()) + gzip.compress(PATIENTS[20:].encode()))
    with plain.open("rb") as file:
        tables = [
            read_table(plain),
            read_table(str(packed)),
            read_table(PATIENTS.encode(), name="ward"),
            read_table(file),
        ]
    assert {table.name for table in tables} == {"ward"}
    assert all(rows(table) == ROWS for table in tables)
    assert read_table(io.BytesIO(PATIENTS.encode())).name == "table"


@given(
    st.lists(
        st.lists(
            st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=6), min_size=3, max_size=3
        ),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from([",", ";", "\t"]),
)
def test_quoted_fields_are_unchanged(cells, separator):
    """Anything that a spreadsheet quotes is restored, except for surrounding blanks and the spelling of numbers."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, quoting=csv.QUOTE_ALL)
    writer.writerow(["first", "second", "third"])
    plain = [["a" + "".join(c for c in cell if not c.isspace()) for cell in row] for row in cells]
    writer.writerows(plain)
    table = read_table(out.getvalue().encode(), header=True)
    assert table.separator == separator
    assert rows(table) == plain


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n6.0,2.0,virginica\n", False),
        ("0 0.81 0.77\n1 0.62 0.64\n0 0.5 0.1\n", False),
        ("x,o,x,yes\no,o,x,no\nx,x,o,yes\n", False),
        ("1,0\n0,1\n1,1\n", False),
        ("a,b,c\n1,2,3\n", True),
        ("0,1,2,y\n0,0,0,1\n0,5,1,1\n1,2,3,0\n", True),
        ("0,1_1,1_2,2,3,4,5,y\n5,0,1,0,3,7,2,1\n4,1,0,1,2,9,2,0\n", True),
        ("1,5,9,a\n2,4,8,b\n3,3,3,b\n", False),
        ("1,54,1200,unclear\n2,61,900,7\n3,47,700,9\n", False),
        ("colour,size\nred,small\nblue,small\nred,large\nblue,large\n", True),
        ("\ufeffage;;sex\n1;2;m\n2;2;f\n", True),
        ("id,when\n1,2024-01-01\n2,?\n", True),
        ("[years],[mg/l]\n1,2\n3,4\n", True),
    ],
)
def test_headers_are_recognized(text, header):
    """A line of names is distinguished from a line of values."""
    table = read_table(text.encode())
    assert table.has_header is header
    assert len(table.frame) == len(text.splitlines()) - header


def test_a_header_can_be_declared_or_denied():
    """The user's choice takes precedence; without header the columns are numbered from 0."""
    assert read_table(b"a,b\n1,2\n", header=False).names == ("0", "1")
    assert rows(read_table(b"a,b\n1,2\n", header=False)) == [["a", "b"], ["1", "2"]]
    assert read_table(b"1,2\n3,4\n", header=True).names == ("1", "2")


def test_additions_of_spreadsheets_are_removed():
    """A 'sep=' line, a separator at the end of each line, empty lines and an unnamed index."""
    assert read_table(b"sep=;\na;b\n1;2\n").names == ("a", "b")
    assert read_table(b"a,b,\n1,2,\n3,4,\n").names == ("a", "b")
    assert rows(read_table(b"\na,b\n\n1,2\n   \n3,4\n\n\n")) == [["1", "2"], ["3", "4"]]
    assert read_table(b",b\n0,2\n1,3\n").names == ("column 1", "b")
    assert read_table(b"  a   b \n 1   2 \n").names == ("a", "b")


def test_cells_are_kept_as_texts():
    """Cells are not interpreted: leading zeros, 'NA' and long digits are kept, and numbers keep every digit."""
    table = read_table(b"code,note,x\n007,NA,0.8120080558740598123\n008,,1e-3\n")
    assert rows(table) == [["007", "NA", "0.8120080558740598123"], ["008", "", "1e-3"]]


def test_duplicate_column_names_are_numbered():
    """Numbers that a name already has are skipped, and a note says so."""
    table = read_table(b"age,sex,age,age (2)\n1,2,3,4\n4,5,6,7\n")
    assert table.names == ("age", "sex", "age (3)", "age (2)")
    assert "Repeated column names are numbered: 'age (3)'." in table.notes


def archive(**parts: str) -> bytes:
    """A zip file with these members; '_' stands for '/'."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, text in parts.items():
            made.writestr(name.replace("_", "/"), text)
    return out.getvalue()


PACKED = gzip.compress(PATIENTS.encode(), mtime=0)
QUOTED = "\n".join(['"age,crp,died"', *(f'"{30 + i},{i}.5,{i % 2}"' for i in range(20))])
UNEVEN = "\n".join(["age;crp;died;note;more", *(f"{30 + i};{i};{i % 2}{';x' * (i > 9)}" for i in range(20))])
NO_TABLES: list[tuple[str | bytes, str]] = [
    ("", "empty"),
    ("\n\n", "empty"),
    ("   ", "empty"),
    ("\ufeff", "empty"),
    ("age,sex\n", "header line but no rows"),
    # rows are counted without header and empty lines
    ("a,b,c\n1,2,3\n1,2\n", "Row 2 has 2 fields where the header has 3"),
    ("a,b,c\n1,2,3\n4,5,6\n1,2,3,4\n1,2,3,4\n", r"Row 3 has 4 fields where the header has 3 \(2 rows differ\)"),
    ("a,b\n\n1,2\n\n3\n", "Row 2 has 1 field where"),
    ('a,b\n"1\n1",2\n3,"4,5",6\n', "Row 2 has 3 fields"),
    ("1 2 3\n4 5 6\n7 8\n", "Row 3 has 2 fields where the first row has 3"),
    ('a;b\n"1;2"\n3;4\n', "Row 1 has 1 field"),
    ('a,b\n1,"2\n3,4\n5,6\n', "quote"),
    (QUOTED, "Each line is one field"),
    (UNEVEN, r"Row 1 has 3 fields where the header has 5 \(20 rows differ\)"),
    (archive(xl_workbook="<workbook/>"), "cannot be read as a workbook .*save the table as CSV"),
    (archive(a=PATIENTS), "a zip archive.*Unpack it"),
    (b"\x89PNG\r\n\x1a\n" + bytes(50), "a PNG image"),
    (b"%PDF-1.7\n", "a PDF document"),
    (b"PAR1" + bytes(20), "The file cannot be read as a Parquet file"),
    (b"a,b\n1,\x00\n", r"control character \(code 0\) in line 2"),
    (bytes(range(256)) * 4, "control character"),
    ("<!DOCTYPE html><html></html>", "a web page"),
    ('[{"age": 1, "died": 0}]', "is JSON, not a table"),
    ('{"rows": [1, 2]}', "is JSON, not a table"),
    ("[[1, 2], [3, 4]]", "is JSON, not a table"),
    (b"\xff\xfea", "cannot be decoded"),
    (PACKED[:-12], "ends too early"),
    (PACKED[:12] + b"junkjunkjunk", "damaged|too early"),
]


@pytest.mark.parametrize(("content", "message"), NO_TABLES)
def test_files_that_are_no_table_are_refused(content, message):
    """The error names the first wrong row or the format."""
    with pytest.raises(DataError, match=message):
        read_table(content.encode() if isinstance(content, str) else content)


def test_files_over_the_limit_are_refused(tmp_path):
    """The limit applies to the file and to its decompressed size, and a bomb is not decompressed."""
    big = tmp_path / "big.csv"
    big.write_bytes(b"a,b\n" + b"1,2\n" * 300_000)
    for source in (big, big.read_bytes(), io.BytesIO(big.read_bytes())):
        with pytest.raises(DataError, match="more than 1 MB; the limit is 1 MB"):
            read_table(source, max_mb=1)
    with pytest.raises(DataError, match="unpacks to more than 1 MB"):
        read_table(gzip.compress(bytes(50_000_000)), max_mb=1)
    assert len(read_table(big, max_mb=2).frame) == 300_000


def test_too_many_columns_are_refused():
    """A million columns, empty or quoted, are refused at the first line, with a remedy."""
    for line in (b"," * 999_999, b'"",' * 999_999 + b'""', b"a" + b"\t" * 999_999):
        with pytest.raises(DataError, match=r"at most 50,000 columns. The first line has 1,000,000. Leave columns out"):
            read_table(b"\n".join([line] * 3))
    with pytest.raises(DataError, match="at most 50,000 columns"):
        read_table(b'"a\nb",' + b"1," * 60_000 + b"\n1,2\n")


def test_columns_without_names_are_reported_in_one_sentence():
    """The notes on a wide table are short, and the columns are named by position."""
    table = read_table(b"a,,c,,,,,\n1,2,3,4,5,6,7,8\n6,7,8,9,1,2,3,4\n", header=True)
    assert table.names == ("a", "column 2", "c", *(f"column {j}" for j in range(4, 9)))
    names = "'column 2', 'column 4', 'column 5', 'column 6', 'column 7', ..."
    assert f"Columns without a name in the header are called {names}." in table.notes


@pytest.mark.parametrize(
    "text", ["naïve,größe\n„Spaß“,Ä–\n", "CAFÉ”,Ü\u00a0\n1,É…é\n", "é,b\n€,2\n", "Straße»,ü\n1,ß•\n"]
)
def test_windows_files_are_read(text):
    """Accented letters before quotes, dashes and dots are Windows-1252, although UTF-8 could have such bytes."""
    table = read_table(text.encode("cp1252"), header=True)
    assert (*table.names, *table.frame.iloc[0]) == tuple(text.replace("\n", ",").replace("\u00a0", "").split(",")[:4])
    assert "The text is read as cp1252." in table.notes


@pytest.mark.parametrize("letter", ["é", "ß", "Ö", "€", "“", "я", "日", "😀"])
def test_mixed_encodings_are_refused(letter):
    """Some lines in UTF-8 and some in Latin-1: the message shows both places, and a chosen encoding is used."""
    content = f"name,n\n{letter},1\r\n".encode() + "Pic André,2\n".encode("cp1252")
    with pytest.raises(DataError, match=f"line 2 has the UTF-8 letter '{letter}'.*line 3 has the byte E9 after 'Pic A"):
        read_table(content)
    table = read_table(content, encoding="latin-1")
    assert table.frame["name"].iloc[1] == "Pic André"
    assert "The text is read as latin-1." in table.notes
    with pytest.raises(DataError, match="cannot be decoded: line 3 has the byte E9"):
        read_table(content, encoding="utf-8")
    with pytest.raises(DataError, match=r"The encoding must be one of utf-8, .*but is 'hex'"):
        read_table(content, encoding="hex")


def test_invalid_paths_are_refused(tmp_path):
    """A wrong path is an error of the data, not of the program."""
    with pytest.raises(DataError, match=r"There is no file .*nothing\.csv"):
        read_table(tmp_path / "nothing.csv")
    with pytest.raises(DataError, match="is a folder"):
        read_table(tmp_path)
    with pytest.raises(DataError, match="cannot be read"):
        read_table("a\0b.csv")


def test_a_data_frame_becomes_a_table():
    """Typed cells become the equivalent texts."""
    frame = pd.DataFrame({"a": [1.0, None], 5: pd.Categorical(["x", "y"]), "b": [True, False]})
    table = table_of_frame(frame, "mine")
    assert table.names == ("a", "5", "b")
    assert rows(table) == [["1", "x", "true"], ["", "y", "false"]]
    with pytest.raises(DataError, match="'5' appears twice"):
        table_of_frame(pd.DataFrame([[1, 2]], columns=["5", 5]), "mine")


def test_quoted_empty_cells_of_a_single_column_are_rows():
    """A blank line is not."""
    assert rows(read_table(b'"x"\n"1"\n""\n  \n"3"\n', header=True)) == [["1"], [""], ["3"]]


def test_blocks_of_a_file_do_not_end_inside_quotes(monkeypatch):
    """Quotes in texts, quoted line ends and lines longer than a block are read; errors name the row of the file."""
    monkeypatch.setattr(delimited, "_BLOCK", 300)
    texts = ['5" x', 'a "b" c', 'one,\n"two"\n', "", ",", "long " * 100]
    cells = [[str(i), texts[i * 7 % 11 % 6], "ab"[i % 2]] for i in range(400)]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([["n", "text", "y"], *cells])
    content = out.getvalue().replace('"5"" x"', '5" x')
    assert rows(read_table(content.encode(), header=True)) == [[cell.strip() for cell in row] for row in cells]
    with pytest.raises(DataError, match="Row 401 has 2 fields where the header has 3"):
        read_table(f"{content}1,2\n".encode(), header=True)
    with pytest.raises(DataError, match="Row 401 has a quote that is never closed"):
        read_table(f'{content}1,"2,a\n3,4,b\n'.encode(), header=True)


@given(st.text('a"\r\n,', max_size=12))
def test_line_ends_are_normalized_outside_quotes_only(text: str) -> None:
    """For any sequence of quotes, carriage returns and line feeds."""
    parts = text.split('"')
    parts[::2] = [part.replace("\r\n", "\n").replace("\r", "\n") for part in parts[::2]]
    assert _plain_line_ends(text.encode()) == '"'.join(parts).encode()


def test_a_long_column_without_values_is_read_fast():
    """Each empty cell is read once: reading it again for each one before would take minutes for this file of 200 kB."""
    table = read_table(b"a,b\n" + b",\n" * 100_000)
    assert (table.n_rows, set(table.frame["a"])) == (100_000, {""})


ODD = ("", "x y", "NA", "-", "--", "1-2", "-0", "-0.0", "007", "00.5", "+5", ".5", "5.", "1e3", "1_0", "0x1", "inf")
ODD += ("nan", "oops", "1.50", "2.0", "0.00001", "0.0001", "999999999999999", "1234567890123456", "-7.25", "x;y", "٣")
ODD += ("0.1234567890123456",)
NUMBERS = st.one_of(
    st.integers(-(10**17), 10**17).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(-1000, 1000, places=2).map(str),
    st.integers(0, 3).map(str),
)


@st.composite
def columns(draw: st.DrawFn) -> dict[str, list[str]]:
    """Columns of equal length: numbers with mostly the same spelling, and unusual cells among them."""
    n_rows = draw(st.integers(2, 12))
    made = {}
    for j in range(draw(st.integers(1, 4))):
        usual = draw(st.sampled_from([NUMBERS, st.decimals(-99, 99, places=2).map(str), st.integers(-9, 99).map(str)]))
        cells = draw(st.lists(usual, min_size=n_rows, max_size=n_rows))
        for i in draw(st.sets(st.integers(0, n_rows - 1), max_size=3)):
            cells[i] = draw(st.sampled_from(ODD))
        made[f"x{j}"] = cells
    return made | {"y": ["ab"[i % 2] for i in range(n_rows)]}


def content(columns: dict[str, list[str]]) -> bytes:
    """A text file of columns."""
    return pd.DataFrame(columns, dtype=object).to_csv(index=False, sep=";").encode()


def by_cell(columns: dict[str, list[str]]) -> Table:
    """The table of these columns, each stored as its distinct texts."""
    texts = {name: distinct_texts(pd.Series(cells, dtype=object)) for name, cells in columns.items()}
    return plain_spelling(Table("table", texts, separator=";"))


@given(columns())
def test_bulk_numbers_and_distinct_texts_agree(columns: dict[str, list[str]]) -> None:
    """Cells, notes and reports are the same, whether a column is stored as numbers or as its distinct texts."""
    found = read_table(content(columns), header=True, skip_first=0, skip_last=0)
    other = by_cell(columns)
    assert found.frame.equals(other.frame) and found.notes == other.notes
    assert infer_columns(found) == infer_columns(other)
    for name, cells in found.columns.items():
        if isinstance(cells, Numbers):
            wanted = [float(cell) if cell.strip() not in ("", cells.mark) else np.nan for cell in columns[name]]
            np.testing.assert_array_equal(cells.value, wanted)


def test_numbers_of_a_data_frame_are_numbers() -> None:
    """They are written like the cells; very long and infinite ones make a column of texts."""
    frame = pd.DataFrame({"a": [1.0, 2.5, np.nan], "b": [1, 2, 2**60], "c": [np.inf, 1.0, 2.0]})
    table = table_of_frame(frame, "t")
    assert [isinstance(cells, Numbers) for cells in table.columns.values()] == [True, False, False]
    for name in frame.columns:
        assert table.frame[name].tolist() == [cell_text(cell) for cell in frame[name]]
