"""CPTree-2: the tree as a mixed-integer linear program, thresholds as variables (Nanfack, Temple and Frénay 2023).

The model is built once in plain arrays (`branches`, `links`, `rules`) and handed to a solver (`highs`, `gurobi`).

Example
-------
>>> order = AskedBefore("age", "bilirubin")  # doctest: +SKIP
>>> CPTreeMip().run(Problem(dataset, Shape(max_depth=2), constraints=(order,)), Limits(), print, stop)  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from solvers.constraints import rules_of
from solvers.methods.base import Unsupported, infeasible, only_trees
from solvers.methods.mip.backend import WHOLE_GAP, Backend, End, Outcome, Request
from solvers.methods.mip.exact import solve_by
from solvers.methods.mip.gurobi import Gurobi
from solvers.methods.mip.highs import HiGHS
from solvers.methods.mip.menu import Menu, menu_of
from solvers.methods.search.clock import Clock
from solvers.methods.search.ending import Ending
from solvers.methods.trees.contree import ConTree
from solvers.methods.trees.cptree_mip.branches import Branches
from solvers.methods.trees.cptree_mip.links import Linking, linking_for
from solvers.methods.trees.cptree_mip.rules import POSTS, post
from solvers.methods.trees.cptree_mip.search import Live
from solvers.methods.trees.cptree_mip.start import Starts, first_trees
from solvers.problem import Limits, Problem, ShapeKind, question_orders
from solvers.solution import Emit, Log, Solution, Started, Status, Stop

MOST_ENDS = 400_000
"""The largest number of (cell, branch, class): such a model takes seconds to build, and no solver gets anywhere."""


class CPTreeMip:
    """CPTree's second formulation.

    Parameters
    ----------
    backends : the solvers to try, in this order; the last one must take any size.
    starts : makes first trees.
    linking : the form of equation (16), for a menu and a number of nodes.
    """

    name = "cptree-mip"
    title = "CPTree-2 (MIP)"
    kinds = (ShapeKind.TREE,)
    exact = True
    summary = (
        "The tree as a mixed-integer linear program with thresholds as variables, under domain constraints. "
        "Proves the optimum of small tables; solved by Gurobi where its licence allows the size, else by HiGHS."
    )
    source = (
        "Nanfack, Temple, Frénay: Learning Customised Decision Trees for Domain-knowledge Constraints. "
        "Pattern Recognition 142, 2023, doi:10.1016/j.patcog.2023.109610."
    )

    def __init__(
        self,
        backends: Sequence[Backend] = (Gurobi(), HiGHS()),
        starts: Starts = first_trees,
        linking: Callable[[Menu, int], type[Linking]] = linking_for,
    ) -> None:
        self._backends, self._starts, self._linking = tuple(backends), starts, linking

    def check(self, problem: Problem) -> tuple[Unsupported, ...]:
        """Trees, with the rules that are posted, of a size for which a model can be built."""
        reasons = only_trees(self.title, problem, POSTS)
        if reasons:
            return reasons
        menu = menu_of(problem, question_orders(problem.dataset), rules_of(problem))
        ends = menu.n_cells * 2 ** depth_of(problem, menu) * problem.dataset.n_classes
        if ends <= MOST_ENDS:
            return ()
        return (
            Unsupported(
                f"{menu.n_cells:,} different rows at depth {problem.size.max_depth}",
                f"The model would need {ends:,} variables for where rows end; at most {MOST_ENDS:,} are built.",
                "Lower the depth or the number of leaves, or choose the method 'contree'.",
            ),
        )

    def run(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """Build the model, offer first trees, and let a solver search until incumbent and bound meet."""
        clock = Clock()
        emit(Started(self.name))
        if none := infeasible(problem, self.name, clock):
            return none
        ending = Ending(limits, clock, stop.is_set)
        tree = build(problem, self._linking)
        live = Live(tree, tree.model.program(), clock, emit)
        for first in self._starts(tree, live.program, limits, ending):
            live.offer(first)
            if live.proved:
                break
        outcome, by = None, ""
        if not live.proved and not ending.due():
            outcome, by = solve_by(
                list(self._backends),
                live.program,
                _request(live, limits, ending),
                lambda text: live.emit(Log(live.clock.elapsed, text)),
            )
        return _solution(live, outcome, by, ending, limits)

    def parallel(self, problem: Problem) -> bool:
        """The linear solvers share their work."""
        return True

    def warm(self, constraints: bool = False) -> None:
        """Import HiGHS, and what makes first trees."""
        import highspy  # noqa: F401

        ConTree().warm(constraints)


def build(problem: Problem, linking: Callable[[Menu, int], type[Linking]] = linking_for) -> Branches:
    """The model of a problem with everything posted."""
    rules = rules_of(problem)
    menu = menu_of(problem, question_orders(problem.dataset), rules)
    depth = depth_of(problem, menu)
    tree = Branches(problem, rules, menu, depth, linking(menu, 2**depth - 1))
    post(tree)
    return tree


def depth_of(problem: Problem, menu: Menu) -> int:
    """The depth that trees can have: each question of a path leaves out a leaf, and each leaf has a row of its own."""
    leaves = min(problem.size.max_leaf_nodes or menu.n_cells, menu.n_cells)
    return min(problem.size.max_depth, leaves - 1) if len(menu) else 0


def _request(live: Live, limits: Limits, ending: Ending) -> Request:
    gap = max(WHOLE_GAP, limits.gap_cost(live.tree.problem) / live.tree.unit)
    return Request(
        live.start, gap, ending.seconds_left, limits.threads, limits.seed, ending.due, live.found, live.raise_bound
    )


def _solution(live: Live, outcome: Outcome | None, by: str, ending: Ending, limits: Limits) -> Solution:
    """Status and words for how it ended."""
    end = End.CUT_SHORT if outcome is None else outcome.end
    impossible = end is End.INFEASIBLE and live.cost is None
    if impossible:
        status = Status.INFEASIBLE
    elif live.proved:
        status = Status.OPTIMAL
    elif ending.why == "stop":
        status = Status.CANCELLED
    else:
        status = Status.NO_SOLUTION if live.diagram is None else Status.FEASIBLE
    program = live.program
    stats = {"variables": program.n_variables, "rows": program.n_rows, "linking": type(live.tree.linking).__name__}
    if outcome is not None:
        stats |= {"solver": by, "nodes": outcome.nodes, "iterations": outcome.iterations}
    return Solution(
        problem_id=live.tree.problem.id,
        method=CPTreeMip.name,
        status=status,
        diagram=live.diagram,
        cost=live.cost,
        bound=None if impossible else live.bound,
        seconds=live.clock.elapsed,
        cpu_seconds=live.clock.cpu,
        trace=() if impossible else tuple(live.trace),
        stats=stats,
        message=_message(live, status, end, by, ending, limits),
    )


def _message(live: Live, status: Status, end: End, by: str, ending: Ending, limits: Limits) -> str:
    if status is Status.INFEASIBLE:
        return f"No tree of this size keeps all constraints: proved by {by}."
    if status is Status.OPTIMAL:
        return f"No tree of this size has a lower cost: proved{f' by {by}' if by else ''}."
    bound = f"no tree can cost less than {live.bound}"
    if ending.why == "stop":
        return f"Stopped; {bound}."
    if ending.why == "memory":
        return f"The memory limit of {limits.memory_mb} MiB was reached; {bound}."
    if end is End.PROVED and limits.gap:
        return f"Within the gap that was asked for: {bound}."
    if end is not End.CUT_SHORT:
        return f"{by} ended, but its numbers are too coarse for a proof; {bound}."
    if limits.seconds is None:
        return f"{by} ended before the proof; {bound}."
    return f"The time limit of {limits.seconds:g} s was reached; {bound}."
