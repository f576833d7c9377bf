"""Styles beyond the theme: pills, bars of class counts, tables of facts."""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from pathlib import Path

import plotly.graph_objects as go
import streamlit as st

from components.messages.text import html
from solvers.messages.glossary import meaning
from solvers.messages.results import Tone
from solvers.report.blocks import TableBlock

STILL = {"displayModeBar": False}
"""Plotly settings of a figure without buttons."""

_CSS = Path(__file__).with_name("style.css")

_CLOSE_MENU = """<script>
if (!window.espalierMenu) {
  window.espalierMenu = true;
  document.addEventListener("click", (event) => {
    const parts = '[data-variant="segmented_control"], [role="tab"]';
    if (event.detail && event.target.closest?.(parts))
      setTimeout(() => { if (document.activeElement?.matches(parts)) document.activeElement.blur(); }, 100);
    if (!event.target.closest?.('[data-testid="stSidebarNavLink"]')) return;
    setTimeout(() => document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click());
  }, true);
}
</script>"""
"""On a phone the screens are in a menu over the page; this closes it after a choice.

A segment or tab that was clicked loses the focus, because it would swallow the shortcut of the next step.
"""


def apply(dark: bool) -> None:
    """Set the style of the page; `light-dark()` follows the user's chosen theme, not the system's."""
    scheme = "dark" if dark else "light"
    st.html(_CSS)
    st.html(f"<style>:root {{ color-scheme: {scheme}; }}</style>")
    st.html(_CLOSE_MENU, unsafe_allow_javascript=True)


def pill(words: str, tone: Tone) -> str:
    """A status in a pill, as HTML; if it is a term of the glossary, its meaning is a tooltip."""
    explained = meaning(words)
    title = "" if explained is None else f' title="{html(explained, 400)}"'
    return f'<span class="pill {tone}"{title}>{html(words)}</span>'


def balance(names: tuple[str, ...], counts: tuple[float, ...], colours: tuple[str, ...]) -> str:
    """Class counts as one divided bar with labels, as HTML."""
    total = sum(counts) or 1
    bars = "".join(
        f'<span style="width:{100 * n / total:.2f}%;background:{colour}"></span>'
        for n, colour in zip(counts, colours, strict=True)
        if n
    )
    keys = "".join(
        f"<span>{swatch(colour)}{html(name, 40)} {n:,g} ({100 * n / total:.0f}%)</span>"
        for name, n, colour in zip(names, counts, colours, strict=True)
    )
    return f'<div class="balance">{bars}</div><div class="keys" style="margin-top:.4rem">{keys}</div>'


def swatch(colour: str) -> str:
    """A small square in the colour of a class, as HTML."""
    return f'<i class="swatch" style="background:{colour}"></i>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A small table of facts as HTML, first column left-aligned, others right; cells are HTML and must be escaped.

    Terms of the glossary in the head and in the first column get their meaning as a tooltip.
    """
    top = "".join(f"<th>{_explained(cell)}</th>" if cell else "<td></td>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{_explained(cell) if j == 0 else cell}</td>" for j, cell in enumerate(row)) + "</tr>"
        for row in rows
    )
    return f'<table class="facts"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>'


def _explained(cell: str) -> str:
    """A cell with the meaning of its term, if the glossary has it; HTML."""
    found = meaning(cell.replace("&nbsp;", " "))
    return cell if found is None else hint(cell, found)


def scroll(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The same for a table that may be too wide: it scrolls sideways on its own."""
    return f'<div style="overflow-x:auto" tabindex="0">{table(head, rows)}</div>'


def block(shown: TableBlock) -> str:
    """A table of a report as HTML; only text cells wrap."""

    def name(text: str, longest: int) -> str:
        found = shown.meanings.get(text)
        return html(text, longest) if found is None else hint(html(text, 60), found)

    def cells(row: Sequence[str]) -> list[str]:
        whole = '<span style="white-space:nowrap">{}</span>'
        return [name(text, 200) if j in {0, *shown.wide} else whole.format(cell(text)) for j, text in enumerate(row)]

    return scroll([name(text, 60) for text in shown.head], map(cells, shown.rows))


def cell(text: str) -> str:
    """A figure as HTML, with the interval and counts that follow it in parentheses in small print."""
    value, *more = text.split(" (", 1)
    return html(value, 200) + "".join(f" <small>{html(one.removesuffix(')'), 200)}</small>" for one in more)


def chart(figure: go.Figure, key: str) -> None:
    """Draw a figure without the buttons of Plotly."""
    st.plotly_chart(figure, key=key, config=STILL)


def page(content: bytes, height: int) -> None:
    """Draw an HTML page in a frame; as a data URL it has its own origin and no access to this page."""
    st.iframe(f"data:text/html;base64,{b64encode(content).decode()}", height=height)


def hint(shown: str, meaning: str) -> str:
    """HTML with a tooltip; `meaning` is plain text, `shown` is already escaped."""
    return f'<span title="{html(meaning, 400)}">{shown}</span>'
