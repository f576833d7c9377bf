"""Preparation steps of the table in use: add, undo, load. The choices for its columns are carried over."""

from components.session import column_choices, next_run, state
from components.session.work import Source
from solvers.errors import DataError
from solvers.problem import Preparation, Step, preparation_of

_TROUBLE, _ASIDE = "_steps_trouble", "_steps_aside"


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


def _change(source: Source, preparation: Preparation) -> None:
    try:
        next_run.prepare_by(preparation)
    except DataError as error:
        refuse(source, error)
        return
    state.put(_TROUBLE, (None, None))
    now = state.session().source
    assert now is not None
    column_choices.carry(source, now)
