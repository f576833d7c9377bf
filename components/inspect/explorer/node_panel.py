"""The selected node: its conditions, predicted risk, rows by class, and the rows themselves."""

import numpy as np
import streamlit as st

from components.inspect.evidence.figures import split_figure
from components.messages.text import MINUS, count, html, interval, percent, plain
from components.session import state
from components.session.work import Run
from components.widgets import footer, shown_rows, style
from components.widgets.shown_rows import NamedRows
from solvers.diagram import Diagram, Leaf, NodeId, Split, class_colours
from solvers.diagram.labels import answer, question, spoken
from solvers.diagram.words import MAX_TRIED, MAX_WAYS, merge_paths, never_had, ways
from solvers.messages.costs import positive_first
from solvers.metrics import labels_of, leaf_risks, node_bars, rate
from solvers.metrics.risks import SMALL
from solvers.problem import Dataset, LinearPredicate, MissingPolicy, Op, Predicate, Schema
from solvers.report.blocks import rate_cell

_TABLE_HEIGHT = 210
_SHOWN_ROWS = 1000


def show(diagram: Diagram, data: Dataset, number: NodeId, *, note: str | None = None) -> None:
    """Draw the panel of a node with the rows of `data` and a note.

    Raises `DataError` if the data lack a column, or have a missing value that the model does not accept.
    """
    rows = np.flatnonzero(diagram.reach(data)[:, number])
    node, X = diagram.nodes[number], diagram.encode(data)
    paths, complete = paths_to(diagram, number, X[rows])
    st.markdown(f"**{plain(title(diagram, number), 200)}**")
    st.caption(_conditions(number, paths, complete))
    if isinstance(node, Leaf):
        _show_risk(diagram, data, number)
    else:
        _show_distribution(diagram, data, number, node)
    _show_classes(diagram, data, rows)
    if note:
        st.caption(plain(note, 300))
    if len(rows) < SMALL:
        st.caption(f":material/warning: Only {count(len(rows), 'row')}: the observed shares are uncertain.")
    if isinstance(node, Split):
        for sentence in unknown_values(diagram.schema, node, X[rows]):
            st.caption(plain(sentence, 400))
        if isinstance(node.predicate, LinearPredicate):
            _show_terms(node.predicate, diagram.schema, X)
    if len(paths) > 1:
        with st.expander("Paths to this node"):
            st.html(style.table(("Path", "Rows"), [(html(words, 300), count(n)) for words, n in paths]))


def title(diagram: Diagram, number: NodeId) -> str:
    """The split or the prediction of a node."""
    node = diagram.nodes[number]
    if isinstance(node, Leaf):
        return f"Prediction: {diagram.outcome} is {diagram.classes[node.label]}"
    # the terms of a sum are listed below
    text = question if isinstance(node.predicate, LinearPredicate) else spoken
    return f"Split: {text(node.predicate, diagram.schema, missing=number in diagram.may_miss)}"


def _conditions(number: NodeId, paths: tuple[tuple[str, int], ...], complete: bool) -> str:
    if number == 0:
        return "All rows"
    if len(paths) == 1 and complete:
        return f"Rows with {plain(paths[0][0], 600)}"
    if not paths:
        return "No row can reach this node" if complete else "Rows from many paths"
    return f"Rows from {'' if complete else 'more than '}{count(len(paths), 'path')}"


def _show_risk(diagram: Diagram, data: Dataset, number: NodeId) -> None:
    """Draw the predicted risk of a leaf in large type, and below it the observed share with its interval and rows."""
    leaf = next(one for one in leaf_risks(diagram, data) if one.node == number)
    observed, name = leaf.observed, html(answer(diagram, leaf.of_class), 40)
    rows = f"{count(observed.k)} of {count(observed.n, 'row')}, 95% interval {interval(observed)}"
    below = rows if observed.n else "no rows"
    term = "Predicted share" if diagram.positive is None else "Predicted risk"
    st.html(
        f'<div class="risk"><b>{percent(leaf.predicted)}</b> <span>{term}: {name}</span><br>'
        f"<small>Observed in the rows shown: {below}</small></div>"
    )


def _show_distribution(diagram: Diagram, data: Dataset, number: NodeId, node: Split) -> None:
    """Draw the values of a split by class; nothing if no row has one."""
    bars = node_bars(diagram, data, number).get(number)
    if bars is not None:
        unit = "rows" if data.weight is None else "weight"
        style.chart(split_figure(bars, diagram, node.predicate, unit, state.dark()), "split_figure")


def _show_classes(diagram: Diagram, data: Dataset, rows: np.ndarray) -> None:
    weight = None if data.weight is None else data.weight[rows]
    labels = labels_of(diagram, data)[rows]
    weights = np.bincount(labels, weight, len(diagram.classes))
    colours = class_colours(len(diagram.classes), diagram.positive)
    lines = [
        (
            style.swatch(colours[k]) + html(answer(diagram, k), 40),
            count(float(weights[k])),
            style.cell(rate_cell(rate(labels == k, weight))),
        )
        for k in positive_first(diagram)
    ]
    head = ("Class", "n" if weight is None else "Weight", "Observed (95% interval)")
    st.html(style.table(head, [*lines, ("All", count(float(weights.sum())), "")]))


def unknown_values(schema: Schema, split: Split, X: np.ndarray) -> tuple[str, ...]:
    """How a split treats unknown values; X has the rows that reach it."""
    predicate = split.predicate
    out = [f"{words}: no prediction (never seen in training)." for words in never_had(schema, predicate.columns)]
    if schema.missing is MissingPolicy.COMPLETE or (isinstance(predicate, Predicate) and predicate.op is Op.MISSING):
        return tuple(out)
    for name in dict.fromkeys(predicate.columns):
        if schema[name].has_missing:
            case = np.where(np.arange(len(schema)) == schema.index(name), np.nan, 0.0)
            words = predicate.words_at(schema, case, bool(predicate.holds(schema, case.reshape(1, -1))[0]))
            out.append(f"{words} ({count(int(np.isnan(X[:, schema.index(name)]).sum()), 'row')} here).")
    return tuple(out)


def paths_to(diagram: Diagram, number: NodeId, X: np.ndarray) -> tuple[tuple[tuple[str, int], ...], bool]:
    """The paths to a node as text, each with its number of rows of the matrix X; and whether the list is complete.

    The path with most rows comes first; the root has none.
    """
    if number == 0:
        return (), True
    answers: dict[NodeId, np.ndarray] = {}
    found: dict[str, int] = {}
    for tried, path in enumerate(ways(diagram, number)):
        if len(found) == MAX_WAYS or tried == MAX_TRIED:
            return _most_first(found), False
        conditions = merge_paths(diagram, path)
        if conditions is None:
            continue
        here = np.ones(len(X), bool)
        for split, yes in path:
            if split not in answers:
                answers[split] = diagram.split(split).predicate.holds(diagram.schema, X)
            here &= answers[split] == yes
        words = " and ".join(conditions)
        found[words] = found.get(words, 0) + int(here.sum())
    return _most_first(found), True


def _most_first(found: dict[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(found.items(), key=lambda path: -path[1]))


def terms(predicate: LinearPredicate, schema: Schema, X: np.ndarray) -> tuple[tuple[str, float], ...]:
    """The terms of a weighted sum as text, and the influence of each, the largest first.

    The influence is the weight times the standard deviation, as a share of the largest. Above 0 it leads towards no.
    """
    words, pulls = [], []
    for name, level, weight in predicate.terms:
        column, values = schema[name], X[:, schema.index(name)]
        known = values[~np.isnan(values)]
        known = known if level is None else known == level
        # no exponents: '-0.0000998' is easier to read than '-9.98e-05'
        digits = f"{float(f'{weight:.4g}'):+.12f}".rstrip("0").rstrip(".")
        words.append(f"{digits} {column.title if level is None else f'[{column.title} is {column.levels[level]}]'}")
        pulls.append(weight * float(known.std()) if len(known) else 0.0)
    largest = max(map(abs, pulls)) or 1.0
    shares = ((word, pull / largest) for word, pull in zip(words, pulls, strict=True))
    return tuple(sorted(shares, key=lambda term: -abs(term[1])))


def _show_terms(predicate: LinearPredicate, schema: Schema, X: np.ndarray) -> None:
    """Show the influence of each column of a weighted sum."""
    rows = [(html(words, 60), f"{pull:+.0%}".replace("-", MINUS)) for words, pull in terms(predicate, schema, X)]
    st.html(style.table(("Term", f"to yes ({MINUS}) or no (+)"), rows))
    st.caption("How far each feature moves the sum in these rows, against the one that moves it most.")


def show_rows(run: Run, diagram: Diagram, named: NamedRows, number: NodeId, key: str) -> None:
    """Draw the shown rows that reach a node, with a button that saves them; raises like `show`."""
    reached = np.flatnonzero(diagram.reach(named.data)[:, number])
    n = len(reached)
    if n == 0:
        # Streamlit cannot draw or save a table without rows; held-out rows often miss a small leaf
        st.caption("None of the rows shown reach this node.")
        return
    rows = NamedRows(named.name, named.data.take(reached))
    footer.link()
    shown = rows.data.take(np.arange(min(n, _SHOWN_ROWS))).frame()
    st.dataframe(shown.rename_axis("row"), height=_TABLE_HEIGHT, key=f"rows_{key}")
    if n > _SHOWN_ROWS:
        st.caption(f"First {count(_SHOWN_ROWS)} rows; the file has all.")
    shown_rows.offer(
        f"Download {count(n, 'row')} (CSV)",
        run,
        rows.name,
        rows.data.frame,
        "node",
        number,
        key=f"download_{key}",
    )
