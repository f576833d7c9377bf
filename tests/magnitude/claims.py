"""The claims of a solution, compared with the oracle: every fault in a sentence."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from solvers.diagram import Diagram, Leaf
from solvers.messages import describe_result
from solvers.methods import Method
from solvers.metrics.verify import verified
from solvers.problem import Limits, Problem, ShapeKind
from solvers.solution import Bound, Event, Incumbent, Solution, Status
from tests.oracle import diagrams, meaning, trees
from tests.oracle.consistent import NONE, Consistent
from tests.oracle.facts import facts_of
from tests.oracle.table import Table, tree_of

OPTIMA = {
    ShapeKind.TREE: trees.tree_optimum,
    ShapeKind.BDD: diagrams.bdd_optimum,
    ShapeKind.DIAGRAM: diagrams.diagram_optimum,
}


def judged(method: Method, problem: Problem, limits: Limits) -> list[str]:
    """Run a method and compare all its claims with the oracle."""
    events: list[Event] = []
    solution = verified(problem, method.run(problem, limits, events.append, threading.Event()))
    best = OPTIMA[problem.shape.kind](problem)
    return list(faults(method, problem, solution, events, best))


def faults(
    method: Method, problem: Problem, solution: Solution, events: list[Event], best: trees.Best | None
) -> Iterator[str]:
    """The faults of a solution and of the events before it."""
    words = describe_result(problem, solution)
    claim = f"{solution.status} {solution.cost} {solution.bound} of scale {problem.scale} ('{words}')"
    if solution.status is Status.FAILED:
        yield f"failed: {claim}"
    if solution.verified is not True:
        yield f"not verified: {claim}"
    if solution.status is Status.INFEASIBLE and best is not None:
        yield f"false infeasibility: {claim}, the oracle has {best}"
    if best is None and solution.diagram is not None:
        yield f"a model where there is none: {claim}"
    if best is None:
        return
    scale = problem.scale
    bounds = [event.value for event in events if isinstance(event, Bound)] + [solution.bound]
    if not solution.scope and any(b is not None and Fraction(b, scale) > best.cost for b in bounds):
        yield f"a bound above the optimum: {claim}, bounds {bounds}, the oracle has {best}"
    for event in events:
        if isinstance(event, Incumbent) and event.cost != units(problem, event.diagram):
            yield f"an incumbent of cost {event.cost} costs {units(problem, event.diagram)}: {claim}"
    if solution.diagram is None:
        return
    if solution.cost != units(problem, solution.diagram):
        yield f"a wrong cost: {claim}, the model costs {units(problem, solution.diagram)}"
    elif Fraction(solution.cost, scale) < best.cost:
        yield f"a cost below the optimum: {claim}, the oracle has {best}"
    if solution.status is Status.OPTIMAL and Fraction(solution.cost, scale) != best.cost and not solution.scope:
        yield f"a wrong optimum: {claim}, the oracle has {best}"
    yield from _broken(problem, solution.diagram)
    yield from _size_claims(problem, solution, best)


def units(problem: Problem, diagram: Diagram) -> Fraction:
    """The cost of a model, in the units of the problem."""
    n = sum(not isinstance(node, Leaf) for node in diagram.nodes)
    return trees.cost(problem, trees.predict(diagram, problem.dataset), n)


def _broken(problem: Problem, diagram: Diagram) -> Iterator[str]:
    """The constraints that a model violates according to the oracle; for other models than trees, those on
    predictions.
    """
    table, heavy = Table(problem.dataset), trees.weights(problem.dataset)
    facts = facts_of(tree_of(diagram, table), table)
    for constraint in problem.constraints:
        read = problem.shape.kind is ShapeKind.TREE or meaning.by_answers(constraint.kind)
        if read and not meaning.holds(constraint, facts, table, heavy):
            yield f"a broken constraint: {constraint}"


def _size_claims(problem: Problem, solution: Solution, best: trees.Best) -> Iterator[str]:
    """False claims that no smaller model is as good."""
    diagram = solution.diagram
    n = sum(not isinstance(node, Leaf) for node in diagram.nodes)
    details = solution.details
    if details.fewest_splits and Fraction(solution.cost, problem.scale) == best.cost and n != best.questions:
        yield f"a false claim of the fewest questions: {n}, the oracle has {best.questions}"
    questions = details.fewest_questions
    if questions is not None and questions.found is not None and questions.found == questions.least:
        n_questions = len({node.predicate for node in diagram.nodes if not isinstance(node, Leaf)})
        fewer = replace(problem, shape=replace(problem.shape, max_depth=max(0, n_questions - 1)))
        if n_questions and diagrams.bdd_optimum(fewer).cost == best.cost:
            yield f"a false claim that {n_questions} questions are needed"
    known = details.consistent
    if known is not None and known.least_depth is not None and not (consistent := Consistent(problem)).tied:
        depths, most = range(problem.shape.max_depth + 1), trees.Parts(problem).most_leaves
        least = next((depth for depth in depths if consistent.at(depth) <= most), None)
        if least is None:  # then it is the least depth of trees with any number of leaves
            least = next((depth for depth in depths if consistent.at(depth) < NONE), None)
        if known.least_depth != least:
            yield f"a false least depth: {known.least_depth}, the oracle has {least}"
        elif known.fewest_nodes and not known.tied:
            smallest = trees.tree_optimum(replace(problem, shape=replace(problem.shape, max_depth=least)))
            if n != smallest.questions:
                yield f"a false claim of the fewest nodes: {n} questions, the oracle has {smallest.questions}"
