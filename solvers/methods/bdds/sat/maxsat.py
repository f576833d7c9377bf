"""The method `bdd-maxsat`: the BDD of at most H splits with the least cost, by MaxSAT. The model is in `models`."""

from contextlib import suppress

from ....solution import Scope
from ...features import add_facts, features_of
from ...sat.refusals import refuse_larger
from ...sat.search import search
from ...search.context import SearchContext
from ...search.deadline import SearchEndedError
from ..options import CANDIDATES, THRESHOLDS, UNSEEN
from ..table import Unseen, bdd_of
from .consistent import BddSat
from .models import BddModel, size_of
from .start import features_of_cart, greedy_bdd


class BddMaxSat(BddSat):
    """BDDs with the least cost by MaxSAT. The parameters are in `options`."""

    name = "bdd-maxsat"
    title = "MaxSAT-BDD"
    imports = ("pysat.examples.rc2", "sklearn.tree")
    options = (CANDIDATES, UNSEEN, THRESHOLDS)
    summary = (
        "Finds a binary decision diagram of limited depth with the fewest errors, by maximum satisfiability. Proves "
        "small problems; on larger ones you get the best diagram so far and a lower bound."
    )

    def __init__(
        self,
        candidates: str = CANDIDATES.default,
        empty_cells: str = UNSEEN.default,
        thresholds: str = THRESHOLDS.default,
    ) -> None:
        super().__init__(empty_cells, thresholds)
        self.heuristic = candidates == "cart"

    def search(self, context: SearchContext) -> None:
        """Search, and report incumbents and lower bounds as they are found.

        Raises `UnsupportedError` if the formula would exceed the memory limit.
        """
        problem, every = context.problem, features_of(context.problem, self.thresholds)
        features, depth = every, min(context.problem.size.max_depth, len(every))
        if self.heuristic and depth:
            features = features_of_cart(problem, every, depth, context.limits.seed)
        n_rows, n_features = len(features.cases), len(features)
        depth = min(depth, n_features)
        context.stats |= {"questions": n_features, "distinct rows": n_rows}
        context.offer(bdd_of(problem, (), Unseen.PARENT))
        with suppress(SearchEndedError):
            context.prove(features.cases.base if depth else context.incumbent_cost)
            refuse_larger(size_of(n_rows, n_features, depth).literals, context.limits)
            context.offer(greedy_bdd(problem, features, depth, self.unseen))
            context.prove(features.cases.base)
            model = BddModel(features, depth, soft=True, pause=context.pause)
            context.stats["encoding"] = model.formula.size.to_json()
            search(model, lambda true: model.diagram(problem, true, self.unseen), context, features.cases.base)
        add_facts(context, every)
        if n_features < len(every) and context.cost != problem.unavoidable_cost:
            context.scope = Scope.CART
