"""The user's choices for the columns of a table, kept between screens: which are features, and their types."""

from components.session import state
from components.session.work import Source
from solvers.problem import ColumnReport, Description, Kind
from solvers.problem.groups import CROSS, crossed_columns

ROLES = ("outcome", "weight", "group_rows", "centres", "time")
"""Roles that a column can have."""

TEST_SHARE, TEST_SEED = "test_share", "test_seed"
"""State keys of the percentage of held-out rows, and of the seed of the random choice."""

BETWEEN = " < "
"""Separator between the levels in a written order."""


def data_key(number: int, *name: str) -> str:
    """The key of a widget about a table, or about one of its columns (`levels`, `positive`), named next."""
    return "_".join((name[0], str(number), *name[1:]))


def chosen(source: Source) -> dict[str, tuple[bool, Kind | None]]:
    """The user's choices so far for the columns of this table, as (use, type)."""
    number, choices = state.get("_columns_chosen", (None, {}))
    return choices if number == source.number else {}


def remember(number: int, choices: dict[str, tuple[bool, Kind | None]]) -> None:
    """Store choices for the columns of a table, as (use, type), before the table of columns is drawn."""
    state.put("_columns_chosen", (number, choices))


def dictionary(source: Source) -> dict[str, Description]:
    """The label, unit and family of columns of this table, as entered or read from a data dictionary."""
    number, known = state.get("_columns_described", (None, {}))
    return known if number == source.number else {}


def describe(number: int, known: dict[str, Description]) -> None:
    """Store the label, unit and family of columns of a table."""
    state.put("_columns_described", (number, {name: one for name, one in known.items() if one}))


def carry(before: Source, after: Source) -> None:
    """Apply the choices for the columns of a table to the table after other steps, under their new names.

    A column whose recognised type has changed gets the new type and levels. It is ticked as now suggested if it was
    ticked as suggested before.
    """
    number, there = after.number, {report.name: report for report in after.reports}
    renamed = {one.name: before.preparation.name_under(one.name, after.preparation) for one in before.reports}
    names = {old: new for old, new in renamed.items() if new in there}
    known, carried = chosen(before), {}
    for report in before.reports:
        new = there.get(names.get(report.name, ""))
        if new is None:
            continue
        if report.name in known:
            use, kind = known[report.name]
            if new.kind is not report.kind:
                use, kind = suggest(new) if use == suggest(report) else use, new.kind
            carried[new.name] = use, kind
        for name in ("positive", "levels"):
            if (value := state.get(data_key(number, name, report.name))) is not None:
                same = name == "positive" or new.levels == report.levels
                state.put(data_key(number, name, new.name), value if same else BETWEEN.join(new.levels))
    remember(number, carried)
    describe(number, {names[name]: one for name, one in dictionary(before).items() if name in names})
    for role in ROLES:
        if (name := state.get(key := data_key(number, role))) is not None:
            state.put(key, names.get(name))
    groups_key, crossed_key = data_key(number, "groups"), data_key(number, "crossed")
    groups = state.get(groups_key, [])
    state.put(groups_key, [names[name] for name in groups if name in names])
    crossed = [crossed_columns(name, groups) for name in state.get(crossed_key, [])]
    kept_pairs = [[names[part] for part in one] for one in crossed if one and names.keys() >= set(one)]
    state.put(crossed_key, [CROSS.join(pair) for pair in kept_pairs])
    draw_anew()


def draw_anew() -> None:
    """Redraw the table of columns from the stored choices, discarding edits in the table."""
    state.put("_columns_edition", edition() + 1)


def edition() -> int:
    """How often columns were changed outside of their table."""
    return state.get("_columns_edition", 0)


def suggest(report: ColumnReport) -> bool:
    """Whether a column is a feature by default."""
    return report.kind is not None and not report.identifier and not report.constant
