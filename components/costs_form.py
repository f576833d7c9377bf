"""What mistakes cost: two numbers for two classes, a grid for more."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from components import state
from components.cost_facts import class_words, costs_of_mistakes, mistakes, own_costs
from components.text import plain
from components.work import Prepared
from solvers.problem import Dataset
from solvers.problem.objective import ClassCosts

_MOST = 1e6
_GRID_HEIGHT = 250


def show(prepared: Prepared, former: ClassCosts | None) -> ClassCosts | None:
    """Ask what mistakes cost; `None` where each error costs 1.

    Parameters
    ----------
    former : what was chosen before for the same classes.
    """
    data = prepared.train
    st.subheader("What mistakes cost")
    key = f"{prepared.source.number}_{data.outcome}"
    return _two(data, former, key) if data.n_classes == 2 else _grid(data, former, key)


def _two(data: Dataset, former: ClassCosts | None, key: str) -> ClassCosts | None:
    found = mistakes(data, former)
    positive, negative = (plain(class_words(data, k), 40) for k in (found.positive, found.negative))
    left, right = st.columns(2)
    miss = left.number_input(
        f"A missed **{positive}** counts as",
        0.0,
        _MOST,
        step=1.0,
        format="%g",
        key=state.first(f"cost_{key}_{data.classes[found.positive]}", found.miss),
        help=f"The truth is {positive}, and the tree says {negative}. "
        "5 means: as bad as 5 ordinary errors. With 1 and 1 the wrong rows are simply counted.",
        persist_state="session",
    )
    false_alarm = right.number_input(
        "A false alarm counts as",
        0.0,
        _MOST,
        step=1.0,
        format="%g",
        key=state.first(f"cost_{key}_{data.classes[found.negative]}", found.false_alarm),
        help=f"The truth is {negative}, and the tree says {positive}.",
        persist_state="session",
    )
    return costs_of_mistakes(data, miss, false_alarm)


def _grid(data: Dataset, former: ClassCosts | None, key: str) -> ClassCosts | None:
    with st.expander("Some mistakes are worse than others", key=f"costs_{key}"):
        st.caption("In errors. A row for what is true, a column for what the tree says.")
        edited = st.data_editor(
            _base(data, former, key),
            key=f"grid_{key}_{state.visit()}",
            height=min(_GRID_HEIGHT, 36 * (data.n_classes + 1) + 2),
            column_config={
                "_index": st.column_config.TextColumn("Truth", pinned=True),
                **{
                    str(k): st.column_config.NumberColumn(plain(name, 30), min_value=0.0, max_value=_MOST, format="%g")
                    for k, name in enumerate(data.classes)
                },
            },
        )
    # an emptied cell is read as what it was at first
    costs = edited.to_numpy(np.float64)
    return own_costs(np.where(np.isnan(costs), 1 - np.eye(data.n_classes), costs))


def _base(data: Dataset, former: ClassCosts | None, key: str) -> pd.DataFrame:
    """The grid as it is first drawn on a visit; the editor keeps its edits relative to it, so it must not change."""
    place = f"_grid_{key}"
    visit, base = state.get(place, (None, None))
    if visit != state.visit() or tuple(base.index) != data.classes:
        costs = 1 - np.eye(data.n_classes) if former is None else np.array(former)
        base = pd.DataFrame(costs, index=pd.Index(data.classes, name="Truth"), columns=map(str, range(data.n_classes)))
        state.put(place, (state.visit(), base))
    return base
