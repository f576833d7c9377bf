"""The BDD that costs least, by branch and bound over sets of splits.

For a given set of H splits, the best truth table predicts in each of the 2^H cells the class that costs least there. So
the optimum over all BDDs of depth H is the optimum over sets, and neither the order of the splits nor the table needs
to be searched (`sets`, and `solvers.kernels.bdd_search` for the bounds). The order and the cells without rows only
affect the size, which is minimized second (`smallest`).

Example
-------
>>> BddSearch().run(Problem(dataset, Shape(ShapeKind.BDD, max_depth=4)), Limits(), print, stop)  # doctest: +SKIP
"""

import threading
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ....constraints import MaxColumns
from ....problem import Column, Dataset, Kind, Limits, Problem, Schema, Shape, ShapeKind, Thresholds
from ...base import Method, Option, Unsupported
from ...features import features_of
from ...search.context import SearchContext
from ..options import PAPER, THRESHOLDS, UNSEEN, only_bdds, too_many_levels
from ..priced import NodePenalty
from ..ruled.rules import POSTS, is_ruled, post, unruled
from ..table import Unseen
from .search import PenalizedSearch, SearchRun

SOLVED_UNSEEN = replace(UNSEEN, default=Unseen.SOLVED.value)
"""'As solved' means the table with the smallest diagram."""

TOLERANCE = Option(
    name="tolerance",
    label="Extra errors of listed diagrams",
    help="Also lists all sets of splits within this many errors of the best.",
    values=(),
    default="1",
)


class BddSearch(Method):
    """Our exact search. Its parameters are in `options`."""

    name = "bdd-search"
    title = "BDD search (exact)"
    kinds = (ShapeKind.BDD,)
    exact = True
    summary = (
        "Finds the BDD of the chosen depth with the fewest training errors, then the fewest nodes, and proves it, "
        "usually within a second. Lists nearly optimal BDDs."
    )
    source = f"Own method, for the problem of {PAPER}"
    options = (THRESHOLDS, SOLVED_UNSEEN, TOLERANCE)

    def __init__(
        self,
        thresholds: str = THRESHOLDS.default,
        empty_cells: str = SOLVED_UNSEEN.default,
        tolerance: str = TOLERANCE.default,
    ) -> None:
        self._thresholds, self._unseen = Thresholds(thresholds), Unseen(empty_cells)
        self._tolerance = int(tolerance)

    def refusals(self, problem: Problem) -> Iterator[Unsupported]:
        """Refuse all but BDDs of at most 12 levels; node counts need the policy 'as solved'."""
        reasons = only_bdds(self.title, problem, nodes=True, posts=POSTS)
        if not reasons and is_ruled(problem):
            yield from unruled(self.title, problem, self._unseen)
            return
        if not reasons and NodePenalty.of_problem(problem).matters and self._unseen is not Unseen.SOLVED:
            yield Unsupported(
                f"A penalty or limit for splits with empty_cells = {self._unseen.value}",
                "The predictions of cells without rows decide how many splits there are.",
                "Set empty_cells to 'solved', or remove the split penalty and the limit on splits.",
            )
            return
        yield from reasons or too_many_levels(self.title, problem)

    def search(self, context: SearchContext) -> None:
        """Climb, search until cost and bound meet, then look for the smallest diagram of that cost.

        Raises `UnsupportedError` if the search would exceed the memory limit.
        """
        if is_ruled(context.problem):
            from ..ruled.search import ConstrainedSearch

            ruled = ConstrainedSearch(context, post(context.problem, self._thresholds))
            ruled.proceed()
            ruled.finish(self._unseen)
            return
        features = features_of(context.problem, self._thresholds)
        charged = NodePenalty.of_problem(context.problem).matters
        run = PenalizedSearch(context, features) if charged else SearchRun(context, features)
        search = run.start()
        if search is not None and not charged:
            run.solve(search, self._tolerance * context.problem.scale)
        else:
            if search is not None and isinstance(run, PenalizedSearch):
                run.proceed()
            # with a split penalty, the list of nearly optimal sets would depend on the number of nodes
            run.list_those([run.best], False)
        run.finish(self._unseen)

    def precompile(self, constraints: bool = False) -> None:
        """Compile the kernels or load them from cache, for two and for three classes, by solving a small table."""
        rng = np.random.default_rng(0)
        schema = Schema(tuple(Column(f"x{j}", Kind.BINARY, ("no", "yes")) for j in range(6)))
        rules = (MaxColumns(4),) if constraints else ()
        for n_classes in (2, 3):
            labels = np.arange(40) % n_classes
            dataset = Dataset("warm-up", schema, rng.integers(0, 2, (40, 6)), labels, ("a", "b", "c"), "class")
            problem = Problem(dataset, Shape(ShapeKind.BDD, max_depth=4), constraints=rules)
            self.run(problem, Limits(), lambda event: None, threading.Event())
