"""How a model keeps the constraints that were asked for, for the results of `fit`."""

from typing import Any, NamedTuple

from solvers.constraints import Constraint
from solvers.constraints.values import percent
from solvers.diagram import Diagram
from solvers.metrics import achieved
from solvers.metrics.words import count
from solvers.problem import Dataset, Problem
from solvers.solution import Solution
from solvers.sweeps.confirmation import Confirmation


def kept(problem: Problem, diagram: Diagram | None, dataset: Dataset) -> list[dict[str, Any]]:
    """Each constraint with what the model achieves on some rows; what there is none of is `None`.

    `value` and `limit` are in the unit of the constraint (shares from 0 to 1); `interval` is the 95 %
    interval of a share of rows, and `binds` says that there is no room left. Nothing without a model.
    """
    if diagram is None:
        return []
    return [_kept(constraint, diagram, dataset) for constraint in problem.constraints]


def _kept(constraint: Constraint, diagram: Diagram, dataset: Dataset) -> dict[str, Any]:
    figure = achieved(constraint, diagram, dataset)  # held-out rows may lack what the constraint speaks of
    value, seen = (None, None) if figure is None else (figure.value, figure.observed)
    limit = constraint.limit
    return {
        "kind": constraint.kind,
        "words": constraint.words(dataset),
        "holds": None if figure is None else figure.holds,
        "value": None if value is None else float(value),
        "limit": None if limit is None else float(limit),
        "shown": None if value is None else constraint.show(value),
        "binds": None if figure is None else constraint.binds(diagram, dataset),
        "interval": None if seen is None else [seen.low, seen.high],
    }


def lines_of(constraints: list[dict[str, Any]]) -> list[str]:
    """The same, a line each."""
    lines = []
    for constraint in constraints:
        room = ", no room left" if constraint["binds"] else ""
        value = "" if constraint["shown"] is None else f" ({constraint['shown']}{room})"
        lines.append(f"  {'holds' if constraint['holds'] else 'BROKEN'}: {constraint['words']}{value}")
    return lines


class Confirmed(NamedTuple):
    """What was asked with confidence, and the ladder on which rows kept aside confirmed it."""

    asked: Problem
    found: Confirmation

    def payload(self, solution: Solution) -> dict[str, Any]:
        """The same for programs: whether it is confirmed, and the constraints on the rows kept aside."""
        return {
            "confirmed": self.found.chosen is not None,
            "tried": len(self.found.rungs),
            "n_samples": self.found.aside.n_samples,
            "constraints": kept(self.asked, solution.diagram, self.found.aside),
        }

    def words(self, solution: Solution) -> list[str]:
        """The same in sentences, with what is guaranteed."""
        rows = f"the {self.found.aside.n_samples} rows kept aside"
        confidences = (getattr(constraint, "confidence", None) for constraint in self.asked.constraints)
        least = min(one for one in confidences if one is not None)
        if self.found.chosen is None:
            head = f"NOT CONFIRMED: not even the model for the strictest limits passes on {rows}; more rows may help."
        else:
            passed = count(sum(rung.confirmed for rung in self.found.rungs), "model")
            head = (
                f"Confirmed on {rows}: {passed} from the strictest limits down passed in turn, and this is the last. "
                "One that breaks a constraint on rows like these is chosen with a probability of at most "
                f"{percent(1 - least)}."
            )
        return ["", head, *lines_of(kept(self.asked, solution.diagram, self.found.aside))]
