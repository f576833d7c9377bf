"""New rows are read like the training rows of the model, from every source; ambiguous cells are refused."""

from __future__ import annotations

import datetime as dt
import io
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.diagram import Diagram, Leaf, Split, from_json, to_json
from solvers.errors import DataError
from solvers.problem import Dataset, Kind, Predicate, ShapeKind, Table, build, infer_columns, read_table
from solvers.problem.columns import parse_dates
from solvers.problem.dataset_builder import Request, external_dataset
from solvers.problem.predicate import Op
from solvers.problem.texts import Spelling
from solvers.report.predictions import table_predictions
from tests.problem.sources.files import as_parquet, as_xlsx, rows_of, with_part

VALUES = (1.125, 4.22, 3.196, 6.7, 9.204, 2.5)


def german(values, separator=";", quote=""):
    """A file with decimal commas."""
    rows = [f"{quote}{value}{quote}{separator}{'ab'[value > 3.5]}".replace(".", ",") for value in values]
    return "\n".join([f"x{separator}y", *rows, ""]).encode()


def stump(dataset: Dataset, threshold: float) -> Diagram:
    """A model with a split on the first column, after a round trip through JSON."""
    predicate = Predicate(dataset.schema.names[0], Op.LE, threshold, False)
    nodes = (Split(predicate, 1, 2), Leaf(0, (3, 0)), Leaf(1, (0, 3)))
    model = Diagram(ShapeKind.TREE, dataset.schema, dataset.classes, dataset.outcome, dataset.positive, nodes)
    return from_json(to_json(model))


def trained(content: bytes, **options) -> Dataset:
    """The dataset of a file."""
    return build(read_table(content, **options), Request(target="y")).dataset


def read_by(dataset: Dataset, table: Table) -> list[float]:
    """The values of the first column of new rows, read from a second file."""
    return external_dataset(table, dataset, Request(target="y")).dataset.X[:, 0].tolist()


def test_quoted_decimal_commas_in_a_comma_file_are_decimals():
    """If the training file has '1,125' and semicolons, the same text in quotes between commas is 1.125."""
    dataset = trained(german(VALUES))
    new = read_table(b'x,y\n"4,220",b\n"1,125",a\n')
    assert read_by(dataset, new) == [4.22, 1.125]
    model = stump(dataset, 3.5)
    assert model.predict(new).tolist() == [1, 0]
    assert table_predictions(model, new).text.splitlines()[1].split(",")[1] == "b"
    raw = pd.DataFrame({"x": ["4,220", "1,125"]})
    assert model.predict(raw).tolist() == [1, 0]


def test_thousands_of_the_training_rows_are_thousands():
    """If the training rows have '25,300' = 25300, a file with semicolons does not make it 25.3."""
    dataset = trained(b'x,y\n"25,300",a\n"1,200",b\n"2,400",a\n900,b\n')
    assert dataset.X[:, 0].tolist() == [25300, 1200, 2400, 900]
    assert read_by(dataset, read_table(b"x;y\n25,300;a\n1,200;b\n")) == [25300, 1200]


def test_points_are_thousands_separators_as_in_training():
    """If the training rows have '1.234.567', '1.125' is 1125, also in a file without decimal commas."""
    dataset = trained(b"x;y\n1.234.567;a\n2.000;b\n3.500;a\n")
    assert read_by(dataset, read_table(b"x;y\n1.125;a\n2.250;b\n")) == [1125, 2250]


@pytest.mark.parametrize("mark, value", [(",", 4.22), (".", 4220.0)])
def test_an_ambiguous_cell_is_refused(mark, value):
    """Plain training rows do not show what a comma separates; the error names the option that decides."""
    dataset = trained(b"x,y\n1.5,a\n2.5,b\n3.5,a\n")
    content = b"x;y\n4,220;a\n3,196;b\n"
    with pytest.raises(DataError, match=r"'x' has '4,220' in row 1, which may be 4220 or 4\.220.*--decimal") as refused:
        read_by(dataset, read_table(content))
    assert {"decimal": mark} in refused.value.choices
    assert read_by(dataset, read_table(content, decimal=mark))[0] == value
    assert read_by(dataset, read_table(b"x;y\n4,220;a\n3,19;b\n")) == [4.22, 3.19]


def test_new_rows_with_an_unambiguous_mark_are_read_by_it():
    """The comma separates thousands there, although it separated decimals in the training rows."""
    dataset = trained(german(VALUES))
    assert read_by(dataset, read_table(b'x,y\n"1,125",a\n"1,125.5",b\n')) == [1125, 1125.5]


def test_limits_are_read_as_in_the_training_rows():
    """'<1,125' next to decimal commas."""
    dataset = trained(german(VALUES))
    new = read_table(b'x,y\n"<1,125",a\n"2,250",b\n"3,250",b\n', parse_censored=True)
    assert read_by(dataset, new) == [1.125, 2.25, 3.25]


def test_dates_are_read_in_the_order_of_the_training_rows():
    """03/04/2024 is the third of April if the training rows show days first."""
    dataset = trained(b"x,y\n31/01/2024,a\n03/04/2024,b\n05/06/2024,a\n")
    (day,) = parse_dates(["2024-04-03"])
    assert read_by(dataset, read_table(b"x,y\n03/04/2024,b\n")) == [day]
    (other,) = parse_dates(["2024-03-04"])
    assert read_by(dataset, read_table(b"x,y\n03/04/2024,b\n12/25/2024,a\n"))[0] == other
    assert read_by(dataset, read_table(b"x,y\n03/04/2024,b\n", day_first=False)) == [other]


@given(st.lists(st.integers(1, 10**6).map(lambda n: n / 1000), min_size=4, max_size=12, unique=True))
def test_the_same_rows_have_the_same_values_from_every_source(values):
    """Decimal commas with semicolons, quoted ones, Parquet, and numbers of a workbook, for the same model."""
    # in at least one number the comma can only separate decimals
    values = [0.5, *values]
    outcome = ["ab"[i % 2] for i in range(len(values))]
    frame = pd.DataFrame({"x": [str(value).replace(".", ",") for value in values], "y": outcome})
    dataset = trained(frame.to_csv(sep=";", index=False).encode())
    sheet = as_xlsx({"Data": [["x", "y"], *zip(values, outcome, strict=True)]})
    sources = [frame.to_csv(index=False).encode(), as_parquet(frame), sheet]
    for source in sources:
        assert read_by(dataset, read_table(source)) == values


@pytest.mark.parametrize("cells", [["5%", "12%", "8.5 %"], ["0.05", "12%", "0.085"]])
def test_a_percentage_is_a_hundredth(cells):
    """12% is 0.12, as in a workbook, also next to 0.05."""
    table = read_table("\n".join(["x,y", *(f"{cell},a" for cell in cells), ""]).encode())
    assert table.texts("x").number.tolist() == [0.05, 0.12, 0.085]
    assert any("'12%' is 0.12" in note or "'5%' is 0.05" in note for note in table.notes)


def test_dates_far_in_the_future_in_int96_are_correct():
    """Spark, Hive and Impala write 9999-12-31 for the end of time."""
    out = io.BytesIO()
    moments = [dt.datetime(9999, 12, 31), dt.datetime(2024, 1, 31)]
    parquet.write_table(
        pa.table({"t": pa.array(moments, pa.timestamp("us")), "y": ["a", "b"]}),
        out,
        use_deprecated_int96_timestamps=True,
    )
    assert read_table(out.getvalue()).frame["t"].tolist() == ["9999-12-31", "2024-01-31"]


def test_times_with_a_zone_are_in_utc_from_every_source():
    """The hour that occurs twice in autumn remains two hours, and the split says UTC."""
    texts = ["2024-10-27T02:30:00+02:00", "2024-10-27T02:30:00+01:00", "2024-10-27T03:30:00+01:00"]
    moments = pd.to_datetime(pd.Series(texts), utc=True).dt.tz_convert("Europe/Zurich")
    typed = as_parquet(pd.DataFrame({"t": moments, "y": ["a", "b", "a"]}))
    csv = "\n".join(["t,y", *(f"{t},{y}" for t, y in zip(texts, "aba", strict=True)), ""]).encode()
    datasets = [trained(csv), trained(typed)]
    assert datasets[0].X.tolist() == datasets[1].X.tolist()
    for dataset in datasets:
        column = dataset.schema["t"]
        assert column.format(dataset.X[0, 0]) == "2024-10-27 00:30 UTC"
        assert column.encode(pd.Series(["2024-10-27 00:30 UTC"]))[0] == dataset.X[0, 0]
        assert from_json(to_json(stump(dataset, float(dataset.X[0, 0])))).schema["t"].clock == "UTC"


def sources(cells: list) -> list[bytes]:
    """The same typed numbers in a workbook and in Parquet."""
    frame = pd.DataFrame({"x": cells, "y": ["ab"[i % 2] for i in range(len(cells))]})
    return [as_xlsx({"Data": rows_of(frame)}), as_parquet(frame)]


WHOLE = [b'x,y\n"77,579",a\n"81,200",b\n950,a\n', b"x,y\n77579,a\n81200,b\n950,a\n", *sources([77579, 81200, 950])]


@pytest.mark.parametrize("content", WHOLE)
@pytest.mark.parametrize("cells", ["77.579\n81.200", "77.579\n950", "77.000\n81.000"])
def test_points_are_refused_if_training_numbers_were_whole(content, cells):
    """They may separate thousands; the user decides. Typed numbers are values."""
    dataset = trained(content)
    new = "\n".join(["x;y", *(f"{cell};a" for cell in cells.split()), ""]).encode()
    with pytest.raises(DataError, match=r"'x' has '77\.\d+' in row 1, which may be .*--decimal") as refused:
        read_by(dataset, read_table(new))
    assert {"decimal": "."} in refused.value.choices
    numbers = [float(cell) for cell in cells.split()]
    assert read_by(dataset, read_table(new, decimal=".")) == numbers
    assert read_by(dataset, read_table(new, decimal=",")) == [float(cell.replace(".", "")) for cell in cells.split()]
    for source in sources(numbers):
        assert read_by(dataset, read_table(source)) == numbers
    with pytest.raises(DataError, match="which may be"):
        stump(dataset, 1000.0).predict(pd.DataFrame({"x": cells.split()}))
    assert read_by(dataset, read_table(b"x;y\n77.5;a\n81.200;a\n")) == [77.5, 81.2]


@pytest.mark.parametrize("zeros", [".0", ".000"])
def test_whole_numbers_with_a_decimal_point_are_read(zeros):
    """The training rows show that the point separates decimals."""
    content = f"x,y\n77{zeros},a\n81{zeros},b\n".encode()
    assert read_by(trained(content), read_table(content)) == [77, 81]
    assert read_by(trained(content), read_table(b"x,y\n77.579,a\n")) == [77.579]


PERCENT, SHARES = b"x,y\n12%,a\n0,b\n8.5 %,a\n", [0.12, 0.0, 0.085]


def test_numbers_without_percent_signs_are_refused():
    """If training rows have percent signs, 12 is not 12%; the same rows in a workbook, Parquet and text are read."""
    dataset = trained(PERCENT)
    assert read_by(dataset, read_table(PERCENT)) == SHARES
    for source in sources(SHARES):
        assert read_by(dataset, read_table(source)) == SHARES
    for content in (b"x,y\n12,a\n8,b\n", b"x,y\n12,a\n8%,b\n", b"x;y\n12,5;a\n8,5;b\n"):
        with pytest.raises(DataError, match=r"'x' has '12(,5)?' in row 1, but all training rows have percent signs"):
            read_by(dataset, read_table(content))
    model = stump(dataset, 0.1)
    assert model.predict(pd.DataFrame({"x": ["12%", "8%"]})).tolist() == [1, 0]
    assert model.predict(pd.DataFrame({"x": pd.Series([0.12, None, 0.08], dtype=object)}))[0] == 1
    with pytest.raises(DataError, match="percent"):
        model.predict(pd.DataFrame({"x": ["12", "8"]}))


def test_percent_signs_unknown_from_training_are_refused():
    """12% is not 12; if training cells had both, 12% is 0.12."""
    with pytest.raises(DataError, match="'x' has '12%' in row 1, but the training rows have no percent signs"):
        read_by(trained(b"x,y\n12,a\n8.5,b\n"), read_table(PERCENT))
    for source in sources([12, 8.5]):
        with pytest.raises(DataError, match="no percent signs"):
            read_by(trained(source), read_table(PERCENT))
    both = trained(b"x,y\n0.12,a\n8%,b\n")
    assert read_by(both, read_table(PERCENT)) == SHARES
    assert read_by(both, read_table(b"x,y\n0.12,a\n0.08,b\n")) == [0.12, 0.08]


ZONED, NAIVE = "2024-10-27T02:30:00+02", "2024-10-27 02:30"


@pytest.mark.parametrize("old, new", [(ZONED, NAIVE), (ZONED, "2024-10-27"), (NAIVE, ZONED), ("2024-10-27", ZONED)])
def test_times_with_and_without_a_zone_are_not_compared(old, new):
    """They may be hours apart; a column that has both is refused in training."""
    dataset = trained(f"t,y\n{old},a\n{old.replace('27', '28')},b\n".encode())
    assert read_by(dataset, read_table(f"t,y\n{old},a\n".encode())) == [dataset.X[0, 0]]
    content = f"t,y\n{new},a\n".encode()
    with pytest.raises(DataError, match=r"'t' have (a|no) time zone, but row 1 has '2024-10-27"):
        read_by(dataset, read_table(content))
    answer = table_predictions(stump(dataset, float(dataset.X[0, 0])), read_table(content))
    assert 0 in answer.refused
    with pytest.raises(DataError, match="have a time zone, but row"):
        trained(f"t,y\n{old},a\n{new},b\n".encode())


def test_midnight_in_utc_has_a_time_zone():
    """A Parquet file of midnights fits a training column with a time zone, and is refused for one without."""
    dataset = trained(b"t,y\n2024-10-27T02:30:00Z,a\n2024-10-28T02:30:00Z,b\n")
    with_zone, without = (
        as_parquet(pd.DataFrame({"t": pd.to_datetime(["2024-10-27"], utc=utc), "y": ["a"]})) for utc in (True, None)
    )
    assert read_by(dataset, read_table(with_zone)) == parse_dates(["2024-10-27"]).tolist()
    with pytest.raises(DataError, match="without one"):
        read_by(dataset, read_table(without))


def test_typed_numbers_are_not_thousands():
    """1.125 of a Parquet file is 1.125, although the training rows had 1125 as '1.125'."""
    dataset = trained(b"x;y\n1.125;a\n2.250.000;b\n3.500;a\n")
    assert dataset.X[0, 0] == 1125
    for source in sources([1.125, 2.25]):
        assert read_by(dataset, read_table(source)) == [1.125, 2.25]


@pytest.mark.parametrize("n_months", [1, 12])
def test_a_month_among_dates_is_not_a_date(n_months):
    """It is not the first of the month, neither in training nor in prediction; in a column of months it is a date."""
    days = [f"2024-02-{day:02},{'ab'[day % 2]}" for day in range(1, 21)]
    (report, _) = infer_columns(read_table("\n".join(["d,y", *days, *["2024-02,a"] * n_months, ""]).encode()))
    assert report.kind is Kind.DATE and "'2024-02' in row 21" in report.problem
    dataset = trained("\n".join(["d,y", *days, ""]).encode())
    with pytest.raises(DataError, match="row 1 has '2024-02'"):
        read_by(dataset, read_table(b"d,y\n2024-02,a\n"))
    months = trained(b"d,y\n2024-01,a\n2024-02,b\n2024-03,a\n")
    assert read_by(months, read_table(b"d,y\n2024-02,a\n")) == [31 + parse_dates(["2024-01-01"])[0]]


@pytest.mark.parametrize("codes", [["1E1", "1E2", "3E2", "100"], ["01067", "0012", "0099", "1067"]])
def test_codes_are_texts(codes):
    """A ward 1E2 is not 100, and a postcode 01067 is not 1067; a note says so."""
    content = "\n".join(["code,y", *(f"{code},{'ab'[i % 2]}" for i, code in enumerate(codes * 3)), ""]).encode()
    built = build(read_table(content), Request(target="y"))
    column = built.dataset.schema["code"]
    assert column.kind is Kind.CATEGORICAL and set(column.levels) == set(codes)
    assert len(np.unique(built.dataset.X[:, 0])) == 4
    assert any("codes" in note and "'code'" in note for note in built.notes)
    with pytest.raises(DataError, match="'10'"):
        column.encode(pd.Series(["10"]))


def test_formulas_without_stored_results_are_refused():
    """Programs that write workbooks do not calculate; the cells would count as missing."""
    content = as_xlsx({"Data": [["x", "y"], [1, "a"], [2, "b"], [3, "a"]]})
    written = with_part(
        content,
        "xl/worksheets/sheet1.xml",
        lambda part: re.sub(rb'(<c r="A\d">)<v>([23])</v>', rb"\1<f>1+\2</f><v></v>", part),
    )
    with pytest.raises(DataError, match=r"formula whose result is not stored \(first: A3\).*save it once"):
        read_table(written)


@pytest.mark.parametrize("write", [feather.write_feather, parquet.write_table])
def test_the_declared_order_of_levels_is_kept(write):
    """'mild' comes before 'bad' if the file says so."""
    cells = pd.Categorical(["bad", "odd", "mild"] * 3, ["mild", "odd", "bad"], ordered=True)
    out = io.BytesIO()
    write(pa.Table.from_pandas(pd.DataFrame({"grade": cells, "y": ["a", "b", "a"] * 3})), out)
    column = trained(out.getvalue()).schema["grade"]
    assert column.kind is Kind.ORDERED and column.levels == ("mild", "odd", "bad")


@pytest.mark.parametrize("dash", "−–‒‑－")
def test_a_dash_is_a_minus(dash):
    """Word processors write it in place of a minus sign."""
    content = "\n".join(["x,y", *(f"{dash}{i}.5,{'ab'[i % 2]}" for i in range(1, 30)), ""]).encode()
    (report, _) = infer_columns(read_table(content))
    assert report.kind is Kind.NUMERIC and not report.identifier
    assert read_table(content).texts("x").number.tolist()[:2] == [-1.5, -2.5]


def test_a_spelling_survives_the_json_of_a_model():
    """All its fields do."""
    dataset = trained(german([1234.5, 2.5, 3.25]))
    assert stump(dataset, 3.0).schema.spellings == {"x": Spelling(",")}
