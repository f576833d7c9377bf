"""The third screen: runs at work, each in its own panel, the latest first."""

import streamlit as st

from components.model.run_facts import data_sentence, design_sentence, run_sentence
from components.session import state
from components.solve import engine, run_panel
from components.widgets import empty, footer
from components.workers import launch


def first_run() -> None:
    """The screen with a table but without a run."""
    st.title("Solve")
    noun = state.design().kind.noun
    st.markdown(f"Press Solve: the best {noun} so far, and the proof, appear here while the search works.")
    offer_solve()


def show_runs() -> None:
    """The screen with runs: the next step is to inspect the latest, or to solve what was changed since."""
    for run in reversed(state.runs()):
        run_panel.show(run)
    if state.let_go():
        st.page_link("pages/runs.py", label="Earlier runs are on the Runs screen.", icon=":material/history:")
    latest = state.runs()[-1]
    noun = latest.design.kind.noun
    if (state.prepared(), state.design()) != (latest.prepared, latest.design) and state.prepared():
        offer_solve()
    elif latest.best is None:
        over = latest.job.snapshot().state.terminal
        sentence = (
            f"This run ended without a {noun}." if over else "Searching. You may look at the other screens meanwhile."
        )
        if over:
            offer_solve()
        else:
            footer.show(sentence, f"Inspect the {noun}", key="next", disabled=True)
    else:
        pressed, _ = footer.show(run_sentence(latest), f"Inspect the {noun}", key="next")
        if pressed:
            state.look_at(latest)
            st.switch_page("pages/inspect.py")
        latest.greedy()


def offer_solve() -> None:
    """The next step is a run with the rows and the design as they stand."""
    sentence = f"{data_sentence(state.prepared())}; {design_sentence(state.design(), state.prepared())}"
    pressed, change = footer.show(sentence, "Solve", key="next", aside="Change size and limits")
    if change:
        st.switch_page("pages/design.py")
    if pressed:
        launch.start()


engine.show()
if state.runs():
    show_runs()
elif state.prepared():
    first_run()
else:
    empty.show("Solve", "There is no table to learn from yet.", "Choose a table", "pages/data.py")
