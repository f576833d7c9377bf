"""The names of columns where one comes twice: refused, or numbered; and names that no column has."""

from collections import Counter
from collections.abc import Sequence

from ..errors import DataError
from .texts import abbreviated


def refuse_repeated(names: Sequence[str]) -> list[str]:
    """The names as they are; `DataError` where one comes twice."""
    if len(set(names)) < len(names):
        one, times = Counter(names).most_common(1)[0]
        where = [str(j + 1) for j, other in enumerate(names) if other == one]
        raise DataError(
            f"The column name '{one}' appears {times} times (columns {abbreviated(where)}). Rename all but one, or "
            f"have them numbered: '{one}', '{one} (2)' (--deduplicate-names on the command line, 'Number names that "
            f"come twice' on the Data screen).",
            choices=[{"deduplicate_names": True}],
        )
    return list(names)


def number_repeated(names: Sequence[str]) -> list[str]:
    """Names that come again with a number: 'crp', 'crp (2)', 'crp (3)'; no number makes two names the same."""
    taken, numbered = set(names), []
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        one = name
        if seen[name] > 1:
            while (one := f"{name} ({seen[name]})") in taken:
                seen[name] += 1
            taken.add(one)
        numbered.append(one)
    return numbered


def free_name(name: str, taken: Sequence[str]) -> str:
    """A name that is not taken, made by underscores at its end."""
    while name in taken:
        name += "_"
    return name
