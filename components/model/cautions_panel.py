"""Warnings about a model, shown first."""

from dataclasses import replace

import streamlit as st

from components.messages.text import plain
from components.model.once import once
from components.session.work import FinishedModel, Run
from solvers.messages import caution_title, describe_caution
from solvers.metrics import cautions


def show(run: Run, model: FinishedModel, title: str = "") -> None:
    """Draw the warnings about a model with their reasons; `title` names it if several models are shown.

    A model is judged by the constraints of the run, also if its method does not support them.
    """
    problem = replace(model.problem, constraints=run.problem.constraints)
    found = once(
        run,
        ("cautions", model.key),
        (model.diagram,),
        lambda: tuple(
            f"**{plain(caution_title(one))}.** {plain(describe_caution(problem, one), 500)}"
            for one in cautions(problem, model.diagram, run.prepared.test, run.rivals(model))
        ),
    )
    if found:
        noun = plain(title) if title else f"this {model.diagram.kind.noun}"
        with st.container(key="cautions"):
            st.markdown(f":material/warning: Before you rely on {noun}: {' '.join(found)}")
