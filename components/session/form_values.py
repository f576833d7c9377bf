"""Load the settings of a run or a draft into the forms: its table, the choices about it, and its design."""

from dataclasses import replace
from pathlib import Path

from components.session import column_choices, drafts, next_run, state
from components.session.column_choices import data_key
from components.session.work import DataChoices, Design, Run, Source
from solvers.problem import Kind
from solvers.problem.groups import with_parts


def take_up(run: Run) -> None:
    """Set the forms of Data and Design to the settings of a run; runs and models of the session stay."""
    source, choices = run.prepared.source, run.prepared.choices
    number = next_run.take(source, choices, run.design, rows=run.prepared)
    _fill(number, source, choices, run.design)


def continue_draft(folder: Path) -> None:
    """Set the forms to a draft, which the session continues; `RunError` if it is damaged, and nothing changes."""
    work, held = drafts.read(folder, 0), state.session()
    # a draft without an outcome has no rows yet
    choices = work.choices if work.choices.rows.outcome else None
    number = next_run.take(work.source, choices, work.design, work.constraints)
    _fill(number, work.source, work.choices, work.design)
    assert held.source is not None
    size = next_run.first_size(work.source.raw, work.source.sample, Design.max_depth)
    held.first_design, held.recommended = replace(work.design, **size), {}
    held.draft, held.drafted = folder, (held.source, held.choices, held.asked, held.listed)


def _fill(number: int, source: Source, choices: DataChoices, design: Design) -> None:
    """Set the forms for the table of this number."""
    rows = choices.rows
    for name in (*column_choices.ROLES, "missing"):
        state.put(data_key(number, name), getattr(rows, name) or None)
    state.put(data_key(number, "positive", rows.outcome), rows.positive)
    names = [report.name for report in source.reports]
    groups = with_parts(rows.groups, names)
    state.put(data_key(number, "groups"), [name for name in groups if name in names])
    state.put(data_key(number, "crossed"), [name for name in groups if name not in names])
    state.put(column_choices.TEST_SHARE, round(100 * (choices.test_share or 0)))
    state.put(column_choices.TEST_SEED, choices.seed)
    for name, levels in rows.levels.items():
        state.put(data_key(number, "levels", name), column_choices.BETWEEN.join(levels))
    kinds = {report.name: rows.kinds.get(report.name, report.kind) for report in source.reports}
    kinds |= dict.fromkeys(set(rows.levels) - set(rows.kinds), Kind.ORDERED)
    used = None if rows.features is None else set(rows.features)
    chosen = {
        report.name: (column_choices.suggest(report) if used is None else report.name in used, kinds[report.name])
        for report in source.reports
    }
    column_choices.remember(number, chosen)
    column_choices.describe(number, dict(rows.dictionary))
    _design(design)


def _design(design: Design) -> None:
    for name in (*next_run.SIZE, "any_depth", "priced_depth", "split_penalty", "alpha", "seconds", "threads", "method"):
        state.put(state.design_key(name), getattr(design, name))
    several = design.split_features != 1
    others: dict[str, object] = {
        "kind": str(design.kind),
        "gap": 100 * design.gap,
        "widths": " ".join(map(str, design.widths)),
        "split": next_run.SEVERAL_FEATURES if several else next_run.ONE_FEATURE,
        "split_features": design.split_features if several else None,
    }
    for option, chosen in design.options.items():
        key = state.design_key("option", design.method, option)
        state.put(key, int(chosen) if chosen.isdecimal() else chosen)
    for name, value in others.items():
        state.put(state.design_key(name), value)
