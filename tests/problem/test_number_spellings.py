"""Numbers and dates as they are written in different countries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.problem import infer_columns, read_table


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
        (["12 %", "7.5%"], ["12", "7.5"]),
        (["−3,5", "+2,5e-3"], ["-3.5", "+2.5e-3"]),
        (["1,5", "?", "n/a"], ["1.5", "?", "n/a"]),
        (["+5", "1e-3", ".5"], ["+5", "1e-3", ".5"]),
        (["Bern, CH", "Wien, AT"], ["Bern, CH", "Wien, AT"]),
        (["079 123 45 67", "12,5 mg"], ["079 123 45 67", "12,5 mg"]),
    ],
)
def test_numbers(cells, plain):
    """Decimal commas, grouping marks and percent signs are read; texts with commas stay texts."""
    assert column(cells)[0] == plain


def test_a_comma_between_thousands_follows_the_file():
    """'1,234' is a thousand in a file of commas, a decimal number in a file of semicolons, or as its neighbours are."""
    assert column(["1,234", "5,678"], ",")[0] == ["1234", "5678"]
    assert column(["1,234", "5,678"], ";")[0] == ["1.234", "5.678"]
    assert column(["1,234", "5,678"], ";", ["1,234.5", "2,000.5"])[0] == ["1234", "5678"]
    assert column(["1,234", "5,678"], ",", ["0,5", "0,25"])[0] == ["1.234", "5.678"]


def test_the_decimal_mark_is_reported():
    """The table says which mark it met, and the notes say where."""
    table = column(["1,5", "2,5"])[1]
    assert table.decimal == ","
    assert "Decimal commas are read in the column 'x'." in table.notes
    assert column(["1.5", "2.5"])[1].decimal == "."


def test_blanks_between_numbers_with_decimal_commas():
    """A file of blanks with decimal commas is not taken for a file of commas."""
    table = read_table(b"0 1,5 2,25\n1 2,5 3,75\n0 9,5 0,5\n")
    assert table.frame.to_numpy().tolist() == [["0", "1.5", "2.25"], ["1", "2.5", "3.75"], ["0", "9.5", "0.5"]]


@pytest.mark.parametrize(
    ("cells", "plain"),
    [
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
def test_dates(cells, plain):
    """Whole columns are converted where the order of day and month is certain, and left alone where it is not."""
    assert column(cells)[0] == plain


def test_dates_in_doubt_are_said():
    """The report on an ambiguous column names the remedy, however many different dates it has."""
    for dates in (["01/02/2024", "03/04/2024"], [f"{1 + i % 12:02}/{1 + i // 12:02}/2024" for i in range(100)]):
        why = infer_columns(column(dates)[1])[0].why
        assert "may be day/month or month/day" in why and "'Read dates'" in why and "--day-first" in why
    assert "day/month" not in infer_columns(column(["31/02/2024", "03/04/2024"])[1])[0].why


@given(st.lists(st.decimals(-(10**6), 10**6, places=3), min_size=2, max_size=10))
def test_decimal_commas_keep_every_digit(numbers):
    """A number written with a decimal comma is the same number written with a point."""
    cells = [str(number).replace(".", ",") for number in numbers]
    assert column(cells)[0] == [str(number) for number in numbers]
