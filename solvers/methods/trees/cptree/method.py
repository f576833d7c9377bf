"""The method: its description, what it supports, and the facts about its result. See the package for how it works."""

from collections.abc import Iterator

from ....constraints import rules_of
from ....magnitude import EXACT_FLOAT
from ....problem import Problem, ShapeKind
from ....solution import EndReason, PartialScope, Scope
from ...base import Method, Option, Unsupported, only_trees, uncounted
from ...search.context import SearchContext
from ..contree import small_tables
from .monotone import POST
from .questions import MOST_QUESTIONS, choose_questions

MOST_LEVELS = 6
"""A tree of more levels has more slots than the solver can handle."""

BINS = Option.among(
    "bins",
    "Bins per feature",
    "Number of bins of about equal size whose boundaries are the thresholds. Proofs hold among these thresholds.",
    {
        "fitting": "as many as fit, at most ten",
        "all": "every threshold",
        "2": "2",
        "3": "3, as in the paper",
        "4": "4",
        "5": "5",
        "10": "10",
    },
)


class CPTree(Method):
    """Trees under domain constraints as a constraint program.

    With `fitting` bins, all thresholds are used if there are at most `MOST_QUESTIONS` splits, see `choose_questions`.
    Without `bounds`, those of the exact search, CP-SAT must prove everything alone, and proves little.
    """

    name = "cptree"
    title = "CPTree (constraints)"
    kinds = (ShapeKind.TREE,)
    imports = ("ortools.sat.python.cp_model", "scipy.optimize")
    exact = True
    summary = (
        "Finds the tree with the fewest errors under constraints by constraint programming (CP-SAT). Takes every kind "
        "of constraint; uses all thresholds if there are few, or else quantiles."
    )
    source = (
        "Nanfack, Temple, Frénay: Learning Customised Decision Trees for Domain-knowledge Constraints. Pattern "
        "Recognition 142, 2023, doi:10.1016/j.patcog.2023.109610."
    )
    options = (BINS,)

    def __init__(self, bins: str = BINS.default, bounds: bool = True) -> None:
        self.most_questions, self.bounds = None if bins == "all" else MOST_QUESTIONS, bounds
        self.bins = int(bins) if bins.isdecimal() else None

    def refusals(self, problem: Problem) -> Iterator[Unsupported]:
        """Supports trees of at most six levels, under every rule that is posted."""
        reasons, levels = tuple(only_trees(self.title, problem, POST)), problem.size.max_depth
        yield from reasons or uncounted(self.title, problem, rules_of(problem), EXACT_FLOAT >> levels)
        if levels > MOST_LEVELS:
            yield Unsupported(
                f"A tree of {levels} levels",
                f"{self.title} takes at most {MOST_LEVELS}.",
                f"Lower the depth, or limit the leaves to {MOST_LEVELS + 1}.",
            )

    def search(self, context: SearchContext) -> None:
        """Let the exact search bound the cost, then search until incumbent and bound meet or the search is due.

        Raises `UnsupportedError` if the model needs more memory than the limit.
        """
        from .search import QuestionSearch

        rules = rules_of(context.problem)
        questions = choose_questions(context.problem.dataset, rules, self.most_questions, self.bins)
        search = QuestionSearch(context, rules, questions)
        impossible = search.run(self.bounds)
        if impossible and questions.complete:
            context.refute(solver=context.details.solver)
        elif not questions.complete:
            n_splits, proved = len(questions.predicates), impossible or search.proved
            context.detail(part=PartialScope(Scope.QUANTILES, n_splits, bound=search.bound, proved=proved))
            if search.gap_reached:
                context.end(EndReason.WITHIN_GAP)

    def parallel(self, problem: Problem) -> bool:
        """Always true: CP-SAT uses several threads."""
        return True

    def precompile(self, constraints: bool = False) -> None:
        """Import CP-SAT, and compile the exact search or load it from its cache."""
        from ..coupled.optimum import prepare

        super().precompile(constraints)
        for dataset in small_tables():
            prepare(dataset)
