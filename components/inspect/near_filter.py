"""A filter of nearly as good models: features used or not, the first split, the size."""

import streamlit as st

from components.inspect.near_facts import ModelFilter, NearModels
from components.messages.text import count, label_with
from components.session import state
from components.session.work import Run


def show(run: Run, near: NearModels) -> ModelFilter:
    """Draw the fields; features used by all or by none are not offered, because they do not filter."""
    some = near.sometimes
    listed = set(near.models["first"]) - {""}
    heads = sorted(listed | set(near.uses["name"][near.uses["first"].notna()]))
    sizes = sorted(set(near.models["splits"].tolist()))
    key = f"near_{{}}_{run.number}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        must = _names("Must use", some, key.format("must"))
        never = _names("Must not use", some, key.format("never"))
        first = st.selectbox(
            "First split on",
            ["", *heads],
            key=_offered_value(key.format("first"), "", ["", *heads]),
            format_func=label_with(["", *heads], lambda name: name or "any feature"),
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


def _names(label: str, offered: list[str], key: str) -> list[str]:
    chosen = state.get(key) or []
    if any(name not in offered for name in chosen):
        state.put(key, [name for name in chosen if name in offered])
    return st.multiselect(
        label,
        offered,
        format_func=label_with(offered),
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
