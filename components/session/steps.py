"""Preparation steps of the table in use: add, undo, load. The choices for its columns are carried over."""

from collections.abc import Sequence

from msgspec.structs import replace

from components.session import column_choices, next_run, state
from components.session.work import Prepared, Source
from solvers.errors import DataError
from solvers.problem import Preparation, Step, preparation_of
from solvers.problem.preparation import Replace
from solvers.problem.quality import Issue

_TROUBLE, _ASIDE, _CLEANED = "_steps_trouble", "_steps_aside", "_steps_cleaned"


def add(source: Source, *steps: Step) -> None:
    """Apply further steps, as the `on_click` of a button; if one does not fit, `trouble` returns the reason."""
    _change(source, Preparation((*source.preparation.steps, *steps)))


def undo(source: Source) -> None:
    """Undo the last step."""
    _change(source, Preparation(source.preparation.steps[:-1]))


def load(source: Source, key: str) -> None:
    """Replace the steps by those of the file that was uploaded under a key."""
    file = state.get(key)
    if file is None:
        return
    try:
        _change(source, preparation_of(file.getvalue(), f"The file '{file.name}'"))
    except DataError as error:
        refuse(source, error)


def trouble(source: Source) -> str | None:
    """Why the last step could not be applied."""
    number, text = state.get(_TROUBLE, (None, None))
    return text if number == source.number else None


def refuse(source: Source, error: DataError) -> None:
    """Store why a step could not be applied."""
    state.put(_TROUBLE, (source.number, str(error)))


def set_aside(source: Source, outcome: str | None) -> None:
    """Untick the columns from which a step makes the outcome, once for each outcome and list of steps."""
    mark = (source.number, outcome, source.preparation)
    if outcome is None or state.get(_ASIDE) == mark:
        return
    state.put(_ASIDE, mark)
    kinds = {report.name: report.kind for report in source.reports}
    aside = {name: (False, kinds[name]) for name in source.preparation.origins(outcome) if name in kinds}
    if aside:
        column_choices.remember(source.number, {**column_choices.chosen(source), **aside})
        column_choices.draw_anew()


def clean(source: Source, issues: Sequence[Issue]) -> None:
    """Apply findings: their steps are added, and columns without steps are unticked, all undone by `undo_cleaning`."""
    before = column_choices.chosen(source)
    steps = tuple(step for issue in issues for step in issue.remedies)
    if not _change(source, Preparation((*source.preparation.steps, *steps))):
        return
    now = state.session().source
    assert now is not None
    kinds = {report.name: report.kind for report in now.reports}
    after = column_choices.chosen(now)
    out = {one.column: (False, after.get(one.column, (True, kinds[one.column]))[1]) for one in issues if one.leaves_out}
    column_choices.remember(now.number, {**after, **out})
    state.put(_CLEANED, (now.number, now.preparation, source.preparation, before))


def can_undo_cleaning(source: Source) -> bool:
    """Whether the last change of the steps was `clean`."""
    number, after, *_ = state.get(_CLEANED) or (None, None)
    return number == source.number and after == source.preparation


def undo_cleaning(source: Source) -> None:
    """Undo `clean`: the former steps and the former ticks of the columns."""
    _, _, preparation, ticks = state.get(_CLEANED)
    if _change(source, preparation):
        column_choices.remember(source.number, ticks)
        state.put(_CLEANED, None)


def clean_rows(rows: Prepared, issues: Sequence[Issue]) -> None:
    """`clean` on any screen: the rows in use are made again with the same choices."""
    source, asked = rows.source, rows.request
    clean(source, issues)
    now = state.session().source
    assert now is not None
    out = {one.column for one in issues if one.leaves_out}
    steps = [step for one in issues for step in one.remedies if isinstance(step, Replace) and step.to]
    joined = {value: step.to for step in steps if step.column == asked.target for value in step.values}
    positive = asked.positive and joined.get(asked.positive, asked.positive)
    state.put(column_choices.data_key(source.number, "positive", asked.target), positive)
    features = tuple(name for name in asked.features or rows.whole.schema.names if name not in out)
    prepare = tuple(now.preparation.to_json())
    next_run.choose(replace(asked, positive=positive, features=features, prepare=prepare))


def _change(source: Source, preparation: Preparation) -> bool:
    """Replace the steps; `False`, with the reason in `trouble`, if one does not fit."""
    try:
        next_run.prepare_by(preparation)
    except DataError as error:
        refuse(source, error)
        return False
    state.put(_TROUBLE, (None, None))
    now = state.session().source
    assert now is not None
    column_choices.carry(source, now)
    return True
