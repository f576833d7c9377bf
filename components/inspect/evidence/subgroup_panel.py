"""Performance in subgroups, for instance women and men, or young and old."""

import streamlit as st

from components.inspect.evidence import judged_rows
from components.inspect.evidence.risk_facts import ScoredRows
from components.messages.text import NOTICE, capitalise, label_with, plain
from components.session.contained import contain
from components.session.work import FinishedModel, Run
from components.widgets import segments, style
from components.widgets.shown_rows import NamedRows
from solvers.errors import DataError, EspalierError
from solvers.messages.division import describe_centre, describe_independence
from solvers.metrics import Subgroup, compared_groups, fairness, group_by, subgroup_columns, subgroups
from solvers.metrics.catalogue import describe_class
from solvers.metrics.risks import SMALL
from solvers.problem import Dataset
from solvers.report.measures import fairness_tables, group_title
from solvers.report.risks import subgroup_table


def parts_of(found: ScoredRows, train: Dataset, column: str, of_class: int | None) -> tuple[Subgroup, ...]:
    """The subgroups by a column, divided as in the training rows.

    Raises `DataError` if the rows do not have this column.
    """
    data = found.data
    known = [group.name for group in (*data.groups, data.division.centres) if group is not None]
    if column not in train.schema.names and column not in known:
        raise DataError(f"These rows do not have the column '{column}'. Choose another column.")
    each = subgroups(data, found.predicted, found.shares, of_class, group_by(train, data, column))
    return tuple(part for part in each if part.figures is not None)


def notes(parts: tuple[Subgroup, ...], data: Dataset, column: str, of_class: int | None) -> list[str]:
    """Whether centres differ, which subgroups are small, and where observed shares differ from predicted risks."""
    centres, found = data.division.centres, list[str]()
    if centres is not None and column == centres.name:
        found += describe_centre([part.figures for part in parts if part.figures is not None])
    if small := [part.name for part in parts if part.n < SMALL]:
        found.append(f"Fewer than {SMALL} rows, uncertain: {', '.join(small)}.")
    if of_class is None:
        return found
    known = [(part.name, part.in_the_large) for part in parts if part.in_the_large is not None]
    more = [name for name, large in known if large.low is not None and large.low > 0]
    less = [name for name, large in known if large.high is not None and large.high < 0]
    for word, names in (("more", more), ("less", less)):
        if names:
            what = describe_class(data, of_class)
            found.append(f"{what} observed clearly {word} often than predicted in: {', '.join(names)}.")
    if more or less:
        found.append("By chance alone, one in twenty subgroups differs this much.")
    return found


def show(run: Run, model: FinishedModel) -> None:
    """Draw the metrics of each subgroup."""
    st.fragment(contain(_show), key=f"subgroups_{run.number}_{model.key}")(run, model)


def _show(run: Run, model: FinishedModel) -> None:
    train = run.prepared.train
    columns = subgroup_columns(train)
    if not columns:
        st.markdown("No column has few enough levels for subgroups.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        column = st.selectbox(
            "Subgroups by",
            columns,
            format_func=label_with(columns, lambda name: group_title(train, name)),
            key=f"subgroup_{run.number}",
            width=300,
            help="Levels of a category, or thirds of a measurement in the training data.",
            persist_state="session",
        )
        found = judged_rows.choose(run, model, "subgroups")
    if found is None:
        return
    of_class = train.positive
    try:
        parts = parts_of(found, train, column, of_class)
    except EspalierError as error:
        st.error(plain(error, 400), icon=":material/error:")
        return
    positive = None if of_class is None else train.classes[of_class]
    st.html(style.block(subgroup_table(parts, group_title(train, column), positive, "")))
    for note in notes(parts, found.data, column, of_class):
        st.caption(plain(note, 400))
    caveat = plain(describe_independence(train.division), 300)
    st.caption(f"{plain(capitalise(found.title))}; 95% Wilson intervals. {caveat} {NOTICE}")


def show_fairness(run: Run, model: FinishedModel, shown: NamedRows) -> None:
    """Draw the comparison between groups for the rows shown."""
    data = shown.data
    groups = {group.name: group for group in compared_groups(run.problem, data)}
    if not groups:
        st.markdown("No groups. Choose a group column on the Data screen, such as sex, and solve again.")
        return
    if data.positive is None:
        st.markdown("No positive class. Choose one on the Data screen.")
        return
    words = label_with(groups, lambda name: group_title(data, name))
    name = segments.show("Groups", list(groups), key=f"fairness_{run.number}", words=words, shown=True)
    found = fairness(data, model.diagram.predict(data), groups[name])
    rates, differences = fairness_tables(found, "")
    st.html(style.block(rates))
    st.caption(f"{plain(capitalise(shown.name))} rows, 95% Wilson intervals. {NOTICE}")
    st.html(style.block(differences))
    st.caption(f"Four-fifths rule (lowest over highest rate at least 0.8): **{found.four_fifths}**.")
