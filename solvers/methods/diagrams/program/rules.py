"""The rules on the network: one short function per rule, and one table of them.

Rules on paths apply to every path through the diagram, whether or not a row takes it, so they are posted along the
arcs: the sum of `arcs` over both sides is 1 if one split leads to another.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from ....constraints.rules import MustAppearRule, PathCost, PrecedenceRule, RuleListRule
from ...mip.cell_program import POSTS as CELL_POSTS
from ...permitted import tests_of
from .network import Network


def not_below(net: Network, rule: PrecedenceRule) -> None:
    """`seen[v]` is 1 if v, or a split on some path to v, uses `upper`; no split below such a place uses `lower`."""
    model, places = net.model, range(net.frame.n_nodes)
    upper = [net.asks_about({rule.upper}, place) for place in places]
    seen = model.variables((net.frame.n_nodes,), value=lambda x: _spread(net, x, upper))
    for place in places:
        model.at_most([(1, upper[place]), (-1, seen[[place]])], 0)
    for tail, head, arcs in _links(net):
        model.at_most([(1, seen[[tail]]), (1, arcs), (-1, seen[[head]])], 1)
        model.at_most([(1, seen[[tail]]), (1, arcs), (1, net.asks_about({rule.lower}, head))], 2)


def path_cost(net: Network, rule: PathCost) -> None:
    """For each path through the skeleton, limit the cost of its tests, each paid once.

    The limit does not apply to paths with unused arcs.
    """
    tests = tests_of(rule.costs)
    everything = sum(cost for _, cost in tests)
    if not tests or everything <= rule.limit:
        return
    links = {(tail, head): arcs for tail, head, arcs in _links(net)}
    for path in net.frame.paths():
        paid = [(cost, net.some(columns, path)[None]) for columns, cost in tests]
        arcs = np.concatenate([links[pair][0] for pair in pairwise(path)] or [np.empty(0, np.int64)])
        net.model.at_most([*paid, (everything, arcs[None])], rule.limit + everything * (len(path) - 1))


def chain(net: Network, rule: RuleListRule) -> None:
    """One side of every place that is on leads to a terminal."""
    for place in range(net.frame.n_nodes):
        leaving = net.frame.leaving(place)
        ends = net.arcs[:, leaving[net.frame.head[leaving] >= net.frame.n_nodes]]
        net.model.at_most([(1, net.on[[place]]), (-1, ends.reshape(1, -1))], 0)


def must_appear(net: Network, rule: MustAppearRule) -> None:
    """`matters[v]` is 1 if v splits on the column and `gives` two classes: paths from it lead to both terminals.

    An arc hands on the classes that its head gives.
    """
    frame, model = net.frame, net.model
    inner = np.flatnonzero(frame.head < frame.n_nodes)
    asks = [net.asks_about({rule.column}, place) for place in range(frame.n_nodes)]

    def handed_on(x: np.ndarray) -> np.ndarray:
        return np.asarray(x[gives][frame.head[inner]] * (x[net.arcs[:, inner]].sum(axis=0) > 0.5)[:, None])

    def mattering(x: np.ndarray) -> np.ndarray:
        asking = np.array([x[at].sum() > 0.5 for at in asks])
        return np.asarray(asking & (x[gives].sum(axis=1) > 1.5), float)

    gives = model.variables((frame.n_nodes, frame.n_classes), value=lambda x: _given(net, x))
    handed = model.variables((len(inner), frame.n_classes), value=handed_on)
    matters = model.variables((frame.n_nodes,), whole=True, value=mattering)
    for k, terminal in enumerate(frame.terminals):
        model.at_most([(1, handed[:, [k]]), (-1, net.arcs[:, inner].T)], 0)
        model.at_most([(1, handed[:, [k]]), (-1, gives[frame.head[inner], k][:, None])], 0)
        for place in range(frame.n_nodes):
            leaving = frame.leaving(place)
            ends, on = net.arcs[:, leaving[frame.head[leaving] == terminal]], handed[frame.tail[inner] == place, k]
            model.at_most([(1, gives[[place], k][None]), (-1, ends.reshape(1, -1)), (-1, on[None])], 0)
    for place in range(frame.n_nodes):
        model.at_most([(1, matters[[place]]), (-1, asks[place])], 0)
        model.at_most([(2, matters[[place]]), (-1, gives[[place]])], 0)
    model.at_most([(-1, matters[None])], -1)


POSTS: dict[type, Callable[[Any, Any], None]] = {
    **CELL_POSTS,
    PrecedenceRule: not_below,
    PathCost: path_cost,
    MustAppearRule: must_appear,
    RuleListRule: chain,
}
"""The supported rules, with their functions."""


def _links(net: Network) -> list[tuple[int, int, np.ndarray]]:
    """Tail, head and both variables (1, 2) of each arc between two splits."""
    frame = net.frame
    inner = np.flatnonzero(frame.head < frame.n_nodes)
    return [(int(frame.tail[a]), int(frame.head[a]), net.arcs[:, a][None]) for a in inner]


def _spread(net: Network, x: np.ndarray, variables: list[np.ndarray]) -> np.ndarray:
    """For each place, 1 if it or a place on some path to it has one of the variables set, else 0."""
    out = np.array([float(x[at].sum() > 0.5) for at in variables])
    for place in range(len(out)):
        arcs = net.frame.entering(place)
        above = [float(out[net.frame.tail[a]]) for a in arcs if x[net.arcs[:, a]].sum() > 0.5]
        out[place] = max([out[place], *above])
    return out


def _given(net: Network, x: np.ndarray) -> np.ndarray:
    """The classes that paths from each place lead to, float64 (n_places, n_classes) of 0 and 1."""
    frame = net.frame
    answers = np.vstack((np.zeros((frame.n_nodes, frame.n_classes)), np.eye(frame.n_classes)))
    for place in reversed(range(frame.n_nodes)):
        taken = [a for a in frame.leaving(place) if x[net.arcs[:, a]].sum() > 0.5]
        answers[place] = answers[frame.head[taken]].max(axis=0, initial=0)
    return answers[: frame.n_nodes]
