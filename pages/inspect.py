"""The fourth screen: the model as the hero, and everything there is to know of its nodes, cases and numbers."""

import streamlit as st

from components import (
    alternatives_panel,
    calibration_panel,
    empty,
    evidence_panel,
    explorer,
    export_panel,
    favourites,
    footer,
    fragmentation_panel,
    model_picker,
    numbers,
    performance_panel,
    proof_panel,
    stability_panel,
    state,
    subgroup_panel,
    truth_panel,
    wishes_panel,
)
from components.facts import model_sentence
from solvers.problem import ShapeKind

# what is looked at in each shape besides what all have
SPECIAL = {
    ShapeKind.TREE: ("Leaves", "Alternatives"),
    ShapeKind.BDD: ("Truth table", "Alternatives", "Fragmentation"),
    ShapeKind.DIAGRAM: ("Fragmentation", "Alternatives", "Rows a question", "Choice of alpha"),
}
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
    kind = model.solution.diagram.kind
    names = (
        "Performance",
        "Evidence",
        "Subgroups",
        "Wishes",
        *SPECIAL[kind],
        "Fairness",
        "Proof",
        "Favourites",
        "Rules and export",
    )
    tabs = dict(zip(names, st.tabs(names), strict=True))
    with tabs["Performance"]:
        performance_panel.show(run, model)
    with tabs["Evidence"]:
        evidence_panel.show(run, model)
    with tabs["Subgroups"]:
        subgroup_panel.show(run, model)
    with tabs["Wishes"]:
        wishes_panel.show(run, model)
    with tabs["Leaves" if kind is ShapeKind.TREE else "Fragmentation"]:
        fragmentation_panel.show(run, model, rows)
    if kind is ShapeKind.BDD:
        with tabs["Truth table"]:
            truth_panel.show(run, model)
    with tabs["Alternatives"]:
        alternatives_panel.show(run)
    if kind is ShapeKind.DIAGRAM:
        with tabs["Rows a question"]:
            stability_panel.show(run)
        with tabs["Choice of alpha"]:
            calibration_panel.show(run)
    with tabs["Fairness"]:
        numbers.show_fairness(run, model, rows)
    with tabs["Proof"]:
        proof_panel.show(run, model)
    with tabs["Favourites"]:
        favourites.show(run, model)
    with tabs["Rules and export"]:
        export_panel.show(run, model)
    others = "trees" if run.design.kind is ShapeKind.TREE else "models"
    if footer.show(model_sentence(model), f"Compare with greedy {others}", key="next")[0]:
        st.switch_page("pages/compare.py")
