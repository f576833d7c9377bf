"""Detection of columns that identify a person or a record.

They are excluded from the features by default for two reasons: a model that uses them is worthless on new rows, and
they are private.
"""

import re
from collections.abc import Callable

import numpy as np

from ..magnitude import EXACT_FLOAT
from .tables import Cells
from .texts import Texts

_PERSONAL = re.compile(
    r"\b(mrn|ssn|nhs (number|no)|ahv|social security( (number|no))?|insurance (number|no)|passport( (number|no))?|iban|"
    r"(patient|patienten|person|personen|subject|participant|case|fall|record|customer|client|student|sample|encounter|"
    r"visit|user)s? (id|no|nr|number|nummer|code|key|name)|pat ?(id|nr)|patienten(id|nr|nummer|name)|"
    r"fall(id|nr|nummer)|pid|uuid|guid|(vor|nach|familien)name|geburts(datum|tag)|"
    r"(sur|last|first|fore|given|family|full|maiden|middle) ?names?|e ?mail( address)?|"
    r"(tele)?phone( (number|no))?|mobile( (number|no))?|street|home address|ip address|"
    r"birth ?(date|day)|date of birth|dob)$"
)
"""The end of a name that identifies a person, whatever the values."""

_NUMBERING = re.compile(
    r"(^|\b)(id|ids|no|nr|num|number|code|key|index|idx|row|name|address|unnamed 0|column 1|#|serial)$"
)
"""The end of a name that identifies records only if nearly every row has its own value."""

_WHO = r"(patient|patienten|person|personen|subject|participant|customer|client|student|user|record)s?"
_PERSON = re.compile(
    rf"\b(mrn|pat ?(id|nr)|pid|patienten(id|nr|nummer)|{_WHO} (id|no|nr|number|nummer|code|key))$|^(id|{_WHO})$"
)
"""The end of a name, or all of it, of a column that shows which rows are of the same person."""

_PLACE = re.compile(r"\b(post ?code|postal code|zip( ?code)?|plz|postleitzahl)$")

_TELLS_WHO = "its name suggests that it identifies a person"


_WHOLE = re.compile(r"[+-]?\d+")

_FEW = 20
"""With fewer rows, distinct values are no evidence."""


def identifier_reason(name: str, cells: Cells, numbers: np.ndarray, n_present: int) -> str | None:
    """Why a column is likely an identifier, in words; `None` if it is not.

    A name like 'patient_id' or 'surname' is sufficient. 'patient' or 'ID' is sufficient with at least 20 distinct
    values, and 'no' or 'index' if at least 90% of the values are distinct. Integers above 2^53, which float64 cannot
    distinguish, are also sufficient. Without such a name, a column is an identifier if its texts are nearly all
    distinct, or if its integers are all distinct and either count the rows or all have the same number of digits, five
    or more.

    Parameters
    ----------
    name : the header.
    cells : the column.
    numbers : float64 (n_distinct,), the distinct values that are not missing, NaN if one is no number.
    n_present : the number of cells with a value.
    """
    if names_person(name):
        return _TELLS_WHO
    words = words_of(name)
    if isinstance(cells, Texts):
        large = np.flatnonzero(np.abs(cells.number) > EXACT_FLOAT)
        if any(_WHOLE.fullmatch(cells.text[i]) for i in large):
            return "its whole numbers are above 2^53, where neighbouring numbers cannot be distinguished"
    n_distinct = len(numbers)
    if n_distinct >= _FEW and _PERSON.search(words):
        return _TELLS_WHO
    if n_present < _FEW or n_distinct < 0.9 * n_present:
        return None
    whole = bool(np.all(numbers == np.floor(numbers)))
    textual = bool(np.isnan(numbers).mean() > 0.1)
    if _NUMBERING.search(words) and (whole or textual):
        return "its name and its values number the rows"
    if isinstance(cells, Texts) and textual and not all(re.match(r"\d{4}-\d{2}", text) for text in cells.present):
        return "nearly every row has a different text"
    if not whole or n_distinct < n_present:
        return None
    rows = cells.numbers
    if np.all(np.diff(rows[~np.isnan(rows)]) == 1):
        return "it counts the rows"
    if np.abs(numbers).min() < 10_000:
        return None
    # the shortest and the longest of each sign
    sides = [side for side in (numbers[numbers < 0], numbers[numbers >= 0]) if len(side)]
    ends = np.array([end for side in sides for end in (side.min(), side.max())])
    present = cells.present if isinstance(cells, Texts) else cells.spelled(ends)
    return (
        "every row has a different number with the same number of digits" if len(set(map(len, present))) == 1 else None
    )


def names_person(name: str) -> bool:
    """Whether a name such as 'patient_id' or 'surname' identifies a person, whatever the values."""
    return bool(_PERSONAL.search(words_of(name)))


def names_place(name: str) -> bool:
    """Whether a name such as 'postcode' is that of place codes."""
    return bool(_PLACE.search(words_of(name)))


def is_shared_person(name: str, texts: Callable[[], Texts]) -> bool:
    """Whether a column seems to identify the person of a row, and several rows may be of the same person."""
    if not _PERSON.search(words_of(name)):
        return False
    present = texts().count[~texts().missing]
    return bool(_FEW <= len(present) < present.sum())


def words_of(name: str) -> str:
    """The name in lower case with blanks between its words: 'PatientID_no' is 'patient id no'."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return re.sub(r"[\s_.:/-]+", " ", spaced).strip().lower()
