"""Models that are nearly as good as the best one: the features they use, a list, and a preview of each."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from components.inspect.near_facts import (
    ModelFilter,
    NearModels,
    as_model,
    describe_frequency,
    describe_votes,
    describe_worse,
    near_bdds_of,
    near_trees_of,
    title_of,
    tolerances,
    worse_cell,
)
from components.messages.text import count, html, label_with, plain
from components.model import drawing
from components.model.once import once
from components.session import run_actions, state
from components.session.contained import contain
from components.session.work import FinishedModel, Run
from components.widgets import segments, shown_rows, style
from components.workers import inquiries
from components.workers.inquiries import WorkerInquiry
from solvers.explain.near import NearOptimal
from solvers.methods.bdds.table import Unseen
from solvers.problem import Schema, ShapeKind

SECONDS = 5.0
"""Time limit of a first search."""

_HEIGHT, _LINE, _WIDTH = 300, 35, 1240

NO_FILTER = ModelFilter()

_ONE, _EACH = "One per feature set", "All thresholds"
_OPEN_HELP = "Shows it on the Model tab, on Compare and in exports."
_TOLERANCE_HELP = "How many more training errors the alternatives may make than the best model."
_DIFFERENCE_HELP = "Demographic parity: largest difference in the rate of positive predictions (training)."
_ROW_HELP = "Shows how many of the models predict another class for this row."
_FREQUENCY_HELP = "Share of the models within the tolerance that use the feature."


def show(run: Run) -> None:
    """Draw the alternatives for the shape of a run."""
    best = run.best
    if best is None:
        return
    match run.problem.shape.kind:
        case ShapeKind.TREE:
            tolerance = _tolerance(run)
            inquiries.watch(run, _trees, key=f"alternatives_{run.number}", args=(run, best, tolerance))
        case ShapeKind.BDD:
            st.fragment(contain(_bdds), key=f"alternatives_{run.number}")(run, best)
        case ShapeKind.DIAGRAM:
            st.markdown("Not available for decision diagrams. To compare other sizes and split penalties, run a sweep.")


def _tolerance(run: Run) -> float | None:
    """The tolerance in errors; `None` to begin with the best cost and increase it until another tree is found."""
    problem = run.problem
    return st.select_slider(
        "Tolerance",
        (None, *tolerances(problem)),
        key=state.first(f"near_tolerance_{run.number}", None),
        format_func=lambda errors: "as needed" if errors is None else describe_worse(errors, problem),
        help=_TOLERANCE_HELP,
        persist_state="session",
        width=420,
    )


def inquiry_of(
    run: Run, best: FinishedModel, tolerance: float | None, wanted: ModelFilter = NO_FILTER
) -> WorkerInquiry:
    """The search within a tolerance, in errors; with `wanted`, only for trees that match it."""
    offered = tolerances(run.problem) if tolerance is None else (tolerance,)
    within, *grow = (round(errors * run.problem.scale) for errors in offered)
    diagram = best.diagram if grow else None
    task = NearOptimal(
        best.cost, within, wanted.must, wanted.never, wanted.first, wanted.questions, grow=tuple(grow), diagram=diagram
    )
    name = "as needed" if tolerance is None else f"{tolerance:g}"
    return WorkerInquiry(f"near {name} {wanted}", task, seconds=min(SECONDS, run.seconds))


def _trees(run: Run, best: FinishedModel, tolerance: float | None) -> None:
    inquiry = inquiry_of(run, best, tolerance)
    answer = inquiries.answer(run, inquiry)
    if answer is None or not answer.finished:
        if answer is None and not inquiries.is_open(run, inquiry):
            st.markdown("Finds all trees that are nearly as good, and the features that they need.")
        elif answer is not None and answer.counted:
            st.caption(f"Found so far: {count(answer.n_trees, 'tree')}.")
        help = f"All trees of this size within the tolerance, at most {inquiry.seconds:g} s."
        inquiries.offer(run, inquiry, "Find alternatives", help)
        return
    near = once(run, inquiry.name, (answer,), lambda: near_trees_of(best, run.prepared, answer))
    inquiries.offer(run, inquiry, "Find alternatives", "", decided=answer.complete)
    _near_models(run, best, near, answer.slack / run.problem.scale)


def _bdds(run: Run, best: FinishedModel) -> None:
    unseen = Unseen(run.request.options.get("empty_cells", Unseen.SOLVED))
    near = once(run, "near bdds", (best.solution.details,), lambda: near_bdds_of(best, run.prepared, unseen))
    if near is None:
        st.markdown("No alternatives. The exact BDD search lists them if other splits are nearly as good.")
        return
    _near_models(run, best, near, None)


def _near_models(run: Run, best: FinishedModel, near: NearModels, tolerance: float | None) -> None:
    st.markdown(plain(near.sentence, 500))
    if len(near.models) < 2 and tolerance is None:
        return
    _uses(near, run.prepared.train.schema)
    wanted = ask_filter(run, near)
    if wanted.anything and not near.all_listed and tolerance is not None:
        near = _search(run, best, near, inquiry_of(run, best, tolerance, wanted))
    lists = {_ONE: near.fitting(wanted, each=False), _EACH: near.fitting(wanted)}
    chosen = segments.show(
        "Show",
        list(lists),
        key=f"near_each_{run.number}",
        words=lambda name: f"{name}: {count(len(lists[name]))}",
    )
    _row(run, best, near)
    _list(run, best, near, lists[chosen])


def _row(run: Run, best: FinishedModel, near: NearModels) -> None:
    """Ask for a row, and show how many of the models predict another class for it."""
    number = shown_rows.ask_number(run.prepared.train, key=f"near_row_{run.number}", help=_ROW_HELP, width=230)
    if number is not None:
        st.markdown(plain(describe_votes(near, best, run.prepared, number), 400))


def _search(run: Run, best: FinishedModel, near: NearModels, inquiry: WorkerInquiry) -> NearModels:
    """The list of a search for matching trees only: the short list may lack most of them."""
    answer = inquiries.answer(run, inquiry)
    if answer is None or not answer.finished:
        inquiries.offer(run, inquiry, "Search all trees", "The list has only the best ones.")
        return near
    found = once(run, inquiry.name, (answer,), lambda: near_trees_of(best, run.prepared, answer, with_best=False))
    st.caption(plain(found.sentence, 400))
    return found


def _uses(near: NearModels, schema: Schema) -> None:
    """Draw the features: used by all, by some, by none."""
    asked = near.uses["n_with"] > 0
    shown, never = near.uses[asked], near.uses["name"][~asked]
    if near.uses.empty:
        return
    of = f"all {near.noun}s within the tolerance" if near.whole else f"the {near.noun}s of the list"
    best = f"Additional {near.unit} of the best {near.noun}"
    head = {
        "used in": _FREQUENCY_HELP,
        "best with it": f"{best} that uses the feature.",
        "best without": f"{best} that does not use it; 'none': none within the tolerance.",
        "best if first": f"{best} that uses it in the first split.",
    }
    with st.expander(f"Features of {of}", expanded=True):
        if len(shown):
            with st.container(height=min(_HEIGHT, 60 + 33 * len(shown)), border=False):
                hints = (style.hint(html(words), help) for words, help in head.items())
                lines = [
                    (html(schema[name].title, 40), describe_frequency(n, n_without), *map(worse_cell, worse))
                    for name, n, n_without, *worse in shown.itertuples(index=False)
                ]
                st.html(style.table(("Feature", *hints), lines))
        if len(never):
            st.caption(f"Never used: {', '.join(plain(title, 40) for title in schema.titles(never))}.")


def _list(run: Run, best: FinishedModel, near: NearModels, fitting: pd.DataFrame) -> None:
    if fitting.empty:
        st.info(f"No {near.noun} in the list matches the filter.", icon=":material/filter_alt_off:")
        return
    key = f"alternative_{run.number}"
    if state.get(key) not in fitting.index:
        state.put(key, int(fitting.index[0]))

    def take() -> None:
        rows = state.get(f"near_{run.number}")["selection"]["rows"]
        if rows and rows[0] < len(fitting):
            state.put(key, int(fitting.index[rows[0]]))

    st.dataframe(
        near.frame(fitting),
        height=min(_HEIGHT, _LINE * (len(fitting) + 1) + 3),
        hide_index=True,
        key=f"near_{run.number}",
        on_select=take,
        selection_mode="single-row",
        column_config={
            "held-out accuracy": st.column_config.NumberColumn(format="percent"),
            "group difference": st.column_config.NumberColumn(format="percent", help=_DIFFERENCE_HELP),
        },
    )
    words = {one.Index: _words(one, best) for one in fitting.itertuples()}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        number = st.selectbox(
            "Preview", list(words), format_func=label_with(words, words.__getitem__), key=key, width="stretch"
        )
        diagram = fitting.at[number, "diagram"]
        # verifying a model reads all rows
        model = once(run, "near model", (diagram,), lambda: as_model(best, number, diagram))
        opens = partial(run_actions.open_model, run, model)
        if st.button("Open model", key=f"open_{run.number}", on_click=opens, help=_OPEN_HELP):
            # another part of the screen shows it
            st.rerun()
    st.caption(plain(model.solution.message, 200))
    drawing.show(
        diagram,
        data=run.prepared.train,
        detail=drawing.chosen_detail(),
        key=f"preview_{run.number}",
        place="preview",
        width=_WIDTH,
    )


def _words(one: Any, best: FinishedModel) -> str:
    features = ", ".join(best.diagram.schema.titles(one.features)) or "none"
    own = f"{title_of(best)}, " if one.diagram == best.diagram else ""
    return f"{one.Index}: {own}{worse_cell(one.worse)}, {count(one.splits, 'split')}, features: {features}"


def ask_filter(run: Run, near: NearModels) -> ModelFilter:
    """Draw the fields; features used by all or by none are not offered, because they do not filter."""
    some = near.sometimes
    listed = set(near.models["first"]) - {""}
    heads = sorted(listed | set(near.uses["name"][near.uses["first"].notna()]))
    sizes = sorted(set(near.models["splits"].tolist()))
    key, schema = f"near_{{}}_{run.number}", run.prepared.train.schema
    title = lambda name: schema[name].title if name else "any feature"  # noqa: E731
    with st.container(horizontal=True, vertical_alignment="bottom"):
        must = _names("Must use", some, title, key.format("must"))
        never = _names("Must not use", some, title, key.format("never"))
        first = st.selectbox(
            "First split on",
            ["", *heads],
            key=_offered_value(key.format("first"), "", ["", *heads]),
            format_func=label_with(["", *heads], title),
            persist_state="session",
            width=200,
        )
        most = None
        if len(sizes) > 1:
            most = st.selectbox(
                "Maximum splits",
                [None, *sizes[:-1]],
                key=_offered_value(key.format("size"), None, [None, *sizes[:-1]]),
                format_func=lambda n: "any number" if n is None else f"at most {count(n)}",
                persist_state="session",
                width=140,
            )
    return ModelFilter(tuple(must), tuple(never), first, most)


def _names(label: str, offered: list[str], title: Callable[[str], str], key: str) -> list[str]:
    chosen = state.get(key) or []
    if any(name not in offered for name in chosen):
        state.put(key, [name for name in chosen if name in offered])
    return st.multiselect(
        label,
        offered,
        format_func=label_with(offered, title),
        key=key,
        placeholder="any feature",
        persist_state="session",
        width=230,
        disabled=not offered,
    )


def _offered_value(key: str, start: object, offered: list) -> str:
    """The key of a field whose value is still offered."""
    if state.first(key, start) and state.get(key) not in offered:
        state.put(key, start)
    return key
