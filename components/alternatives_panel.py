"""The list of BDDs that are nearly as good as the best one, each of which can be opened."""

from __future__ import annotations

import streamlit as st

from components import state
from components.alternative_facts import Alternatives, alternatives, as_model
from components.text import amount, plain
from components.work import Model, Run
from solvers.methods.bdd.table import Unseen

_HEIGHT = 300


def listed(run: Run) -> Alternatives | None:
    """The list of a finished run, made once; `None` where there is none."""
    key = f"alternatives_{run.number}"
    if state.get(key) is None and run.best is not None:
        # the list never changes once the run is over
        unseen = Unseen(run.design.options.get("unseen", Unseen.SOLVED))
        state.put(key, (alternatives(run.best, run.prepared, unseen),))
    return (state.get(key) or (None,))[0]


def opened(run: Run) -> tuple[Model, ...]:
    """The alternative that the user opened, if there is one."""
    number = state.get(f"opened_{run.number}")
    found = None if number is None else listed(run)
    return () if found is None else (as_model(run.best, found.items[number - 1]),)


def show(run: Run) -> None:
    """Draw the list, and a way to open one of it."""
    found = listed(run)
    if found is None:
        st.markdown(
            "This run has no list. The exact BDD search makes one where different questions are (nearly) as good."
        )
        return
    st.markdown(plain(found.sentence, 400))
    if len(found.items) < 2:
        return
    st.dataframe(
        found.frame(),
        height=min(_HEIGHT, 36 * (len(found.items) + 1) + 3),
        hide_index=True,
        key=f"near_{run.number}",
        column_config={"right in test": st.column_config.NumberColumn(format="percent")},
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        number = st.selectbox(
            "Look at",
            [item.number for item in found.items],
            format_func=lambda n: _words(found, n),
            key=f"alternative_{run.number}",
            width=640,
        )
        st.button("Open", key=f"open_{run.number}", on_click=_open, args=(run, number), help=_OPEN_HELP)


_OPEN_HELP = "Shows it above, beside the best one, and offers it on the Compare screen."


def _words(found: Alternatives, number: int) -> str:
    item = found.items[number - 1]
    return f"{number}: {amount(item.cost)} {found.unit}, {item.questions} questions: {'; '.join(item.asks)}"


def _open(run: Run, number: int) -> None:
    state.put(f"opened_{run.number}", number)
    (model,) = opened(run)
    state.put(f"model_{run.number}", model.key)
