"""The fourth screen: the model as the hero, and everything there is to know of its nodes, cases and numbers."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from components.inspect import fairness, model_picker
from components.inspect.alternatives import alternatives_panel, favourites
from components.inspect.evidence import performance_panel, resampling_panel, risk_panel, subgroup_panel
from components.inspect.explorer import explorer
from components.inspect.export import export_panel
from components.inspect.proof import proof_panel
from components.inspect.structure import calibration_panel, fragmentation_panel, stability_panel, truth_panel
from components.model import cautions_panel, constraints_panel
from components.model.run_facts import model_sentence
from components.session import state
from components.session.work import FinishedModel, Run
from components.widgets import empty, footer, tabs
from components.widgets.rows_choice import NamedRows
from solvers.problem import ShapeKind


def panels(run: Run, model: FinishedModel, rows: NamedRows) -> dict[str, Callable[[], None]]:
    """What there is to know of a model besides its drawing; some of it for some shapes only."""
    kind = model.diagram.kind
    fragments = partial(fragmentation_panel.show, run, model, rows)
    alternatives = {"Alternatives": partial(alternatives_panel.show, run)}
    special = {
        ShapeKind.TREE: {"Leaves": fragments, **alternatives},
        ShapeKind.BDD: {
            "Truth table": partial(truth_panel.show, run, model),
            **alternatives,
            "Fragmentation": fragments,
        },
        ShapeKind.DIAGRAM: {
            "Fragmentation": fragments,
            **alternatives,
            "Rows per question": partial(stability_panel.show, run),
            "Choice of alpha": partial(calibration_panel.show, run),
        },
    }
    return {
        "Performance": partial(performance_panel.show, run, model),
        "Evidence": partial(risk_panel.show, run, model),
        "Subgroups": partial(subgroup_panel.show, run, model),
        "Constraints": partial(
            constraints_panel.show, run, model, partial(resampling_panel.unseen_answers, run, model)
        ),
        **special[kind],
        "Fairness": partial(fairness.show_fairness, run, model, rows),
        "Proof": partial(proof_panel.show, run, model),
        "Favourites": partial(favourites.show, run, model),
        "Rules and export": partial(export_panel.show, run, model),
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
    cautions_panel.show(run, model)
    explorer.show(run, model, rows)
    tabs.show(panels(run, model, rows), key=f"inspect_{model.diagram.kind.value}")
    others = "trees" if run.design.kind is ShapeKind.TREE else "models"
    if footer.show(model_sentence(model), f"Compare with greedy {others}", key="next")[0]:
        st.switch_page("pages/compare.py")
