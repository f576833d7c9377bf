"""Load the settings of a run or a draft into the forms: its table and its request."""

from pathlib import Path

from msgspec.structs import replace

from components.session import column_choices, drafts, next_run, state
from components.session.column_choices import data_key
from components.session.work import DEFAULT_ALPHA, DEFAULTS, Run, Source
from solvers.posing import kind_of, method_of
from solvers.problem import Kind, MissingPolicy, ShapeKind
from solvers.problem.dictionary import as_descriptions
from solvers.problem.groups import with_parts
from solvers.request import Request


def take_up(run: Run) -> None:
    """Set the forms of Data and Design to the settings of a run; runs and models of the session stay."""
    number = next_run.take(run.prepared.source, run.request, rows=run.prepared)
    _fill(number, run.prepared.source, run.request)


def continue_draft(folder: Path) -> None:
    """Set the forms to a draft, which the session continues; `RunError` if it is damaged, and nothing changes."""
    work, held = drafts.read(folder, 0), state.session()
    number = next_run.take(work.source, work.request, work.constraints)
    _fill(number, work.source, work.request)
    assert held.source is not None
    size = next_run.first_size(work.source.raw, work.source.sample, DEFAULTS.max_depth)
    held.first_request, held.recommended = replace(work.request, **size), {}
    held.draft, held.drafted = folder, (held.source, held.asked, held.listed)


def _fill(number: int, source: Source, request: Request) -> None:
    """Set the forms for the table of this number."""
    for role in column_choices.ROLES:
        state.put(data_key(number, role), getattr(request, "target" if role == "outcome" else role) or None)
    state.put(data_key(number, "missing"), MissingPolicy(request.missing))
    state.put(data_key(number, "positive", request.target), request.positive)
    names = [report.name for report in source.reports]
    groups = with_parts(request.groups, names)
    state.put(data_key(number, "groups"), [name for name in groups if name in names])
    state.put(data_key(number, "crossed"), [name for name in groups if name not in names])
    state.put(column_choices.TEST_SHARE, round(100 * (request.test_share or 0)))
    state.put(column_choices.TEST_SEED, request.seed)
    for name, levels in request.levels.items():
        state.put(data_key(number, "levels", name), column_choices.BETWEEN.join(levels))
    kinds = {report.name: report.kind for report in source.reports}
    kinds |= {name: Kind(kind) for name, kind in request.types.items()}
    kinds |= dict.fromkeys(set(request.levels) - set(request.types), Kind.ORDERED)
    used = None if request.features is None else set(request.features)
    chosen = {
        report.name: (column_choices.suggest(report) if used is None else report.name in used, kinds[report.name])
        for report in source.reports
    }
    column_choices.remember(number, chosen)
    column_choices.describe(number, as_descriptions(request.dictionary))
    _fill_design(request)


def _fill_design(request: Request) -> None:
    limits = ("split_penalty", "alpha", "time_limit", "threads", "method", "shape", "skeleton")
    next_run.fill({name: getattr(request, name) for name in (*limits, *next_run.SIZE)})
    others: dict[str, object] = {"gap": 100 * request.gap}
    if kind_of(request) is ShapeKind.DIAGRAM:
        several = request.split_features != 1
        others |= {
            "alpha": DEFAULT_ALPHA if request.alpha is None else request.alpha,
            "split": next_run.SEVERAL_FEATURES if several else next_run.ONE_FEATURE,
            "split_features": request.split_features if isinstance(request.split_features, int) and several else None,
        }
    for option, chosen in request.options.items():
        key = state.design_key("option", method_of(request), option)
        state.put(key, int(chosen) if chosen.isdecimal() else chosen)
    for name, value in others.items():
        state.put(state.design_key(name), value)
