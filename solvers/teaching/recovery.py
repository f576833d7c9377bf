"""How many examples does it take to recover the rule? Random trees as generators, learned back from samples.

Avellaneda (AAAI 2020, section 'Artificial dataset', Figure 2) draws trees of depth 5 over 10 features, samples examples
from each, and counts for how many of them the learned tree says the same as its generator. Here a learned tree has to
agree on all 2^10 inputs. The smallest consistent tree needs fewer examples than a greedy one: it is the principle of
parsimony at work.

The paper leaves open how its trees are drawn; ours are complete, ask no feature twice on a path, and give the two
leaves of a question different classes. Examples are drawn uniformly, with repetitions.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np

from solvers.diagram import Diagram
from solvers.errors import ShapeError, UnknownMethodError
from solvers.methods import get
from solvers.methods.search.clock import Clock
from solvers.problem import (
    Column,
    Dataset,
    Kind,
    Limits,
    MissingPolicy,
    Orders,
    Predicate,
    Problem,
    Schema,
    Shape,
    question_orders,
)
from solvers.solution import Stop
from solvers.teaching.candidates import EQUAL, Candidate, candidates
from solvers.teaching.generators import RandomTree, random_tree
from solvers.teaching.sketches import Sketch, Slot, depth_of

SIZES = (50, 100, 150, 200, 250, 300, 400, 600, 900, 1300, 1800)

PLAIN_C45 = "c45-grown"
"""C4.5 without pruning and without its corrections, as in the paper; see `grow_fully`."""

METHODS: dict[str, str] = {
    "smallest-tree": "smallest tree (proved)",
    PLAIN_C45: "C4.5, fully grown",
    "cart": "CART, fully grown",
}
"""What is compared, with a name for the screen."""


@dataclass(frozen=True)
class RecoveryPoint:
    """The generators of one number of examples, learned by one method.

    Attributes
    ----------
    method : a key of `METHODS`.
    examples : how many were drawn from each generator.
    recovered, of : for how many generators the learned tree says the same on every input, and how many were tried.
    right : the share of all inputs that the learned trees get right, on average.
    questions : of a learned tree, on average.
    seconds : user CPU seconds to learn a tree, on average.
    """

    method: str
    examples: int
    recovered: int
    of: int
    right: float
    questions: float
    seconds: float


@dataclass(frozen=True)
class Recovery:
    """A sweep as far as it has come; `done` of `total` trees are learned."""

    points: tuple[RecoveryPoint, ...]
    done: int
    total: int
    seconds: float


@dataclass(frozen=True)
class RecoverGenerators:
    """For how many random trees does each method, a key of `METHODS`, find the tree again?"""

    doing: ClassVar[str] = "Learning random trees back from examples."
    generators: int = 20
    depth: int = 5
    features: int = 10
    sizes: tuple[int, ...] = SIZES
    methods: tuple[str, ...] = tuple(METHODS)
    seed: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.features <= 14 or not 1 <= self.depth <= self.features:
            raise ShapeError(
                f"There must be 1 to 14 features, and no more questions on a path than features. "
                f"Got {self.features} features and depth {self.depth}."
            )
        if self.generators < 1 or not self.sizes or min(self.sizes) < 1:
            raise ShapeError("The sweep needs at least 1 generator and 1 example.")
        for method in self.methods:
            if method not in METHODS:
                raise UnknownMethodError(f"The sweep compares {', '.join(METHODS)}. Got '{method}'.")

    def answer(self, problem: Problem, solve: Any, limits: Limits, stop: Stop, tell: Callable[[Any], None]) -> Recovery:
        """Sweep; neither the problem nor its solver matters."""
        recovery = Recovery((), 0, 0, 0.0)
        for recovery in recover(self, stop):
            tell(recovery)
        return recovery


def recover(task: RecoverGenerators, stop: Stop | None = None) -> Iterator[Recovery]:
    """The sweep, told after each generator, so that all points of the curves sharpen together."""
    stop, clock = stop or threading.Event(), Clock()
    every = np.array(list(product((False, True), repeat=task.features)))
    learned: dict[tuple[str, int], list[tuple[bool, float, int, float]]] = {
        (method, n): [] for method in task.methods for n in task.sizes
    }
    for number in range(task.generators):
        random = np.random.default_rng([task.seed, number])
        tree = random_tree(task.depth, task.features, random)
        drawn = every[random.integers(0, len(every), max(task.sizes))]
        for n in task.sizes:
            for method in task.methods:
                if stop.is_set():
                    return
                learned[method, n].append(_learned_back(tree, drawn[:n], every, method, stop))
        done = (number + 1) * len(learned)
        points = tuple(_point(method, n, trials) for (method, n), trials in learned.items())
        yield Recovery(points, done, task.generators * len(learned), clock.elapsed)


def _learned_back(
    tree: RandomTree, bits: np.ndarray, every: np.ndarray, method: str, stop: Stop
) -> tuple[bool, float, int, float]:
    """Whether the learned tree is right everywhere, on which share of the inputs, its questions, its CPU seconds."""
    dataset = bits_dataset(bits, tree.answers(bits))
    problem = Problem(dataset, Shape(max_depth=bits.shape[1]))
    clock = Clock()
    diagram = _learn(problem, method, stop)
    seconds = clock.cpu
    right = diagram.predict(every.astype(np.float64)) == tree.answers(every)
    return bool(right.all()), float(right.mean()), diagram.n_splits, seconds


def _learn(problem: Problem, method: str, stop: Stop) -> Diagram:
    if method == PLAIN_C45:
        return grow_fully(problem)
    diagram = get(method).run(problem, Limits(seconds=None), lambda event: None, stop).diagram
    assert diagram is not None, "a tree of any depth is asked for"
    return diagram


def _point(method: str, n: int, trials: list[tuple[bool, float, int, float]]) -> RecoveryPoint:
    recovered, right, questions, seconds = (np.array(part, float) for part in zip(*trials, strict=True))
    return RecoveryPoint(
        method,
        n,
        int(recovered.sum()),
        len(trials),
        float(right.mean()),
        float(questions.mean()),
        float(seconds.mean()),
    )


def bits_dataset(bits: np.ndarray, yes: np.ndarray) -> Dataset:
    """A table of yes/no features, bool (n_samples, n_features), with a class of two, bool (n_samples,)."""
    columns = tuple(Column(f"f{j}", Kind.BINARY, ("0", "1")) for j in range(bits.shape[1]))
    schema = Schema(columns, MissingPolicy.INFORMATION)
    return Dataset("examples", schema, bits.astype(np.float64), yes.astype(np.int32), ("no", "yes"), "class", 1)


def grow_fully(problem: Problem) -> Diagram:
    """C4.5 grown until nothing can be gained, within the depth of the problem, without its corrections.

    At each node the best gain ratio among the questions whose gain is at least the average (Quinlan 1993, section 2.2).
    No minimum for a side, no charge for naming a threshold, no pruning: Avellaneda (AAAI 2020) switches these off,
    because they guard against noise, and there is none. The baseline for all other purposes is the method `c45`.
    """
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
