"""The Inspect screen: the model, its evidence, proof, alternatives and exports."""

from functools import partial

import streamlit as st

from components.inspect import (
    alternatives_panel,
    export_panel,
    fragmentation_panel,
    frequency_panel,
    model_picker,
    proof_panel,
)
from components.inspect.evidence import performance_panel, resampling_panel, risk_panel, roc_panel, subgroup_panel
from components.inspect.explorer import explorer
from components.model import cautions_panel, constraints_panel, size_offer
from components.model.run_facts import model_sentence
from components.session import run_actions, state
from components.session.work import FinishedModel, Run
from components.widgets import footer, segments
from components.widgets.segments import Panel
from components.widgets.shown_rows import NamedRows
from solvers.posing import kind_of
from solvers.problem import ShapeKind


def panels(run: Run, model: FinishedModel, rows: NamedRows) -> dict[str, Panel | dict[str, Panel]]:
    """The tabs and their parts; some exist only for certain shapes."""
    structure = "Leaves" if model.diagram.kind is ShapeKind.TREE else "Fragmentation"
    unseen = partial(resampling_panel.unseen_answers, run, model)
    return {
        "Model": partial(explorer.show, run, model, rows),
        "Evidence": {
            "Performance": partial(performance_panel.show, run, model),
            "ROC curve": partial(roc_panel.show, run, model),
            "Risks": partial(risk_panel.show, run, model),
            "Subgroups": partial(subgroup_panel.show, run, model),
            "Fairness": partial(subgroup_panel.show_fairness, run, model, rows),
            structure: partial(fragmentation_panel.show, run, model, rows),
        },
        "Proof": {
            "Optimality": partial(proof_panel.show, run, model),
            "Constraints": partial(constraints_panel.show, run, model, unseen),
        },
        "Alternatives": partial(alternatives_panel.show, run),
        state.EXPORT: partial(export_panel.show, run, model),
    }


choice = model_picker.show()
if choice is None:
    waiting = any(not run.job.done for run in state.runs())
    noun = kind_of(state.asked()).noun
    ready = bool(state.runs()) or state.prepared() is not None
    footer.nothing(
        "Inspect",
        f"Search running. Inspect the {noun} when it ends." if waiting else f"No {noun} yet.",
        "Go to Solve" if ready else "Choose a table",
        "pages/solve.py" if ready else "pages/data.py",
    )
else:
    run, model, rows = choice
    run_actions.train_slow(run)
    with st.container(horizontal=True, vertical_alignment="center", key="result"):
        frequency_panel.show(run, model, rows)
        cautions_panel.show(run, model)
    segments.show_tabs(panels(run, model, rows), key=state.INSPECTED)
    if run.best is not None and model.key == run.best.key:
        size_offer.show(run, waits=False)
    tree = run.problem.shape.kind is ShapeKind.TREE
    label = "Compare with greedy trees" if tree else "Compare with greedy models"
    page = "pages/compare.py"
    if state.get(state.INSPECTED) == state.EXPORT:
        label, page = "Change size, solve again", "pages/design.py"
    if footer.show(model_sentence(model), label, key="next")[0]:
        st.switch_page(page)
