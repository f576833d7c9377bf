"""Names of columns: repeated ones are numbered; and names that no column has."""

from collections import Counter
from collections.abc import Sequence

from .texts import abbreviated


def number_repeated(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names of which repeated ones are numbered, such as 'crp', 'crp (2)', and notes on them.

    No number makes two names the same.
    """
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
    again = [f"'{one}'" for one, name in zip(numbered, names, strict=True) if one != name]
    return numbered, [f"Repeated names of columns are numbered: {abbreviated(again)}."] if again else []


def free_name(name: str, taken: Sequence[str]) -> str:
    """A name that is not taken, made by underscores at its end."""
    while name in taken:
        name += "_"
    return name
