"""`predict`: class, probabilities, leaf and reasons for each row of a file."""

import argparse
import csv
import io
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd

from solvers.cli.model import read_model, write
from solvers.diagram import Diagram, no_answer_words, refusal_words
from solvers.problem import Unknown, read_table
from solvers.spreadsheet import safe_cell


def run(options: argparse.Namespace) -> int:
    """Carry out `predict`."""
    diagram = read_model(options.model)
    table = read_table(
        options.data, header=not options.no_header, encoding=options.file_encoding, max_mb=options.max_mb
    )
    frame, rows = diagram.prepared(table.frame)
    left = diagram.encode(diagram.schema.encode(frame, frozenset(diagram.features), strict=False))
    unknown = Unknown(options.unknown)
    refused = dict.fromkeys(range(table.n_rows), f"no answer: {diagram.scope}")
    for row in rows.tolist():
        del refused[row]
    refused |= {int(rows[i]): why for i, why in _refused(diagram, left, frame, unknown).items()}
    # any value will do: what these rows would be answered is not told
    X = np.zeros((table.n_rows, left.shape[1]))
    X[rows] = np.where(np.isinf(left), 0.0, left)
    write(predictions(diagram, X, unknown, refused).encode(), options.out)
    return 0


def predictions(
    diagram: Diagram,
    X: np.ndarray,
    unknown: Unknown = Unknown.REFUSE,
    refused: Mapping[int, str] = MappingProxyType({}),
) -> str:
    """One line a row, as CSV that a spreadsheet takes for text and numbers only.

    Parameters
    ----------
    diagram : the model.
    X : float64 (n_samples, n_columns), rows as the model's schema encodes them.
    unknown : what becomes of rows of which a question asks a value that no training row has; those that are refused
        have neither class nor leaf, and say in 'path' why, and which answers are possible.
    refused : the same words for rows, counted from 0, that are refused whatever they are asked.

    Returns
    -------
    The columns 'row' (counted from 1), 'class', one 'p(...)' a class, 'leaf' (its node number) and 'path'.
    """
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["row", "class", *(f"p({name})" for name in diagram.classes), "leaf", "path"])
    leaves, shares = diagram.apply(X), diagram.predict_proba(X)
    labels, words = diagram.predict(X), _paths(diagram, X)
    stops = diagram.stops(X)
    for i in range(len(X)):
        why = refused.get(i)
        if why is None and stops[i] >= 0 and unknown is Unknown.REFUSE:
            why = refusal_words(diagram, int(stops[i]), X[i])
        if why is not None:
            table.writerow([i + 1, *[""] * (len(diagram.classes) + 2), safe_cell(why)])
            continue
        table.writerow(
            [
                i + 1,
                safe_cell(diagram.classes[labels[i]]),
                *(f"{share:.6g}" for share in shares[i]),
                leaves[i],
                safe_cell(words[i]),
            ]
        )
    return out.getvalue()


def _refused(diagram: Diagram, X: np.ndarray, cells: pd.DataFrame, unknown: Unknown) -> dict[int, str]:
    """Why rows with a text that is no value of its column, infinite in X, have no answer: no question can send it."""
    no_value = np.isinf(X)
    more = " A text that is no level, number or date cannot be followed." if unknown is Unknown.FOLLOW else ""
    out = {}
    for i in np.flatnonzero(no_value.any(axis=1)).tolist():
        names = [diagram.schema.names[j] for j in np.flatnonzero(no_value[i])]
        texts = [(name, cells[name].iloc[i].strip()) for name in names]
        out[i] = no_answer_words(diagram, texts, X[i]) + more
    return out


def _paths(diagram: Diagram, X: np.ndarray) -> list[str]:
    """What holds on the way of each row; rows that take the same way and miss the same values are worded once."""
    gone = np.isnan(X[:, [diagram.schema.index(name) for name in diagram.features]])
    traits = np.hstack((diagram.reach(X), gone))
    ways, first, way = np.unique(traits, axis=0, return_index=True, return_inverse=True)
    traces = [diagram.path(X[first[k]]) for k in range(len(ways))]
    words = [" and ".join(step.words for step in trace.steps) or "always" for trace in traces]
    return [words[k] for k in way.ravel()]
