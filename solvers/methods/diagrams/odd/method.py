"""ODD: an optimal decision diagram as a mixed-integer linear program (Florio, Martins, Schiffer, Serra and Vidal 2023).

The model is built once in plain arrays and handed to a solver: `network` has topology, flows and objective, `ladders`,
`thresholds` and `hyperplanes` are forms of the questions, `rules` has the constraints.

Example
-------
>>> shape = Shape(kind="diagram", widths=(1, 2, 4))  # doctest: +SKIP
>>> Odd(backend="highs").run(Problem(dataset, shape, objective_of(0.1, 150)), Limits(), print, stop)  # doctest: +SKIP
"""

from __future__ import annotations

from dataclasses import replace

from solvers.constraints import rules_of
from solvers.constraints.rules import Rules
from solvers.errors import UnsupportedError
from solvers.methods.base import Method, Option, Unsupported, infeasible, no_tree, only_kind, unposted
from solvers.methods.diagrams.odd.frame import frame_of
from solvers.methods.diagrams.odd.hyperplanes import Hyperplanes
from solvers.methods.diagrams.odd.live import Best, Judge, Listener
from solvers.methods.diagrams.odd.network import Network
from solvers.methods.diagrams.odd.result import Work, solution_of
from solvers.methods.diagrams.odd.rules import POSTS, post
from solvers.methods.diagrams.odd.start import first_drafts
from solvers.methods.diagrams.odd.unsupported import against_sums, questions_of, too_large, too_many_ways
from solvers.methods.diagrams.odd_search.method import OddSearch
from solvers.methods.mip.backend import WHOLE_GAP, Backend, End, Request, TooLarge
from solvers.methods.mip.exact import solve_by
from solvers.methods.mip.gurobi import Gurobi
from solvers.methods.mip.highs import HiGHS
from solvers.methods.search.clock import Clock
from solvers.methods.search.ending import Ending
from solvers.problem import Limits, Problem, ShapeKind
from solvers.solution import Emit, Log, Solution, Started, Stop

BACKENDS: dict[str, tuple[Backend, ...]] = {
    "auto": (Gurobi(), HiGHS()),
    "highs": (HiGHS(),),
    "gurobi": (Gurobi(),),
}
"""The solvers to try by choice, in this order."""


class Odd:
    """The paper's formulation, whole.

    Parameters
    ----------
    backend : 'auto', 'highs' or 'gurobi'.
    topology : 'learned' or 'tree'.
    models : 'growing' or 'whole'.
    """

    name = "odd"
    title = "ODD (MIP)"
    kinds = (ShapeKind.DIAGRAM,)
    exact = True
    summary = (
        "The decision diagram as a mixed-integer linear program: topology and questions at once, about single columns "
        "or weighted sums, under fairness, parsimony and stability. Proves the optimum of small tables."
    )
    source = (
        "Florio, Martins, Schiffer, Serra, Vidal: Optimal Decision Diagrams for Classification. AAAI 2023, "
        "doi:10.1609/aaai.v37i6.25920."
    )
    options = (
        Option(
            name="backend",
            label="Solver",
            help="Gurobi is faster, and needs a licence: without one it takes models of at most 2,000 variables and "
            "2,000 rows, which few tables have. HiGHS takes any size and comes with the program.",
            values=tuple(BACKENDS),
            default="auto",
            titles=("Gurobi where its licence allows the size, else HiGHS", "HiGHS", "Gurobi"),
        ),
        Option(
            name="topology",
            label="Topology",
            help="Whether questions may share what follows them. As a tree every question has one way to it: the "
            "paper's special case of optimal decision trees.",
            values=("learned", "tree"),
            default="learned",
            titles=("learned: answers may lead to the same question", "tree"),
        ),
        Option(
            name="models",
            label="Models",
            help="Where a question costs something, a diagram of many questions costs much. So models may have room "
            "for one question, for two, and so on, until more cannot pay; or one has the whole skeleton, as in the "
            "paper.",
            values=("growing", "whole"),
            default="growing",
            titles=("one question more at a time", "the whole skeleton at once"),
        ),
    )

    def __init__(self, backend: str = "auto", topology: str = "learned", models: str = "growing") -> None:
        self._backends, self._tree, self._grows = BACKENDS[backend], topology == "tree", models == "growing"

    def check(self, problem: Problem) -> tuple[Unsupported, ...]:
        """Diagrams, with the rules that are posted, of a size for which a model can be built."""
        reasons = (*only_kind(ShapeKind.DIAGRAM, self.title, problem), *unposted(self.title, problem, POSTS))
        if reasons:
            return reasons
        if problem.size.split_features != 1:
            reasons = against_sums(problem)
        return reasons or (*too_many_ways(problem), *too_large(problem))

    def run(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """Offer first diagrams, and let a solver search model after model until incumbent and bound meet.

        Raises
        ------
        UnsupportedError
            The solver that was chosen is not there, or its licence does not allow the size.
        """
        clock = Clock()
        emit(Started(self.name))
        if none := infeasible(problem, self.name, clock):
            return none
        ending, rules = Ending(limits, clock, stop.is_set), rules_of(problem)
        frame = frame_of(problem.size, problem.dataset.n_classes)
        questions = questions_of(problem, rules, frame)
        terms = questions.terms if isinstance(questions, Hyperplanes) else None
        judge = Judge(problem, terms, tree=self._tree)
        best = Best(problem, judge, clock, emit)
        best.constants()
        if not frame.n_nodes or questions.n_cells < 2:
            return _without_questions(best, limits)
        if not (best.proved or ending.due()):
            for draft in first_drafts(problem, terms, limits, ending):
                best.offer(draft)
        return self._search(best, rules, limits, ending)

    def _search(self, best: Best, rules: Rules, limits: Limits, ending: Ending) -> Solution:
        """One model after the other, each with room for one question more, as long as that can pay."""
        problem, gap = best.problem, limits.gap_cost(best.problem)
        total = frame_of(problem.size, problem.dataset.n_classes).n_nodes
        work = Work(self._backends)
        for most in range(1, total + 1) if self._grows and problem.split_cost else (total,):
            if best.close(gap) or ending.due():
                break
            beyond = None if most == total else problem.unavoidable_cost + problem.splits_cost(most + 1)
            size = replace(problem.size, max_splits=most if most < total else problem.size.max_splits)
            frame = frame_of(size, problem.dataset.n_classes)
            questions = questions_of(problem, rules, frame)
            net = Network(problem, rules, questions, frame, tree=self._tree, most=size.max_splits)
            post(net)
            listener = Listener(net, net.model.program(), best, beyond)
            work.count(listener)
            if not (best.close(gap) or listener.exhausted or ending.due()):
                self._solve(listener, work, limits, ending)
            if work.refused:
                break
        return solution_of(self.name, best, work, ending, limits)

    def _solve(self, listener: Listener, work: Work, limits: Limits, ending: Ending) -> None:
        """The first backend that takes the model; those that do not say why in the log."""
        best, gap = listener.best, limits.gap_cost(listener.best.problem)
        request = Request(
            start=listener.start,
            gap=max(WHOLE_GAP, gap / listener.net.unit),
            seconds=ending.seconds_left,
            threads=limits.threads,
            seed=limits.seed,
            due=lambda: best.close(gap) or listener.exhausted or ending.due(),
            found=listener.found,
            bound=listener.bound,
        )

        def tell(text: str) -> None:
            best.emit(Log(best.clock.elapsed, text))

        try:
            # later models are larger: a backend that refuses this one is not asked again
            work.add(*solve_by(work.backends, listener.program, request, tell))
        except TooLarge as reason:
            work.refused = str(reason)
            if not work.by:
                raise UnsupportedError(f"{reason} Choose the solver 'highs', or 'auto'.") from reason
            return
        if work.end is End.INFEASIBLE:
            listener.nothing()
        short = best.cost is None or best.cost - listener.reached > gap
        work.coarse |= work.end is End.COARSE
        work.coarse |= work.end is End.PROVED and short and not listener.exhausted
        if not listener.whole:
            work.end = End.CUT_SHORT

    def counterpart(self) -> Method | None:
        """The search for diagrams, which knows no limit to trees."""
        return None if self._tree else OddSearch()

    def parallel(self, problem: Problem) -> bool:
        """The linear solvers share their work."""
        return True

    def warm(self, constraints: bool = False) -> None:
        """Import the solver that is always there, and compile what makes first diagrams."""
        import highspy  # noqa: F401
        import scipy.optimize  # noqa: F401

        OddSearch().warm(constraints)


def with_at_most(problem: Problem, questions: int) -> Problem:
    """The same problem with at most so many questions."""
    most = questions if problem.shape.max_splits is None else min(questions, problem.shape.max_splits)
    return replace(problem, shape=replace(problem.shape, max_splits=most))


def _without_questions(best: Best, limits: Limits) -> Solution:
    """The answer where nothing can be asked: the cheapest constant."""
    if best.cost is None:
        return no_tree(
            best.problem, Odd.name, best.clock, "No diagram is possible: no single answer keeps all constraints."
        )
    best.above(best.cost)
    ending = Ending(limits, best.clock, lambda: False)
    return solution_of(Odd.name, best, Work(), ending, limits)
