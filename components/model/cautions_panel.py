"""Warnings about a model, shown first."""

import streamlit as st

from components.messages.text import plain
from components.model.once import once
from components.session.work import FinishedModel, Run
from solvers.messages import caution_title, describe_caution
from solvers.metrics import cautions
from solvers.problem import ShapeKind


def show(run: Run, model: FinishedModel, title: str = "") -> None:
    """Draw the warnings about a model in one expandable line; `title` names it if several models are shown."""
    found = once(
        run,
        ("cautions", model.key),
        (model.diagram,),
        lambda: tuple(
            (f"{plain(caution_title(one))}.", plain(describe_caution(model.problem, one), 500))
            for one in cautions(model.problem, model.diagram, run.prepared.test, run.rivals(model))
        ),
    )
    if found:
        noun = plain(title) if title else f"this {model.diagram.kind.noun}"
        with st.container(key="cautions"):
            label = f"Before you rely on {noun}: **{' '.join((name for name, _ in found))}**"
            with st.expander(label, icon=":material/warning:", key=f"cautions_{run.number}_{model.key}"):
                st.markdown("\n".join(f"- **{name}** {words}" for name, words in found))
                if model.diagram.kind is ShapeKind.TREE:
                    st.page_link("pages/design.py", label="Choose a size", icon=":material/straighten:")
