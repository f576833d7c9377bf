"""Edit a leaf or a threshold of a tree by hand, and see at once what this costs."""

import math
from dataclasses import replace
from functools import partial

import streamlit as st

from components.inspect.explorer import case_field
from components.messages.text import label_with, plain
from components.session import run_actions, state
from components.session.work import FinishedModel, Run
from solvers.diagram import Diagram, Leaf, NodeId
from solvers.errors import EspalierError
from solvers.messages.costs import describe_cost
from solvers.messages.results import describe_distance, is_optimum
from solvers.metrics import with_label, with_value
from solvers.problem import Op, Predicate, ShapeKind
from solvers.solution import BY_HAND, Status

KEY, TITLE = "edited", "Edited by hand"


def edited_model(best: FinishedModel, diagram: Diagram) -> FinishedModel:
    """A changed tree as a model of the same run, checked again; its message states its distance from the best model.

    It is never marked as optimal. It keeps the lower bound only if that is the proved optimum, for comparison.
    """
    cost = best.problem.cost_of(diagram)
    bound = best.cost if is_optimum(best.solution) and cost >= best.cost else None
    base = best._replace(solution=replace(best.solution, method=BY_HAND, bound=bound))
    made = base.beside(KEY, TITLE, diagram, describe_distance(best.problem, best.solution, cost))
    return made._replace(exact=False, solution=replace(made.solution, status=Status.FEASIBLE))


def show(run: Run, model: FinishedModel, number: NodeId, *, key: str) -> None:
    """Draw the fields for a node of a tree, the cost of the edit, and the buttons that open or discard the tree."""
    best = run.best
    if best is None or model.diagram.kind is not ShapeKind.TREE:
        return
    with st.expander("Edit by hand", model.key == KEY, icon=":material/edit:", key=f"edit_{key}"):
        try:
            diagram = _edited(run, model.diagram, number, key)
        except EspalierError as error:
            st.error(plain(error, 300))
            return
        if diagram != model.diagram:
            _show_cost(run, edited_model(best, diagram), number)
        else:
            st.caption("Change the value to see what it costs. The run stays as it is.")
        discard = partial(_discard, run, best.key)
        if model.key == KEY and st.button("Discard edited tree", key=f"discard_{run.number}", on_click=discard):
            st.rerun()


def _edited(run: Run, diagram: Diagram, number: NodeId, key: str) -> Diagram:
    """The tree with the values of the fields, whose keys include the values that they start with."""
    node, classes = diagram.nodes[number], diagram.classes
    if isinstance(node, Leaf):
        label = st.selectbox(
            "Prediction",
            range(len(classes)),
            index=node.label,
            format_func=label_with(range(len(classes)), classes.__getitem__),
            key=f"edit_leaf_{number}_{node.label}_{key}",
        )
        return with_label(diagram, number, label)
    predicate = node.predicate
    if not isinstance(predicate, Predicate) or predicate.op is Op.MISSING:
        st.caption("This split has no single threshold or level to edit.")
        return diagram
    column = diagram.schema[predicate.column]
    whole = column.integral or column.kind.has_levels
    start = float(math.floor(predicate.operand)) if whole else predicate.operand
    words = "Threshold (at most)" if predicate.op is Op.LE else "Level"
    cell = case_field.show(column, key=f"edit_split_{number}_{predicate.operand}_{key}", start=start, label=words)
    value = case_field.encode_cell(diagram, column.name, cell)
    return diagram if value == start else with_value(diagram, number, value, run.prepared.train)


def _show_cost(run: Run, edited: FinishedModel, number: NodeId) -> None:
    st.markdown(f"**{plain(describe_cost(edited.problem, edited.diagram, edited.cost), 200)}**")
    kept = " All constraints are satisfied." if edited.solution.verified and edited.problem.constraints else ""
    st.markdown(plain(edited.solution.message + kept, 600))
    if st.button("Open edited tree", key=f"open_edited_{run.number}", on_click=_open, args=(run, edited, number)):
        # another part of the screen shows it
        st.rerun()


def _open(run: Run, edited: FinishedModel, number: NodeId) -> None:
    """Select the edited tree; it replaces an earlier one, never the run's own."""
    run.opened[KEY] = edited
    state.choose_node(f"{run.number}_{KEY}", number)
    run_actions.open_model(run, edited)


def _discard(run: Run, best: str) -> None:
    run.opened.pop(KEY, None)
    state.put(state.model_key(run), best)
