"""What there is to know of the chosen node: its rule, its rows by class, and the rows themselves."""

import streamlit as st

from components.model.facts import SMALL, NodeFacts
from components.widgets import footer, rows_file, style
from components.words.text import count, html, interval, percent, plain
from solvers.diagram import Diagram, class_colours
from solvers.diagram.labels import answer
from solvers.metrics import Rate
from solvers.problem import Dataset

_TABLE_HEIGHT = 210
_SHOWN_ROWS = 1000
_SHOWN_WAYS = 3
_SHOWN_TERMS = 6


def show(facts: NodeFacts, diagram: Diagram, data: Dataset, *, key: str, note: str | None = None) -> None:
    """Draw the panel of a node; `data` are the rows that are shown (training or test), `note` a remark on it."""
    st.markdown(f"**{plain(facts.title, 200)}**")
    st.caption(_rule(facts))
    if facts.risk is not None and facts.risk[1].value is not None:
        _show_risk(*facts.risk)
    colours = class_colours(len(diagram.classes), diagram.positive)
    rows = [
        (style.swatch(colours[k]) + html(answer(diagram, k), 40), count(weight), style.rate_cell(share, counts=False))
        for k, weight, share in facts.classes
    ]
    st.html(
        style.table(
            ("Class", "n" if data.weight is None else "Weight", "Share (95 %)"),
            [*rows, ("All", count(facts.weight), "")],
        )
    )
    if note:
        st.caption(plain(note, 300))
    if facts.small:
        st.caption(
            f":material/warning: Only {count(facts.n, 'row')}: the shares are uncertain.",
            help=f"Leaves of fewer than {SMALL} rows are striped. Their interval says how uncertain the share is.",
        )
    for sentence in facts.unknown:
        st.caption(plain(sentence, 400))
    if facts.terms:
        _show_terms(facts)
    if len(facts.ways) > 1 or not facts.complete:
        _show_ways(facts)
    if facts.n == 0:
        # a table without rows cannot be drawn or saved; test rows often miss a small leaf
        st.caption("None of these rows comes here.")
        return
    footer.link()
    st.dataframe(
        data.take(facts.rows[:_SHOWN_ROWS]).frame().rename_axis("row"), height=_TABLE_HEIGHT, key=f"rows_{key}"
    )
    if facts.n > _SHOWN_ROWS:
        st.caption(f"The first {count(_SHOWN_ROWS)} are shown; the file has all.")
    rows_file.offer(
        "Download this row (CSV)" if facts.n == 1 else f"Download these {count(facts.n, 'row')} (CSV)",
        lambda: data.take(facts.rows).frame(),
        (data.name, "node", facts.number),
        key=f"download_{key}",
    )


def _show_risk(name: str, risk: Rate) -> None:
    """Draw the risk of a leaf in large, never without its interval and its rows."""
    sure = f"95 % interval {interval(risk)}"
    rows = f"{count(risk.k)} of {count(risk.n, 'row')}"
    words = f"<b>{percent(risk.value)}</b> <span>{html(name, 40)}</span><br><small>{sure}, {rows}</small>"
    st.html(f'<div class="risk">{words}</div>')


def _rule(facts: NodeFacts) -> str:
    if facts.number == 0:
        return "All rows"
    if not facts.ways:
        return "No case can come here" if facts.complete else "Rows that came in many ways"
    if len(facts.ways) > 1 or not facts.complete:
        many = count(len(facts.ways)) if facts.complete else f"more than {count(len(facts.ways))}"
        return f"Rows that came in one of {many} ways"
    return f"Rows with {plain(facts.ways[0][0], 600)}"


def _show_ways(facts: NodeFacts) -> None:
    """Draw each of the ways that lead here, and what came by each arc."""
    if facts.ways:
        st.html(_ways_table(facts, slice(_SHOWN_WAYS)))
    if len(facts.ways) > _SHOWN_WAYS or not facts.complete:
        with st.expander("Other ways"):
            if len(facts.ways) > _SHOWN_WAYS:
                st.html(_ways_table(facts, slice(_SHOWN_WAYS, None)))
            if not facts.complete:
                st.caption("There are more ways than are listed.")
    if len(facts.arrivals) > 1:
        with st.expander(f"By {count(len(facts.arrivals), 'arc')}"):
            rows = [
                (f"{html(words, 120)} <small>of {count(arrived)} asked</small>", _of(n, facts.n))
                for words, arrived, n in facts.arrivals
            ]
            st.html(style.table(("Answer", "Rows"), rows))


def _ways_table(facts: NodeFacts, shown: slice) -> str:
    return style.table(("Way", "Rows"), [(html(words, 300), _of(n, facts.n)) for words, n in facts.ways[shown]])


def _of(n: int, whole: int) -> str:
    share = f" <small>{percent(n / whole, 0)}</small>" if whole else ""
    return f"{count(n)}{share}"


def _show_terms(facts: NodeFacts) -> None:
    """Draw how far each column of a weighted sum moves it, as bars to both sides."""
    st.html(_terms_table(facts.terms[:_SHOWN_TERMS]))
    if len(facts.terms) > _SHOWN_TERMS:
        with st.expander(f"{count(len(facts.terms) - _SHOWN_TERMS)} more"):
            st.html(_terms_table(facts.terms[_SHOWN_TERMS:]))
    st.caption("Bars: how far each column moves the sum among these rows (weight times standard deviation).")


def _terms_table(terms: tuple[tuple[str, float], ...]) -> str:
    head = ("Term", "to yes \u2190 \u2192 to no")
    return style.table(head, [(html(words, 60), _pull(pull)) for words, pull in terms])


def _pull(pull: float) -> str:
    """A bar from the middle to the right (above 0) or left, as HTML."""
    width = 50 * abs(pull)
    start = 50 if pull > 0 else 50 - width
    return (
        '<span style="display:inline-block;width:96px;height:.7rem;position:relative;'
        "border-left:1px solid transparent;background:linear-gradient(currentColor,currentColor) center/1px 100% "
        'no-repeat">'
        f'<i style="position:absolute;top:1px;bottom:1px;left:{start:.1f}%;width:{width:.1f}%;'
        'background:light-dark(#3b4a8c,#a9b7f5)"></i></span>'
    )
