"""By which method the model is sought, with the options that the method declares."""

from __future__ import annotations

import os
from dataclasses import replace

import streamlit as st

from components.model.run_facts import MethodFacts, method_facts, refusals_of
from components.session import state
from components.session.work import Design, Prepared
from components.words.text import plain
from solvers.methods import Option, parallel, registry


def show(design: Design, prepared: Prepared | None) -> tuple[Design, bool]:
    """Draw the picker of the methods that make the shape; returns whether the chosen one can take the problem.

    Without rows (because of troubles with the costs) nothing is said of what a method can take.
    """
    st.subheader("Method")
    trouble = st.container()
    problem = prepared and design.problem(prepared)
    offered = {facts.name: facts for facts in method_facts(design.kind, problem)}
    state.first("design_method", design.method)
    if state.get("design_method") not in offered:
        state.put("design_method", next(iter(offered)))
    name = st.radio(
        "Method",
        list(offered),
        format_func=lambda key: f"{offered[key].title} :gray[{offered[key].promise}]",
        captions=[_caption(facts) for facts in offered.values()],
        key="design_method",
        label_visibility="collapsed",
        persist_state="session",
    )
    chosen = offered[name]
    options = _options(chosen)
    if problem is not None and options:
        chosen = chosen._replace(refusals=refusals_of(name, problem, options))
    with trouble:
        _refusals(chosen, offered)
    st.caption(f"Source: {plain(chosen.source, 300)}")
    threads = 1
    if problem is not None and parallel(registry.get(name, **options), problem):
        threads = _threads(design)
    return replace(design, method=name, options=options, threads=threads), not chosen.refusals


def _threads(design: Design) -> int:
    """Ask for threads, where the method shares its work among several."""
    threads = st.number_input(
        "Threads",
        1,
        max(1, os.cpu_count() or 1),
        key=state.first("design_threads", design.threads),
        help="How many processor cores the search may use.",
        persist_state="session",
    )
    return int(threads)


def _options(chosen: MethodFacts) -> dict[str, str]:
    """Ask for the method's options, two side by side; whatever a method declares is asked for here."""
    if not chosen.options:
        return {}
    st.caption(f"Choices of {plain(chosen.title)}")
    places = st.columns(2)
    return {
        option.name: _option(option, f"design_option_{chosen.name}_{option.name}", places[position % 2])
        for position, option in enumerate(chosen.options)
    }


def _option(option: Option, key: str, place) -> str:
    if not option.values:
        number = place.number_input(
            option.label,
            0,
            step=1,
            key=state.first(key, int(option.default)),
            help=option.help,
            persist_state="session",
        )
        return str(int(number))
    words = dict(zip(option.values, option.titles or option.values, strict=True))
    return place.selectbox(
        option.label,
        option.values,
        format_func=lambda value: words.get(value, value),
        key=state.first(key, option.default),
        help=option.help,
        persist_state="session",
    )


def _caption(facts: MethodFacts) -> str:
    """What a method does, or what of the problem it cannot take."""
    if not facts.refusals:
        return plain(facts.summary, 400)
    first, *more = (what for what, _, _ in facts.refusals)
    others = f" and {len(more)} more" if more else ""
    return f":orange[:material/block: Not for {plain(first, 80)}{others}]"


def _refusals(chosen: MethodFacts, offered: dict[str, MethodFacts]) -> None:
    """Say why the chosen method cannot take the problem, with a click to one that can."""
    if not chosen.refusals:
        return
    lines = [f"**{plain(what)}:** {plain(why, 400)} {plain(remedy, 400)}" for what, why, remedy in chosen.refusals]
    st.warning("\n\n".join(lines), icon=":material/block:")
    other = next((facts for facts in offered.values() if facts.exact and not facts.refusals), None)
    if other is not None and other.name != chosen.name:
        label = f"Use {other.title}, which can"
        st.button(label, key="design_other", on_click=state.put, args=("design_method", other.name))
