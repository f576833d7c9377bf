"""By which method the model is sought, with the options that the method declares."""

import os
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.design.size_fields import ask_whole
from components.model.run_facts import MethodFacts, method_facts, refusals_of
from components.session import state
from components.session.work import Design, Prepared
from components.words.text import plain
from solvers.methods import Option, parallel, registry

METHOD = state.design_key("method")
"""The key under which the session has the method."""


def show(design: Design, prepared: Prepared | None) -> tuple[Design, bool]:
    """Draw the picker of the methods that make the shape; returns whether the chosen one can take the problem.

    Without rows (because of troubles with the costs) nothing is said of what a method can take.
    """
    st.subheader("Method")
    trouble = st.container()
    problem = None if prepared is None else design.problem(prepared)
    offered = {facts.name: facts for facts in method_facts(design.kind, problem)}
    state.first(METHOD, design.method)
    if state.get(METHOD) not in offered:
        state.put(METHOD, next(iter(offered)))
    name = state.get(METHOD)
    chosen, recommended = offered[name], _recommended(offered)
    badge = " :blue-badge[recommended]" if name == recommended.name else ""
    st.markdown(f"**{plain(chosen.title)}** :gray[{chosen.promise}]{badge}")
    st.caption(_caption(chosen))
    with st.expander(f"Other methods ({len(offered) - 1})", key="design_methods"):
        st.radio(
            "Method",
            list(offered),
            format_func=lambda key: f"{offered[key].title} :gray[{offered[key].promise}]",
            captions=[_caption(facts) for facts in offered.values()],
            key=METHOD,
            label_visibility="collapsed",
            persist_state="session",
        )
    options = _options(chosen)
    if problem is not None and options:
        chosen = chosen._replace(refusals=refusals_of(name, problem, options))
    with trouble:
        _refusals(chosen, recommended)
    st.caption(f"Source: {plain(chosen.source, 300)}")
    threads = 1
    if problem is not None and parallel(registry.get(name, **options), problem):
        help = "How many processor cores the search may use."
        threads = ask_whole(st.container(), design, "threads", "Threads", help, most=max(1, os.cpu_count() or 1))
    return replace(design, method=name, options=options, threads=threads), not chosen.refusals


def _options(chosen: MethodFacts) -> dict[str, str]:
    """Ask for the method's options, two side by side; whatever a method declares is asked for here."""
    if not chosen.options:
        return {}
    st.caption(f"Choices of {plain(chosen.title)}")
    places = st.columns(2)
    return {
        option.name: _option(option, state.design_key("option", chosen.name, option.name), places[position % 2])
        for position, option in enumerate(chosen.options)
    }


def _option(option: Option, key: str, place: DeltaGenerator) -> str:
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
        format_func=lambda value: words[value] if value in words else str(value),
        key=state.first(key, option.default),
        help=option.help,
        persist_state="session",
    )


def _caption(facts: MethodFacts) -> str:
    if not facts.refusals:
        return plain(facts.summary, 400)
    first, *more = (what for what, _, _ in facts.refusals)
    others = f" and {len(more)} more" if more else ""
    return f":orange[:material/block: Not for {plain(first, 80)}{others}]"


def _recommended(offered: dict[str, MethodFacts]) -> MethodFacts:
    """The first that takes the problem and proves what it finds, or else the first."""
    return next(
        (facts for facts in offered.values() if facts.exact and not facts.refusals), next(iter(offered.values()))
    )


def _refusals(chosen: MethodFacts, other: MethodFacts) -> None:
    """Say why the chosen method cannot take the problem, with a click to one that can."""
    if not chosen.refusals:
        return
    lines = [f"**{plain(what)}:** {plain(why, 400)} {plain(remedy, 400)}" for what, why, remedy in chosen.refusals]
    st.warning("\n\n".join(lines), icon=":material/block:")
    if not other.refusals and other.name != chosen.name:
        label = f"Use {other.title}, which can"
        st.button(label, key="design_other", on_click=state.put, args=(METHOD, other.name))
