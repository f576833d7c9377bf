"""A decision diagram built top-down, layer by layer (Florio et al. 2023, 'Step 1', section 4), and a method that keeps
the best of many. Other methods for diagrams use such diagrams as starts.

Each split of a layer has the largest information gain for the samples that reach it, among the splits on a random share
of the columns. Its two sides are *flows* of samples. While there are more flows than the next layer has places, the
pair whose union loses the least information is merged: this distinguishes a diagram from a tree. Each flow out of the
last layer ends at its cheapest class. Splits that lead only to classes and do not pay are then pruned bottom-up. Other
random columns give other diagrams, of which the best is kept.

Details that the paper leaves open: a flow that no split divides, or of one class, ends at its class at once. The two
sides of one split are not merged, because the split would be redundant; if no other pair can be merged, the flow that
loses least ends at its class instead.

Example
-------
>>> draft = construct(problem, question_orders(problem.dataset), np.random.default_rng(0))  # doctest: +SKIP
>>> prune(draft, problem)  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from ...problem import Orders, Problem, ShapeKind, question_orders
from ..base import Method, Option, Unsupported, only_kind, unposted
from ..search.context import SearchContext
from ..search.deadline import Deadline
from ..trees.tree_of_splits import class_weights, leaf_of, rank_question
from .draft import Arc, DiagramDraft, DraftNode, allowed, leaf_arc

Place = tuple[int, int]
"""A layer and a slot in it."""

Sides = tuple[np.ndarray, np.ndarray]
"""The rows (positions) of the yes and of the no side."""

SHARE = 0.6
"""The share of the columns among which a split is chosen, as in the paper."""


@dataclass(frozen=True, slots=True)
class _Flow:
    """Samples (positions) with a common next node, and the sides (slot, yes) of the layer above that lead there."""

    rows: np.ndarray
    origins: frozenset[tuple[int, bool]]

    def joined(self, other: _Flow) -> _Flow:
        return _Flow(np.concatenate((self.rows, other.rows)), self.origins | other.origins)

    def may_join(self, other: _Flow) -> bool:
        """Whether no split would have both its sides in the union."""
        return not any((slot, not answer) in other.origins for slot, answer in self.origins)


def construct(problem: Problem, orders: Orders, rng: np.random.Generator) -> DiagramDraft:
    """Build one unpruned diagram within the skeleton; its splits are on one column each.

    `rng` draws a share of the columns, at least one, for each split.
    """
    draft = DiagramDraft()
    flows = [_Flow(np.arange(problem.dataset.n_samples), frozenset())]
    widths = problem.size.layer_widths
    for number in range(len(widths)):
        above = number - 1
        here: dict[int, DraftNode] = {}
        draft.layers.append(here)
        for slot, flow in enumerate(flows):
            best = _best_question(problem, orders, flow.rows, rng)
            if best is None:
                _connect(draft, above, flow, end_of(problem, flow.rows))
                continue
            here[slot] = DraftNode(rank_question(problem, orders, flow.rows, *best)[0], 0, 0)
            _connect(draft, above, flow, slot)
        flows = list(_answers(problem, flows, here))
        if number + 1 < len(widths):
            flows = _merge(problem, draft, _end_pure(problem, draft, flows), widths[number + 1])
        if not flows:
            break
    for flow in flows:
        _connect(draft, len(draft.layers) - 1, flow, end_of(problem, flow.rows))
    while draft.layers and not draft.layers[-1]:
        draft.layers.pop()
    return draft


def _answers(problem: Problem, flows: list[_Flow], layer: dict[int, DraftNode]) -> Iterator[_Flow]:
    """The two flows out of each split of a layer; a flow without a split has ended."""
    dataset = problem.dataset
    for slot, node in layer.items():
        rows = flows[slot].rows
        yes = node.question.holds(dataset.schema, dataset.X[rows])
        yield _Flow(rows[yes], frozenset({(slot, True)}))
        yield _Flow(rows[~yes], frozenset({(slot, False)}))


def _connect(draft: DiagramDraft, layer: int, flow: _Flow, arc: Arc) -> None:
    """Set the head of a flow's arcs; `layer` is the layer of its splits, -1 for the flow into the diagram."""
    if layer < 0:
        draft.root = arc
    for slot, answer in flow.origins:
        if answer:
            draft.layers[layer][slot].yes = arc
        else:
            draft.layers[layer][slot].no = arc


def _end_pure(problem: Problem, draft: DiagramDraft, flows: list[_Flow]) -> list[_Flow]:
    """The flows of more than one class; the others end."""
    mixed = []
    for flow in flows:
        if np.count_nonzero(class_weights(problem, flow.rows)) > 1:
            mixed.append(flow)
        else:
            _connect(draft, len(draft.layers) - 1, flow, end_of(problem, flow.rows))
    return mixed


def _merge(problem: Problem, draft: DiagramDraft, flows: list[_Flow], room: int) -> list[_Flow]:
    """Reduce to at most `room` flows: merge the pair that loses least, or end a flow, repeatedly."""
    counts = [class_weights(problem, flow.rows) for flow in flows]
    while len(flows) > room:
        pairs = [(i, j) for i, j in combinations(range(len(flows)), 2) if flows[i].may_join(flows[j])]
        if pairs:
            first, second = np.array(pairs).T
            table = np.array(counts)
            loss = _impurity(table[first] + table[second]) - _impurity(table[first]) - _impurity(table[second])
            i, j = pairs[int(loss.argmin())]
            flows[i], counts[i] = flows[i].joined(flows[j]), counts[i] + counts[j]
        else:
            j = int(_impurity(np.array(counts)).argmin())
            _connect(draft, len(draft.layers) - 1, flows[j], end_of(problem, flows[j].rows))
        del flows[j], counts[j]
    return flows


def _best_question(
    problem: Problem, orders: Orders, rows: np.ndarray, rng: np.random.Generator
) -> tuple[int, int] | None:
    """Order and rank of the split of largest information gain; `None` if the samples are alike or of one class."""
    n_columns = problem.dataset.n_columns
    if not n_columns or not len(orders) or np.count_nonzero(class_weights(problem, rows)) < 2:
        return None
    drawn = rng.choice(n_columns, max(1, round(SHARE * n_columns)), replace=False)
    best = _most_gain(problem, orders, rows, np.flatnonzero(np.isin(orders.column, drawn)))
    return _most_gain(problem, orders, rows, np.arange(len(orders))) if best is None else best


def _most_gain(problem: Problem, orders: Orders, rows: np.ndarray, chosen: np.ndarray) -> tuple[int, int] | None:
    """The best split of some orders; `None` if none of them divides the samples."""
    n_classes = problem.dataset.n_classes
    rank = orders.rank[np.ix_(chosen, rows)].astype(np.int64)
    sizes = rank.max(axis=1, initial=0) + 1
    starts = np.concatenate(([0], np.cumsum(sizes)))
    cell = (rank + starts[:-1, None]) * n_classes + problem.dataset.y[rows]
    weights = np.broadcast_to(problem.weights[rows], cell.shape)
    table = np.bincount(cell.ravel(), weights.ravel(), starts[-1] * n_classes).reshape(-1, n_classes)
    below = np.cumsum(table, axis=0)
    # the counts before the first rank of an order belong to other orders
    before = np.concatenate((np.zeros((1, n_classes)), below))[starts[:-1]]
    low = below - np.repeat(before, sizes, axis=0)
    high = class_weights(problem, rows) - low
    divides = (low.sum(axis=1) > 0) & (high.sum(axis=1) > 0)
    if not divides.any():
        return None
    rest = np.where(divides, _impurity(low) + _impurity(high), np.inf)
    best = int(rest.argmin())
    order = int(np.searchsorted(starts, best, side="right")) - 1
    return int(chosen[order]), best - int(starts[order])


def _impurity(by_class: np.ndarray) -> np.ndarray:
    """The entropy of flows times their weight, in nats, from the weight of each class (..., n_classes)."""
    from scipy.special import xlogy

    total = by_class.sum(axis=-1)
    return np.asarray(xlogy(total, total) - xlogy(by_class, by_class).sum(axis=-1))


def end_of(problem: Problem, rows: np.ndarray) -> Arc:
    """The arc to the cheapest class for rows (positions), the first of equals."""
    return leaf_arc(leaf_of(problem, rows).label)


def prune(draft: DiagramDraft, problem: Problem) -> None:
    """Remove splits that lead only to classes and do not pay, bottom-up, in place.

    If there are more splits than `problem.size.max_splits`, those that save least are removed, too.
    """
    rows = {(layer, slot): (yes, no) for layer, slot, yes, no in draft.walk(problem.dataset)}
    while lossless := _removals(draft, problem, rows):
        place, loss = min(lossless.items(), key=lambda item: (item[1], (-item[0][0], item[0][1])))
        count = draft.n_questions
        most = problem.size.max_splits
        saved = problem.splits_cost(count) - problem.splits_cost(count - 1)
        if loss > saved and (most is None or count <= most):
            return
        _remove(draft, problem, place, rows)


def _removals(draft: DiagramDraft, problem: Problem, rows: Mapping[Place, Sides]) -> dict[Place, int]:
    """The increase in leaf cost on removal of each split that leads only to classes."""
    losses = {}
    for number, slots in enumerate(draft.reachable()):
        for slot in slots:
            node = draft.layers[number][slot]
            if node.yes >= 0 or node.no >= 0:
                continue
            now = [
                int(problem.leaf_costs(class_weights(problem, part))[~arc])
                for arc, part in zip((node.yes, node.no), rows[number, slot], strict=True)
            ]
            both = class_weights(problem, np.concatenate(rows[number, slot]))
            losses[number, slot] = int(problem.leaf_costs(both).min()) - sum(now)
    return losses


def _remove(draft: DiagramDraft, problem: Problem, place: Place, rows: Mapping[Place, Sides]) -> None:
    number, slot = place
    end = end_of(problem, np.concatenate(rows[place]))
    del draft.layers[number][slot]
    if number == 0:
        draft.layers, draft.root = [], end
        return
    for node in draft.layers[number - 1].values():
        node.yes = end if node.yes == slot else node.yes
        node.no = end if node.no == slot else node.no
    while draft.layers and not draft.layers[-1]:
        draft.layers.pop()


def constructions(problem: Problem, orders: Orders, seed: int, due: Callable[[], bool]) -> Iterator[DiagramDraft]:
    """Pruned diagrams until `due`; each has its own seed, and the first one is always built."""
    number = 0
    while number == 0 or not due():
        draft = construct(problem, orders, np.random.default_rng((seed, number)))
        prune(draft, problem)
        yield draft.tidied(problem)
        number += 1


MOST_BUILT, MOST_SECONDS = 20, 3.0
"""Limits on first diagrams for other methods: their number, and seconds."""


def first_drafts(context: SearchContext, share: float) -> tuple[Deadline, Iterator[DiagramDraft]]:
    """A few diagrams to start from, and the deadline of this start: a share of the time, and at most three seconds."""
    problem, left = context.problem, context.deadline.seconds_left
    brief = context.deadline.within(MOST_SECONDS if left is None else min(MOST_SECONDS, share * left))
    drafts = constructions(problem, question_orders(problem.dataset), context.limits.seed, brief.due)
    return brief, islice(drafts, MOST_BUILT)


PATIENCE = 60
"""Successive constructions without improvement before a run with the default option ends."""


class OddGreedy(Method):
    """The first step of the paper's two-step strategy as a method of its own; `options` has its parameter."""

    name = "odd-greedy"
    title = "Greedy diagrams"
    kinds = (ShapeKind.DIAGRAM,)
    exact = False
    summary = (
        "Builds decision diagrams from the top down at random, with merging, and prunes them from the bottom up. A "
        "fast baseline without a proof."
    )
    source = (
        "Florio, Martins, Schiffer, Serra, Vidal: Optimal Decision Diagrams for Classification. AAAI 2023, "
        "doi:10.1609/aaai.v37i6.25920."
    )
    options = (
        Option.among(
            "until",
            "Stop",
            "Diagrams are built one after another, and the best is kept. The paper builds them for 60 seconds.",
            {"settled": "without further improvement", "time": "at the time limit"},
        ),
    )

    def __init__(self, until: str = "settled") -> None:
        self._until = until

    def refusals(self, problem: Problem) -> Iterable[Unsupported]:
        """Refuse all but decision diagrams without domain constraints; limits on the size are supported."""
        return (*only_kind(ShapeKind.DIAGRAM, self.title, problem), *unposted(self.title, problem, ()))

    def search(self, context: SearchContext) -> None:
        """Build diagrams until there is no improvement for a while, time is up, or the cost cannot be improved."""
        problem = context.problem
        context.stats["diagrams"] = 0
        _offer(context, DiagramDraft(root=end_of(problem, np.arange(problem.dataset.n_samples))))
        if context.due() or (context.cost is not None and context.cost <= problem.unavoidable_cost):
            return
        # without a time limit only patience ends the search
        patience = None if self._until == "time" and context.limits.seconds is not None else PATIENCE
        in_vain = 0
        for draft in constructions(problem, question_orders(problem.dataset), context.limits.seed, context.due):
            context.stats["diagrams"] += 1
            in_vain = 0 if _offer(context, draft) else in_vain + 1
            if in_vain == patience:
                return
            context.progress(stats=dict(context.stats))


def _offer(context: SearchContext, draft: DiagramDraft) -> bool:
    """Offer a diagram if it is better and satisfies the size limits; returns whether it was accepted."""
    problem, best = context.problem, context.diagram
    # most are not better, and a draft shows this faster
    if best is not None and (draft.cost(problem), draft.n_questions) >= (context.cost, best.n_splits):
        return False
    diagram = draft.diagram(problem)
    return allowed(problem, draft, diagram) and context.offer(diagram)
