"""The method `bdd-maxsat`: the BDD of at most H questions with the least cost, by MaxSAT. See the package."""

from __future__ import annotations

from solvers.methods.base import Unsupported
from solvers.methods.bdds.options import THRESHOLDS, UNSEEN
from solvers.methods.bdds.sat.models import MOST_LEVELS, BddModel, Encoding, Order, size_of
from solvers.methods.bdds.table import Unseen, bdd_of
from solvers.methods.bdds.unsupported import only_bdds
from solvers.methods.features import features_of
from solvers.methods.sat.columns import Columns, columns_of_cart
from solvers.methods.sat.live import Live
from solvers.methods.sat.options import COLUMNS, ORDER, SEARCH, START
from solvers.methods.sat.reporting import asked, carry_out, message, refuse_larger, too_deep
from solvers.methods.sat.rows import rows_of
from solvers.methods.sat.search import Search, search
from solvers.methods.sat.start import Start, greedy_questions
from solvers.methods.search.clock import Clock
from solvers.problem import Limits, Problem, ShapeKind, Thresholds
from solvers.solution import Emit, Solution, Started, Stop


class BddMaxSat:
    """BDDs with the least cost by MaxSAT.

    Parameters
    ----------
    order, search, start, columns, unseen, thresholds : see `options`.
    """

    name = "bdd-maxsat"
    title = "MaxSAT-BDD"
    kinds = (ShapeKind.BDD,)
    exact = True
    summary = (
        "Finds the binary decision diagram of at most so many questions that has the fewest errors, by maximum "
        "satisfiability. Proves small problems; on larger ones incumbent and bound show how far it came."
    )
    source = (
        "Hu, Huguet, Siala: Optimizing Binary Decision Diagrams with MaxSAT for Classification. AAAI 2022, "
        "doi:10.1609/aaai.v36i4.20291."
    )
    options = (ORDER, SEARCH, START, COLUMNS, UNSEEN, THRESHOLDS)

    def __init__(
        self,
        order: str = ORDER.default,
        search: str = SEARCH.default,
        start: str = START.default,
        columns: str = COLUMNS.default,
        unseen: str = UNSEEN.default,
        thresholds: str = THRESHOLDS.default,
    ) -> None:
        self.order, self.search, self.start = Order(order), Search(search), Start(start)
        self.columns, self.unseen, self.thresholds = Columns(columns), Unseen(unseen), Thresholds(thresholds)
        self.exact = self.columns is Columns.ALL
        # where no solver has filled in a table, there is nothing 'as solved'
        self._open = Unseen.PARENT if self.unseen is Unseen.SOLVED else self.unseen

    def check(self, problem: Problem) -> tuple[Unsupported, ...]:
        """BDDs that are limited by the number of questions on a path alone."""
        return (*only_bdds(self.title, problem, nodes=False), *too_deep(self.title, problem, MOST_LEVELS))

    def run(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """Solve; incumbents and bounds are told as they come.

        Raises
        ------
        UnsupportedError
            The formula would need more memory than the limit allows.
        """
        clock = Clock()
        emit(Started(self.name))
        features = features_of(problem, self.thresholds)
        depth = min(problem.size.max_depth, len(features))
        columns = None
        if self.columns is Columns.CART and depth:
            columns = columns_of_cart(problem, features, depth, limits.seed)
        rows = rows_of(features, columns)
        live = Live(problem, rows, limits, clock, emit, stop)

        def work() -> None:
            levels = min(depth, len(rows.columns))
            if levels == 0:
                live.prove(live.cost)
            refuse_larger(size_of(len(rows), len(rows.columns), levels, Encoding.BDD2).literals, limits)
            if self.start is Start.GREEDY:
                live.adopt(bdd_of(problem, rows.questions(greedy_questions(rows, levels, live.due)), self._open))
                live.prove(rows.base)
            model = BddModel(rows, levels, Encoding.BDD2, self.order, soft=True, pause=live.pause)
            live.stats["encoding"] = model.formula.size.to_json()
            search(self.search, model, lambda true: model.diagram(problem, true, self.unseen), live)

        carry_out(live, bdd_of(problem, (), Unseen.PARENT), work)
        live.stats["proved over these questions"] = live.proved
        what = f"BDD of at most {asked(problem.size.max_depth)}"
        return live.ended(self.name, message(live, what))

    def warm(self, constraints: bool = False) -> None:
        """Import the solver, and CART's."""
        import pysat.examples.rc2  # noqa: F401
        import sklearn.tree  # noqa: F401
