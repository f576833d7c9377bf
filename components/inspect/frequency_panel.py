"""The result in words first: natural frequencies as a sentence and a bar."""

from typing import NamedTuple

import numpy as np
import streamlit as st

from components.messages.text import count, html
from components.model.once import once
from components.session.work import FinishedModel, Prepared, Run
from components.widgets.shown_rows import NamedRows
from solvers.diagram import Diagram, class_colours
from solvers.errors import EspalierError
from solvers.metrics import diagnose
from solvers.metrics.catalogue import describe_class
from solvers.problem import Dataset
from solvers.problem.identifiers import words_of

_USUAL, _FEW, _MOST = 1_000, 200, 1_000_000
"""Number of rows to which frequencies refer; a tenth of it below `_FEW` rows, to avoid false precision."""
_MOST_CLASSES = 4


class Part(NamedTuple):
    """A part of the rows: its number, meaning and colour, and whether its predictions are wrong."""

    n: int
    meaning: str
    colour: str
    wrong: bool


Sentence = tuple[tuple[str, Part | None], ...]
"""A sentence in pieces, each with the part that it counts."""


def apportion(weights: np.ndarray) -> tuple[int, np.ndarray]:
    """Weights as whole numbers, int64 like `weights`, and their sum, which is a power of ten.

    The largest remainders are rounded up. The sum is large enough that no part with rows becomes 0, up to a million.
    """
    total = float(weights.sum())
    per = _USUAL // 10 if total < _FEW else _USUAL
    while True:
        exact = weights.ravel() * (per / total)
        whole = np.floor(exact).astype(np.int64)
        whole[np.argsort(whole - exact, kind="stable")[: per - int(whole.sum())]] += 1
        if per >= _MOST or not ((whole == 0) & (exact > 0)).any():
            return per, whole.reshape(weights.shape)
        per *= 10


def noun_of(prepared: Prepared) -> str:
    """'patients' if a column has a different patient number in each row, else 'rows'."""
    n, numbers = prepared.source.table.n_rows, (one for one in prepared.source.reports if one.identifier)
    alone = any("patient" in words_of(one.name) and one.n_distinct == n for one in numbers)
    return "patients" if alone and prepared.train.division.groups is None else "rows"


def frequencies(diagram: Diagram, data: Dataset, noun: str) -> tuple[Sentence, tuple[Part, ...]]:
    """The predictions for rows as natural frequencies, by class, and the parts in the order of a bar.

    Raises `DataError` if the model cannot predict a row.
    """
    per, n = apportion(diagnose(diagram, data, None).confusion)
    colours = class_colours(len(diagram.classes), diagram.positive)
    begin = f"Of {count(per)} {noun} like these,"
    if data.positive is None or data.n_classes != 2:
        return _by_class(begin, n, data, colours)
    yes, no = data.positive, 1 - data.positive
    name = describe_class(data, yes)
    found, missed = Part(n[yes, yes], f"found: {name}", colours[yes], False), _missed(n[yes, no], name, colours[yes])
    alarms = Part(n[no, yes], "false alarms", colours[no], True)
    cleared = Part(n[no, no], "correctly not flagged", colours[no], False)
    flagged, having = found.n + alarms.n, found.n + missed.n
    sentence = (
        (f"{begin} {count(flagged)} {_are(flagged)} flagged as {name}.", None),
        (f"{count(found.n)}", found),
        (f"of the {count(having)} with {name} {_are(found.n)} among them,", None),
        (f"{count(missed.n)} {_are(missed.n)} missed,", missed),
        ("and", None),
        (f"{count(alarms.n)} {'is a false alarm' if alarms.n == 1 else 'are false alarms'}.", alarms),
    )
    return sentence, (found, missed, alarms, cleared)


def _by_class(begin: str, n: np.ndarray, data: Dataset, colours: tuple[str, ...]) -> tuple[Sentence, tuple[Part, ...]]:
    """The correct predictions of each class."""
    right, more = int(n.trace()), data.n_classes - _MOST_CLASSES
    sentence: list[tuple[str, Part | None]] = [(f"{begin} {count(right)} {_are(right)} predicted correctly:", None)]
    parts: list[Part] = []
    for k, row in enumerate(n):
        name, of = describe_class(data, k), int(row.sum())
        correct = Part(int(row[k]), f"correct: {name}", colours[k], False)
        parts += [correct, _missed(of - correct.n, name, colours[k])]
        end = "." if k == data.n_classes - 1 else ","
        sentence.append((f"{count(correct.n)} of the {count(of)} with {name}{end}", correct))
    if more > 0:
        sentence[_MOST_CLASSES + 1 :] = [(f"and so on for {count(more, 'other class', 'other classes')}.", None)]
    return tuple(sentence), tuple(parts)


def _missed(n: int, name: str, colour: str) -> Part:
    return Part(n, f"missed: {name}", colour, True)


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


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
