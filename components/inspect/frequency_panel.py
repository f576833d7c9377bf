"""The result in words first: natural frequencies as a sentence and a bar."""

import streamlit as st

from components.inspect.frequency_facts import Part, frequencies, noun_of
from components.messages.text import count, html
from components.model.once import once
from components.session.work import FinishedModel, Run
from components.widgets.rows_choice import NamedRows
from solvers.errors import EspalierError


def show(run: Run, model: FinishedModel, rows: NamedRows) -> None:
    """Draw the predictions for the rows shown as a sentence with a bar."""
    of = (model.diagram, rows.data)
    try:
        sentence, parts = once(run, ("frequencies", model.key), of, lambda: frequencies(*of, noun_of(run.prepared)))
    except EspalierError:
        # the model below shows which row it cannot predict
        return
    words = " ".join(
        f'<b><i class="swatch" style="{_fill(part)}"></i>{html(text, 200)}</b>' if part else html(text, 200)
        for text, part in sentence
    )
    bar = "".join(
        f'<span style="flex-grow:{part.n};{_fill(part)}" title="{count(part.n)} {html(part.meaning, 100)}"></span>'
        for part in parts
        if part.n
    )
    st.html(f'<div class="frequencies"><p>{words}</p><div aria-hidden="true">{bar}</div></div>')


def _fill(part: Part) -> str:
    """The colour of a part; wrong predictions are striped."""
    if not part.wrong:
        return f"background:{part.colour}"
    stripes = f"repeating-linear-gradient(45deg,{part.colour} 0 3px,transparent 3px 6px)"
    return f"background:{stripes};outline:1px solid {part.colour};outline-offset:-1px"
