"""The method `bdd-sat`: BDDs without avoidable errors and with as few questions as possible, by SAT."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ....diagram import Diagram, Split
from ....problem import Problem, ShapeKind, Thresholds
from ....solution import EndReason, FewestQuestions
from ...base import Unsupported
from ...features import features_of
from ...sat.options import ENCODING, ORDER, START
from ...sat.oracle import Oracle
from ...sat.refusals import fits, refuse_larger, too_deep
from ...sat.row_search import RowSearch
from ...sat.rows import rows_of
from ...sat.search import from_above
from ...sat.start import Start, greedy_questions
from ...search.context import SearchContext
from ...search.driver import SearchMethod
from ..options import PAPER, THRESHOLDS, UNSEEN
from ..table import Unseen, bdd_of
from ..unsupported import only_bdds
from .models import MOST_LEVELS, BddEncoding, BddModel, OrderPolicy, size_of

FIRST_DEPTH = 7
"""The depth that is tried first, as in the paper, or the largest that is allowed where that is less."""


class BddSat(SearchMethod):
    """BDDs of minimum depth without avoidable errors; `options` tells its parameters."""

    name = "bdd-sat"
    title = "SAT-BDD (minimum depth)"
    kinds = (ShapeKind.BDD,)
    exact = True
    imports = ("pysat.solvers",)
    summary = (
        "Finds the binary decision diagram that gets every row right with the fewest questions, by "
        "satisfiability. Where there is none up to the depth, it looks for the fewest errors."
    )
    source = PAPER
    options = (ENCODING, ORDER, START, UNSEEN, THRESHOLDS)

    def __init__(
        self,
        encoding: str = ENCODING.default,
        order: str = ORDER.default,
        start: str = START.default,
        empty_cells: str = UNSEEN.default,
        thresholds: str = THRESHOLDS.default,
    ) -> None:
        self.encoding, self.order, self.start = BddEncoding(encoding), OrderPolicy(order), Start(start)
        self.unseen, self.thresholds = Unseen(empty_cells), Thresholds(thresholds)

    def refusals(self, problem: Problem) -> Iterable[Unsupported]:
        """BDDs that are limited by the number of questions on a path alone."""
        return (*only_bdds(self.title, problem, nodes=False), *too_deep(self.title, problem, MOST_LEVELS))

    def search(self, context: SearchContext) -> None:
        """Look for the least depth without avoidable errors, and where there is none for the fewest errors.

        Raises `UnsupportedError` where the formula would need more memory than the limit allows.
        """
        rows = rows_of(features_of(context.problem, self.thresholds))
        depths = _Depths(self, RowSearch(context, rows), min(context.problem.size.max_depth, len(rows.columns)))
        depths.known.run([bdd_of(context.problem, (), Unseen.PARENT)], depths.work)
        depths.finish()


@dataclass
class _Depths:
    """The linear search for the least depth.

    Attributes
    ----------
    most : the largest depth that makes sense: that of the shape, or the number of questions.
    refuted : the largest depth at which every BDD makes an avoidable error; `None` while there is none.
    found : the least depth at which a BDD without avoidable errors is known; `None` while there is none.
    """

    method: BddSat
    known: RowSearch
    most: int
    refuted: int | None = None
    found: int | None = None

    def __post_init__(self) -> None:
        self.context, self.rows = self.known.context, self.known.rows

    def work(self) -> None:
        """Try depths, first down and then up; where all are refuted, look for the fewest errors at the largest."""
        known = self.known
        self.context.stats["depths"] = []
        self.refuted = 0  # a single answer makes an avoidable error, or the run would have ended
        if self.most == 0:
            known.prove(known.cost)
        if self.method.start is Start.GREEDY:
            self._start()
        depth = min(FIRST_DEPTH, self.most if self.found is None else self.found - 1)
        refuse_larger(self._n_literals(depth), self.context.limits)
        while depth > self.refuted and depth != self.found:
            if not fits(self._n_literals(depth), self.context.limits):
                self.context.log(f"A formula for {depth} questions would need more memory than the limit.")
                self.context.end(EndReason.MEMORY_LIMIT)
                return
            if self._holds(depth):
                assert self.found is not None
                depth = self.found - 1
            else:
                self.refuted = depth
                depth += 1
            if self.refuted == self.most:
                # a model that costs more than the base costs at least the least regret more
                regret = self.rows.regret
                known.prove(self.rows.base + int(regret[regret > 0].min(initial=np.iinfo(np.int64).max)))
                self._fewest_errors()
                return
        known.prove(known.cost)

    def finish(self) -> None:
        """Note what is known of the fewest questions."""
        n_questions, least = None, 0 if self.refuted is None else self.refuted + 1
        if self.known.cost == self.rows.base:
            assert self.context.diagram is not None
            n_questions = _n_questions(self.context.diagram)
            self.context.size_open = least < n_questions
        too_few = self.refuted == self.most < len(self.rows.columns)
        self.context.detail(fewest_questions=FewestQuestions(least, n_questions, too_few))

    def _start(self) -> None:
        """Offer a greedy BDD; if it makes no avoidable errors, only fewer questions remain to be tried."""
        context = self.context
        questions = self.rows.questions(greedy_questions(self.rows, self.most, context.due))
        # no solver has filled in a table, so there is nothing 'as solved'
        unseen = Unseen.PARENT if self.method.unseen is Unseen.SOLVED else self.method.unseen
        context.offer(bdd_of(context.problem, questions, unseen))
        if context.cost == self.rows.base and context.diagram is not None:
            self.found = _n_questions(context.diagram)

    def _n_literals(self, depth: int) -> int:
        return size_of(len(self.rows), len(self.rows.columns), depth, self.method.encoding).literals

    def _model(self, depth: int, soft: bool) -> BddModel:
        method = self.method
        model = BddModel(self.rows, depth, method.encoding, method.order, soft=soft, pause=self.context.pause)
        self.context.stats["encoding"] = model.formula.size.to_json()
        return model

    def _holds(self, depth: int) -> bool:
        """Whether there is a BDD of this depth without avoidable errors; it becomes the incumbent."""
        context, begun = self.context, self.context.elapsed
        context.report(f"Is there a BDD of {depth} questions without avoidable errors?")
        model = self._model(depth, soft=False)
        with Oracle(model.formula, context.due) as oracle:
            holds = bool(oracle.solve())
            n_conflicts = oracle.n_conflicts
            true = oracle.true() if holds else None
        seconds = round(context.elapsed - begun, 3)
        figures = {"depth": depth, "holds": holds, "seconds": seconds, "conflicts": n_conflicts}
        context.stats["depths"].append(figures | context.stats["encoding"])
        answer = "there is one" if holds else "refuted"
        context.log(f"A BDD of {depth} questions without avoidable errors: {answer}.")
        if true is not None:
            diagram = model.diagram(context.problem, true, self.method.unseen)
            # the table may leave some of its questions out
            self.found = _n_questions(diagram)
            context.offer(diagram)
            context.prefer(diagram)
        return holds

    def _fewest_errors(self) -> None:
        """Look for the fewest errors at the largest depth, with the same model, by linear search from above."""
        model, problem = self._model(self.most, soft=True), self.context.problem
        from_above(model, lambda true: model.diagram(problem, true, self.method.unseen), self.known)


def _n_questions(diagram: Diagram) -> int:
    """How many different questions a diagram asks."""
    return len({node.predicate for node in diagram.nodes if isinstance(node, Split)})
