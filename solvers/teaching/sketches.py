"""Trees built by hand: splits at positions, which are `slots`, with undo and redo."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ..diagram import Diagram
from ..errors import ShapeError
from ..methods.trees.slots import Slot, above, depth_of, no_of, steps, yes_of
from ..methods.trees.tree_of_splits import diagram_of_questions
from ..problem import Predicate, Problem


class Drawn(NamedTuple):
    """A sketch as a diagram, and the position of each node.

    Each leaf predicts the class with the lowest cost for the training rows there.
    """

    diagram: Diagram
    slots: tuple[Slot, ...]


@dataclass(frozen=True)
class Sketch:
    """The splits of a tree by their positions; a position below a split that has none itself is a leaf."""

    questions: Mapping[Slot, Predicate] = field(default_factory=dict)

    def rows_at(self, problem: Problem, slot: Slot) -> np.ndarray:
        """The training rows that reach a position, as positions in the table int64 (n,)."""
        rows = np.arange(problem.dataset.n_samples)
        for place, answer in steps(slot):
            yes = self.questions[place].holds(problem.dataset.schema, problem.dataset.X[rows])
            rows = rows[yes == answer]
        return rows

    def drawn(self, problem: Problem) -> Drawn:
        """The tree with leaves for the training rows of a problem."""
        slots = [0]
        for slot in slots:
            if slot in self.questions:
                slots += [yes_of(slot), no_of(slot)]
        return Drawn(diagram_of_questions(problem, self.questions), tuple(slots))

    def asking(self, problem: Problem, slot: Slot, predicate: Predicate) -> Sketch:
        """The sketch with a split at a position; what was at and below it is removed.

        Raises
        ------
        ShapeError
            The position is too deep, or the split leaves all of its rows on one side.
        """
        if depth_of(slot) >= problem.size.max_depth:
            raise ShapeError(
                f"At most {problem.size.max_depth} questions may follow each other on a path. Split further up, or "
                f"choose a larger depth."
            )
        rows = self.rows_at(problem, slot)
        yes = predicate.holds(problem.dataset.schema, problem.dataset.X[rows])
        if yes.all() or not yes.any():
            words = predicate.words(problem.dataset.schema)
            raise ShapeError(
                f"All {len(rows)} rows here have the same answer to '{words}'. Choose a question that divides them."
            )
        return Sketch({**self.pruned(slot).questions, slot: predicate})

    def pruned(self, slot: Slot) -> Sketch:
        """The sketch with a leaf at a position."""
        return Sketch({s: question for s, question in self.questions.items() if slot not in (s, *above(s))})


@dataclass(frozen=True)
class History:
    """A sketch with earlier and undone versions."""

    now: Sketch = Sketch()
    past: tuple[Sketch, ...] = ()
    future: tuple[Sketch, ...] = ()

    def then(self, sketch: Sketch) -> History:
        """Continue with another sketch; undone ones are discarded."""
        return self if sketch == self.now else History(sketch, (*self.past, self.now))

    def undone(self) -> History:
        """Undo the last step; unchanged if there is none."""
        if not self.past:
            return self
        return replace(self, now=self.past[-1], past=self.past[:-1], future=(self.now, *self.future))

    def redone(self) -> History:
        """Redo a step; unchanged if there is none."""
        if not self.future:
            return self
        return replace(self, now=self.future[0], past=(*self.past, self.now), future=self.future[1:])
