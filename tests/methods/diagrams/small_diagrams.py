"""Slow, obvious enumeration of all small decision diagrams, from the definition alone; and small tables for it.

A diagram within a skeleton has layers of splits; a branch leads to a split of the next layer or to the leaf of a class,
and the two branches of a split lead to different targets. A split either divides the rows of the table, or sends all
rows to one branch to pass them on to the next layer, on a column that divides some rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from operator import itemgetter

import numpy as np
from msgspec import structs

from solvers.constraints import rules_of
from solvers.constraints.rules import FixedQuestion, ThresholdRange
from solvers.methods import Method
from solvers.methods.diagrams.draft import DiagramDraft, DraftNode, Question, label_of, leaf_arc, plain_yes
from solvers.methods.diagrams.terms import terms_of, widest
from solvers.metrics import verify
from solvers.problem import Dataset, Group, Kind, Problem, Shape, Thresholds, binary_view
from solvers.problem import Predicate as Asked
from solvers.solution import Status
from tests.methods.running import solve
from tests.strategies import make_dataset


def questions(dataset: Dataset, *, columns: bool = False) -> list[tuple[Asked, np.ndarray]]:
    """The splits with their branches, bool (n_samples,): each partition of the rows once, and one that divides none.

    With `columns` once for each column with this partition, for constraints that refer to columns.
    """
    view = binary_view(dataset, Thresholds.ALL)
    found: dict[tuple, tuple[Asked, np.ndarray]] = {}
    for predicate, column, bits in zip(view.predicates, view.family.tolist(), view.bits.T, strict=True):
        yes = bits.astype(bool)
        key = min((yes.tobytes(), (~yes).tobytes()))
        found.setdefault((key, column, predicate.value is None) if columns else key, (predicate, yes))
    for column in sorted(set(view.family.tolist())):
        passing = plain_yes(dataset, {column})
        if passing is not None and (columns or None not in found):
            found[(None, column, False) if columns else None] = (passing, np.ones(dataset.n_samples, bool))
    return list(found.values())


def every_draft(problem: Problem, choices: Sequence[Question] | None = None) -> Iterator[DiagramDraft]:
    """All diagrams within the skeleton, slots numbered as arcs reach them; constraints and leaf sizes are ignored.

    Parameters
    ----------
    choices : the splits; by default those on single columns.
    """
    if choices is None:
        choices = [_within(problem, question) for question, _ in questions(problem.dataset, columns=True)]
        choices = list(dict.fromkeys([*choices, *(rule.predicate for rule in rules_of(problem).of(FixedQuestion))]))
    widths, labels = problem.size.layer_widths, range(problem.dataset.n_classes)

    def below(number: int, n_slots: int) -> Iterator[list[dict[int, DraftNode]]]:
        """All fillings of the layers from this one down, the first of which has the given number of slots."""
        if not n_slots:
            yield []
            return
        room = widths[number + 1] if number + 1 < len(widths) else 0
        arcs = [*range(room), *map(leaf_arc, labels)]
        pairs = [(yes, no) for yes, no in product(arcs, arcs) if yes != no]
        for heads in product(pairs, repeat=n_slots):
            order = list(dict.fromkeys(arc for pair in heads for arc in pair if arc >= 0))
            if order != sorted(order) or order != list(range(len(order))):
                continue
            for rest in below(number + 1, len(order)):
                for chosen in product(choices, repeat=n_slots):
                    here = {i: DraftNode(chosen[i], *heads[i]) for i in range(n_slots)}
                    yield [here, *rest]

    for label in labels:
        yield DiagramDraft([], leaf_arc(label))
    if widths:
        for layers in below(0, 1):
            yield DiagramDraft(layers)


def _within(problem: Problem, question: Asked) -> Asked:
    """The split with a threshold in the permitted range, if this gives the same partition of the rows."""
    schema, X = problem.dataset.schema, problem.dataset.X
    for rule in rules_of(problem).of(ThresholdRange):
        if question.value is not None and schema.names[rule.column] == question.column:
            values = X[:, rule.column]
            next_one = values[values > question.value].min(initial=np.inf)
            unit = rule.thresholds.unit
            value = min(max(question.value, rule.thresholds.low), rule.thresholds.high)
            if unit is not None:
                before = values[values <= question.value].max(initial=-np.inf)
                k = math.ceil(Fraction(max(before, rule.thresholds.low)) / unit) if np.isfinite(before) else 0
                value = float(k * unit)
            moved = structs.replace(question, value=value).with_fill(schema)
            if value < next_one and np.array_equal(moved.holds(schema, X), question.holds(schema, X)):
                question = moved
    return question


def allowed(problem: Problem, draft: DiagramDraft) -> bool:
    """Whether a diagram satisfies the sizes and the constraints."""
    size, dataset = problem.size, problem.dataset
    labels = draft.predict(dataset)
    nodes = [layer[slot] for layer, slots in zip(draft.layers, draft.reachable(), strict=True) for slot in slots]
    for arc in {draft.root, *(arc for node in nodes for arc in (node.yes, node.no))}:
        rows = labels == label_of(arc)
        if arc < 0 and (rows.sum() < size.min_samples_leaf or problem.weights[rows].sum() < problem.min_weight_leaf):
            return False
    diagram = draft.diagram(problem)
    if size.max_splits is not None and diagram.n_splits > size.max_splits:
        return False
    if size.max_leaf_nodes is not None and diagram.n_leaves > size.max_leaf_nodes:
        return False
    return not any(constraint.violations(diagram, dataset) for constraint in problem.constraints)


def least(problem: Problem, choices: Sequence[Question] | None = None) -> int | None:
    """The least cost of an allowed diagram, by exhaustive search; `None` if there is none."""
    dataset = problem.dataset

    @cache
    def answers(question: Question) -> np.ndarray:
        return question.holds(dataset.schema, dataset.X)

    def labels_of(draft: DiagramDraft) -> np.ndarray:
        at = np.full(dataset.n_samples, draft.root)
        for layer in draft.layers:
            here = at.copy()
            for slot, node in layer.items():
                rows = here == slot
                at[rows] = np.where(answers(node.question), node.yes, node.no)[rows]
        return ~at

    # the cheapest first, so that the first allowed one is the result
    drafts = [(problem.cost(labels_of(draft), draft.n_questions), draft) for draft in every_draft(problem, choices)]
    drafts.sort(key=itemgetter(0))
    return next((cost for cost, draft in drafts if allowed(problem, draft)), None)


def half_planes(dataset: Dataset) -> list[np.ndarray]:
    """All partitions of the rows by a line in the plane of two numeric columns, bool (n_samples,) each, once."""
    points = dataset.X
    found: dict[bytes, np.ndarray] = {}
    ways = [points[j] - points[i] for i, j in combinations(range(len(points)), 2)]
    ways += [np.array([1.0, 0.0]), np.array([0.0, 1.0])]
    for way in ways:
        normal = np.array([-way[1], way[0]])
        for turn in (0.0, 1e-5, -1e-5):
            value = points @ (normal + turn * way)
            for limit in np.unique(value):
                yes = value <= limit
                found.setdefault(min(yes.tobytes(), (~yes).tobytes()), yes)
    return list(found.values())


def weighted_sums(problem: Problem) -> list[Question]:
    """A split for each half-plane, with the widest margin."""
    terms, found = terms_of(problem), []
    for yes in half_planes(problem.dataset):
        low, high = np.flatnonzero(yes), np.flatnonzero(~yes)
        if len(low) and len(high):
            weights, _ = widest(terms.scaled[low], terms.scaled[high])
            # numerically a half-plane may separate rows that no sum separates by the least margin
            if (parted := terms.question(weights, low, high)) is not None:
                found.append(parted[0])
    return found


def small_table(rng: np.random.Generator, *, n_rows: int = 8, n_values: int = 3, n_columns: int = 2) -> Dataset:
    """Few rows of few different values, two classes or three, sometimes with weights or a constant column."""
    columns = {}
    for j in range(n_columns):
        kind = (Kind.NUMERIC, Kind.NUMERIC, Kind.ORDERED, Kind.BINARY)[rng.integers(4)]
        most = 2 if kind is Kind.BINARY else n_values
        columns[f"x{j}"] = (kind, rng.integers(0, 1 if rng.random() < 0.05 else most, n_rows).astype(float))
    n_classes = int(rng.choice([2, 2, 3]))
    weight = rng.choice([1.0, 2.0, 0.5], n_rows) if rng.random() < 0.2 else None
    return make_dataset(columns, rng.integers(0, n_classes, n_rows), n_classes=n_classes, weight=weight)


TABLE = make_dataset(
    {"a": (Kind.NUMERIC, [1, 1, 2, 2, 3, 3]), "b": (Kind.BINARY, [0, 1, 0, 1, 0, 1])}, [0, 1, 1, 2, 0, 1]
)

WARD = replace(
    make_dataset(
        {
            "fever": (Kind.BINARY, [1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1]),
            "pain": (Kind.ORDERED, [2, 1, 1, 0, 2, 1, 1, 0, 1, 0, 0, 0, 2, 1]),
        },
        [0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0],
    ),
    positive=1,
    groups=(Group("sex", ("f", "m"), np.repeat([0, 1], 7)),),
)
"""Fourteen rows of two sexes; fever predicts the illness of one sex better than that of the other."""


def diagrams(*widths: int, **more: object) -> Shape:
    """The shape of a skeleton."""
    return Shape(kind="diagram", widths=widths, **more)


def proved(method: Method, problem: Problem) -> int | None:
    """The optimum that a method proves and the verifier confirms; `None` if it proves that there is none."""
    assert method.check(problem) == ()
    solution = solve(method, problem).solution
    assert verify(problem, solution).ok, verify(problem, solution).failures
    assert solution.status is (Status.INFEASIBLE if solution.cost is None else Status.OPTIMAL), solution.message
    return solution.cost
