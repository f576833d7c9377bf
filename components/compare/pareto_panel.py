"""Errors against size and fairness: all models of the session as points that open them."""

from typing import Any

import streamlit as st

from components.compare.pareto_facts import MEASURES, ParetoFront, front
from components.compare.pareto_figures import front_figure
from components.compare.picker import Comparison
from components.session import run_actions, state
from components.widgets import segments, style
from components.words.text import NOTICE, capitalised, labelled, plain

_INSPECT = "pages/inspect.py"
_NOBODY = "none"
_SIZE, _DIFFERENCE = "Splits", "Group difference"
_ROW = 36


def show(choice: Comparison) -> None:
    """Draw the plot and the table of all models."""
    group, measure, across = _fairness(choice)
    facts = _facts(choice, group, measure)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(plain(facts.sentence, 400), width="stretch")
        st.page_link("pages/sweep.py", label="Train models of other sizes", icon=":material/grid_view:")
    if group is not None and facts.group is None:
        st.caption(f"Too few {facts.rows} rows in the groups to compare them.")
    figure = front_figure(facts, state.dark(), over_difference=across == _DIFFERENCE and facts.group is not None)
    key = f"front_{choice.run.number}_{state.visit()}"
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
        f"{capitalised(facts.rows)} rows. Filled: optimal for its size on training data. Circles: trees; diamonds: "
        "BDDs; squares: diagrams. Click a point to inspect its model."
    )
    with st.expander("All models"):
        _show_table(facts)
        _offer(choice, facts)
    st.caption(NOTICE)


def _fairness(choice: Comparison) -> tuple[str | None, str, str]:
    """Ask whether the difference between groups counts, too, and what errors are drawn against."""
    data = choice.run.prepared.train
    if not data.groups or data.positive is None:
        return None, next(iter(MEASURES)), _SIZE
    names = [group.name for group in data.groups]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        group = st.selectbox(
            "Groups",
            [_NOBODY, *names],
            key=state.first(f"front_group_{choice.run.number}", names[0]),
            format_func=labelled([_NOBODY, *names], lambda name: "none" if name == _NOBODY else name),
            persist_state="session",
            width=260,
        )
        measure = st.selectbox(
            "Fairness measure",
            list(MEASURES),
            key=state.first(f"front_measure_{choice.run.number}", next(iter(MEASURES))),
            format_func=lambda one: MEASURES[one][0],
            help="Highest minus lowest rate of a group. "
            + " ".join(f"**{name}**: {meaning}" for name, meaning in MEASURES.values()),
            persist_state="session",
            width=260,
            disabled=group == _NOBODY,
        )
        if group == _NOBODY:
            return None, next(iter(MEASURES)), _SIZE
        across = segments.show(
            "Errors against", [_SIZE, _DIFFERENCE], key=f"front_across_{choice.run.number}", shown=True, width="content"
        )
    return group, measure or next(iter(MEASURES)), across


def _facts(choice: Comparison, group: str | None, measure: str) -> ParetoFront:
    models = choice.answers(choice.offered)
    shown = [one.entry for one in models]
    return front(
        models,
        choice.rows,
        train=choice.answers(shown, "training"),
        test=None if choice.run.prepared.test is None else choice.answers(shown, "held-out"),
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
        "on_front": "on the front",
        "splits": "splits",
        "train": "errors, training",
        "test": "errors, held-out",
        "counts": f"errors, {facts.rows}",
        "difference": "difference, points",
        "proof": "status",
    }
    if facts.rows in ("training", "held-out"):
        del columns["counts"]
    models = facts.models.sort_values(["on_front", "splits", "share"], ascending=[False, True, True])
    models["difference"] = (100 * models["difference"]).round(1)
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
        if st.button("Inspect model", key=f"front_open_{choice.run.number}"):
            _open(choice, key)
