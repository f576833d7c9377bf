"""REDCap data dictionaries: names and levels, and what is refused or said."""

from __future__ import annotations

import pytest

from solvers.errors import DataError
from solvers.problem import DataDictionary, read_dictionary, read_table

HEAD = (
    'Variable / Field Name,Form Name,Section Header,Field Type,Field Label,"Choices, Calculations, OR Slider Labels"\n'
)


def dictionary(*lines: str) -> bytes:
    """A dictionary with these lines below its header."""
    return (HEAD + "".join(f"{line}\n" for line in lines)).encode()


def read(export: str, *lines: str):
    """An export with its dictionary."""
    return read_table(export.encode(), dictionary=dictionary(*lines), header=True)


def test_codes_are_compared_as_numbers_too():
    """1.0 is the code 1, as a program writes it that has seen missing values; what is missing stays missing."""
    table = read("sex,ill\n1.0,0\n2.0,1\n,0\n", 'sex,f,,dropdown,Sex,"1, Female | 2, Male"', "ill,f,,truefalse,Ill,")
    assert table.frame["Sex"].tolist() == ["Female", "Male", ""]
    assert table.frame["Ill"].tolist() == ["false", "true", "false"]


def test_codes_with_signs_and_capitals_in_checkboxes():
    """REDCap writes -99 and 'A' in headers as '_99' and 'a'."""
    table = read(
        "x___1,x____99,x___a,y\n1,0,0,5\n0,1,0,6\n",
        'x,f,,checkbox,<p>What &amp; when</p>,"1, One | -99, Not known | A, A"',
    )
    assert table.names == ("What & when: One", "What & when: Not known", "What & when: A", "y")
    assert table.frame[table.names[1]].tolist() == ["no", "yes"]


def test_labels_that_come_twice_and_that_are_missing():
    """Their fields tell them apart; without a label the field is the name."""
    lines = ("a,f,,text,Date,", "b,f,,text,Date,", "c,f,,text,,")
    assert read("a,b,c\n1,2,3\n4,5,6\n", *lines).names == ("Date (a)", "Date (b)", "c")


def test_what_is_not_among_the_choices_is_said():
    """And stays as it is; a label of missing values becomes one."""
    table = read("sex,a\n1,1\n9,2\n7,3\n", 'sex,f,,radio,Sex,"1, Female | 2, Male | 7, Unknown"')
    assert table.frame["Sex"].tolist() == ["Female", "9", "Unknown"]
    assert any("'9' in 'Sex'" in note for note in table.notes)


def test_the_interface_for_programs_writes_other_headers():
    """They mean the same."""
    raw = b"field_name,form_name,field_type,field_label,select_choices_or_calculations\na,f,text,Age,\n"
    assert read_dictionary(raw) == read_dictionary(dictionary("a,f,,text,Age,"))


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"a,b\n1,2\n", "no column 'variable / field name'"),
        (HEAD.encode(), "has no fields"),
        (b"", "is empty"),
        (b"\x89PNG\r\n", "a PNG image"),
        (dictionary("z,f,,text,Z,"), "none of the columns"),
        (dictionary("a,f,,text,b,"), "'b' appears 2 times"),
    ],
)
def test_what_is_no_dictionary_of_the_table_is_refused(raw, message):
    """With what to choose instead."""
    with pytest.raises(DataError, match=message):
        read_table(b"a,b\n1,2\n3,4\n", dictionary=raw)


def test_a_dictionary_that_was_read_may_be_used_again():
    """For the training table and for new rows."""
    known = read_dictionary(dictionary("a,f,,text,Age,"))
    assert isinstance(known, DataDictionary) and known.name_of("a") == "Age" and known.name_of("b") == "b"
    assert read_table(b"a,b\n1,2\n3,4\n", dictionary=known).names == ("Age", "b")
