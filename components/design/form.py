"""The form of the Design screen: shape and size, misclassification costs, constraints, method, and search limits."""

import streamlit as st
from msgspec.structs import replace

from components.design import confirmation_panel, costs_form, method_form, recommendation_panel, shape_form
from components.design.constraints import list_form
from components.messages.text import plain
from components.session import state
from components.session.work import Prepared
from components.widgets import footer
from solvers.errors import DataError
from solvers.metrics.sample_size import too_few_rows
from solvers.posing import for_its_shape, kind_of, objective_on, problem_on, shape_of
from solvers.problem import ShapeKind
from solvers.request import Request


def show(prepared: Prepared) -> tuple[Request, bool]:
    """Draw the form; returns the request, and whether its method supports the problem."""
    request = shape_form.choose(state.asked())
    footer.link()
    above = st.container()
    left, right = st.columns([1, 1.25], gap="large")
    with left:
        request, sound = shape_form.size(request, prepared)
        footer.link()
        request = replace(request, class_costs=costs_form.show(prepared, request))
        footer.link()
        sound &= _say_trouble(replace(request, split_penalty=0.0, alpha=None), prepared)
        request = shape_form.limits(request, prepared)
        sound = sound and _say_trouble(request, prepared)
        footer.link()
        size = st.container()
    with right:
        free = replace(for_its_shape(request), constraints=())
        readable = list_form.show(problem_on(free, prepared.train)) if sound else False
        confirmation = st.container()
        footer.link()
        request, able = method_form.show(request, prepared if sound and readable else None)
        request = for_its_shape(request)
        if able:
            with confirmation:
                confirmation_panel.show(request, prepared)
    tree = kind_of(request) is ShapeKind.TREE
    if tree and sound:
        with above:
            recommendation_panel.show(request, prepared)
    if tree and (few := too_few_rows(prepared.train, shape_of(request).most_splits)):
        size.caption(f":material/warning: {plain(few, 500)}")
    return request, sound and readable and able


def _say_trouble(request: Request, prepared: Prepared) -> bool:
    """Whether the costs can be scaled to integers; if not, show the reason below them."""
    try:
        objective_on(for_its_shape(request), prepared.train).scaled(prepared.train)
    except DataError as error:
        st.error(plain(error, 400), icon=":material/error:")
        return False
    return True
