"""The list of constraints: switch, change or remove each one; save all, and load others."""

import streamlit as st

from components.design.constraints import editor
from components.design.constraints.form import say
from components.messages.text import count, file_name, plain
from components.session import next_run, state
from components.session.constraint_list import ListedConstraint
from solvers.constraints import Finding, Severity
from solvers.constraints.files import Preset, constraints_of, constraints_text, presets
from solvers.errors import ConstraintError
from solvers.problem import Problem

_TAKEN, _TROUBLE, _FILE = "_examples_taken", "_constraints_trouble", "constraints_file"


def show(problem: Problem) -> bool:
    """Draw the list with the editor; returns whether all enabled constraints fit the table."""
    st.subheader("Constraints")
    constraints = state.constraints()
    sound = True
    if not constraints.items:
        noun = problem.shape.kind.noun
        st.caption(f"Add rules that the {noun} must follow. Espalier finds the best {noun} that follows all of them.")
    with st.container(gap="xsmall"):
        for listed in constraints.items:
            findings = listed.constraint.check(problem)
            _line(listed, findings, problem)
            sound = sound and not (listed.on and any(one.severity is Severity.ERROR for one in findings))
    with st.container(horizontal=True):
        st.button("Add constraint", key="constraint_new", icon=":material/add:", on_click=next_run.open_editor)
        _files(problem)
    editor.show(problem)
    return sound


def _line(listed: ListedConstraint, findings: tuple[Finding, ...], problem: Problem) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="xxsmall", wrap=False):
        key = f"constraint_on_{listed.number}"
        # the list decides, even if something other than this toggle switched the constraint
        state.put(key, listed.on)
        words = plain(listed.constraint.words(problem.dataset), 300)
        st.toggle(
            words if listed.on else f":gray[{words}]",
            key=key,
            width="stretch",
            on_change=_switch,
            args=(listed.number, not listed.on),
        )
        for name, icon, help, act in (
            ("edit", ":material/edit:", "Change constraint", next_run.open_editor),
            ("remove", ":material/delete:", "Remove constraint", _remove),
        ):
            st.button(
                "",
                key=f"constraint_{name}_{listed.number}",
                icon=icon,
                help=help,
                type="tertiary",
                on_click=act,
                args=(listed.number,),
            )
    if listed.on:
        say(sorted(findings, key=lambda one: list(Severity).index(one.severity)))


def _switch(number: int, on: bool) -> None:
    next_run.set_constraints(state.constraints().with_changed(number, on=on))


def _remove(number: int) -> None:
    next_run.set_constraints(state.constraints().without(number))


def _files(problem: Problem) -> None:
    """Offer ready-made constraints, and to save and load constraints as JSON."""
    source = state.session().source
    offered = presets(source.sample.key) if source and source.sample else ()
    fitting = [preset for preset in offered if _fits(preset, problem)]
    if fitting:
        # a new key makes a new popover, which starts closed, so the added constraints are visible at once
        taken = state.get(_TAKEN, 0)
        with st.popover("Examples", icon=":material/lightbulb:", key=f"examples_{taken}"):
            for i, preset in enumerate(fitting):
                _example(i, preset, problem)
    with st.popover("Save or load", icon=":material/save:"):
        _save()
        _load()


def _fits(preset: Preset, problem: Problem) -> bool:
    """Whether the rows have the columns and classes of the constraints; columns may have been left out."""
    findings = (finding for constraint in preset.constraints for finding in constraint.check(problem))
    return all(finding.severity is not Severity.ERROR for finding in findings)


def _example(i: int, preset: Preset, problem: Problem) -> None:
    """Draw one ready-made list: its purpose and its constraints."""
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
    on, source = state.constraints().on, state.session().source
    st.download_button(
        f"Save {count(len(on), 'constraint')} (JSON)" if on else "Save (JSON)",
        constraints_text(on),
        file_name=file_name(source.table.name if source else "", ending="constraints.json"),
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
    """Add the constraints of the uploaded file, or note why it cannot be read."""
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
