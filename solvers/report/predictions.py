"""Class, probabilities, leaf and path for each row of a table, next to columns that identify the row."""

import csv
import io
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..diagram import Diagram, describe_no_answer, describe_refusal
from ..errors import DataError
from ..problem import MissingPolicy, Table, Unknown
from ..problem.tables import as_table, free_name
from ..problem.texts import abbreviate, cell_text
from ..spreadsheet import safe_cell


class Predictions(NamedTuple):
    """The predictions of a model for the rows of a table.

    Attributes
    ----------
    text : one line per row, as CSV that a spreadsheet reads as text and numbers only: the columns 'row' (counted from
        1), 'class', one 'p(...)' per class, 'leaf' (its node number) and 'path'; a '_' is appended to these names if a
        kept column has the same name.
    refused : why rows, counted from 0, have no prediction: neither class nor leaf; their 'path' has the same text.
    """

    text: str
    refused: dict[int, str]


def table_predictions(
    diagram: Diagram,
    rows: pd.DataFrame | Table,
    unknown: Unknown = Unknown.ERROR,
    keep: Sequence[str] = (),
    more: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Predictions:
    """The predictions for the rows of a raw table.

    Parameters
    ----------
    diagram : the model.
    rows : the raw table.
    unknown : how to treat rows if a split needs a value that no training row has; refused rows have neither class nor
        leaf, and their 'path' says why, and which predictions are possible.
    keep : the table's columns to include, after the row number.
    more : further columns, after these.

    Raises `DataError` if the table lacks a column that is used by a split or kept.
    """
    table = diagram.schema.as_trained(as_table(rows), diagram.raw_features)
    if absent := [name for name in keep if name not in table.names]:
        raise DataError(f"The table has no column '{absent[0]}' to keep. The table has: {abbreviate(table.names)}.")
    unread: dict[int, str] = {}
    prepared = diagram.prepared(table, unread)
    left = diagram.schema.encode(prepared.table, frozenset(diagram.features), strict=False)
    refused = dict.fromkeys(range(table.n_rows), f"no prediction: {diagram.scope}")
    for row in prepared.rows.tolist():
        del refused[row]
    found = _refuse(diagram, left, prepared.table, unknown)
    refused |= {int(prepared.rows[i]): why for i, why in found.items()}
    refused |= {row: f"no prediction: {why}" for row, why in unread.items()}
    X = np.zeros((table.n_rows, left.shape[1]))
    X[prepared.rows] = left
    # any value: the predictions of these rows are not written
    X[list(refused)] = 0.0
    if unknown is Unknown.ERROR:
        stops = diagram.stops(X)
        stopped = [i for i in np.flatnonzero(stops >= 0).tolist() if i not in refused]
        refused |= {i: describe_refusal(diagram, int(stops[i]), X[i]) for i in stopped}
    kept = {name: table.columns[name].cells(slice(None)) for name in keep} | dict(more)
    return Predictions(_written(diagram, X, refused, kept), refused)


def _written(diagram: Diagram, X: np.ndarray, refused: Mapping[int, str], kept: Mapping[str, Sequence[object]]) -> str:
    """The predictions as CSV for rows as encoded by the model's schema, X, float64 (n_samples, n_columns)."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    own = ("row", "class", *(f"p({name})" for name in diagram.classes), "leaf", "path")
    number, *rest = (free_name(name, list(map(str, kept))) for name in own)
    table.writerow([number, *(safe_cell(str(name)) for name in kept), *rest])
    leaves, shares, labels, paths = diagram.apply(X), diagram.predict_proba(X), diagram.predict(X), _paths(diagram, X)
    for i, *cells in zip(range(len(X)), *kept.values(), strict=True):
        answer = [diagram.classes[labels[i]], *(f"{share:.6g}" for share in shares[i]), leaves[i], paths[i]]
        if i in refused:
            answer = [*[""] * (len(answer) - 1), refused[i]]
        answer[0], answer[-1] = safe_cell(answer[0]), safe_cell(answer[-1])
        table.writerow([i + 1, *(safe_cell(cell_text(cell)) for cell in cells), *answer])
    return out.getvalue()


def _refuse(diagram: Diagram, X: np.ndarray, table: Table, unknown: Unknown) -> dict[int, str]:
    """Why rows have no prediction whatever their path.

    A text that is not a value of its column, infinite in X, has no branch; a model of complete rows refuses rows with a
    missing value in a column that it uses.
    """
    no_value = np.isinf(X)
    if diagram.schema.missing is MissingPolicy.COMPLETE:
        used = np.isin(diagram.schema.names, diagram.features)
        no_value |= np.isnan(X) & used
    more = " A text that is not a level, number or date has no branch to follow." if unknown is Unknown.IGNORE else ""
    out = {}
    for i in np.flatnonzero(no_value.any(axis=1)).tolist():
        names = [diagram.schema.names[j] for j in np.flatnonzero(no_value[i])]
        cells = [table.columns[name].cells(slice(i, i + 1))[0] for name in names]
        gone = np.isnan(X[i, [diagram.schema.index(name) for name in names]])
        texts = [(name, "missing" if one else cell) for name, cell, one in zip(names, cells, gone, strict=True)]
        out[i] = describe_no_answer(diagram, texts, np.where(no_value[i], np.inf, X[i])) + (
            more if np.isinf(X[i]).any() else ""
        )
    return out


def _paths(diagram: Diagram, X: np.ndarray) -> list[str]:
    """The conditions on the path of each row; the text is made once for rows with the same path and missing values."""
    gone = np.isnan(X[:, [diagram.schema.index(name) for name in diagram.features]])
    traits = np.hstack((diagram.reach(X), gone))
    ways, first, way = np.unique(traits, axis=0, return_index=True, return_inverse=True)
    traces = [diagram.path(X[first[k]]) for k in range(len(ways))]
    words = [" and ".join(step.words for step in trace.steps) or "always" for trace in traces]
    return [words[k] for k in way.ravel()]
