"""Do constraints hold for new data? Finds the limit that the held-out rows confirm, in the background."""

from dataclasses import replace

import streamlit as st

from components.messages.text import count, plain
from components.session import run_actions, state
from components.session.work import Design, Prepared
from components.workers import jobs
from solvers.errors import EspalierError
from solvers.messages.confirmation import describe_confirmation
from solvers.problem import Dataset, Problem
from solvers.sweeps.confirmation import STEPS, Confirmation, ConfirmConstraints, LimitTest, divide

_NAME = "confirm"


def show(design: Design, prepared: Prepared) -> None:
    """Draw the offer, the progress, or the confirmed limits; nothing if no constraint has a confidence."""
    if all(one.without_confidence() is one for one in design.constraints):
        return
    with st.container(border=True):
        st.markdown("**Confirm on held-out data**")
        if prepared.test is None:
            st.markdown("Hold out rows to check whether the constraints hold for new data.")
            st.page_link("pages/data.py", label="Hold out rows", icon=":material/table_rows:")
            return
        # the worker holds out the rows in the same manner as here
        problem = design.problem(replace(prepared, train=prepared.whole))
        inquiry = f"{problem.id} {design.method} {design.options} {design.limits} {prepared.choices}"
        jobs.watch(inquiry, _show, inquiry, problem, design, prepared, prepared.test, key=f"{_NAME}_watch")


def _show(inquiry: str, problem: Problem, design: Design, prepared: Prepared, test: Dataset) -> None:
    job = state.jobs().get(inquiry)
    if job is None:
        st.markdown(
            "A constraint that holds on training data can fail on new data. Espalier tries stricter limits until the "
            f"{count(test.n_samples)} held-out rows confirm one."
        )
        _offer(inquiry, problem, design, prepared)
        return
    shot = job.snapshot()
    found = shot.answer if isinstance(shot.answer, Confirmation) else Confirmation()
    n = len(found.tests)
    words = jobs.describe_progress(shot, n, n, f"at most {STEPS + 1} limits")
    jobs.show(job, words, key=f"{_NAME}_stop", share=n / (STEPS + 1))
    if not job.done:
        return
    if found.chosen is not None:
        _draw(found.chosen, problem, design, prepared, test)
    elif not shot.error:
        st.markdown(
            f"Not confirmed on the {count(test.n_samples)} held-out rows. Hold out more rows, choose a looser limit, "
            "or lower the confidence."
            if found.tests
            else f"No {problem.shape.kind.noun} satisfies a stricter limit. Allow more time or choose a looser limit."
        )
    if found.chosen is None:
        _offer(inquiry, problem, design, prepared)


def _offer(inquiry: str, problem: Problem, design: Design, prepared: Prepared) -> None:
    choices = prepared.choices
    limits = replace(design.limits, seconds=(STEPS + 1) * design.seconds)
    task = ConfirmConstraints(choices.test_share or 0.0, choices.seed)
    st.button(
        "Confirm constraints",
        key="confirm_ask",
        icon=":material/fact_check:",
        help="Confirm once. If you try many settings on the same rows, one can pass by chance.",
        on_click=jobs.ask,
        args=(_NAME, inquiry, problem, design, limits, task),
    )
    jobs.trouble(_NAME)


def _draw(confirmed: LimitTest, problem: Problem, design: Design, prepared: Prepared, test: Dataset) -> None:
    learned, _ = divide(problem, prepared.choices.test_share or 0.0, prepared.choices.seed)
    posed, solution = replace(learned, constraints=confirmed.constraints), confirmed.solution
    assert solution.diagram is not None
    st.markdown(plain(describe_confirmation(posed, solution.diagram, test), 900))
    noun = problem.shape.kind.noun
    if not st.button(f"Use this {noun}", key="confirm_take", type="primary", help="Adds a run that you can inspect."):
        return
    # a diagram's minimum rows per node follows the constraints of the list
    design = replace(design, constraints=confirmed.constraints[: len(design.constraints)])
    try:
        run_actions.take_solved(prepared, design, posed, solution)
    except EspalierError as error:
        st.error(plain(error, 500), icon=":material/error:")
        return
    st.switch_page("pages/inspect.py")
