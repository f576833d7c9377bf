"""The search for diagrams whose questions combine columns: it looks for better ones and proves in turns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import numpy as np

from solvers.constraints import rules_of
from solvers.constraints.rules import Allowed
from solvers.kernels.odd_lines import best_on_lines
from solvers.methods.base import Unsupported, infeasible, no_tree, unposted
from solvers.methods.diagrams.construction import constructions
from solvers.methods.diagrams.draft import Draft
from solvers.methods.diagrams.odd.live import Best, Judge
from solvers.methods.diagrams.odd.method import Odd, with_at_most
from solvers.methods.diagrams.odd.rules import POSTS
from solvers.methods.diagrams.odd_search.multivariate.local_search import Climber
from solvers.methods.diagrams.odd_search.multivariate.planes import FORBIDDEN, PlaneDiagram
from solvers.methods.diagrams.odd_search.multivariate.proof import Proof
from solvers.methods.diagrams.terms import LEAST_MARGIN, terms_of
from solvers.methods.search.clock import Clock
from solvers.methods.search.ending import Ending
from solvers.problem import Limits, Problem, question_orders
from solvers.solution import Emit, Solution, Started, Stop

PATIENCE, PROVING, GROWTH = 40, 5.0, 4
"""In the first round so many local optima in a row may be no better, and the proof may take so many seconds; in each
round after it so many times as many."""

SHARE, MOST_SECONDS, MOST_BUILT = 0.1, 3.0, 20
"""Diagrams to begin from may take this share of the time, at most so many seconds, and be so many."""


def unsupported(title: str, problem: Problem) -> tuple[Unsupported, ...]:
    """Why a problem whose questions may combine columns cannot be taken; empty where it can."""
    reasons = tuple(unposted(title, problem, POSTS))
    # the size of the program does not matter: without a proof there is still the search
    return reasons or Odd().check(with_at_most(problem, 1))


def warm() -> None:
    """Compile what the search needs, or load it."""
    points, plane = np.array([[0.0, -1.0], [1.0, -1.0]]), np.array([[1.0, 0.0]])
    costs, charges = np.array([[0, 1], [1, 0]]), np.array([[FORBIDDEN, 0], [0, FORBIDDEN]])
    best_on_lines(points, plane, plane[:, ::-1], costs, charges, 1, LEAST_MARGIN)


def run(method: str, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
    """Solve, as `Method.run` does; `method` is the name in the registry."""
    clock = Clock()
    emit(Started(method))
    if none := infeasible(problem, method, clock):
        return none
    ending = Ending(limits, clock, stop.is_set)
    columns = set(range(problem.dataset.n_columns))
    for rule in rules_of(problem).of(Allowed):
        columns &= columns if rule.at_root else rule.columns
    terms = terms_of(problem, columns)
    best = Best(problem, Judge(problem, terms, tree=False), clock, emit)
    best.constants()
    proof = Proof(problem, best, limits)
    stats = {"local optima": 0, "diagrams without the margin": 0}

    def enough() -> bool:
        gap = limits.gap_cost(problem)
        return best.proved or (gap > 0 and best.cost is not None and best.cost - best.bound <= gap)

    if not len(terms) or not proof.most:
        # nothing can be asked
        proof.shown = proof.most
        if best.cost is not None:
            best.above(best.cost)
    else:

        def due() -> bool:
            return enough() or ending.due()

        climber = Climber(terms, limits.seed, due)
        climber.begin_from(_first(climber, best, problem, limits, ending, stats))
        brief = Ending(limits, clock, lambda: stop.is_set() or enough())
        optima, patience, seconds = climber.optima(), PATIENCE, PROVING
        while not (enough() or proof.complete or ending.due()):
            _search(optima, best, patience, stats)
            proof.go_on(brief.within(seconds))
            patience, seconds = patience * GROWTH, seconds * GROWTH
    return _solution(method, proof, ending, limits, stats)


def _first(
    climber: Climber, best: Best, problem: Problem, limits: Limits, ending: Ending, stats: dict[str, int]
) -> list[Draft]:
    """Diagrams built from the top down, the cheapest first; those that keep the margin are offered as they are."""
    left = ending.seconds_left
    brief = ending.within(MOST_SECONDS if left is None else min(MOST_SECONDS, SHARE * left))
    found = []
    for draft in islice(constructions(problem, question_orders(problem.dataset), limits.seed, brief.due), MOST_BUILT):
        if climber.diagram.write(draft):
            found.append((climber.diagram.cost, len(found), draft))
            _offered(climber.diagram, best, stats)
    return [draft for *_, draft in sorted(found, key=lambda entry: entry[:2])]


def _search(optima: Iterator[PlaneDiagram], best: Best, patience: int, stats: dict[str, int]) -> None:
    """Take in local optima until so many in a row were no better, or the search ends."""
    vain = 0
    for diagram in optima:
        stats["local optima"] += 1
        vain = 0 if _offered(diagram, best, stats) else vain + 1
        best.beat(stats["local optima"])
        if vain >= patience:
            return


def _offered(diagram: PlaneDiagram, best: Best, stats: dict[str, int]) -> bool:
    """Whether a local optimum became the incumbent."""
    if best.cost is not None and diagram.cost >= best.cost:
        return False
    draft = diagram.draft()
    stats["diagrams without the margin"] += draft is None
    return draft is not None and best.offer(draft)


def _solution(method: str, proof: Proof, ending: Ending, limits: Limits, stats: dict[str, int]) -> Solution:
    """Status and words for how it ended."""
    best = proof.best
    if best.cost is None and proof.complete:
        message = "No diagram within this skeleton keeps all constraints: proved."
        return replace(no_tree(best.problem, method, best.clock, message), stats={**stats, **proof.stats})
    message = _message(best, ending, limits)
    return best.solution(method, ending.status(best), message, stats={**stats, **proof.stats})


def _message(best: Best, ending: Ending, limits: Limits) -> str:
    among = f"whose questions keep a margin of {LEAST_MARGIN:g}"
    if best.proved:
        return f"No diagram within this skeleton {among} has a lower cost: proved."
    bound = f"no diagram {among} can cost less than {best.bound}"
    if ending.why == "stop":
        return f"Stopped; {bound}."
    if ending.why == "memory":
        return f"The memory limit of {limits.memory_mb} MiB was reached; {bound}."
    if ending.why == "time":
        return f"The time limit of {limits.seconds:g} s was reached; {bound}."
    return f"Within the gap that was asked for: {bound}."
