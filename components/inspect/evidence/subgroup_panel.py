"""How good a model is in parts of the rows, for instance for women and men, or for the old and the young."""

import streamlit as st

from components.inspect.evidence import judged_rows
from components.inspect.evidence.figures import subgroup_figure
from components.inspect.evidence.subgroup_facts import PartFacts, SubgroupFacts, subgroup_facts
from components.session import state
from components.session.contained import contained
from components.session.work import FinishedModel, Run
from components.widgets import style
from components.words.text import DASH, NOTICE, capitalised, count, html, labelled, percent, plain, points, span
from solvers.errors import EspalierError
from solvers.metrics import subgroup_columns
from solvers.words.division import independence_words


def show(run: Run, model: FinishedModel) -> None:
    """Draw the figures of each part."""
    st.fragment(contained(_show), key=f"subgroups_{run.number}_{model.key}")(run, model)


def _show(run: Run, model: FinishedModel) -> None:
    train = run.prepared.train
    columns = subgroup_columns(train)
    if not columns:
        st.markdown("There is no column with few enough levels to divide the rows by.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        column = st.selectbox(
            "Divide the rows by",
            columns,
            format_func=labelled(columns),
            key=f"subgroup_{run.number}",
            width=300,
            help="The levels of a category, or thirds of a measurement, as the training rows have them.",
            persist_state="session",
        )
        found = judged_rows.choose(run, model, "subgroups")
    if found is None:
        st.markdown("The first fold is not done yet.")
        return
    try:
        facts = subgroup_facts(found, train, column, train.positive)
    except EspalierError as error:
        st.error(plain(error, 400), icon=":material/error:")
        return
    st.html(_table(facts, train.positive is not None))
    for note in facts.notes:
        st.caption(plain(note, 400))
    caveat = plain(independence_words(train.division), 300)
    st.caption(f"{plain(capitalised(found.title))}; 95 % Wilson intervals. {caveat} {NOTICE}")
    if train.positive is not None:
        with st.columns([1.6, 1])[0]:
            style.chart(subgroup_figure(facts, state.dark()), f"subgroup_figure_{run.number}")


def _table(facts: SubgroupFacts, of_class: bool) -> str:
    head = [html(facts.column, 40), "Rows", "Accuracy"]
    if of_class:
        head += [
            "Sensitivity",
            "Specificity",
            "PPV",
            "Observed",
            "Mean risk",
            "Observed \u2212 risk, points",
        ]
    return style.scrolled(head, [_line(part, of_class) for part in facts.parts])


def _line(part: PartFacts, of_class: bool) -> tuple[str, ...]:
    name = html(part.name, 40) + (" <small>few rows</small>" if part.small else "")
    cells = [name, count(part.n), style.rate_cell(part.figures.accuracy, counts=False)]
    if of_class:
        large = part.in_the_large
        gap = DASH if large is None else f"{points(large.value)} <small>{span(large)}</small>"
        risk = percent(part.expected)
        shares = (part.figures.sensitivity, part.figures.specificity, part.figures.ppv, part.observed)
        cells += [*(style.rate_cell(share, counts=False) for share in shares), risk, gap]
    return tuple(cells)
