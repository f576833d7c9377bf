"""Taking up what a run was asked for: its table, what was decided about it, and its design, in the forms again."""

from __future__ import annotations

from components.session import column_choices, state
from components.session.work import Design, Run
from components.words.shape_facts import ONE_COLUMN, SEVERAL_COLUMNS
from solvers.problem import Kind


def take_up(run: Run) -> None:
    """Bring the forms of Data and Design to what a run was asked for; runs and models of the session stay."""
    prepared = run.prepared
    number = state.take(prepared, run.design)
    rows = prepared.choices.rows
    state.put(f"outcome_{number}", rows.outcome)
    state.put(f"positive_{number}_{rows.outcome}", rows.positive)
    state.put(f"groups_{number}", list(rows.groups))
    state.put(f"missing_{number}", rows.missing)
    state.put(f"weight_{number}", rows.weight)
    state.put("test_share", round(100 * (prepared.choices.test_share or 0)))
    state.put("test_seed", prepared.choices.seed)
    for name, levels in rows.levels.items():
        state.put(f"levels_{number}_{name}", column_choices.BETWEEN.join(levels))
    kinds = {report.name: rows.kinds.get(report.name, report.kind) for report in prepared.source.reports}
    kinds |= dict.fromkeys(set(rows.levels) - set(rows.kinds), Kind.ORDERED)
    used = None if rows.features is None else set(rows.features)
    chosen = {
        report.name: (column_choices.suggested(report) if used is None else report.name in used, kinds[report.name])
        for report in prepared.source.reports
    }
    column_choices.remember(number, chosen)
    _design(run.design)


def _design(design: Design) -> None:
    """Set the fields of the Design screen."""
    for name in ("depth", "leaves", "min_leaf", "min_leaf_weight", "questions", "min_rows", "split_cost", "alpha"):
        state.put(f"design_{name}", getattr(design, name))
    for name in ("seconds", "threads", "method"):
        state.put(f"design_{name}", getattr(design, name))
    state.put("design_kind", str(design.kind))
    state.put("design_gap", 100 * design.gap)
    state.put("design_widths", " ".join(map(str, design.widths)))
    several = design.split_features != 1
    state.put("design_split", SEVERAL_COLUMNS if several else ONE_COLUMN)
    state.put("design_split_features", design.split_features if several else None)
    for name, value in design.options.items():
        state.put(f"design_option_{design.method}_{name}", int(value) if value.isdecimal() else value)
