"""The outcome and the use of the rows: positive class, weights, groups, missing values, test rows."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import streamlit as st

from components.messages.text import label_with
from components.session import state
from components.session.column_choices import TEST_SEED, TEST_SHARE, data_key
from components.session.work import Source
from solvers.problem import MissingPolicy
from solvers.problem.groups import CROSS, crossed_columns
from solvers.request import Request

_MANY_CLASSES = 20
_POLICY = {
    MissingPolicy.INFORMATION: "Use as information",
    MissingPolicy.COMPLETE: "Drop incomplete rows",
    MissingPolicy.IMPUTE: "Impute median or mode",
}
_ROLES = {
    "group_rows": (
        "Repeated patients",
        "Each row is independent",
        "For instance the patient number. Rows with the same value are all in training or all held out.",
    ),
    "centres": (
        "Centre",
        "Single centre or unknown",
        "Espalier holds out whole centres. Each fold of cross-validation is one centre.",
    ),
    "time": (
        "Time",
        "No order in time",
        "Espalier holds out the latest rows. Cross-validation learns from earlier rows only.",
    ),
    "weight": ("Row weight", "Each row counts once", "A column of positive numbers: how much each row counts."),
}
"""By field of a request: the label, the placeholder and the help of the question for its column."""


def show(source: Source) -> Request | None:
    """Ask for all about the rows except the features and their types; `None` while no outcome is chosen."""
    outcome, positive = _outcome(source)
    if outcome is None:
        return None
    steps = tuple(source.preparation.to_json())
    return Request(target=outcome, positive=positive, prepare=steps, **_usage(source, outcome))


def _outcome(source: Source) -> tuple[str | None, str | None]:
    """Ask for the outcome column and its positive class; `None` while not chosen."""
    names = [report.name for report in source.reports]
    outcome = st.selectbox(
        "Outcome",
        names,
        format_func=label_with(names),
        key=state.first(data_key(source.number, "outcome"), source.outcome),
        placeholder="Choose a column",
        persist_state="session",
    )
    if outcome is None:
        return None, None
    if outcome == source.outcome and source.sample is None:
        st.caption("Espalier suggests this outcome. Choose another column if needed.")
    classes = sorted(source.table.texts(outcome).present[: _MANY_CLASSES + 1])
    if len(classes) > _MANY_CLASSES:
        return outcome, None
    key = data_key(source.number, "positive", outcome)
    if state.get(key) not in (None, *classes):
        # a step merged this class with another one
        state.put(key, None)
    suggestion = source.sample.positive if source.sample and source.sample.outcome == outcome else None
    positive = st.selectbox(
        "Positive class",
        classes,
        format_func=label_with(classes),
        key=state.first(key, suggestion if suggestion in classes else None),
        placeholder="Automatic" if len(classes) == 2 else "None",
        help="The class that sensitivity, specificity and predictive values refer to.",
        persist_state="session",
    )
    return outcome, positive


def _usage(source: Source, outcome: str) -> dict[str, Any]:
    """Ask how the rows are used, as fields of a request."""
    others = [report.name for report in source.reports if report.name != outcome]
    numeric = [report.name for report in source.reports if report.name in others and report.kind == "numeric"]
    times = [report.name for report in source.reports if report.name in others and report.kind in ("numeric", "date")]
    suggested = source.sample.groups if source.sample else ()
    groups = st.multiselect(
        "Groups to compare",
        others,
        format_func=label_with(others),
        key=state.first(data_key(source.number, "groups"), [name for name in suggested if name in others]),
        placeholder="No groups",
        help="Columns such as sex or region. Espalier reports error rates for each group (fairness).",
        persist_state="session",
    )
    crossed = _cross(source, groups, others) if len(groups) > 1 else []
    missing = MissingPolicy.INFORMATION
    if any(report.n_missing for report in source.reports):
        chosen = st.selectbox(
            "Missing values",
            list(MissingPolicy),
            format_func=lambda policy: _POLICY[policy],
            key=state.first(data_key(source.number, "missing"), MissingPolicy.INFORMATION),
            persist_state="session",
        )
        missing = MissingPolicy(chosen or missing)
        st.caption(missing.words)
    share = st.slider(
        "Held-out rows",
        0,
        50,
        step=5,
        format="%d%%",
        key=state.first(TEST_SHARE, 25),
        help="These rows are not used for training. Espalier tests models on them.",
        persist_state="session",
    )
    if not share:
        st.caption("Without held-out rows you cannot see how the model does on new data.")
    offered = {"group_rows": others, "centres": others, "time": times, "weight": numeric}
    with st.expander("Repeated patients, centres, time"):
        roles = {name: _column(source, offered[name], name) for name in ("group_rows", "centres", "time")}
    with st.expander("Seed and weights"):
        key = state.first(TEST_SEED, 0)
        seed = st.number_input("Random seed", 0, 2**31 - 1, key=key, persist_state="session")
        roles["weight"] = _column(source, offered["weight"], "weight")
    division = {"test_share": share / 100 or None, "seed": int(seed)}
    return {"groups": (*groups, *crossed), "missing": missing.value, **division, **roles}


def _cross(source: Source, groups: list[str], others: list[str]) -> list[str]:
    """Ask which of the groups to compare are crossed."""
    key = state.first(data_key(source.number, "crossed"), [])
    pairs = [name for pair in combinations(groups, 2) if (name := CROSS.join(pair)) not in others]
    # pairs of columns that are no longer both chosen are dropped; more than two columns come from the command line
    state.put(key, [name for name in state.get(key) if crossed_columns(name, groups)])
    offered = list(dict.fromkeys([*pairs, *state.get(key)]))
    return st.multiselect(
        "Crossed groups",
        offered,
        format_func=label_with(offered),
        key=key,
        placeholder="No crossed groups",
        help="Each pair of values is a group, such as women in the north.",
        persist_state="session",
    )


def _column(source: Source, offered: Sequence[str], role: str) -> str | None:
    """Ask for the column with a role other than feature."""
    label, nothing, help = _ROLES[role]
    return st.selectbox(
        label,
        offered,
        format_func=label_with(offered),
        index=None,
        key=data_key(source.number, role),
        placeholder=nothing,
        help=f"{help} This column is not a feature.",
        persist_state="session",
    )
