"""C4.5 grown until nothing can be gained, without its corrections: how experiments with clean data use it.

At each node the best gain ratio among the questions whose gain is at least the average (Quinlan 1993, section 2.2). No
minimum for a side, no charge for naming a threshold, no pruning: Avellaneda (AAAI 2020) switches these off, because
they guard against noise, and there is none. The baseline for all other purposes is the method `c45`.
"""

import numpy as np

from solvers.diagram import Diagram
from solvers.problem import Orders, Predicate, Problem, question_orders
from solvers.teaching.candidates import EQUAL, Candidate, candidates
from solvers.teaching.sketches import Sketch, Slot, depth_of


def grow_fully(problem: Problem) -> Diagram:
    """The tree, within the depth of the problem."""
    orders = question_orders(problem.dataset)
    questions: dict[Slot, Predicate] = {}
    queue = [(0, np.arange(problem.dataset.n_samples))]
    for slot, rows in queue:
        if depth_of(slot) >= problem.size.max_depth or len(np.unique(problem.dataset.y[rows])) < 2:
            continue
        best = _best(problem, orders, rows)
        if best is not None:
            questions[slot] = best.predicate
            yes = best.predicate.holds(problem.dataset.schema, problem.dataset.X[rows])
            queue += [(2 * slot + 1, rows[yes]), (2 * slot + 2, rows[~yes])]
    return Sketch(questions).drawn(problem).diagram


def _best(problem: Problem, orders: Orders, rows: np.ndarray) -> Candidate | None:
    found = candidates(problem, orders, rows)
    average = float(np.mean([candidate.gain for candidate in found])) if found else 0.0
    able = [one for one in found if one.gain > EQUAL and one.gain >= average - EQUAL]
    return max(able, key=lambda candidate: candidate.ratio, default=None)
