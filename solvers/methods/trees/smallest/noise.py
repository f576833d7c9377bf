"""Rows that contradict each other: what may be done about them, and what is said of them."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import numpy as np

from solvers.methods.base import Option
from solvers.methods.trees.smallest.cases import Asked

SHOWN_ROWS = 10


class Noise(StrEnum):
    """What is done about rows that contradict each other."""

    FEWEST = "fewest"
    DROP = "drop"
    REFUSE = "refuse"


NOISE = Option(
    "noise",
    "Contradictions",
    "Rows that equal each other but for the class: make the fewest mistakes that they allow; leave the rows of the "
    "costlier classes out and list them; or end and name the rows.",
    tuple(Noise),
    Noise.FEWEST,
    ("Fewest mistakes", "Leave rows out", "Only name them"),
)


def noise_note(asked: Asked, noise: Noise, leaf: bool) -> str:
    """What there is to say about contradictions where the tree is or is not a single leaf; '' where there are none."""
    if not len(asked.contradictory):
        return ""
    rows = _rows(asked.contradictory)
    told = f"{rows} contradict each other: at least {len(asked.mistaken)} of them must be got wrong."
    if noise is Noise.DROP:
        told += f" {_rows(asked.mistaken)} {'was' if len(asked.mistaken) == 1 else 'were'} left out."
    elif noise is Noise.REFUSE:
        told += " Correct them, or choose 'drop' or 'fewest' for the option 'noise'."
    if asked.tied and not leaf and noise is not Noise.REFUSE:
        told += " Of classes that cost equally little the first is taken; with another a smaller tree might do."
    return told


def noise_figures(asked: Asked, noise: Noise) -> dict[str, Any]:
    """The figures about contradictions."""
    return {
        "contradictory rows": asked.contradictory.tolist(),
        "unavoidable mistakes": len(asked.mistaken),
        "rows left out": asked.mistaken.tolist() if noise is Noise.DROP else [],
    }


def _rows(numbers: np.ndarray) -> str:
    """Row numbers in words, the first few of many."""
    if len(numbers) == 1:
        return f"Row {numbers[0]}"
    shown = ", ".join(map(str, numbers[:SHOWN_ROWS]))
    return f"The rows {shown}{f' and {len(numbers) - SHOWN_ROWS} more' if len(numbers) > SHOWN_ROWS else ''}"
