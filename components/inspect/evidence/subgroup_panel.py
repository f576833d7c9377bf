"""Performance in subgroups, for instance women and men, or young and old."""

import streamlit as st

from components.inspect.evidence import judged_rows
from components.inspect.evidence.figures import subgroup_figure
from components.inspect.evidence.subgroup_facts import notes, parts_of
from components.model.facts import SMALL
from components.session import state
from components.session.contained import contained
from components.session.work import FinishedModel, Run
from components.widgets import style
from components.words.text import DASH, NOTICE, capitalised, count, html, labelled, percent, plain, points, span
from solvers.errors import EspalierError
from solvers.metrics import Rate, Subgroup, subgroup_columns
from solvers.words.division import independence_words


def show(run: Run, model: FinishedModel) -> None:
    """Draw the metrics of each subgroup."""
    st.fragment(contained(_show), key=f"subgroups_{run.number}_{model.key}")(run, model)


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
            format_func=labelled(columns),
            key=f"subgroup_{run.number}",
            width=300,
            help="Levels of a category, or thirds of a measurement in the training data.",
            persist_state="session",
        )
        found = judged_rows.choose(run, model, "subgroups")
    if found is None:
        st.markdown("First fold not finished yet.")
        return
    of_class = train.positive
    try:
        parts = parts_of(found, train, column, of_class)
    except EspalierError as error:
        st.error(plain(error, 400), icon=":material/error:")
        return
    head = [html(column, 40), "Rows", "Accuracy"]
    if of_class is not None:
        head += ["Sensitivity", "Specificity", "PPV", "Observed", "Mean predicted risk", "Difference, points"]
    st.html(style.scrolled(head, [_line(part, of_class is not None) for part in parts]))
    for note in notes(parts, found.data, column, of_class):
        st.caption(plain(note, 400))
    caveat = plain(independence_words(train.division), 300)
    st.caption(f"{plain(capitalised(found.title))}; 95% Wilson intervals. {caveat} {NOTICE}")
    if of_class is not None:
        with st.columns([1.6, 1])[0]:
            style.chart(subgroup_figure(parts, state.dark()), f"subgroup_figure_{run.number}")


def _line(part: Subgroup, of_class: bool) -> tuple[str, ...]:
    figures, large = part.figures, part.in_the_large
    assert figures is not None
    name = html(part.name, 40) + (" <small>few rows</small>" if part.n < SMALL else "")
    shares: list[Rate | None] = [figures.accuracy]
    if of_class:
        shares += [figures.sensitivity, figures.specificity, figures.ppv, part.observed]
    cells = [name, count(part.n), *(style.rate_cell(share, counts=False) for share in shares)]
    if of_class:
        cells.append(percent(part.expected))
        cells.append(DASH if large is None else f"{points(large.value)} <small>{span(large)}</small>")
    return tuple(cells)
