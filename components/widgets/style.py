"""The look that the theme cannot say: pills, bars of class counts, and a little less clutter."""

from collections.abc import Iterable, Sequence

import plotly.graph_objects as go
import streamlit as st

from components.words.text import DASH, count, html, interval, percent
from solvers.metrics import Estimate, Rate
from solvers.metrics.catalogue import Figure, Unit, counts_words, interval_words, value_words
from solvers.words.status import Tone

STILL = {"displayModeBar": False}
"""The settings of Plotly with which a figure has no buttons."""

_CSS = """
<style>
.block-container { max-width: 1480px; padding-left: 2rem; padding-right: 2rem; }
[data-testid="stBottomBlockContainer"] { max-width: 1480px; margin: 0 auto; padding: .6rem 2rem .8rem;
  border-top: 1px solid color-mix(in srgb, currentColor 14%, transparent); }
/* what a button shows under the mouse is a little higher than the line: no bar to scroll may appear beside it */
[data-testid="stBottomBlockContainer"] [data-testid="stHorizontalBlock"] { overflow: visible; }
[data-testid="stMainMenu"] { opacity: .6; }
[data-testid="stStatusWidget"] { display: none; }
/* small print must be read as well: at least 4.5 to 1 on both backgrounds and inside coloured boxes. 'body' outweighs
   the styles of Streamlit, which may come later */
body [data-testid="stCaptionContainer"] { color: light-dark(#5a6069, #a8b0bc); opacity: 1; }
/* the accent of the dark theme is too light for white letters */
body [data-testid^="stBaseButton-primary"]:not(:disabled), body [data-testid^="stBaseButton-primary"]:not(:disabled) p,
body [data-tag], body [data-tag] * { color: light-dark(#ffffff, #0e1117); }
body [data-testid^="stBaseButton-primary"]:is(:hover, :active, :focus-visible):not(:disabled) {
  background-color: light-dark(#2a3569, #8c9ce6); }
body [data-variant="segmented_control"][aria-checked="true"] p { color: light-dark(#3b4a8c, #a9b7f5); }
.st-key-cautions details { background: light-dark(#fff8e1, #33290f); border-color: light-dark(#e6c565, #6d5820); }
/* nobody links to a heading, and each would be a stop of the Tab key */
[data-testid="stHeaderActionElements"] { display: none; }
/* where the content of another tab is still to come, the screen must not become shorter and jump */
[class*="st-key-tabs_"] { min-height: calc(100vh - 9rem); }
/* a link that is seen when Tab comes to it, above the step to which it leads; neither it nor its target takes room */
[data-testid="stElementContainer"]:has(.skip, #next-step) { position: absolute; }
.skip { position: fixed; left: -99rem; }
.skip:focus { left: auto; right: 2rem; bottom: 4.5rem; z-index: 100; padding: .5rem .8rem; border-radius: .5rem;
  color: light-dark(#ffffff, #0e1117); background: light-dark(#3b4a8c, #a9b7f5); }
#next-step { outline: none; }
body [data-testid^="stBaseButton"] kbd { color: inherit; opacity: .85; }
/* a picture beside a choice says nothing more when it is large, and each button would be a stop of the Tab key */
[data-testid="stFullScreenFrame"]:has([data-testid="stImage"]) [data-testid="stElementToolbar"] { display: none; }
.pill { display: inline-block; padding: .15rem .65rem; border-radius: 999px; font-size: .85rem; font-weight: 600;
  border: 1px solid currentColor; white-space: nowrap; }
.pill.good { color: light-dark(#0b6b4f, #5fd0a8); }
.pill.open { color: light-dark(#8a5a00, #f0c36a); }
.pill.plain { color: light-dark(#4a5164, #b5bccd); }
.pill.bad { color: light-dark(#a3311b, #ff9a86); }
.known { font-size: .85rem; opacity: .75; }
.balance { display: flex; height: 1.5rem; border-radius: 4px; overflow: hidden; gap: 2px; }
.balance span { display: block; height: 100%; }
.keys { display: flex; flex-wrap: wrap; gap: .15rem 1.1rem; font-size: .85rem; font-variant-numeric: tabular-nums; }
.swatch { display: inline-block; width: .7rem; height: .7rem; border-radius: 2px; margin-right: .4rem; }
.facts { width: 100%; border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
.facts td, .facts th { padding: .28rem .5rem; text-align: right; vertical-align: baseline;
  border-bottom: 1px solid color-mix(in srgb, currentColor 14%, transparent); }
.facts td:first-child, .facts th:first-child { text-align: left; padding-left: 0; }
.facts th { font-weight: 600; font-size: .85rem; opacity: .75; }
.risk { line-height: 1.3; font-variant-numeric: tabular-nums; }
.risk b { font-size: 1.5rem; font-weight: 600; }
.risk small { opacity: .75; }
/* on a phone nothing scrolls within what scrolls, and the page for the bedside has the screen to itself */
@media (max-width: 640px) {
  .block-container, [data-testid="stBottomBlockContainer"] { padding-left: 1rem; padding-right: 1rem; }
  [data-testid="stBottomBlockContainer"] [data-testid="stMarkdown"] p { font-size: .8rem; line-height: 1.35; }
  [data-testid^="stBaseButton"] kbd { display: none; }
  .st-key-explorer_panel { height: auto !important; max-height: none !important; }
  .st-key-bedside iframe { height: calc(100dvh - 5rem); }
  [data-testid="stApp"]:has(.st-key-bedside) .st-key-model_choice,
  [data-testid="stApp"]:has(.st-key-bedside) [data-testid="stBottom"] { display: none; }
}
.facts [title] { text-decoration: underline dotted; text-underline-offset: .2em; cursor: help; }
.facts small { opacity: .7; font-size: .85em; white-space: nowrap; }
</style>
"""


_CLOSE_MENU = """<script>
if (!window.espalierMenu) {
  window.espalierMenu = true;
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.('[data-testid="stSidebarNavLink"]')) return;
    setTimeout(() => document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click());
  });
}
</script>"""
"""On a phone the screens are listed in a menu that lies over them: it closes after a choice."""


def apply(dark: bool) -> None:
    """Set the look of the page; `light-dark()` follows the theme that the user chose, not the one of the system."""
    scheme = "dark" if dark else "light"
    st.html(f"{_CSS}<style>:root {{ color-scheme: {scheme}; }}</style>")
    st.html(_CLOSE_MENU, unsafe_allow_javascript=True)


def pill(words: str, tone: Tone) -> str:
    """A status in a pill, as HTML."""
    return f'<span class="pill {tone}">{html(words)}</span>'


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
    """A small table of facts as HTML, first column left, the others right; cells are HTML and must be escaped."""
    top = "".join(f"<th>{cell}</th>" if cell else "<td></td>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<table class="facts"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>'


def scrolled(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The same where it may be too wide: it is moved sideways by itself, without the screen around it."""
    return f'<div style="overflow-x:auto" tabindex="0">{table(head, rows)}</div>'


def chart(figure: go.Figure, key: str) -> None:
    """Draw a figure without the buttons of Plotly."""
    st.plotly_chart(figure, key=key, config=STILL)


def hint(shown: str, meaning: str) -> str:
    """HTML that says what it means under the mouse; the meaning is a text, and what is shown is escaped already."""
    return f'<span title="{html(meaning, 400)}">{shown}</span>'


def rate_cell(found: Rate | Estimate | None, *, counts: bool = True, digits: int = 1) -> str:
    """A share with interval and counts as HTML; a dash where there is nothing to measure it on."""
    if found is None or found.value is None:
        return DASH
    rows = f" &middot; {count(found.k)}/{count(found.n)}" if counts and isinstance(found, Rate) else ""
    return f"{percent(found.value, digits)} <small>{interval(found)}{rows}</small>"


def figure_cell(found: Figure, unit: Unit) -> str:
    """A metric with its interval and counts as HTML; a dash where there is none."""
    more = " &middot; ".join(filter(None, (interval_words(found, unit), counts_words(found))))
    return value_words(found, unit) + (f" <small>{more}</small>" if more else "")
