"""How the fixed top of a tree is asked for: a question, and what is asked after each of its answers."""

import streamlit as st

from components.design.constraints.value_fields import ask_value
from components.session import state
from components.words.text import labelled, plain
from solvers.constraints.questions import Questions
from solvers.problem import Column, Dataset, Kind, MissingPolicy, Op

_LEVELS = 3


def ask_questions(data: Dataset, start: Questions | None, key: str) -> Questions | None:
    """Ask for the questions of the first levels; `None` while the first is not complete.

    The fields begin with the questions `start`, and the keys of all widgets with `key`.
    """
    return _ask(data, start, key, ())


def _ask(data: Dataset, start: Questions | None, key: str, answers: tuple[str, ...]) -> Questions | None:
    """Ask for the question after these answers, and for those below it."""
    names = data.schema.names
    # no names of columns here: a label is read aloud as it is, with the marks that keep Markdown away
    label = f"Question after {', '.join(answers)}" if answers else "First question"
    left, right = st.columns([1.2, 1])
    name = left.selectbox(
        label,
        names,
        format_func=labelled(names),
        index=None,
        key=state.first(f"{key}_column", start.column if start and start.column in names else None),
        placeholder="Chosen by the search" if answers else "Choose a feature",
    )
    if name is None:
        return None
    former = start if start is not None and start.column == name else None
    with right:
        question = _question(data, data.schema[name], former, f"{key}_{name}")
    if question is None or len(answers) == _LEVELS - 1:
        return question
    below = {
        side: _ask(
            data,
            getattr(former, side, None),
            f"{key}_{name}_{side}",
            (*answers, side),
        )
        for side in ("yes", "no")
    }
    return Questions(question.column, question.op, question.value, question.missing, **below)


def _question(data: Dataset, column: Column, former: Questions | None, key: str) -> Questions | None:
    """Ask what is asked of a column: whether it is missing, a level, or a threshold."""
    op = Op.IS if column.kind in (Kind.BINARY, Kind.CATEGORICAL) else Op.LE
    offers_missing = column.has_missing and data.schema.missing is not MissingPolicy.COMPLETE
    if offers_missing and st.checkbox(
        "Is missing", key=state.first(f"{key}_gone", former is not None and former.op is Op.MISSING)
    ):
        return Questions(column.name, Op.MISSING)
    if column.kind is Kind.ORDERED:
        label = f"Is at most (in the order {plain(' < '.join(column.levels), 120)})"
    else:
        label = "Is" if op is Op.IS else "Is at most"
    value = ask_value(data, column, label, former and former.value, f"{key}_value")
    if value is None:
        st.caption(f":orange[{'Choose a level' if column.kind.has_levels else 'Enter a threshold'}.]")
        return None
    missing = former is not None and former.missing
    if offers_missing and data.schema.missing is MissingPolicy.INFORMATION:
        missing = st.checkbox("Missing values answer yes", key=state.first(f"{key}_missing", missing))
    return Questions(column.name, op, value, missing)
