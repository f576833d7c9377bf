"""A data dictionary: for each column of a table a label, the unit of its numbers, and its family.

dictionary = read_dictionary("dictionary.csv")
dataset = load_dataset("patients.csv", "died", dictionary=dictionary)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import msgspec

from ..errors import DataError
from .columns import Column
from .sources import read_table
from .tables import Table
from .texts import abbreviate, composed, is_missing_mark

_HEADERS = {
    "column": ("column", "variable", "field", "name", "columnname", "variablename", "fieldname", "variablefieldname"),
    "label": ("label", "fieldlabel", "variablelabel", "title", "description", "meaning"),
    "unit": ("unit", "units"),
    "family": ("family", "group", "category", "section", "domain", "formname", "form"),
}
"""The headers of a data dictionary in small letters without blanks, REDCap's among them."""

_LONGEST = 80


@dataclass(frozen=True, slots=True)
class Description:
    """A column for readers.

    Attributes
    ----------
    label : its name in questions; '' for the name of the column.
    unit : the unit of its numbers, such as mmol/L.
    family : the columns to which it belongs, such as history or laboratory; any text.
    """

    label: str = ""
    unit: str = ""
    family: str = ""

    def __post_init__(self) -> None:
        for one in fields(self):
            text = composed(" ".join(str(getattr(self, one.name) or "").split()))
            object.__setattr__(self, one.name, text)
            if len(text) > _LONGEST:
                raise DataError(f"The {one.name} '{text[:_LONGEST]}...' has more than {_LONGEST} letters. Shorten it.")

    def __bool__(self) -> bool:
        return self != Description()


def as_descriptions(data: Any) -> dict[str, Description]:
    """Descriptions from plain values, by column: {"crp": {"label": "CRP", "unit": "mg/L", "family": "laboratory"}}.

    Raises
    ------
    DataError
        A value is no description.
    """
    try:
        found = msgspec.convert(dict(data), dict[str, Description], from_attributes=True)
    except (msgspec.ValidationError, TypeError, ValueError) as error:
        raise DataError(f"The data dictionary must have label, unit and family by column: {error}.") from None
    return {composed(name): one for name, one in found.items() if one}


def described(columns: Iterable[Column], dictionary: Mapping[str, Description]) -> tuple[Column, ...]:
    """The columns with their descriptions; behind a label that is not unique, the name of the column is added.

    Raises
    ------
    DataError
        A family has the name of a column.
    """
    found = [replace(one, **asdict(dictionary.get(one.name, Description()))) for one in columns]
    names = {one.name for one in found}
    if clash := names.intersection(one.family for one in found):
        raise DataError(f"'{min(clash)}' is the name of a family and of a column. Give the family another name.")
    often = Counter(title for one in found for title in {one.name, one.title})
    return tuple(replace(one, label=f"{one.label} ({one.name})") if often[one.title] > 1 else one for one in found)


def dictionary_of(table: Table) -> dict[str, Description]:
    """The descriptions in a table with the columns 'column', 'label', 'unit' and 'family', or their usual synonyms.

    Raises
    ------
    DataError
        The table names no columns, or describes one twice.
    """
    columns = [column.cells(slice(None)) for column in table.columns.values()]
    rows = [list(map(str, cells)) for cells in zip(*columns, strict=True)]
    names = list(table.names) if table.has_header else rows.pop(0)
    places = {re.sub(r"[^a-z]", "", name.lower()): j for j, name in reversed(list(enumerate(names)))}
    where = {key: next((places[one] for one in known if one in places), None) for key, known in _HEADERS.items()}
    about = where.pop("column")
    if about is None or not any(place is not None for place in where.values()):
        raise DataError(
            f"'{table.name}' is no data dictionary: it has the columns {abbreviate(names, 6)}. Call them column, "
            "label, unit and family."
        )
    out: dict[str, Description] = {}
    for row in rows:
        name = composed(row[about])
        texts = {key: "" if place is None else row[place] for key, place in where.items()}
        found = Description(**{key: "" if is_missing_mark(text) else text for key, text in texts.items()})
        if name in out and out[name] != found:
            raise DataError(f"The data dictionary '{table.name}' describes the column '{name}' twice. Delete one row.")
        if name and found:
            out[name] = found
    return out


def read_dictionary(path: Path | str) -> dict[str, Description]:
    """The descriptions in a file; see `dictionary_of`.

    Raises
    ------
    DataError
        The file cannot be read as a table, or is no data dictionary.
    """
    return dictionary_of(read_table(path, header=True))
