"""Skeletons of decision diagrams, and their regularisation weight alpha.

A skeleton (w_0 w_1 ... w_{D-1}) allows at most w_l splits in layer l. Florio et al. (2023) minimise

    errors / n + alpha / (|V| - 1) * (splits below the root),            |V| = w_0 + ... + w_{D-1}

(equation 18). In whole errors a split below the root then costs alpha * n / (|V| - 1), which is an `Objective` with a
split penalty and a free root.

Example
-------
>>> PRESETS["I"].widths
(1, 2, 4, 8)
>>> objective_of(0.1, 75)
Objective(class_costs=None, split_penalty=0.5357, free_root=True)
"""

import math
import re
from dataclasses import dataclass, replace
from typing import Any

from ..errors import ShapeError
from .objective import Objective
from .problem import Shape, ShapeKind

DECIMALS = 4
"""Decimals of the split penalty: few enough that the costs of large tables fit 32-bit integers."""


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A named skeleton: its widths, and a one-sentence summary of its use."""

    name: str
    widths: tuple[int, ...]
    summary: str

    @property
    def n_questions(self) -> int:
        """The maximum number of splits of a diagram with this skeleton."""
        return sum(self.widths)

    def shape(self, **more: Any) -> Shape:
        """The shape of diagrams with this skeleton; `more` are further fields of `Shape`."""
        return Shape(kind=ShapeKind.DIAGRAM, widths=self.widths, **more)


PRESETS: dict[str, Skeleton] = {
    skeleton.name: skeleton
    for skeleton in (
        Skeleton("I", (1, 2, 4, 8), "As wide as a tree of depth 4: few splits per row, many different rows."),
        Skeleton("II", (1, 2, 4, 4, 4), "Five layers, at most four splits wide."),
        Skeleton("III", (1, 2, 3, 3, 3, 3), "Six layers, at most three splits wide."),
        Skeleton("IV", (1, 2, 2, 2, 2, 2, 2, 2), "Eight layers, two splits wide: long chains with few branches."),
    )
}
"""The skeletons I to IV of Florio et al. (2023), all with 15 splits. Their text prints III with one layer more, which
would be 18 splits; their experiments, and the '15 internal nodes' of the text, have six layers.
"""

REFERENCE = PRESETS["I"].n_questions
"""The number of splits |V| that alpha refers to; every preset has it."""


def read_widths(text: str) -> tuple[int, ...]:
    """Widths from a preset's name ('I' to 'IV') or from numbers such as '1,2,4,8' or '1 2 4 8'.

    Raises `ShapeError` if the text is neither, or if no skeleton can have these widths.
    """
    preset = PRESETS.get(text.strip().upper())
    if preset is not None:
        return preset.widths
    parts = [part for part in re.split(r"[\s,;]+", text.strip("()[] \t\n")) if part]
    if not parts or not all(part.isdecimal() for part in parts):
        names = ", ".join(PRESETS)
        raise ShapeError(f"A skeleton must be {names}, or the widths of its layers such as 1,2,4,8, but is '{text}'.")
    widths = tuple(int(part) for part in parts)
    Shape(kind=ShapeKind.DIAGRAM, widths=widths)
    return widths


def objective_of(alpha: float, total_weight: float, *, base: Objective | None = None) -> Objective:
    """The objective of equation (18), in errors; raises `ShapeError` if alpha is out of range.

    Parameters
    ----------
    alpha : at least 0; at 1 all splits of a preset together cost as much as errors in all rows.
    total_weight : the weight of all rows; without weights, their number.
    base : gives class costs; by default every error costs 1.
    """
    if not (math.isfinite(alpha) and alpha >= 0):
        raise ShapeError(f"alpha must be a number of at least 0, but is {alpha}.")
    price = round(alpha * total_weight / (REFERENCE - 1), DECIMALS)
    return replace(base or Objective(), split_penalty=price, free_root=True)


def alpha_of(objective: Objective, total_weight: float) -> float:
    """The alpha that gives this split penalty, up to the rounding of `objective_of`."""
    return objective.split_penalty * (REFERENCE - 1) / total_weight


def describe_alpha_in(alpha: float, total_weight: float, *, row: str = "row", rows: str = "rows") -> str:
    """The meaning of an alpha: 'one more split must save at least 2 rows'; `row` and `rows` are the nouns."""
    price = objective_of(alpha, total_weight).split_penalty
    if price == 0:
        return "splits are free"
    saved = math.ceil(price)
    return f"one more split must save at least {saved} {row if saved == 1 else rows}"
