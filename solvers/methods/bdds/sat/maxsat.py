"""The method `bdd-maxsat`: the BDD of at most H questions with the least cost, by MaxSAT. See the package."""

from collections.abc import Iterable

from ....problem import Problem, ShapeKind, Thresholds
from ...base import Unsupported
from ...features import features_of
from ...sat.options import COLUMNS, ORDER, SEARCH, START
from ...sat.refusals import refuse_larger, too_deep
from ...sat.row_search import RowSearch
from ...sat.rows import rows_of
from ...sat.search import SearchStrategy, search
from ...sat.start import Columns, Start, columns_of_cart, greedy_questions
from ...search.context import SearchContext
from ...search.driver import SearchMethod
from ..options import PAPER, THRESHOLDS, UNSEEN
from ..table import Unseen, bdd_of
from ..unsupported import only_bdds
from .models import MOST_LEVELS, BddEncoding, BddModel, OrderPolicy, size_of


class BddMaxSat(SearchMethod):
    """BDDs with the least cost by MaxSAT; `options` tells its parameters."""

    name = "bdd-maxsat"
    title = "MaxSAT-BDD"
    kinds = (ShapeKind.BDD,)
    exact = True
    imports = ("pysat.examples.rc2", "sklearn.tree")
    summary = (
        "Finds the binary decision diagram of at most so many questions that has the fewest errors, by maximum "
        "satisfiability. Proves small problems; on larger ones incumbent and bound show how far it came."
    )
    source = PAPER
    options = (ORDER, SEARCH, START, COLUMNS, UNSEEN, THRESHOLDS)

    def __init__(
        self,
        order: str = ORDER.default,
        search: str = SEARCH.default,
        start: str = START.default,
        columns: str = COLUMNS.default,
        empty_cells: str = UNSEEN.default,
        thresholds: str = THRESHOLDS.default,
    ) -> None:
        self.order, self.formula_search, self.start = OrderPolicy(order), SearchStrategy(search), Start(start)
        self.columns, self.unseen, self.thresholds = Columns(columns), Unseen(empty_cells), Thresholds(thresholds)
        self.exact = self.columns is Columns.ALL
        # where no solver has filled in a table, there is nothing 'as solved'
        self._open = Unseen.PARENT if self.unseen is Unseen.SOLVED else self.unseen

    def refusals(self, problem: Problem) -> Iterable[Unsupported]:
        """BDDs that are limited by the number of questions on a path alone."""
        return (*only_bdds(self.title, problem, nodes=False), *too_deep(self.title, problem, MOST_LEVELS))

    def search(self, context: SearchContext) -> None:
        """Search; incumbents and bounds are reported as they come.

        Raises `UnsupportedError` where the formula would need more memory than the limit allows.
        """
        problem, limits = context.problem, context.limits
        features = features_of(problem, self.thresholds)
        depth = min(problem.size.max_depth, len(features))
        columns = None
        if self.columns is Columns.CART and depth:
            columns = columns_of_cart(problem, features, depth, limits.seed)
        rows = rows_of(features, columns)
        known = RowSearch(context, rows)

        def work() -> None:
            levels = min(depth, len(rows.columns))
            if levels == 0:
                known.prove(known.cost)
            refuse_larger(size_of(len(rows), len(rows.columns), levels, BddEncoding.BDD2).literals, limits)
            if self.start is Start.GREEDY:
                questions = rows.questions(greedy_questions(rows, levels, context.due))
                context.offer(bdd_of(problem, questions, self._open))
                known.prove(rows.base)
            model = BddModel(rows, levels, BddEncoding.BDD2, self.order, soft=True, pause=context.pause)
            context.stats["encoding"] = model.formula.size.to_json()
            search(self.formula_search, model, lambda true: model.diagram(problem, true, self.unseen), known)

        known.run([bdd_of(problem, (), Unseen.PARENT)], work)
