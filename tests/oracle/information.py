"""Entropy, information gain and gain ratio, from the definitions."""

from __future__ import annotations

import math


def entropy(weights: list[float]) -> float:
    """The entropy in bits of shares proportional to these weights."""
    total = sum(weights)
    return -sum(w / total * math.log2(w / total) for w in weights if w > 0)


def gain(labels: list[int], weights: list[float], yes: list[bool]) -> tuple[float, float]:
    """The information gain of a split, and its gain ratio; both sides must have rows."""

    def by_class(side: list[bool]) -> list[float]:
        return [
            sum(w for w, y, s in zip(weights, labels, side, strict=True) if s and y == k)
            for k in range(max(labels) + 1)
        ]

    no = [not answer for answer in yes]
    everything, first, second = by_class([True] * len(labels)), by_class(yes), by_class(no)
    inside = (sum(first) * entropy(first) + sum(second) * entropy(second)) / sum(everything)
    gained = entropy(everything) - inside
    return gained, gained / entropy([sum(first), sum(second)])
