"""The form of the Design screen: shape and size, misclassification costs, constraints, method, and search limits."""

from dataclasses import replace

import streamlit as st

from components.design import confirmation_panel, costs_form, method_form, recommendation_panel, shape_form
from components.design.constraints import list_form
from components.messages.text import plain
from components.session import state
from components.session.work import Design, Prepared
from components.widgets import footer
from solvers.errors import DataError
from solvers.metrics.sample_size import too_few_rows
from solvers.problem import ShapeKind


def show(prepared: Prepared) -> tuple[Design, bool]:
    """Draw the form; returns the design, and whether its method supports the problem."""
    design = shape_form.choose(state.design())
    footer.link()
    above = st.container()
    left, right = st.columns([1, 1.25], gap="large")
    with left:
        design, sound = shape_form.size(design, prepared)
        footer.link()
        design = replace(design, class_costs=costs_form.show(prepared, design.class_costs))
        footer.link()
        sound &= _say_trouble(replace(design, split_penalty=0.0, alpha=0.0), prepared)
        design = shape_form.limits(design, prepared)
        sound = sound and _say_trouble(design, prepared)
        footer.link()
        size = st.container()
    with right:
        readable = list_form.show(replace(design, constraints=()).problem(prepared)) if sound else False
        confirmation = st.container()
        footer.link()
        design, able = method_form.show(design, prepared if sound and readable else None)
        if able:
            with confirmation:
                confirmation_panel.show(design, prepared)
    if design.kind is ShapeKind.TREE and sound:
        with above:
            recommendation_panel.show(design, prepared)
    if design.kind is ShapeKind.TREE and (few := too_few_rows(prepared.train, design.shape.most_splits)):
        size.caption(f":material/warning: {plain(few, 500)}")
    return design, sound and readable and able


def _say_trouble(design: Design, prepared: Prepared) -> bool:
    """Whether the costs can be scaled to integers; if not, show the reason below them."""
    try:
        design.objective(prepared.train).scaled(prepared.train)
    except DataError as error:
        st.error(plain(error, 400), icon=":material/error:")
        return False
    return True
