"""The fourth screen: the model as the hero, and everything there is to know of its nodes, cases and numbers."""

import streamlit as st

from components import empty, explorer, export_panel, footer, model_picker, numbers, proof_panel, state, wishes_panel
from components.facts import model_sentence
from solvers.problem import ShapeKind

TABS = ("Performance", "Wishes", "Leaves", "Fairness", "Proof", "Rules and export")

choice = model_picker.show()
if choice is None:
    waiting = any(not run.job.done for run in state.runs())
    noun = state.design().kind.noun
    empty.show(
        "Inspect",
        f"The search is at work; a {noun} can be inspected once it ends." if waiting else f"There is no {noun} yet.",
        "Back to Solve" if state.runs() else "Choose a table",
        "pages/solve.py" if state.runs() else "pages/data.py",
    )
else:
    run, model, rows = choice
    explorer.show(run, model, rows)
    performance, wishes, leaves, fairness, proof, exports = st.tabs(TABS)
    with performance:
        numbers.show_performance(run, model)
    with wishes:
        wishes_panel.show(run, model)
    with leaves:
        numbers.show_fragmentation(run, model)
    with fairness:
        numbers.show_fairness(run, model, rows)
    with proof:
        proof_panel.show(model)
    with exports:
        export_panel.show(run, model)
    others = "trees" if run.design.kind is ShapeKind.TREE else "models"
    if footer.show(model_sentence(model), f"Compare with greedy {others}", key="next")[0]:
        st.switch_page("pages/compare.py")
