"""Changes to the settings of the next run: the table, and the request with its constraints."""

from dataclasses import replace
from typing import Any

from msgspec.structs import replace as changed

from components.session import state
from components.session.constraint_list import ConstraintList
from components.session.memory import classes_of
from components.session.work import DEFAULTS, Prepared, Run, Source, depth_switch, prepare
from solvers.errors import EspalierError
from solvers.explain import Change
from solvers.posing import constraints_in, without_effect
from solvers.problem import ColumnReport, Preparation, Sample, Table, infer_columns, leaf_floor, suggest_outcome
from solvers.request import Request

SIZE = ("max_depth", "max_leaf_nodes", "min_samples_leaf", "min_weight_leaf", "max_splits", "min_samples_split")
"""The fields of a request that limit the size of a model."""

ONE_FEATURE, SEVERAL_FEATURES = "One", "Several"
"""The options for the number of features per split of a diagram."""


def load(table: Table, reports: tuple[ColumnReport, ...] | None = None, sample: Sample | None = None) -> None:
    """Use another table: choices and size of the former one are dropped; runs, shape, method and limits stay."""
    held = state.session()
    reports = reports or infer_columns(table)
    outcome = sample.outcome if sample else suggest_outcome(reports)
    set_by = held.recommended.items()
    change({name: before for name, (value, before) in set_by if getattr(held.request, name) == value})
    held.recommended = {}
    before = held.request.max_depth
    change(first_size(table, sample, before))
    if before == "any":
        held.request = changed(held.request, max_depth=before)
    number = 1 if held.source is None else held.source.number + 1
    held.source = Source(number, table, reports, outcome, sample)
    _forget_rows(DEFAULTS)
    held.first_request = held.request


def _forget_rows(rows: Request) -> None:
    held = state.session()
    held.request, held.prepared, held.trouble = held.request.with_rows(rows), None, None


def first_size(table: Table, sample: Sample | None, depth: int | str | None) -> dict[str, Any]:
    """The initial size for a table; `depth` is that of a table that is no sample, if it is a number."""
    size = {name: getattr(DEFAULTS, name) for name in (*SIZE, "split_penalty")}
    if sample or isinstance(depth, int):
        size["max_depth"] = sample.depth if sample else depth
    return size | {"min_samples_leaf": leaf_floor(table.n_rows)}


def prepare_by(preparation: Preparation) -> None:
    """Apply other steps to the table in use; `DataError` if one does not fit, and then nothing changes."""
    held = state.session()
    if held.source is not None:
        held.source = held.source.prepared_by(preparation)
        _forget_rows(changed(DEFAULTS, prepare=tuple(preparation.to_json())))


def choose(rows: Request) -> None:
    """Store the part of a request about the rows, and build them; on an error, store it as `trouble`."""
    held = state.session()
    if held.source is None or held.request.about_rows == rows.about_rows:
        return
    made, trouble = None, None
    try:
        made = prepare(held.source, rows, held.prepared)
    except EspalierError as error:
        trouble = str(error)
    held.request, held.prepared, held.trouble = held.request.with_rows(rows), made, trouble


def change(values: dict[str, Any]) -> None:
    """Put values into the request and into the fields of its form."""
    held = state.session()
    held.request = changed(held.request, **values)
    for name, value in values.items():
        if name == "skeleton":
            state.put(state.design_key(name), " ".join(map(str, value)) if value else "I")
        elif name != "max_depth" or isinstance(value, int):
            state.put(state.design_key(name), value)


def take_recommended(values: dict[str, Any]) -> None:
    """The same for recommended values, which are reverted with another table."""
    held = state.session()
    for name, value in values.items():
        now = getattr(held.request, name)
        known, before = held.recommended.get(name, (now, now))
        held.recommended[name] = value, before if known == now else now
    change(values)


def set_request(value: Request) -> None:
    """Store the request of the next run; misclassification costs are stored for the classes of the rows in use."""
    held = state.session()
    held.request = value
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
    return any(getattr(held.request, name) != getattr(held.first_request, name) for name in (*SIZE, "split_penalty"))


def take(source: Source, request: Request, listed: ConstraintList | None = None, rows: Prepared | None = None) -> int:
    """Use the table and request of another run or of a draft; returns the new number of the table.

    The form has the initial size for another table until `fill` sets the fields of its shape. The constraints are those
    of the request, or those of a list. The rows are made unless the run has them.
    """
    held = state.session()
    number = 1 if held.source is None else held.source.number + 1
    if held.source is None or held.source.raw is not source.raw:
        change(first_size(source.raw, source.sample, held.request.max_depth))
    held.source, held.request = replace(source, number=number), request
    held.prepared, held.trouble = None, None
    held.constraints[number] = listed or ConstraintList().with_exactly(constraints_in(request))
    if rows is not None:
        held.prepared = replace(rows, source=held.source)
    elif request.target:
        _forget_rows(DEFAULTS)
        choose(request)
    if held.prepared is not None:
        held.costs[classes_of(held.prepared)] = request.class_costs
    return number


def relax(run: Run, changes: tuple[Change, ...]) -> None:
    """Set up the next run like this one, except for some changes."""
    wanted = state.constraints().with_exactly(run.problem.constraints)
    # the run's minimum rows per node is one of its constraints, so from now on it is on the list
    sizes: dict[str, Any] = {"min_samples_split": 1}
    for one in changes:
        name, weaker = one.relaxable.key, None if one.weaker is None else one.weaker.constraint
        if isinstance(name, int):
            wanted = wanted.with_replaced(one.relaxable.constraint.judged, weaker)
        else:
            limit = getattr(DEFAULTS, name) if weaker is None or weaker.limit is None else weaker.limit
            sizes[name] = float(limit) if name == "min_weight_leaf" else limit
    ask_again(run, wanted, **sizes)


def ask_again(run: Run, wanted: ConstraintList | None = None, **values: Any) -> None:
    """Set up the next run like this one, with other values, and with other constraints if given."""
    set_constraints(wanted or state.constraints().with_exactly(run.problem.constraints))
    fill({name: getattr(run.request, name) for name in ("shape", "method", "skeleton", *SIZE)} | values)


def fill(values: dict[str, Any]) -> None:
    """`change` for the values that have an effect on a shape, with the switches for an unlimited depth.

    Other fields keep their values, which other shapes and methods use.
    """
    other = without_effect(changed(state.session().request, **values))
    change({name: value for name, value in values.items() if name not in other})
    used = depth_switch(state.session().request)
    for switch, default in (("any_depth", True), ("priced_depth", False)):
        state.put(state.design_key(switch), values["max_depth"] == "any" if switch == used else default)
