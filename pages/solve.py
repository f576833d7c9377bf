"""The third screen: runs, each in its own panel, the latest first."""

import streamlit as st

from components.model.run_facts import data_sentence, request_sentence, run_sentence
from components.session import run_actions, state
from components.session.work import Prepared
from components.solve import run_panel
from components.widgets import footer
from components.workers import launch, left_off
from solvers.posing import kind_of


def first_run(rows: Prepared) -> None:
    """The screen with a table but without a run."""
    st.title("Solve")
    left_off.offer_running()
    noun = kind_of(state.asked()).noun
    st.markdown(f"Press Solve. The best {noun} so far and the lower bound appear here during the search.")
    offer_solve(rows)


def show_runs(rows: Prepared | None) -> None:
    """The screen with runs: the next step is to inspect the latest, or to solve again after changes."""
    for run in reversed(state.runs()):
        run_panel.show(run)
    if state.session().let_go:
        st.page_link("pages/runs.py", label="Open earlier runs on Runs.", icon=":material/history:")
    latest = state.runs()[-1]
    noun = latest.problem.shape.kind.noun
    over = latest.job.snapshot().state.terminal
    changed = (rows, state.asked()) != (latest.prepared, latest.request)
    if rows is not None and (changed or (over and latest.best is None)):
        offer_solve(rows)
    elif latest.best is None:
        searching = "Searching. You can use the other screens."
        sentence = f"The run ended without a {noun}." if over else searching
        footer.show(sentence, f"Inspect the {noun}", key="next", disabled=True)
    else:
        if footer.show(run_sentence(latest.best), f"Inspect the {noun}", key="next")[0]:
            run_actions.look_at(latest)
            st.switch_page("pages/inspect.py")
        latest.greedy()
        run_actions.train_slow(latest)


def offer_solve(rows: Prepared) -> None:
    """The next step is a run with the current rows and request."""
    sentence = f"{data_sentence(rows)}; {request_sentence(state.asked(), rows)}"
    pressed, change = footer.show(sentence, "Solve", key="next", aside="Change size and limits")
    if change:
        st.switch_page("pages/design.py")
    if pressed:
        launch.start()


if state.prepared() is not None:
    run_panel.show_engine()
if state.runs():
    show_runs(state.prepared())
else:
    first_run(footer.need_rows("Solve"))
