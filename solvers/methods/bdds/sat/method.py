"""Two methods: `bdd-sat` for BDDs without avoidable errors and with as few splits as possible, by SAT; and
`bdd-maxsat` for the BDD of at most H splits with the least cost, by MaxSAT. The model is in `formulation`.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from ....diagram import Diagram, Split
from ....problem import Problem, ShapeKind, Thresholds
from ....solution import EndReason, FewestQuestions, Scope
from ...base import Method, Option, Unsupported
from ...features import Features, add_facts, features_of
from ...sat.oracle import Oracle
from ...sat.refusals import fits, refuse_larger
from ...sat.search import search
from ...search.context import SearchContext
from ...search.deadline import SearchEndedError
from ...trees.cart import class_stakes
from ..options import CANDIDATES, PAPER, THRESHOLDS, UNSEEN, only_bdds, too_many_levels
from ..subsets.method import BddSearch
from ..subsets.sets import SetSearch
from ..table import Unseen, bdd_of
from .formulation import BddModel, size_of

FIRST_DEPTH = 7
"""The depth that is tried first, as in the paper; the largest allowed depth if that is less."""


class BddSat(Method):
    """BDDs of minimum depth without avoidable errors. The parameters are in `options`."""

    name = "bdd-sat"
    title = "SAT-BDD (minimum depth)"
    kinds = (ShapeKind.BDD,)
    exact = True
    imports: tuple[str, ...] = ("pysat.solvers",)
    summary = (
        "Finds the binary decision diagram without training errors with the fewest splits, by SAT. If the depth is "
        "too small, finds the fewest errors."
    )
    source = PAPER
    uses = (BddSearch,)
    options: tuple[Option, ...] = (UNSEEN, THRESHOLDS)

    def __init__(self, empty_cells: str = UNSEEN.default, thresholds: str = THRESHOLDS.default) -> None:
        self.unseen, self.thresholds = Unseen(empty_cells), Thresholds(thresholds)

    def refusals(self, problem: Problem) -> Iterable[Unsupported]:
        """Refuse all but BDDs that are limited by depth only."""
        return (*only_bdds(self.title, problem, nodes=False), *too_many_levels(self.title, problem))

    def search(self, context: SearchContext) -> None:
        """Find the least depth without avoidable errors; if there is none, the fewest errors.

        Raises `UnsupportedError` if the formula would exceed the memory limit.
        """
        features = features_of(context.problem, self.thresholds)
        context.stats |= {"questions": len(features), "distinct rows": len(features.cases)}
        context.offer(bdd_of(context.problem, (), Unseen.PARENT))
        depths = _Depths(self.unseen, context, features, min(context.problem.size.max_depth, len(features)))
        with suppress(SearchEndedError):
            context.prove(features.cases.base)
            depths.work()
        add_facts(context, features)
        depths.finish()


@dataclass
class _Depths:
    """The linear search for the least depth.

    Attributes
    ----------
    unseen : the policy for cells without rows.
    context, features : the problem and its candidate splits.
    most : the largest useful depth: that of the shape, or the number of features.
    refuted : the largest depth at which every BDD makes an avoidable error; `None` before the search.
    fewest : the least depth at which a BDD without avoidable errors is known; `None` if none is known.
    """

    unseen: Unseen
    context: SearchContext
    features: Features
    most: int
    refuted: int | None = None
    fewest: int | None = None

    def work(self) -> None:
        """Try depths, first down and then up; if all are refuted, find the fewest errors at the largest."""
        self.context.stats["depths"] = []
        self.refuted = 0  # a constant prediction makes an avoidable error, or the run would have ended
        if self.most == 0:
            self.context.prove(self.context.incumbent_cost)
        self._start()
        depth = min(FIRST_DEPTH, self.most if self.fewest is None else self.fewest - 1)
        refuse_larger(self._n_literals(depth), self.context.limits)
        while depth > self.refuted and depth != self.fewest:
            if not fits(self._n_literals(depth), self.context.limits):
                self.context.log(f"A formula for {depth} splits would need more memory than the limit.")
                self.context.end(EndReason.MEMORY_LIMIT)
                return
            if self._holds(depth):
                assert self.fewest is not None
                depth = self.fewest - 1
            else:
                self.refuted = depth
                depth += 1
            if self.refuted == self.most:
                # a model that costs more than the base exceeds it by at least the smallest regret
                cases = self.features.cases
                regret = cases.regret[:, cases.useful_classes]
                self.context.prove(cases.base + int(regret[regret > 0].min()))
                self._fewest_errors()
                return
        self.context.prove(self.context.incumbent_cost)

    def finish(self) -> None:
        """Record what is known of the fewest splits."""
        n_questions, least = None, 0 if self.refuted is None else self.refuted + 1
        if self.context.cost == self.features.cases.base:
            n_questions = _n_questions(self.context.incumbent)
            self.context.size_open = least < n_questions
        too_few = self.refuted == self.most < len(self.features)
        self.context.detail(fewest_questions=FewestQuestions(least, n_questions, too_few))

    def _start(self) -> None:
        """Offer a greedy BDD; if it makes no avoidable errors, only smaller depths are tried."""
        context = self.context
        context.offer(greedy_bdd(context.problem, self.features, self.most, self.unseen))
        if context.cost == self.features.cases.base:
            self.fewest = _n_questions(context.incumbent)

    def _n_literals(self, depth: int) -> int:
        return size_of(len(self.features.cases), len(self.features), depth).literals

    def _model(self, depth: int, soft: bool) -> BddModel:
        model = BddModel(self.features, depth, soft=soft, pause=self.context.pause)
        self.context.stats["encoding"] = model.formula.size.to_json()
        return model

    def _holds(self, depth: int) -> bool:
        """Whether there is a BDD of this depth without avoidable errors; if so, it becomes the incumbent."""
        context, begun = self.context, self.context.elapsed
        context.report(f"Is there a BDD of {depth} splits without avoidable errors?")
        model = self._model(depth, soft=False)
        with Oracle(model.formula, context.due) as oracle:
            holds = bool(oracle.solve())
            n_conflicts = oracle.n_conflicts
            true = oracle.true() if holds else None
        seconds = round(context.elapsed - begun, 3)
        figures = {"depth": depth, "holds": holds, "seconds": seconds, "conflicts": n_conflicts}
        context.stats["depths"].append(figures | context.stats["encoding"])
        answer = "there is one" if holds else "refuted"
        context.log(f"A BDD of {depth} splits without avoidable errors: {answer}.")
        if true is not None:
            diagram = model.diagram(context.problem, true, self.unseen)
            # the diagram may omit some of the chosen splits
            self.fewest = _n_questions(diagram)
            context.offer(diagram)
            context.prefer(diagram)
        return holds

    def _fewest_errors(self) -> None:
        """Find the fewest errors at the largest depth, with the same model as `bdd-maxsat`."""
        model, problem = self._model(self.most, soft=True), self.context.problem
        search(model, lambda true: model.diagram(problem, true, self.unseen), self.context, self.features.cases.base)


def _n_questions(diagram: Diagram) -> int:
    """The number of different splits in a diagram."""
    return len({node.predicate for node in diagram.nodes if isinstance(node, Split)})


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


def greedy_bdd(problem: Problem, features: Features, depth: int, unseen: Unseen) -> Diagram:
    """The BDD of `greedy_questions`; no solver has filled a table, so 'as solved' means 'like the parent' here."""
    questions = [features.predicates[f] for f in greedy_questions(features, depth)]
    return bdd_of(problem, questions, Unseen.PARENT if unseen is Unseen.SOLVED else unseen)


def features_of_cart(problem: Problem, features: Features, depth: int, seed: int) -> Features:
    """The features that a CART tree (Gini) of this depth splits on; all if it has no split.

    `depth` is at least 1; `seed` decides between equally good splits. The heuristic variant of Hu, Huguet and Siala
    (2022), section 4.
    """
    from sklearn.tree import DecisionTreeClassifier

    weights = problem.weights * class_stakes(problem)[problem.dataset.y]
    tree = DecisionTreeClassifier(criterion="gini", max_depth=depth, random_state=seed)
    used = tree.fit(features.bits, problem.dataset.y, sample_weight=weights).tree_.feature
    chosen = np.unique(used[used >= 0])
    return features.take(problem, chosen) if len(chosen) else features


def greedy_questions(features: Features, depth: int) -> np.ndarray:
    """Splits with a cheap truth table: the best further split each time, then exchanges while they help.

    Returns int (depth,), features in ascending order. There must be at least `depth` features, and `depth` at least 1.
    """
    search = SetSearch(features, depth)
    search.climb(np.random.default_rng(0))
    return np.sort(search.best)
