"""How large should the tree be? Trees of all sizes compared on rows that they did not see, while the user looks on."""

from typing import Any, Literal

import streamlit as st

from components.design import design_jobs
from components.design.figures import size_figure
from components.design.method_form import METHOD
from components.design.recommendation_facts import HEAD, size_lines, size_rows
from components.session import state
from components.session.work import Design, Prepared
from components.widgets import segments, style
from components.words.text import plain
from solvers.methods import registry
from solvers.metrics.recommended_size import Recommendation, SizeCandidate
from solvers.problem import Limits, Objective, Problem, Shape
from solvers.sweeps.recommendation import RecommendSize
from solvers.words.recommendation import recommendation_words

_NAME = "size"
_TIMES = {"1 minute": 60.0, "5 minutes": 300.0, "30 minutes": 1800.0}


def show(design: Design, prepared: Prepared) -> None:
    """Draw the offer, how far the comparison is, or what is recommended."""
    problem = Problem(prepared.train, Shape(), Objective(design.class_costs), design.constraints)
    with st.container(border=True):
        st.subheader("How large should it be?")
        design_jobs.watch(_NAME, problem.id, _show, problem, design)


def _show(problem: Problem, design: Design) -> None:
    job = state.design_jobs().get(problem.id)
    if job is None:
        _offer(problem, "Recommend a size")
        return
    shot = job.snapshot()
    found = shot.answer if isinstance(shot.answer, Recommendation) else Recommendation()
    design_jobs.progress(_NAME, job, shot, found.done, found.of, f"{found.of} folds")
    if found.choice is not None:
        _draw(found, found.choice, problem, design, job.done)
    elif job.done and not shot.error:
        st.markdown("The comparison ended before sizes could be judged.")
    if job.done and (found.choice is None or found.left_out or len(found.outer) < found.n_outer):
        _offer(problem, "Compare again with more time")


def _offer(problem: Problem, label: str) -> None:
    if label == "Recommend a size":
        st.markdown(
            "A larger tree fits these rows better, and may do worse on new ones. Trees of all sizes are compared on "
            "rows that they did not see; of those that do best the smallest is recommended, with its error on new rows."
        )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        time = segments.show("Time for it", list(_TIMES), key="size_time", shown=True)
        st.button(
            label,
            key="size_ask",
            icon=":material/straighten:",
            on_click=_ask,
            args=(problem, _TIMES[time]),
            help="Held-out rows stay unseen.",
        )
    design_jobs.trouble(_NAME)


def _ask(problem: Problem, seconds: float) -> None:
    """Have a worker compare the sizes of the trees of the usual method."""
    design = Design()
    design_jobs.ask(_NAME, problem.id, problem, design, Limits(seconds=seconds), RecommendSize(design.method))


def _draw(found: Recommendation, choice: SizeCandidate, problem: Problem, design: Design, done: bool) -> None:
    left, right = st.columns([1.15, 1], gap="large")
    with left:
        figure = size_figure(size_lines(found), problem.objective.class_costs is not None, state.dark())
        st.plotly_chart(figure, key="size_figure", config={"displayModeBar": False})
    with right:
        for words in recommendation_words(found, problem):
            st.markdown(plain(words, 500))
        size = _size(choice)
        taken = all(getattr(design, name) == value for name, value in size.items())
        label, icon = ("This size is taken", ":material/check:") if taken else ("Take this size", None)
        kind: Literal["primary", "secondary"] = "secondary" if taken else "primary"
        help = None if done else "Once the comparison has ended, or is stopped."
        off = taken or not done
        st.button(label, "size_take", help, type=kind, icon=icon, disabled=off, on_click=_take, args=(choice,))
    with st.expander("All sizes", key="size_all"):
        st.html(style.table(HEAD, size_rows(found, problem)))


def _size(choice: SizeCandidate) -> dict[str, Any]:
    """A size as fields of the design."""
    fresh = Design()
    return {
        "max_depth": max(choice.depth, 1) if choice.greedy else choice.max_depth,
        "min_samples_leaf": choice.min_samples_leaf,
        "split_cost": choice.split_cost,
        "max_leaf_nodes": fresh.max_leaf_nodes,
        "min_weight_leaf": fresh.min_weight_leaf,
    }


def _take(choice: SizeCandidate) -> None:
    """Put a size into the fields of the form, and the method where it is the greedy one."""
    state.change_design(_size(choice))
    chosen = registry.get(state.get(METHOD, Design().method))
    if choice.greedy:
        state.put(METHOD, choice.method)
    elif not chosen.exact:
        state.put(METHOD, Design().method)
