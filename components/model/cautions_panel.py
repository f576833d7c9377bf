"""What speaks against a model, said before anything else of it is shown."""

import streamlit as st

from components.session.work import FinishedModel, Run
from components.words.text import plain
from solvers.metrics import cautions
from solvers.problem import ShapeKind
from solvers.words import caution_title, caution_words


def show(run: Run, model: FinishedModel, title: str = "") -> None:
    """Draw the cautions of a model, if there are any; `title` names it where several models stand on the screen.

    What they come to stands in one line, so that the model can be seen below; their figures are folded.
    """
    found = _sentences(run, model)
    if found:
        noun = plain(title) if title else f"this {model.diagram.kind.noun}"
        with st.container(key="cautions"):
            label = f"Before you rely on {noun}: **{' '.join((name for name, _ in found))}**"
            with st.expander(label, icon=":material/warning:", key=f"cautions_{run.number}_{model.key}"):
                st.markdown("\n".join(f"- **{name}** {words}" for name, words in found))
                if model.diagram.kind is ShapeKind.TREE:
                    st.page_link("pages/design.py", label="How large should it be?", icon=":material/straighten:")


def _sentences(run: Run, model: FinishedModel) -> tuple[tuple[str, str], ...]:
    """The name of each and its sentence, as Markdown, worked out once."""
    key = ("cautions", model.key)
    diagram, sentences = run.worked_out.get(key, (None, ()))
    if diagram is not model.diagram:
        found = cautions(model.problem, model.diagram, run.prepared.test, run.rivals(model))
        sentences = tuple(
            (f"{plain(caution_title(one))}.", plain(caution_words(model.problem, one), 500)) for one in found
        )
        run.worked_out[key] = (model.diagram, sentences)
    return sentences
