"""ODD: an optimal decision diagram as a mixed-integer linear program (Florio, Martins, Schiffer, Serra and Vidal 2023).

The model is built once in plain arrays and passed to a solver: in `program`, `network` has topology, flows and
objective, and `univariate` and `hyperplanes` are the forms of the splits; `mip.cell_program` has the constraints. Short
heuristics give the solver a first incumbent. Every diagram is checked before it counts, and only the models give
proofs: the local search of `odd-search` is used here, its lower bounds are not.

Example
-------
>>> shape = Shape(kind="diagram", widths=(1, 2, 4))  # doctest: +SKIP
>>> Odd(backend="highs").run(Problem(dataset, shape, objective_of(0.1, 150)), Limits(), print, stop)  # doctest: +SKIP
"""

from collections.abc import Iterable, Iterator
from itertools import islice

from ....problem import Problem, ShapeKind
from ...base import Method, Option, Unsupported
from ...mip.backend import Backend
from ...mip.gurobi import Gurobi
from ...mip.highs import HiGHS
from ...search.context import SearchContext
from ...search.deadline import Deadline
from .. import greedy
from ..draft import DiagramDraft
from ..odd_search.formulation import grid_of, unsupported
from ..odd_search.method import OddSearch
from ..odd_search.multivariate.search import Climber
from ..odd_search.search import LocalSearch
from ..program.growth import ProgramGrowth, first_offers, refusals
from ..program.network import frame_of
from ..terms import Terms

SHARE = 0.05
"""Time limit for first diagrams: this share of the time."""

MOST_OPTIMA = 40
"""The largest number of local optima of weighted sums to start from."""

WORK, MOST_WORK, SLICE = 30_000, 20_000_000, 1_000_000
"""Elements that the local search scans per row, in all at most, and in one step."""


def first_drafts(context: SearchContext, terms: Terms | None, tree: bool) -> Iterator[DiagramDraft]:
    """Diagrams of the paper's own first step, built top-down, and of a local search.

    `terms` are those of weighted sums; `None` if splits are univariate. With `tree`, the local search over sums is
    restricted to trees.
    """
    problem, seed = context.problem, context.limits.seed
    brief, built = greedy.first_drafts(context, SHARE)
    used = frame_of(problem.size, problem.dataset.n_classes).widths
    yield from (draft for draft in built if draft.fits(used))
    if terms is None:
        yield from _by_column(problem, seed, brief)
    else:
        yield from _by_sums(terms, seed, brief, tree)


def _by_column(problem: Problem, seed: int, brief: Deadline) -> Iterator[DiagramDraft]:
    """A local search that re-optimises node by node; none if it does not support the constraints."""
    if any(unsupported("", problem)):
        return
    grid = grid_of(problem)
    search = LocalSearch(grid, seed)
    budget = min(MOST_WORK, WORK * problem.dataset.n_samples)
    while search.work < budget and not brief.due():
        nodes = search.advance(min(SLICE, budget))
        if nodes is not None:
            yield grid.draft(nodes)


def _by_sums(terms: Terms, seed: int, brief: Deadline, tree: bool) -> Iterator[DiagramDraft]:
    """A local search along lines in the space of weights."""
    if not len(terms):
        return
    for diagram in islice(Climber(terms, seed, brief.due, tree=tree).optima(), MOST_OPTIMA):
        draft = diagram.draft()
        if draft is not None:
            yield draft


BACKENDS: dict[str, tuple[Backend, ...]] = {
    "auto": (Gurobi(), HiGHS()),
    "highs": (HiGHS(),),
    "gurobi": (Gurobi(),),
}
"""The solvers of each choice, tried in this order."""


class Odd(Method):
    """The complete formulation of the paper; `options` has its parameters."""

    name = "odd"
    title = "ODD (MIP)"
    kinds = (ShapeKind.DIAGRAM,)
    exact = True
    summary = (
        "Solves the decision diagram as a mixed-integer linear program, with splits on one feature or weighted sums, "
        "under fairness, parsimony and stability constraints. Proves small tables."
    )
    source = (
        "Florio, Martins, Schiffer, Serra, Vidal: Optimal Decision Diagrams for Classification. AAAI 2023, "
        "doi:10.1609/aaai.v37i6.25920."
    )
    imports = ("highspy", "scipy.optimize")
    uses = (OddSearch,)
    options = (
        Option.among(
            "backend",
            "Solver",
            "Gurobi is faster and needs a licence; without a licence, the limit is 2,000 variables and 2,000 rows. "
            "HiGHS takes any size.",
            {"auto": "Gurobi if its licence allows the size, or else HiGHS", "highs": "HiGHS", "gurobi": "Gurobi"},
        ),
        Option.among(
            "topology",
            "Topology",
            "Whether branches may rejoin. In a tree, every split has one path to it.",
            {"learned": "learned: branches may rejoin", "tree": "tree"},
        ),
    )

    def __init__(self, backend: str = "auto", topology: str = "learned") -> None:
        self._backends, self._tree = BACKENDS[backend], topology == "tree"

    def refusals(self, problem: Problem) -> Iterable[Unsupported]:
        """Refuse all but diagrams with supported rules, of a size for which a model can be built."""
        return refusals(self.title, problem)

    def search(self, context: SearchContext) -> None:
        """Offer first diagrams, then solve one model after another until incumbent and bound meet.

        Raises `UnsupportedError` if the chosen solver is not available, or its licence does not allow the size.
        """
        context.deadline.memory = True
        offers = first_offers(context, tree=self._tree)
        if offers is None:
            return
        growth = ProgramGrowth(offers, self._backends, tree=self._tree)
        growth.refuse_larger()
        if not (context.proved or context.due()):
            for draft in first_drafts(context, offers.terms, self._tree):
                offers.offer(draft)
        growth.go_on(context.deadline)

    def counterpart(self) -> Method | None:
        """The search for diagrams, which has no restriction to trees."""
        return None if self._tree else OddSearch()

    def parallel(self, problem: Problem) -> bool:
        """The linear solvers are parallel."""
        return True
