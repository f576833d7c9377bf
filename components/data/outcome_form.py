"""What is predicted, and how the rows are used: outcome, positive class, weights, groups, missing values, test rows."""

from itertools import combinations
from typing import NamedTuple

import streamlit as st

from components.data.columns_table import ChosenColumns
from components.session import state
from components.session.column_choices import TEST_SEED, TEST_SHARE, data_key
from components.session.work import DataChoices, Source
from components.words.text import labelled
from solvers.problem import Choices, MissingPolicy
from solvers.problem.groups import CROSS, crossed_columns
from solvers.problem.texts import Texts

_MANY_CLASSES = 20
_POLICY = {
    MissingPolicy.INFORMATION: "Use them as information",
    MissingPolicy.COMPLETE: "Use complete rows only",
    MissingPolicy.IMPUTE: "Fill in the median or most frequent level",
}


class Usage(NamedTuple):
    """How the rows are used; see `DataChoices`."""

    weight: str | None
    groups: tuple[str, ...]
    missing: MissingPolicy
    test_share: float | None
    seed: int
    group_rows: str | None
    centres: str | None
    time: str | None

    @property
    def taken(self) -> frozenset[str]:
        """The columns that have another role than that of a feature."""
        return frozenset(filter(None, (self.weight, self.group_rows, self.centres, self.time)))


def show_outcome(source: Source) -> tuple[str | None, str | None]:
    """Ask for the column to predict and the class that counts as positive; `None` where not chosen."""
    names = [report.name for report in source.reports]
    outcome = st.selectbox(
        "Outcome to predict",
        names,
        format_func=labelled(names),
        key=state.first(data_key(source.number, "outcome"), source.outcome),
        placeholder="Choose the column to predict",
        persist_state="session",
    )
    if outcome is None:
        return None, None
    if outcome == source.outcome and source.sample is None and source.table.outcome is None:
        st.caption("This is a guess. Choose another column if it is not what you want to predict.")
    classes = _classes(source.table.texts(outcome))
    if len(classes) > _MANY_CLASSES:
        return outcome, None
    key = data_key(source.number, "positive", outcome)
    if state.get(key) not in (None, *classes):
        # a step joined it with another one
        state.put(key, None)
    suggestion = source.sample.positive if source.sample and source.sample.outcome == outcome else None
    positive = st.selectbox(
        "Positive class",
        classes,
        format_func=labelled(classes),
        key=state.first(key, suggestion if suggestion in classes else None),
        placeholder="Choose for me" if len(classes) == 2 else "None in particular",
        help="The class that sensitivity, specificity and the predictive values speak of. It is always drawn first.",
        persist_state="session",
    )
    return outcome, positive


def show_usage(source: Source, outcome: str) -> Usage:
    """Ask how the rows are used."""
    others = [report.name for report in source.reports if report.name != outcome]
    suggested = source.sample.groups if source.sample else ()
    groups = st.multiselect(
        "Groups to compare (fairness)",
        others,
        format_func=labelled(others),
        key=state.first(data_key(source.number, "groups"), [name for name in suggested if name in others]),
        placeholder="No groups",
        help="Columns such as sex or region. Error rates are then reported for each group.",
        persist_state="session",
    )
    crossed = _crossed(source, groups, others) if len(groups) > 1 else []
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
        "Rows held out for the test",
        0,
        50,
        step=5,
        format="%d %%",
        key=state.first(TEST_SHARE, 25),
        persist_state="session",
    )
    st.caption(
        "Never shown to the solver."
        if share
        else "All rows are used for training; there are no numbers for new cases then."
    )
    with st.expander("Patients with several rows, centres, time"):
        together = _column(
            source,
            outcome,
            "Rows that belong together",
            "group_rows",
            "Every row stands alone",
            "For instance the patient. All rows with the same value are learned from or judged on, never both.",
        )
        centres = _column(
            source,
            outcome,
            "Centre",
            "centres",
            "One place, or not known",
            "Whole centres are held out, and cross-validation leaves out one centre after the other.",
        )
        time = _column(
            source, outcome, "Time", "time", "The order does not matter",
            "A date or number. The latest rows are held out, and cross-validation learns from the rows before.",
            ("numeric", "date"),
        )  # fmt: skip
    with st.expander("Seed and weights"):
        seed = st.number_input(
            "Seed of the random choice", 0, 2**31 - 1, key=state.first(TEST_SEED, 0), persist_state="session"
        )
        numeric = [r.name for r in source.reports if r.name != outcome and r.kind == "numeric"]
        weight = st.selectbox(
            "Weight of a row",
            numeric,
            format_func=labelled(numeric),
            index=None,
            key=data_key(source.number, "weight"),
            placeholder="Every row counts once",
            help="A column of positive numbers: how much each row counts.",
            persist_state="session",
        )
    return Usage(weight, (*groups, *crossed), missing, share / 100 or None, int(seed), together, centres, time)


def _crossed(source: Source, groups: list[str], others: list[str]) -> list[str]:
    """Ask which of the groups to compare are crossed."""
    key = state.first(data_key(source.number, "crossed"), [])
    pairs = [name for pair in combinations(groups, 2) if (name := CROSS.join(pair)) not in others]
    # a pair whose columns are no longer both chosen is left; more than two columns come from the command line
    state.put(key, [name for name in state.get(key) if crossed_columns(name, groups)])
    offered = list(dict.fromkeys([*pairs, *state.get(key)]))
    return st.multiselect(
        "Groups crossed",
        offered,
        format_func=labelled(offered),
        key=key,
        placeholder="No columns crossed",
        help="Every pair of values that occurs is a group of its own, such as women of the north.",
        persist_state="session",
    )


def _column(
    source: Source, outcome: str, label: str, name: str, nothing: str, help: str, kinds: tuple[str, ...] = ()
) -> str | None:
    """Ask for a column by which rows are divided, of some types if given; it is no feature then."""
    offered = [r.name for r in source.reports if r.name != outcome and (not kinds or r.kind in kinds)]
    return st.selectbox(
        label,
        offered,
        format_func=labelled(offered),
        index=None,
        key=data_key(source.number, name),
        placeholder=nothing,
        help=f"{help} It is no feature then.",
        persist_state="session",
    )


def _classes(texts: Texts) -> list[str]:
    """The texts of a column without the marks for missing values, at most one more than are offered."""
    return sorted(texts.present[: _MANY_CLASSES + 1])


def choices(source: Source, outcome: str, positive: str | None, columns: ChosenColumns, usage: Usage) -> DataChoices:
    """Everything that was decided on the Data screen, put together."""
    parts = usage._asdict()
    share, seed = parts.pop("test_share"), parts.pop("seed")
    rows = Choices(outcome, positive=positive, preparation=source.preparation, **columns._asdict(), **parts)
    return DataChoices(rows, share, seed)
