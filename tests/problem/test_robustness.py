"""Whatever a file holds, reading and typing it ends in a table or in an error that is meant to be read."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.errors import DataError
from solvers.problem import MissingPolicy, build_dataset, infer_columns, question_orders, read_table, suggest_outcome
from tests.case_count import case_count
from tests.problem.sources.exports import EXPORTS

NUMBERS = ("0", "1", "2", "-3", "1,5", "1e5", "inf", "5 %", "1 234,5", "1,234", "<20", "20-29", "30+")
TEXTS = ("", " ", "?", "none", "low", "high", "medium", "a", "b", "é", '"', "'", "II", "true", "id", "y")
DATES = ("2024-01-02", "31.12.2024", "01/02/2024")
CELLS = st.sampled_from((*NUMBERS, *TEXTS, *DATES))


def ask(content: bytes, header: bool | None, policy: MissingPolicy) -> None:
    """Read, type, build and ask, as the program does."""
    try:
        table = read_table(content, header=header)
        reports = infer_columns(table)
        outcome = suggest_outcome(reports)
        assert len(reports) == len(table.names)
        if outcome is not None:
            dataset = build_dataset(table, outcome, missing=policy)
            assert dataset.n_samples <= table.n_rows
            question_orders(dataset)
    except DataError as error:
        assert str(error).strip().endswith((".", "?"))


@given(st.binary(max_size=200), st.sampled_from([None, True, False]))
@settings(max_examples=case_count(300))
def test_any_bytes(content, header):
    """Random bytes are refused in a sentence, or read."""
    ask(content, header, MissingPolicy.INFORMATION)


@given(
    st.lists(st.lists(CELLS, min_size=1, max_size=4), max_size=8),
    st.sampled_from([",", ";", "\t", " "]),
    st.sampled_from([None, True, False]),
    st.sampled_from(list(MissingPolicy)),
)
@settings(max_examples=case_count(400))
def test_any_cells(rows, separator, header, policy):
    """So are tables of odd cells, ragged or not."""
    ask("\n".join(separator.join(row) for row in rows).encode(), header, policy)


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), max_size=12)), st.data())
@settings(max_examples=case_count(400))
def test_any_even_table(rows, data):
    """And tables whose rows are of one length."""
    text = "\n".join(";".join(cell.replace('"', "") for cell in row) for row in rows)
    ask(text.encode(), data.draw(st.sampled_from([None, True, False])), data.draw(st.sampled_from(list(MissingPolicy))))


@given(st.sampled_from(sorted(EXPORTS)), st.data())
@settings(max_examples=case_count(300), deadline=None)
def test_any_damaged_export(kind, data):
    """And files as hospitals export them, of which parts were lost, doubled, or written over."""
    content = EXPORTS[kind].content
    for _ in range(data.draw(st.integers(1, 3))):
        begin = data.draw(st.integers(0, len(content)))
        end = min(len(content), begin + data.draw(st.integers(0, 40)))
        part = data.draw(st.sampled_from([b"", 2 * content[begin:end]]) | st.binary(max_size=8))
        content = content[:begin] + part + content[end:]
    ask(content, None, data.draw(st.sampled_from(list(MissingPolicy))))


def test_a_long_column_without_values():
    """Each empty cell is looked at once: for each one before it again, this file of 200 kB would take minutes."""
    table = read_table(b"a,b\n" + b",\n" * 100_000)
    assert (table.n_rows, set(table.frame["a"])) == (100_000, {""})
