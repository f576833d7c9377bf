"""A REDCap data dictionary: what the columns of an export are called, and what the codes in them mean.

    sex,form_1,,radio,Sex of patient,"1, Female | 2, Male"

makes the column 'sex' with 1 and 2 the column 'Sex of patient' with Female and Male, and of 'symptoms___2' with 0 and 1
'Symptoms: Fever' with no and yes. An export with labels in the place of names and codes becomes the same table.
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from ...errors import DataError
from ..column_names import refuse_repeated
from ..file_text import as_utf_8
from ..tables import Table
from ..texts import Texts, abbreviated, format_number, parse_numbers, respelled

_NAME, _TYPE, _LABEL = "variable / field name", "field type", "field label"
_CHOICES = "choices, calculations, or slider labels"
_ALIASES = {"field_name": _NAME, "field_type": _TYPE, "field_label": _LABEL, "select_choices_or_calculations": _CHOICES}
"""The headers of a dictionary that was fetched through REDCap's interface for programs."""

_TAG = re.compile(r"<[^<>]*>")
_CHECKED = {"0": "no", "1": "yes", "Unchecked": "no", "Checked": "yes"}


class Field(NamedTuple):
    """A line of the dictionary: the variable, its type, its label and its choices as they are written."""

    name: str
    kind: str
    label: str
    choices: str


class _Column(NamedTuple):
    name: str
    levels: Mapping[str, str]


@dataclass(frozen=True)
class DataDictionary:
    """What a study has defined, a line a field."""

    fields: tuple[Field, ...]

    @cached_property
    def _columns(self) -> dict[str, _Column]:
        """What becomes of each column that an export may have, by its header with names and with labels."""
        found = [(header, other, one) for field in self.fields for header, other, one in _columns_of(field)]
        times = Counter(one.name for _, _, one in found)
        named = [
            (header, other, one._replace(name=one.name if times[one.name] == 1 else f"{one.name} ({header})"))
            for header, other, one in found
        ]
        labels = Counter(other for _, other, _ in named)
        by_label = {other: one for _, other, one in named if labels[other] == 1}
        return by_label | {header: one for header, _, one in named}

    def name_of(self, header: str) -> str:
        """What a column of an export is called; a header that the dictionary does not have stays."""
        return self._columns[header].name if header in self._columns else header

    def apply(self, table: Table) -> Table:
        """The table under the names and with the levels of the dictionary.

        Raises
        ------
        DataError
            No column is in the dictionary, or two would have one name.
        """
        known = [name for name in table.names if name in self._columns]
        if not known:
            raise DataError(
                f"The data dictionary has none of the columns of '{table.name}'. Choose the dictionary of the study "
                f"that the table was exported from, or leave it out."
            )
        names = refuse_repeated([self.name_of(name) for name in table.names])
        columns, unknown = {}, []
        for header, name in zip(table.names, names, strict=True):
            cells = table.columns[header]
            if header in known and self._columns[header].levels:
                cells, odd = _with_levels(table.texts(header), self._columns[header].levels)
                unknown += [f"'{odd}' in '{name}'"] if odd else []
            columns[name] = cells
        notes = [f"{len(known)} of {len(names)} columns have names and levels of the data dictionary."]
        if unknown:
            notes += (
                f"Not among the choices of the data dictionary, and left as they are: {abbreviated(unknown, 6)}.",
            )
        outcome = None if table.outcome is None else self.name_of(table.outcome)
        spellings = {self.name_of(name): spelling for name, spelling in table.spellings.items()}
        levels = {self.name_of(name): one for name, one in table.levels.items()}
        return replace(
            table, columns=columns, notes=(*table.notes, *notes), outcome=outcome, spellings=spellings, levels=levels
        )


def read_dictionary(raw: bytes) -> DataDictionary:
    """A data dictionary from the content of its CSV file.

    Raises
    ------
    DataError
        It is no dictionary.
    """
    content, _ = as_utf_8(raw)
    try:
        lines = [line for line in csv.reader(io.StringIO(content.decode(), newline=""), strict=False) if any(line)]
    except csv.Error as error:
        raise DataError(f"The data dictionary cannot be read ({error}). Download it again from REDCap.") from None
    heads = [_plain(head).lower() for head in lines[0]] if lines else []
    place = {_ALIASES.get(head, head): j for j, head in enumerate(heads)}
    absent = [head for head in (_NAME, _TYPE, _LABEL, _CHOICES) if head not in place]
    if absent:
        raise DataError(
            f"The data dictionary has no column '{absent[0]}'. Choose the CSV file that REDCap offers as 'Data "
            f"Dictionary', as it was downloaded."
        )
    fields = []
    for line in lines[1:]:
        cells = [*line, *[""] * len(heads)]
        fields.append(Field(*(cells[place[head]].strip() for head in (_NAME, _TYPE, _LABEL, _CHOICES))))
    return dictionary_of(fields)


def dictionary_of(fields: Sequence[Sequence[str]]) -> DataDictionary:
    """A dictionary from its lines; `DataError` where there are none."""
    made = tuple(Field(*one) for one in fields if one[0])
    if not made:
        raise DataError("The data dictionary has no fields. Download it again from REDCap.")
    return DataDictionary(made)


def _plain(text: str) -> str:
    """A label without the tags of a web page and line ends."""
    return " ".join(html.unescape(_TAG.sub(" ", text)).split())


def _choices(field: Field) -> dict[str, str]:
    """What the codes of a field mean; several parts without a comma are their own labels."""
    parts = [part.partition(",") for part in field.choices.split("|")]
    return {code.strip(): _plain(label) or code.strip() for code, _, label in parts if code.strip()}


def _columns_of(field: Field) -> Iterator[tuple[str, str, _Column]]:
    """The columns of an export that come from a field: header with names, header with labels, what it becomes."""
    label = _plain(field.label) or field.name
    if field.kind == "checkbox":
        for code, choice in _choices(field).items():
            # REDCap writes a code in a header in small letters, and a sign as a low line
            header = f"{field.name}___{re.sub(r'[^a-z0-9_]', '_', code.lower())}"
            yield header, f"{label} (choice={choice})", _Column(f"{label}: {choice}", _CHECKED)
    elif field.kind in ("radio", "dropdown"):
        yield field.name, label, _Column(label, _choices(field))
    elif field.kind == "yesno":
        yield field.name, label, _Column(label, {"1": "Yes", "0": "No"})
    elif field.kind == "truefalse":
        yield field.name, label, _Column(label, {"1": "true", "0": "false", "True": "true", "False": "false"})
    elif field.kind != "descriptive":
        yield field.name, label, _Column(label, {})


def _with_levels(cells: Texts, levels: Mapping[str, str]) -> tuple[Texts, str]:
    """The cells with what their codes mean, and the first of them that is neither code nor level."""
    numbers = parse_numbers([text or "nan" for text in cells.text])
    known = set(levels.values()) | {""}
    meaning, odd = {}, ""
    for text, number in zip(cells.text, numbers.tolist(), strict=True):
        # 1.0 is the code 1
        code = text if text in levels or number != number else format_number(number)
        meaning[text] = levels.get(code, text)
        if meaning[text].strip() not in known:
            odd = odd or text
    return respelled(cells.code, [meaning[text].strip() for text in cells.text]), odd
