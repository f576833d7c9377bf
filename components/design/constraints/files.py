"""Constraints saved and loaded as JSON, and ready-made ones for the samples."""

import streamlit as st

from components.session import next_run, state
from components.words.text import count, plain
from solvers.constraints import Severity
from solvers.constraints.files import constraints_of, constraints_text
from solvers.constraints.presets import Preset, presets
from solvers.errors import ConstraintError
from solvers.problem import Problem

_TAKEN, _TROUBLE, _FILE = "_examples_taken", "_constraints_trouble", "constraints_file"


def show(problem: Problem) -> None:
    """Draw the buttons beside 'Add a constraint'."""
    source = state.session().source
    offered = presets(source.sample.key) if source and source.sample else ()
    fitting = [preset for preset in offered if _fits(preset, problem)]
    if fitting:
        # another key is another popover, which begins closed: what was taken is seen at once
        taken = state.get(_TAKEN, 0)
        with st.popover("Examples", icon=":material/lightbulb:", key=f"examples_{taken}"):
            for i, preset in enumerate(fitting):
                _example(i, preset, problem)
    with st.popover("Save or load", icon=":material/save:"):
        _save()
        _load()


def _fits(preset: Preset, problem: Problem) -> bool:
    """Whether the rows have what the constraints speak of; columns may have been left out."""
    findings = (finding for constraint in preset.constraints for finding in constraint.check(problem))
    return all(finding.severity is not Severity.ERROR for finding in findings)


def _example(i: int, preset: Preset, problem: Problem) -> None:
    """Draw one ready-made list: why somebody would want it, and what it asks for."""
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        constraints = "\n".join(
            f"- {plain(constraint.words(problem.dataset), 200)}" for constraint in preset.constraints
        )
        st.markdown(
            f"**{plain(preset.title)}**  \n:small[{plain(preset.story, 300)}]\n{constraints}",
            width="stretch",
        )
        st.button(
            "Use",
            key=f"example_{i}",
            help="Adds these constraints and switches off the others.",
            on_click=_use,
            args=(preset,),
        )


def _use(preset: Preset) -> None:
    next_run.set_constraints(state.constraints().with_exactly(preset.constraints))
    state.put(_TAKEN, state.get(_TAKEN, 0) + 1)


def _save() -> None:
    on = state.constraints().on
    st.download_button(
        f"Save {count(len(on), 'constraint')} (JSON)" if on else "Save (JSON)",
        constraints_text(on),
        file_name="constraints.json",
        mime="application/json",
        key="constraints_save",
        disabled=not on,
        help="Saves the constraints that are switched on. The command line reads the same file.",
        on_click="ignore",
    )


def _load() -> None:
    st.file_uploader(
        "Load constraints (JSON)",
        type=["json"],
        key=_FILE,
        on_change=_take,
        help="Adds the constraints of the file to the list and switches them on.",
    )
    trouble = state.get(_TROUBLE)
    if trouble:
        st.error(plain(trouble, 500), icon=":material/error:")


def _take() -> None:
    """Add the constraints of the file that was given, or note why it cannot be read."""
    file, trouble = state.get(_FILE), None
    if file is not None:
        try:
            text = file.getvalue().decode("utf-8-sig")
            next_run.set_constraints(state.constraints().with_added(constraints_of(text, f"The file '{file.name}'")))
        except UnicodeDecodeError:
            trouble = f"The file '{file.name}' is not UTF-8 text. Choose a file that Espalier saved."
        except ConstraintError as error:
            trouble = str(error)
    state.put(_TROUBLE, trouble)
