"""A case that is changed: one answer reversed, a value put in, or the smallest change that gives another answer."""

from collections.abc import Collection, Mapping

import numpy as np

from components.words.text import count
from solvers.diagram import Diagram, Step
from solvers.metrics import Counterfactual, Moved, counterfactual, crossing, spreads
from solvers.problem import Dataset, Predicate

CAUTION = "It tells how the model decides, not what a treatment would do."


def changed(diagram: Diagram, values: np.ndarray, edits: Mapping[str, Moved]) -> np.ndarray:
    """The matrix values of a case with some columns changed, float64 (n_columns,)."""
    out = np.array(values, np.float64)
    for name, edit in edits.items():
        out[diagram.schema.index(name)] = edit.after
    return out


def reversal(diagram: Diagram, values: np.ndarray, step: Step, data: Dataset) -> Moved | None:
    """The smallest change of the column of a step that reverses its answer; `None` for a weighted sum."""
    predicate = diagram.split(step.node).predicate
    if not isinstance(predicate, Predicate):
        return None
    j = diagram.schema.index(predicate.column)
    return crossing(diagram.schema, predicate, values[j], not step.answer, _unit(diagram, data)[j])


def with_edit(
    diagram: Diagram, values: np.ndarray, made: Mapping[str, Moved], name: str, edit: Moved | float
) -> dict[str, Moved]:
    """The changes of a case with one more of a column, a move or a value; none of it where it is as it was."""
    before = float(values[diagram.schema.index(name)])
    others = {column: one for column, one in made.items() if column != name}
    after = edit.after if isinstance(edit, Moved) else float(edit)
    if before == after or (np.isnan(before) and np.isnan(after)):
        return others
    ends = (edit.low, edit.high) if isinstance(edit, Moved) else ()
    return others | {name: Moved(name, before, after, 1.0, *ends)}


def edit_words(diagram: Diagram, edit: Moved) -> str:
    """What was changed, for instance 'age 70 instead of 50'."""
    column = diagram.schema[edit.column]
    if np.isfinite(edit.low) or np.isfinite(edit.high):
        return edit.words(diagram.schema)
    before, after = (column.format(value) or "missing" for value in (edit.before, edit.after))
    return f"{edit.column} {after} instead of {before}"


def nearest(
    diagram: Diagram, values: np.ndarray, data: Dataset, fixed: Collection[str] = ()
) -> tuple[str, Counterfactual | None]:
    """The nearest case with another prediction, in a sentence, and the case itself where there is one.

    Raises `DiagramError` if the model asks about weighted sums, or has too many paths.
    """
    found = counterfactual(diagram, values, _unit(diagram, data), fixed=fixed)
    if found is None:
        stay = "stays as it is" if len(fixed) == 1 else "stay as they are"
        held = f" while {', '.join(fixed)} {stay}" if fixed else ""
        return f"No change leads to another answer{held}.", None
    words = " and ".join(move.words(diagram.schema) for move in found.moved)
    fewest = f"{count(len(found.moved), 'column')} changed, and no smaller change does it"
    return f"The answer would be {diagram.classes[found.label]} with {words} ({fewest}).", found


def _unit(diagram: Diagram, data: Dataset) -> np.ndarray:
    """The unit of change of each column of the diagram, in the order of its schema."""
    by_name = dict(zip(data.schema.names, spreads(data), strict=True))
    return np.array([by_name.get(name, 1.0) for name in diagram.schema.names])
