"""Which wishes a model keeps, how closely, and what each of them costs."""

from __future__ import annotations

import streamlit as st

from components import style
from components.facts import Tone
from components.text import html
from components.wish_facts import Achieved, WishRow, wish_rows
from components.work import Model, Run

_NOTHING = "\u2013"


def show_table(run: Run, model: Model) -> None:
    """Draw the wishes of a run held against one of its models; nothing where there are none."""
    constraints = run.problem.constraints
    if constraints:
        rows = wish_rows(constraints, model.solution.diagram, run.prepared.train, run.prepared.test)
        st.html(table(rows, has_test=run.prepared.test is not None))


def table(rows: tuple[WishRow, ...], has_test: bool, prices: tuple[str, ...] = ()) -> str:
    """The wishes as an HTML table; `prices` adds a column, one cell a wish."""
    head = ("Wish", "", "Training rows", "Room left", *(["Test rows"] if has_test else []))
    head += ("Price",) if prices else ()
    body = []
    for i, row in enumerate(rows):
        cells = [html(row.words, 300), _kept(row.train), html(row.train.figure) or _NOTHING, _room(row)]
        if has_test:
            cells.append(_on_test(row.test))
        body.append((*cells, *([prices[i]] if prices else [])))
    return style.table(head, body)


def _kept(found: Achieved) -> str:
    words, tone = ("kept", Tone.GOOD) if found.holds else ("broken", Tone.BAD)
    why = html("; ".join(found.broken), 400)
    return f'<span title="{why}">{style.pill(words, tone)}</span>' if why else style.pill(words, tone)


def _room(row: WishRow) -> str:
    if row.binds is None or not row.train.holds:
        return _NOTHING
    return "<b>none: it binds</b>" if row.binds else html(row.room)


def _on_test(found: Achieved | None) -> str:
    if found is None:
        return _NOTHING
    figure = html(found.figure) or ("kept" if found.holds else "broken")
    return (
        figure
        if found.holds
        else f'<span title="{html("; ".join(found.broken), 400)}">{figure}, <b>not kept</b></span>'
    )
