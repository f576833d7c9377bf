"""The choice of the method, with the options that it declares."""

import os

import streamlit as st
from msgspec.structs import replace

from components.design.size_fields import ask
from components.messages.text import plain
from components.model.run_facts import methods_of
from components.session import state
from components.session.work import Prepared
from solvers.methods import Method, Option, parallel, registry
from solvers.methods.base import Unsupported
from solvers.posing import for_its_shape, kind_of, method_of, problem_on
from solvers.problem import Problem
from solvers.request import Request

METHOD = state.design_key("method")
"""State key of the method."""


def show(request: Request, prepared: Prepared | None) -> tuple[Request, bool]:
    """Draw the picker of the methods for the shape; returns whether the chosen one supports the problem.

    Without rows (because of invalid costs), support is not checked.
    """
    st.subheader("Method")
    trouble = st.container()
    problem = None if prepared is None else problem_on(for_its_shape(request), prepared.train)
    offered = methods_of(kind_of(request))
    refused = {name: _refusals_of(method, problem) for name, method in offered.items()}
    state.first(METHOD, method_of(request))
    if state.get(METHOD) not in offered:
        state.put(METHOD, next(iter(offered)))
    name, recommended = state.get(METHOD), _recommend(offered, refused)
    badge = " :blue-badge[recommended]" if name == recommended else ""
    title, promise, summary, source = _about(name, offered[name])
    st.markdown(f"**{plain(title)}** :gray[{promise}]{badge}")
    st.caption(_caption(summary, refused[name]))
    with st.expander(f"Other methods ({len(offered) - 1})", key="design_methods"):
        about = {key: _about(key, method) for key, method in offered.items()}
        st.radio(
            "Method",
            list(offered),
            format_func=lambda key: f"{about[key][0]} :gray[{about[key][1]}]",
            captions=[_caption(about[key][2], refused[key]) for key in offered],
            key=METHOD,
            label_visibility="collapsed",
            persist_state="session",
        )
    options = _options(offered[name])
    if options and problem is not None:
        refused[name] = _refusals_of(registry.get(name, **options), problem)
    with trouble:
        _refusals(name, refused[name], recommended, about[recommended][0] if not refused[recommended] else None)
    st.caption(f"Source: {plain(source, 300)}")
    threads = 1
    if problem is not None and parallel(registry.get(name, **options), problem):
        help = "Processor cores that the search can use."
        threads = ask(st.container(), request, "threads", "Threads", help, (1, max(1, os.cpu_count() or 1)))
    return replace(request, method=name, options=options, threads=threads), not refused[name]


def _about(name: str, method: Method | str) -> tuple[str, str, str, str]:
    """Title, promise, summary and source of a method."""
    if isinstance(method, str):
        return name, "not installed", "", ""
    promise = "proves optimality" if method.exact else "greedy, no proof"
    return method.title, promise, method.summary, method.source


def _refusals_of(method: Method | str, problem: Problem | None) -> tuple[Unsupported, ...]:
    """Why a method does not support the problem, as far as known."""
    if isinstance(method, str):
        return (Unsupported("Not installed", method, ""),)
    return () if problem is None else tuple(method.check(problem))


def _options(method: Method | str) -> dict[str, str]:
    """Ask for all options that the method declares, two side by side."""
    if isinstance(method, str) or not method.options:
        return {}
    st.caption(f"Options of {plain(method.title)}")
    places, chosen = st.columns(2), {}
    for position, option in enumerate(method.options):
        with places[position % 2]:
            chosen[option.name] = _option(option, state.design_key("option", method.name, option.name))
    return chosen


def _option(option: Option, key: str) -> str:
    if not option.values:
        number = st.number_input(
            option.label,
            0,
            step=1,
            key=state.first(key, int(option.default)),
            help=option.help,
            persist_state="session",
        )
        return str(int(number))
    words = dict(zip(option.values, option.titles or option.values, strict=True))
    return st.selectbox(
        option.label,
        option.values,
        format_func=lambda value: words[value] if value in words else str(value),
        key=state.first(key, option.default),
        help=option.help,
        persist_state="session",
    )


def _caption(summary: str, refused: tuple[Unsupported, ...]) -> str:
    if not refused:
        return plain(summary, 400)
    others = f" and {len(refused) - 1} more" if len(refused) > 1 else ""
    return f":orange[:material/block: Not for {plain(refused[0].what, 80)}{others}]"


def _recommend(offered: dict[str, Method | str], refused: dict[str, tuple[Unsupported, ...]]) -> str:
    """The first method that supports the problem and proves optimality; the first method if there is none."""
    proves = (name for name, method in offered.items() if not isinstance(method, str) and method.exact)
    return next((name for name in proves if not refused[name]), next(iter(offered)))


def _refusals(name: str, refused: tuple[Unsupported, ...], other: str, title: str | None) -> None:
    """Show why the chosen method does not support the problem; a button switches to `other` if that has a title."""
    if not refused:
        return
    lines = [f"**{plain(one.what)}:** {plain(one.reason, 400)} {plain(one.remedy, 400)}" for one in refused]
    st.warning("\n\n".join(lines), icon=":material/block:")
    if title is not None and other != name:
        label = f"Use {title}"
        st.button(label, key="design_other", on_click=state.put, args=(METHOD, other))
