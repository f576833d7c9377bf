"""The method `bdd-sat`: BDDs without avoidable errors and with as few questions as possible, by SAT."""

from __future__ import annotations

from dataclasses import dataclass

from solvers.diagram import Diagram, Split
from solvers.methods.base import Unsupported
from solvers.methods.bdds.options import THRESHOLDS, UNSEEN
from solvers.methods.bdds.sat.models import MOST_LEVELS, BddModel, Encoding, Order, size_of
from solvers.methods.bdds.table import Unseen, bdd_of
from solvers.methods.bdds.unsupported import only_bdds
from solvers.methods.features import features_of, note_on
from solvers.methods.sat.live import Live
from solvers.methods.sat.options import ENCODING, ORDER, START
from solvers.methods.sat.oracle import Oracle
from solvers.methods.sat.reporting import asked, carry_out, fits, message, refuse_larger, too_deep, why_ended
from solvers.methods.sat.rows import rows_of
from solvers.methods.sat.search import from_above
from solvers.methods.sat.start import Start, greedy_questions
from solvers.methods.search.clock import Clock
from solvers.problem import Limits, Problem, ShapeKind, Thresholds
from solvers.solution import Emit, Log, Progress, Solution, Started, Stop

FIRST_DEPTH = 7
"""The depth that is tried first, as in the paper, or the largest that is allowed where that is less."""


class BddSat:
    """BDDs of minimum depth without avoidable errors.

    Parameters
    ----------
    encoding, order, start, unseen, thresholds : see `options`.
    """

    name = "bdd-sat"
    title = "SAT-BDD (minimum depth)"
    kinds = (ShapeKind.BDD,)
    exact = True
    summary = (
        "Finds the binary decision diagram that gets every row right with the fewest questions, by "
        "satisfiability. Where there is none up to the depth, it looks for the fewest errors."
    )
    source = (
        "Hu, Huguet, Siala: Optimizing Binary Decision Diagrams with MaxSAT for Classification. AAAI 2022, "
        "doi:10.1609/aaai.v36i4.20291."
    )
    options = (ENCODING, ORDER, START, UNSEEN, THRESHOLDS)

    def __init__(
        self,
        encoding: str = ENCODING.default,
        order: str = ORDER.default,
        start: str = START.default,
        unseen: str = UNSEEN.default,
        thresholds: str = THRESHOLDS.default,
    ) -> None:
        self.encoding, self.order, self.start = Encoding(encoding), Order(order), Start(start)
        self.unseen, self.thresholds = Unseen(unseen), Thresholds(thresholds)

    def check(self, problem: Problem) -> tuple[Unsupported, ...]:
        """BDDs that are limited by the number of questions on a path alone."""
        return (*only_bdds(self.title, problem, nodes=False), *too_deep(self.title, problem, MOST_LEVELS))

    def run(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """Look for the least depth without avoidable errors, and where there is none for the fewest errors.

        Raises
        ------
        UnsupportedError
            The formula would need more memory than the limit allows.
        """
        clock = Clock()
        emit(Started(self.name))
        rows = rows_of(features_of(problem, self.thresholds))
        live = Live(problem, rows, limits, clock, emit, stop)
        depths = _Depths(self, live, min(problem.size.max_depth, len(rows.columns)))
        carry_out(live, bdd_of(problem, (), Unseen.PARENT), depths.work)
        live.open = depths.open
        return live.ended(self.name, depths.message())

    def warm(self, constraints: bool = False) -> None:
        """Import the solver."""
        import pysat.solvers  # noqa: F401


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
    live: Live
    most: int
    refuted: int | None = None
    found: int | None = None

    @property
    def open(self) -> bool:
        """Whether fewer questions than those of the best BDD may do, which makes no avoidable error."""
        live = self.live
        return live.cost == live.rows.base and self.refuted not in (None, _n_asked(live.diagram) - 1)

    def work(self) -> None:
        """Try depths, first down and then up; where all are refuted, look for the fewest errors at the largest."""
        live, rows = self.live, self.live.rows
        live.stats["depths"] = []
        self.refuted = 0  # a single answer makes an avoidable error, or the run would have ended
        if self.most == 0:
            live.prove(live.cost)
        if self.method.start is Start.GREEDY:
            self._start()
        depth = min(FIRST_DEPTH, self.most if self.found is None else self.found - 1)
        refuse_larger(self._n_literals(depth), live.limits)
        while depth > self.refuted and depth != self.found:
            if not fits(self._n_literals(depth), live.limits):
                live.gave_up = f"A formula for {depth} questions would need more memory than the limit"
                return
            if self._holds(depth):
                depth = self.found - 1
            else:
                self.refuted = depth
                depth += 1
            if self.refuted == self.most:
                live.prove(rows.base + rows.least_regret)
                self._fewest_errors()
                return
        live.prove(live.cost)

    def _start(self) -> None:
        """Adopt a greedy BDD; if it makes no avoidable errors, only fewer questions remain to be tried."""
        live = self.live
        questions = live.rows.questions(greedy_questions(live.rows, self.most, live.due))
        # no solver has filled in a table, so there is nothing 'as solved'
        unseen = Unseen.PARENT if self.method.unseen is Unseen.SOLVED else self.method.unseen
        live.adopt(bdd_of(live.problem, questions, unseen))
        if live.cost == live.rows.base:
            self.found = _n_asked(live.diagram)

    def _n_literals(self, depth: int) -> int:
        rows = self.live.rows
        return size_of(len(rows), len(rows.columns), depth, self.method.encoding).literals

    def _model(self, depth: int, soft: bool) -> BddModel:
        method = self.method
        model = BddModel(self.live.rows, depth, method.encoding, method.order, soft=soft, pause=self.live.pause)
        self.live.stats["encoding"] = model.formula.size.to_json()
        return model

    def _holds(self, depth: int) -> bool:
        """Whether there is a BDD of this depth without avoidable errors; it becomes the incumbent."""
        live, begun = self.live, self.live.clock.elapsed
        live.emit(Progress(begun, f"Is there a BDD of {depth} questions without avoidable errors?"))
        model = self._model(depth, soft=False)
        with Oracle(model.formula, live.due) as oracle:
            holds = bool(oracle.solve())
            n_conflicts = oracle.n_conflicts
            true = oracle.true() if holds else None
        seconds = round(live.clock.elapsed - begun, 3)
        figures = {"depth": depth, "holds": holds, "seconds": seconds, "conflicts": n_conflicts}
        live.stats["depths"].append(figures | live.stats["encoding"])
        answer = "there is one" if holds else "refuted"
        live.emit(Log(live.clock.elapsed, f"A BDD of {depth} questions without avoidable errors: {answer}."))
        if holds:
            diagram = model.diagram(live.problem, true, self.method.unseen)
            # the table may leave some of its questions out
            self.found = _n_asked(diagram)
            live.adopt(diagram)
            live.prefer(diagram)
        return holds

    def _fewest_errors(self) -> None:
        """Look for the fewest errors at the largest depth, with the same model, by linear search from above."""
        model = self._model(self.most, soft=True)
        from_above(model, lambda true: model.diagram(self.live.problem, true, self.method.unseen), self.live)

    def message(self) -> str:
        """What is known of the least depth, and of the fewest errors."""
        live, depth = self.live, self.live.problem.size.max_depth
        if self.refuted is not None and self.refuted == self.most < len(live.rows.columns):
            first = f"Every BDD of at most {asked(depth)} makes avoidable errors: proved. "
            return first + message(live, f"BDD of at most {asked(depth)}")
        if live.cost > live.rows.base:
            return message(live, f"BDD of at most {asked(depth)}")
        found = _n_asked(live.diagram)
        said = f"A BDD of {asked(found)} makes no avoidable error"
        if not self.open:
            said += ", and none of fewer questions does: proved." if found else ": a single answer is always right."
        else:
            said += f"; at least {self.refuted + 1} are needed. {why_ended(live)} before it was clear whether fewer do."
        note = note_on(live.rows.features)
        return f"{said} {note}" if note else said


def _n_asked(diagram: Diagram) -> int:
    """How many different questions a diagram asks."""
    return len({node.predicate for node in diagram.nodes if isinstance(node, Split)})
