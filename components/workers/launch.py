"""Starting a run from any screen, after a question if classes of the outcome seem to be one in several spellings."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from components.messages.text import capitalise, count, plain
from components.session import run_actions, run_files, state, steps
from components.session.work import Prepared, Run
from components.workers import sizes
from solvers.errors import EspalierError
from solvers.problem.preparation import Replace
from solvers.problem.quality import Issue, IssueKind

_KEPT = "_outcome_kept"
_LISTED = 12
_GRACE_SECONDS = 0.3
"""Seconds to wait, so that a quick run does not show a progress panel that vanishes before it is read."""


def offer(label: str, key: str, run: Run, help: str) -> bool:
    """Draw a button that solves again after a change; the run must be about the table in use."""
    same = state.prepared() is run.prepared
    return st.button(label, key=key, disabled=not same, help=help if same else "Only for the data in use.")


def reopen(folder: Path) -> Run:
    """A run from its folder, with its job if this process runs it; raises as `run_files.reopen`."""
    carried = next((job for job in state.pool().jobs() if job.folder == folder and not job.done), None)
    run = run_files.reopen(folder, state.session().next_number(), carried)
    run_actions.train_slow(run)
    return run


def start() -> None:
    """Start a run with the current rows and design, and go to it; on an error show why and stay.

    If you chose no size, sizes are compared beside the run.
    """
    if _asks_about_classes():
        return
    sizes.make_room()
    try:
        run = run_actions.start_run()
    except EspalierError as error:
        st.error(plain(error, 600), icon=":material/error:")
        return
    run.job.wait(_GRACE_SECONDS)
    sizes.ask_beside(run)
    st.switch_page("pages/solve.py")


def _asks_about_classes() -> bool:
    """Ask in a dialog whether to merge classes; the choice presses Solve again. `False` if there is nothing to ask."""
    rows = state.prepared()
    if rows is None or not _spelled(rows) or state.get(_KEPT) == _key(rows):
        return False
    state.session().dialog = True
    st.dialog(f"Solve with {rows.whole.n_classes} classes?", width="medium", on_dismiss="rerun")(_ask)(rows)
    return True


def _spelled(rows: Prepared) -> list[Issue]:
    """The finding about the classes of the outcome."""
    issues = (one for one in rows.rows.issues if one.kind is IssueKind.ALIKE_LEVELS)
    return [one for one in issues if one.column == rows.whole.outcome]


def _key(rows: Prepared) -> tuple[object, ...]:
    return rows.source.number, rows.whole.outcome, rows.whole.classes


def _ask(rows: Prepared) -> None:
    data, spelled = rows.whole, _spelled(rows)
    found = [one for one in rows.rows.issues if one.likely]
    joins = [step for one in spelled for step in one.remedies if isinstance(step, Replace)]
    n = data.n_classes - sum(len(step.values) - 1 for step in joins)
    st.markdown(
        f"The outcome '{plain(data.outcome, 60)}' has {count(data.n_classes, 'class', 'classes')}. Some differ only in "
        f"spelling. If you merge them, {count(n, 'class', 'classes')} remain."
    )
    lines = [f"- {plain(capitalise(one.remedy), 200)}" for one in found]
    more = len(lines) - _LISTED
    st.markdown("\n".join(lines[:_LISTED]))
    if more > 0:
        st.caption(f"{count(more, 'more finding')}: see Data.")
    with st.container(horizontal=True):
        if len(found) > 1:
            label = "Apply all and solve"
            st.button(label, key="outcome_clean", type="primary", on_click=_decide, args=(rows, found))
        st.button("Merge classes and solve", key="outcome_merge", on_click=_decide, args=(rows, spelled))
        st.button(f"Keep {data.n_classes} classes", key="outcome_keep", on_click=_decide, args=(rows, []))
    if state.press_waits():
        st.rerun()


def _decide(rows: Prepared, issues: Sequence[Issue]) -> None:
    if issues:
        steps.clean_rows(rows, issues)
    else:
        state.put(_KEPT, _key(rows))
    state.press("next")
