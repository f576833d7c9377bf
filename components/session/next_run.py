"""Changes to the settings of the next run: the table, its rows, and the design with its constraints."""

from dataclasses import replace
from typing import Any

from components.session import state
from components.session.constraint_list import ConstraintList
from components.session.memory import classes_of
from components.session.work import DataChoices, Design, Prepared, Run, Source, prepare
from solvers.errors import EspalierError
from solvers.explain import Change
from solvers.problem import ColumnReport, Preparation, Sample, Table, infer_columns, leaf_floor, suggest_outcome

SIZE = ("max_depth", "max_leaf_nodes", "min_samples_leaf", "min_weight_leaf", "max_splits", "min_rows")
"""The fields of a design that limit the size of a model."""

ONE_FEATURE, SEVERAL_FEATURES = "One", "Several"
"""The options for the number of features per split of a diagram."""


def load(table: Table, reports: tuple[ColumnReport, ...] | None = None, sample: Sample | None = None) -> None:
    """Use another table: choices and size of the former one are dropped; runs, shape, method and limits stay."""
    held = state.session()
    reports = reports or infer_columns(table)
    outcome = sample.outcome if sample else suggest_outcome(reports)
    set_by = held.recommended.items()
    change_design({name: before for name, (value, before) in set_by if getattr(held.design, name) == value})
    held.recommended = {}
    change_design(first_size(table, sample, held.design.max_depth))
    held.first_design = held.design
    number = 1 if held.source is None else held.source.number + 1
    held.source = Source(number, table, reports, outcome, sample)
    held.choices = held.prepared = held.trouble = None


def first_size(table: Table, sample: Sample | None, depth: int) -> dict[str, Any]:
    """The initial size for a table; `depth` is that of a table that is no sample."""
    fresh = Design(max_depth=sample.depth if sample else depth, min_samples_leaf=leaf_floor(table.n_rows))
    return {name: getattr(fresh, name) for name in (*SIZE, "split_penalty")}


def prepare_by(preparation: Preparation) -> None:
    """Apply other steps to the table in use; `DataError` if one does not fit, and then nothing changes."""
    held = state.session()
    if held.source is not None:
        held.source = held.source.prepared_by(preparation)
        held.choices = held.prepared = held.trouble = None


def choose(choices: DataChoices) -> None:
    """Store the choices of the Data screen and build the rows; on an error, store it as `trouble`."""
    held = state.session()
    if held.source is None or held.choices == choices:
        return
    rows, trouble = None, None
    try:
        rows = prepare(held.source, choices, held.prepared)
    except EspalierError as error:
        trouble = str(error)
    held.choices, held.prepared, held.trouble = choices, rows, trouble


def change_design(values: dict[str, Any]) -> None:
    """Put values into the design and into the fields of its form."""
    for name, value in values.items():
        state.put(state.design_key(name), " ".join(map(str, value)) if name == "widths" else value)
    held = state.session()
    held.design = replace(held.design, **values)


def take_recommended(values: dict[str, Any]) -> None:
    """The same for recommended values, which are reverted with another table."""
    held = state.session()
    for name, value in values.items():
        now = getattr(held.design, name)
        known, before = held.recommended.get(name, (now, now))
        held.recommended[name] = value, before if known == now else now
    change_design(values)


def set_design(value: Design) -> None:
    """Store the design of the next run; misclassification costs are stored for the classes of the rows in use."""
    held = state.session()
    held.design = value
    if held.prepared is not None:
        held.costs[classes_of(held.prepared)] = value.class_costs


def set_constraints(value: ConstraintList) -> None:
    """Store another list of constraints for the table in use."""
    held = state.session()
    if held.source is not None:
        held.constraints[held.source.number] = value


def open_editor(number: int = 0) -> None:
    """Open the editor for a constraint, or for a new one, with new widget keys."""
    held = state.session()
    held.opened += 1
    held.editor = number


def close_editor() -> None:
    """Close the editor and discard its input."""
    state.session().editor = None


def size_is_chosen() -> bool:
    """Whether the size differs from the initial one of the table in use."""
    held = state.session()
    return any(getattr(held.design, name) != getattr(held.first_design, name) for name in (*SIZE, "split_penalty"))


def take(
    source: Source,
    choices: DataChoices | None,
    design: Design,
    listed: ConstraintList | None = None,
    rows: Prepared | None = None,
) -> int:
    """Use the table, choices and design of another run or of a draft; returns the new number of the table.

    The constraints are those of the design, or those of a list. The rows are made unless the run has them.
    """
    held = state.session()
    number = 1 if held.source is None else held.source.number + 1
    held.source, held.design = replace(source, number=number), design
    held.choices = held.prepared = held.trouble = None
    held.constraints[number] = listed or ConstraintList().with_exactly(design.constraints)
    if rows is not None:
        held.choices, held.prepared = choices, replace(rows, source=held.source)
    elif choices is not None:
        choose(choices)
    if held.prepared is not None:
        held.costs[classes_of(held.prepared)] = design.class_costs
    return number


def relax(run: Run, changes: tuple[Change, ...]) -> None:
    """Set up the next run like this one, except for some changes."""
    wanted = state.constraints().with_exactly(run.problem.constraints)
    # the run's minimum rows per node is one of its constraints, so from now on it is on the list
    sizes: dict[str, Any] = {"min_rows": 1}
    for change in changes:
        name, weaker = change.relaxable.key, None if change.weaker is None else change.weaker.constraint
        if isinstance(name, int):
            wanted = wanted.with_replaced(change.relaxable.constraint.judged, weaker)
        else:
            limit = getattr(Design(), name) if weaker is None or weaker.limit is None else weaker.limit
            sizes[name] = float(limit) if name == "min_weight_leaf" else limit
    ask_again(run, wanted, **sizes)


def ask_again(run: Run, wanted: ConstraintList | None = None, **values: Any) -> None:
    """Set up the next run like this one, with other design values, and with other constraints if given."""
    set_constraints(wanted or state.constraints().with_exactly(run.problem.constraints))
    change_design({name: getattr(run.design, name) for name in ("kind", "method", "widths", *SIZE)} | values)
