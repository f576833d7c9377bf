"""Do constraints hold for new data? Finds the limit that the held-out rows confirm, in the background."""

from dataclasses import replace

import streamlit as st
from msgspec.structs import replace as changed

from components.messages.text import count, plain
from components.session import run_actions, state
from components.session.work import Prepared
from components.workers import jobs
from solvers.errors import EspalierError
from solvers.messages.confirmation import describe_confirmation
from solvers.posing import constraints_in, limits_of, method_of, problem_on
from solvers.problem import Dataset, Problem
from solvers.request import Request
from solvers.study.confirmation import STEPS, Confirmation, ConfirmConstraints, LimitTest
from solvers.study.resamples import divide

_NAME = "confirm"


def show(request: Request, prepared: Prepared) -> None:
    """Draw the offer, the progress, or the confirmed limits; nothing if no constraint has a confidence."""
    if all(one.without_confidence() is one for one in constraints_in(request)):
        return
    with st.container(border=True):
        st.markdown("**Confirm on held-out data**")
        if prepared.test is None:
            st.markdown("Hold out rows to check whether the constraints hold for new data.")
            st.page_link("pages/data.py", label="Hold out rows", icon=":material/table_rows:")
            return
        # the worker holds out the rows in the same manner as here
        problem = problem_on(request, prepared.whole)
        inquiry = f"{problem.id} {request}"
        jobs.watch(inquiry, _show, inquiry, problem, request, prepared, prepared.test, key=f"{_NAME}_watch")


def _show(inquiry: str, problem: Problem, request: Request, prepared: Prepared, test: Dataset) -> None:
    job = state.jobs().get(inquiry)
    if job is None:
        st.markdown(
            "A constraint that holds on training data can fail on new data. Espalier tries stricter limits until the "
            f"{count(test.n_samples)} held-out rows confirm one."
        )
        _offer(inquiry, problem, request, prepared)
        return
    shot = job.snapshot()
    found = shot.answer if isinstance(shot.answer, Confirmation) else Confirmation()
    n = len(found.tests)
    words = jobs.describe_progress(shot, n, n, f"at most {STEPS + 1} limits")
    jobs.show(job, words, key=f"{_NAME}_stop", share=n / (STEPS + 1))
    if not job.done:
        return
    if found.chosen is not None:
        _draw(found.chosen, problem, request, prepared, test)
    elif not shot.error:
        st.markdown(
            f"Not confirmed on the {count(test.n_samples)} held-out rows. Hold out more rows, choose a looser limit, "
            "or lower the confidence."
            if found.tests
            else f"No {problem.shape.kind.noun} satisfies a stricter limit. Allow more time or choose a looser limit."
        )
    if found.chosen is None:
        _offer(inquiry, problem, request, prepared)


def _offer(inquiry: str, problem: Problem, request: Request, prepared: Prepared) -> None:
    limits = limits_of(request)
    limits = replace(limits, seconds=limits.seconds and (STEPS + 1) * limits.seconds)
    task = ConfirmConstraints(request.test_share or 0.0, request.seed, method_of(request), request.options)
    st.button(
        "Confirm constraints",
        key="confirm_ask",
        icon=":material/fact_check:",
        help="Confirm once. If you try many settings on the same rows, one can pass by chance.",
        on_click=jobs.ask,
        args=(_NAME, inquiry, problem, request, limits, task),
    )
    jobs.trouble(_NAME)


def _draw(confirmed: LimitTest, problem: Problem, request: Request, prepared: Prepared, test: Dataset) -> None:
    learned, _ = divide(problem, request.test_share or 0.0, request.seed)
    posed, solution = replace(learned, constraints=confirmed.constraints), confirmed.solution
    assert solution.diagram is not None
    st.markdown(plain(describe_confirmation(posed, solution.diagram, test), 900))
    noun = problem.shape.kind.noun
    if not st.button(f"Use this {noun}", key="confirm_take", type="primary", help="Adds a run that you can inspect."):
        return
    # a diagram's minimum rows per node follows the constraints of the list
    stricter = confirmed.constraints[: len(request.constraints)]
    request = changed(request, constraints=tuple(one.to_json() for one in stricter))
    try:
        run_actions.take_solved(prepared, request, posed, solution)
    except EspalierError as error:
        st.error(plain(error, 500), icon=":material/error:")
        return
    st.switch_page("pages/inspect.py")
