"""ODD: an optimal decision diagram as a mixed-integer linear program (Florio, Martins, Schiffer, Serra and Vidal 2023).

The model is built once in plain arrays and passed to a solver: in `program`, `network` has topology, flows and
objective, `univariate` and `hyperplanes` are the forms of the splits, and `rules` has the constraints.

Example
-------
>>> shape = Shape(kind="diagram", widths=(1, 2, 4))  # doctest: +SKIP
>>> Odd(backend="highs").run(Problem(dataset, shape, objective_of(0.1, 150)), Limits(), print, stop)  # doctest: +SKIP
"""

from collections.abc import Iterable

from ....problem import Problem, ShapeKind
from ...base import Method, Option, Unsupported
from ...mip.backend import Backend
from ...mip.gurobi import Gurobi
from ...mip.highs import HiGHS
from ...search.context import SearchContext
from ..odd_search.method import OddSearch
from ..program.growth import ProgramGrowth, first_offers
from ..program.limits import refusals
from .start import first_drafts

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
