"""Numbers and dates as they are written in different countries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.problem import Kind, infer_columns, read_table
from solvers.problem.number_spellings import at_limit


def column(cells: list[str], separator: str = ";", beside: list[str] | None = None) -> tuple[list[str], object]:
    """The cells of a column after reading, and the table."""
    beside = beside or ["z"] * len(cells)
    text = f"x{separator}other\n" + "".join(f'"{a}"{separator}"{b}"\n' for a, b in zip(cells, beside, strict=True))
    table = read_table(text.encode(), header=True)
    return table.frame["x"].tolist(), table


@pytest.mark.parametrize(
    ("cells", "plain"),
    [
        (["1,5", "2,25", ""], ["1.5", "2.25", ""]),
        (["1.234,5", "12", "-3,0"], ["1234.5", "12", "-3.0"]),
        (["1 234,5", "12 345 678,25"], ["1234.5", "12345678.25"]),
        (["1'234.5", "999"], ["1234.5", "999"]),
        (["1,234.5", "2,000,000.0"], ["1234.5", "2000000.0"]),
        (["12 %", "7.5%", "100%", "<5%"], ["0.12", "0.075", "1", "<0.05"]),
        (["−3,5", "+2,5e-3"], ["-3.5", "+2.5e-3"]),
        (["1,5", "?", "n/a"], ["1.5", "?", "n/a"]),
        (["+5", "1e-3", ".5"], ["+5", "1e-3", ".5"]),
        (["Bern, CH", "Wien, AT"], ["Bern, CH", "Wien, AT"]),
        (["079 123 45 67", "12,5 mg"], ["079 123 45 67", "12,5 mg"]),
        (["> 1.000,5", "<0,5", "12,5"], [">1000.5", "<0.5", "12.5"]),
        (["12,5", "110.2", "4.0", "8"], ["12.5", "110.2", "4.0", "8"]),
        (["02JUL2024", "15DEC2023"], ["2024-07-02", "2023-12-15"]),
        (["02-Jul-2024", "1-may-2024"], ["2024-07-02", "2024-05-01"]),
        (["2. März 2024", "3. Okt 2023"], ["2024-03-02", "2023-10-03"]),
        (["1/31/2024 12:05 AM", "2/1/2024 1:30 PM"], ["2024-01-31 00:05", "2024-02-01 13:30"]),
        (["12 mg 2024", "13 mg 2024"], ["12 mg 2024", "13 mg 2024"]),
        (["10-ABC-2024", "11-Mark-2024"], ["10-ABC-2024", "11-Mark-2024"]),
        (["31.01.24", "17.02.23"], ["31.01.24", "17.02.23"]),
        (["31.12.2024", "1.2.2024"], ["2024-12-31", "2024-02-01"]),
        (["31/12/2024", "01/02/2024"], ["2024-12-31", "2024-02-01"]),
        (["12/31/2024", "01/02/2024"], ["2024-12-31", "2024-01-02"]),
        (["2024/12/31", "2024/1/2"], ["2024-12-31", "2024-01-02"]),
        (["31.12.2024 8:05", ""], ["2024-12-31 08:05", ""]),
        (["2024-12-31T23:59:59", "2024-01-02"], ["2024-12-31 23:59:59", "2024-01-02"]),
        (["01/02/2024", "03/04/2024"], ["01/02/2024", "03/04/2024"]),
        (["31/12/2024", "12/31/2024"], ["31/12/2024", "12/31/2024"]),
        (["1.2.3", "4.5.6"], ["1.2.3", "4.5.6"]),
    ],
)
def test_numbers_and_dates_are_read_in_all_spellings(cells, plain):
    """Decimal commas, thousands, percent signs, and dates whose order is certain; other texts are unchanged."""
    assert column(cells)[0] == plain


def test_a_comma_is_read_as_the_file_suggests():
    """'1,234' is a thousand in a comma file, a decimal number in a semicolon file, or as the other cells show."""
    assert column(["1,234", "5,678"], ",")[0] == ["1234", "5678"]
    assert column(["1,234", "5,678"], ";")[0] == ["1.234", "5.678"]
    assert column(["1,234", "5,678"], ";", ["1,234.5", "2,000.5"])[0] == ["1234", "5678"]
    assert column(["1,234", "5,678"], ",", ["0,5", "0,25"])[0] == ["1.234", "5.678"]


def test_points_separate_thousands_next_to_decimal_commas():
    """'4.500' next to '1,5' is 4500, with a note; decimals written by a program are unchanged, also next to '1.5'."""
    beside = ["1,5", "0,25", "17"]
    for cells in (["4.500", "11.200", "850"], ["4.500", "11.200", "9.850"]):
        read, table = column(cells, ";", beside)
        assert read == [cell.replace(".", "") for cell in cells]
        assert "'4.500' is 4500." in table.notes[-1]
    for cells in (["7.412", "7.398", "7.355"], ["0.500", "1.200", "0.850"], ["4.500", "11.20", "9"]):
        assert column(cells, ";", beside)[0] == cells
    assert column(["1.234.567", "2.500", "950"])[0] == ["1234567", "2500", "950"]
    assert column(["1.234.567", "2.50", "950"])[0] == ["1.234.567", "2.50", "950"]
    assert column(["4.500", "11.200", "9.800"], ";", ["1.5", "0.25", "17"])[0] == ["4.500", "11.200", "9.800"]


def test_limits_are_read_with_the_marks_of_their_column():
    """'>1,000' in a file with decimal points is a thousand, never 1; next to decimal commas it is 1."""
    points = read_table(b'lab;x\n">1,000";1\n"1,250.5";2\n2.5;3\n', parse_censored=True)
    assert points.frame["lab"].tolist() == ["1000", "1250.5", "2.5"]
    commas = read_table(b'lab;x\n"< 0,125";1\n"1.250,5";2\n2,5;3\n', parse_censored=True)
    assert commas.frame["lab"].tolist() == ["0.125", "1250.5", "2.5"]
    assert at_limit(">1,000") is None


def test_years_of_two_digits_are_reported():
    """Such dates are not read, because the century is unknown, and the column says so."""
    report = infer_columns(column(["31.01.24", "17.02.23", "1.2.24"])[1])[0]
    assert report.kind is not Kind.DATE
    assert "The years have two digits" in report.why


def test_the_decimal_mark_is_reported():
    """A note says that the table has decimal commas."""
    assert "Decimal commas are read in 'x'." in column(["1,5", "2,5"])[1].notes
    assert not column(["1.5", "2.5"])[1].notes


def test_blanks_separate_numbers_with_decimal_commas():
    """A file with blanks and decimal commas is not read as a comma file."""
    table = read_table(b"0 1,5 2,25\n1 2,5 3,75\n0 9,5 0,5\n")
    assert table.frame.to_numpy().tolist() == [["0", "1.5", "2.25"], ["1", "2.5", "3.75"], ["0", "9.5", "0.5"]]


def test_ambiguous_dates_are_reported():
    """The report on the column has a remedy, however many different dates it has."""
    for dates in (["01/02/2024", "03/04/2024"], [f"{1 + i % 12:02}/{1 + i // 12:02}/2024" for i in range(100)]):
        why = infer_columns(column(dates)[1])[0].why
        assert "may be day/month or month/day" in why and "'Read as date or number'" in why and "--day-first" in why
    assert "day/month" not in infer_columns(column(["31/02/2024", "03/04/2024"])[1])[0].why


@given(st.lists(st.decimals(-(10**6), 10**6, places=3), min_size=2, max_size=10))
def test_decimal_commas_keep_every_digit(numbers):
    """A number with a decimal comma equals the same number with a point."""
    cells = [str(number).replace(".", ",") for number in numbers]
    assert column(cells)[0] == [str(number) for number in numbers]
