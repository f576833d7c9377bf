"""What the user chose for the columns of a table, kept between the screens: which are features, and their types."""

from components.session import state
from components.session.work import Source
from solvers.problem import ColumnReport, Kind

BETWEEN = " < "
"""What stands between levels that are written down in their order."""


def chosen(source: Source) -> dict[str, tuple[bool, Kind | None]]:
    """What the user chose so far for the columns of this table: (use, type)."""
    number, choices = state.get("_columns_chosen", (None, {}))
    return choices if number == source.number else {}


def remember(number: int, choices: dict[str, tuple[bool, Kind | None]]) -> None:
    """Note what is chosen for the columns of a table, (use, type), before the table of columns is drawn."""
    state.put("_columns_chosen", (number, choices))


def leave_out(source: Source, name: str) -> None:
    """Untick a column, as the `on_click` of a button below the table of columns, which is then drawn anew."""
    kind = next(report.kind for report in source.reports if report.name == name)
    choices = chosen(source)
    remember(source.number, {**choices, name: (False, choices.get(name, (True, kind))[1])})
    state.put("_columns_edition", edition() + 1)


def edition() -> int:
    """Counts how often columns were unticked elsewhere than in their table."""
    return state.get("_columns_edition", 0)


def suggested(report: ColumnReport) -> bool:
    """Whether a column is a feature unless the user says otherwise."""
    return report.kind is not None and not report.identifier and not report.constant
