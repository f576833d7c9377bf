"""Error against size and fairness: the plot of all models of the session, whose points open them."""

from typing import Any

import streamlit as st

from components.compare import pareto_grid
from components.compare.facts import entries
from components.compare.pareto_facts import MEASURES, ParetoFront, front
from components.compare.pareto_figures import front_figure
from components.compare.picker import Comparison
from components.session import run_actions, state
from components.session.work import Run
from components.widgets import segments, style
from components.words.text import NOTICE, labelled, plain
from components.workers import inquiries

_INSPECT = "pages/inspect.py"
_NOBODY = "none"
_SIZE, _GAP = "Questions", "Gap between groups"
_ROW = 36


def show(choice: Comparison) -> None:
    """Draw the plot with its table, and the sweep that adds models to it while the user looks on."""
    inquiries.watch(choice.run, _show, key=f"front_{choice.run.number}", args=(choice.run, choice))


def _show(run: Run, choice: Comparison) -> None:
    group, measure, across = _fairness(choice)
    choice = _refreshed(run, choice)
    facts = _facts(choice, group, measure)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(plain(facts.sentence, 400), width="stretch")
        pareto_grid.offer(run)
    if group is not None and facts.group is None:
        st.caption(f"Too few of the {facts.rows} rows are in the groups to compare them.")
    figure = front_figure(facts, state.dark(), over_gap=across == _GAP and facts.group is not None)
    key = f"front_{run.number}_{state.visit()}"
    event: Any = st.plotly_chart(
        figure,
        key=key,
        on_select="rerun",
        selection_mode="points",
        config=style.STILL,
        alt=facts.sentence,
    )
    if (points := event["selection"]["points"]) and points[0].get("customdata"):
        _open(choice, points[0]["customdata"][0])
    st.caption(
        f"Each point is a model on the {facts.rows} rows: filled where it is proved the best of its size, else open. "
        "Circles are trees, diamonds BDDs, squares diagrams. Click a point to inspect it."
    )
    pareto_grid.show_progress(run)
    with st.expander("All models as a table, and a way to open one without the mouse"):
        _show_table(facts)
        _offer(choice, facts)
    st.caption(NOTICE)


def _refreshed(run: Run, choice: Comparison) -> Comparison:
    """The choice with what a sweep has found since the screen was drawn."""
    known = {entry.key for entry in choice.offered}
    several = len({entry.run.number for entry in choice.offered}) > 1
    fresh = [entry for entry in entries([(run, pareto_grid.found(run))]) if entry.key not in known]
    named = [entry._replace(title=f"{entry.title}, run {run.number}") if several else entry for entry in fresh]
    return choice._replace(offered=(*choice.offered, *named))


def _fairness(choice: Comparison) -> tuple[str | None, str, str]:
    """Ask whether a gap between groups counts, too, and what errors are drawn against."""
    data = choice.run.prepared.train
    if not data.groups or data.positive is None:
        return None, next(iter(MEASURES)), _SIZE
    names = [group.name for group in data.groups]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        group = st.selectbox(
            "Fairness between groups of",
            [_NOBODY, *names],
            key=state.first(f"front_group_{choice.run.number}", names[0]),
            format_func=labelled([_NOBODY, *names], lambda name: "no column" if name == _NOBODY else name),
            persist_state="session",
            width=260,
        )
        measure = st.selectbox(
            "Measured by",
            list(MEASURES),
            key=state.first(f"front_measure_{choice.run.number}", next(iter(MEASURES))),
            format_func=lambda one: MEASURES[one][0],
            help="The gap is the highest rate of a group minus the lowest. "
            + " ".join(f"**{name}**: {meaning}" for name, meaning in MEASURES.values()),
            persist_state="session",
            width=260,
            disabled=group == _NOBODY,
        )
        if group == _NOBODY:
            return None, next(iter(MEASURES)), _SIZE
        across = segments.show(
            "Errors against", [_SIZE, _GAP], key=f"front_across_{choice.run.number}", shown=True, width="content"
        )
    return group, measure or next(iter(MEASURES)), across


def _facts(choice: Comparison, group: str | None, measure: str) -> ParetoFront:
    models = choice.answers(choice.offered)
    shown = [one.entry for one in models]
    return front(
        models,
        choice.rows,
        train=choice.answers(shown, "training"),
        test=None if choice.run.prepared.test is None else choice.answers(shown, "test"),
        chosen=[entry.key for entry in choice.chosen],
        group=group,
        measure=measure,
    )


def _open(choice: Comparison, key: str) -> None:
    entry = next((entry for entry in choice.offered if entry.key == key), None)
    if entry is not None:
        run_actions.open_model(entry.run, entry.model)
        st.switch_page(_INSPECT)


def _show_table(facts: ParetoFront) -> None:
    columns = {
        "title": "model",
        "on_front": "worth a look",
        "questions": "questions",
        "train": "wrong, training rows",
        "test": "wrong, test rows",
        "counts": f"wrong, {facts.rows} rows",
        "gap": "gap, points",
        "proof": "proof",
    }
    if facts.rows in ("training", "test"):
        del columns["counts"]
    models = facts.models.sort_values(["on_front", "questions", "share"], ascending=[False, True, True])
    models["gap"] = (100 * models["gap"]).round(1)
    table = models[list(columns)].rename(columns=columns).dropna(axis=1, how="all")
    st.dataframe(table, hide_index=True, height=min(10 * _ROW, _ROW * (len(table) + 1) + 3))


def _offer(choice: Comparison, facts: ParetoFront) -> None:
    titles = dict(facts.models["title"])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = st.selectbox(
            "Model",
            list(titles),
            format_func=labelled(titles, titles.__getitem__),
            key=f"front_model_{choice.run.number}",
            width=420,
        )
        if st.button("Inspect it", key=f"front_open_{choice.run.number}"):
            _open(choice, key)
        already = [entry.key for entry in choice.chosen]
        name = f"compared_{choice.run.number}"
        st.button(
            "Compare it, too",
            key=f"front_add_{choice.run.number}",
            disabled=key in already,
            on_click=lambda: state.put(name, [*already, key]),
        )
