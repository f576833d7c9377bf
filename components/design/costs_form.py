"""Misclassification costs: two numbers for two classes, a grid for more."""

import numpy as np
import pandas as pd
import streamlit as st

from components.messages.text import plain, shorten
from components.session import state
from components.session.work import Prepared
from solvers.messages.costs import costs_of_mistakes, describe_class, own_costs, two_mistakes
from solvers.posing import costs_of, named_costs
from solvers.problem import Dataset, costs_at_threshold, treatment_threshold
from solvers.problem.objective import ClassCosts
from solvers.request import Request

_MOST = 1e6
_LEAST = 0.1
"""The lowest treatment threshold in percent."""


def show(prepared: Prepared, request: Request) -> dict[str, dict[str, float]] | None:
    """Ask for misclassification costs, initially the last ones for the same classes; `None` if each error costs 1."""
    data = prepared.train
    former = costs_of(request, data)
    st.subheader("Misclassification costs")
    key = f"{prepared.source.number}_{data.outcome}"
    costs = _two(data, former, key) if data.n_classes == 2 else _grid(data, former, key)
    return None if costs is None else named_costs(costs, data.classes)


def _two(data: Dataset, former: ClassCosts | None, key: str) -> ClassCosts | None:
    former_two = two_mistakes(data, former)
    yes, no = describe_class(data, former_two.positive), describe_class(data, former_two.negative)
    keys = f"cost_{key}_{data.classes[former_two.positive]}", f"cost_{key}_{data.classes[former_two.negative]}"
    _threshold(data, keys, state.get(keys[0], former_two.miss), state.get(keys[1], former_two.false_alarm))
    left, right = st.columns(2)
    with left, st.container(gap="xxsmall"):
        miss = _price(
            "Cost of a missed case (errors)",
            former_two.miss,
            key=keys[0],
            help=f"True class {yes}, prediction {no}. 5: as bad as 5 ordinary errors.",
        )
    with right, st.container(gap="xxsmall"):
        false_alarm = _price(
            "Cost of a false alarm (errors)",
            former_two.false_alarm,
            key=keys[1],
            help=f"True class {no}, prediction {yes}.",
        )
    return costs_of_mistakes(data, miss, false_alarm)


def _threshold(data: Dataset, keys: tuple[str, str], miss: float, false_alarm: float) -> None:
    """Ask for the treatment threshold, which sets both costs; it always shows the one that they imply."""
    place = f"treat_{keys[0]}"
    implied = treatment_threshold(costs_of_mistakes(data, miss, false_alarm), data.positive)
    percent = None if implied is None else float(100 * implied)
    state.put(place, percent if percent is None or _LEAST <= percent <= 100 - _LEAST else None)

    def set_costs() -> None:
        if (percent := state.get(place)) is not None:
            found = two_mistakes(data, costs_at_threshold(round(percent / 100, 4), 2, data.positive))
            state.put(keys[0], found.miss)
            state.put(keys[1], found.false_alarm)

    st.number_input(
        "Treatment threshold (risk, %)",
        _LEAST,
        100 - _LEAST,
        step=1.0,
        format="%.4g",
        key=place,
        on_change=set_costs,
        help="You act from this predicted risk on. It sets the costs, so that the optimal tree has the highest net "
        "benefit there (training data).",
    )


def _price(label: str, former: float, *, key: str, help: str) -> float:
    """Ask for a cost. The label is a separate line: for screen readers it must not be escaped for Markdown."""
    st.markdown(f":small[{plain(label)}]", help=plain(help, 400))
    return st.number_input(
        label,
        0.0,
        _MOST,
        step=1.0,
        format="%g",
        key=state.first(key, former),
        label_visibility="collapsed",
        persist_state="session",
    )


def _grid(data: Dataset, former: ClassCosts | None, key: str) -> ClassCosts | None:
    with st.expander("Costs by class", key=f"costs_{key}"):
        st.caption("In errors. Rows: true class. Columns: prediction.")
        edited = st.data_editor(
            _base(data, former, key),
            key=f"grid_{key}_{state.visit()}",
            column_config={
                "_index": st.column_config.TextColumn("True class", pinned=True, disabled=True),
                **{
                    str(k): st.column_config.NumberColumn(
                        shorten(name, 30), min_value=0.0, max_value=_MOST, format="%g"
                    )
                    for k, name in enumerate(data.classes)
                },
            },
        )
    # an emptied cell keeps its initial value
    costs = edited.to_numpy(np.float64)
    return own_costs(np.where(np.isnan(costs), 1 - np.eye(data.n_classes), costs))


def _base(data: Dataset, former: ClassCosts | None, key: str) -> pd.DataFrame:
    """The initial grid of a visit; the editor keeps its edits relative to it, so it must not change."""
    place = f"_grid_{key}"
    visit, base = state.get(place, (None, None))
    if visit != state.visit() or tuple(base.index) != data.classes:
        costs = 1 - np.eye(data.n_classes) if former is None else np.array(former)
        base = pd.DataFrame(
            costs, index=pd.Index(data.classes, name="True class"), columns=map(str, range(data.n_classes))
        )
        state.put(place, (state.visit(), base))
    return base
