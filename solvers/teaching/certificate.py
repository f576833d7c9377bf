"""The check of a certificate, step by step: what the checker computes, and what follows for cuts left out.

It is the checker itself that is run, of the file that is given away, and told what it computed: nothing is shown that
it did not do. The bound of a cut is that of all trees whose first question it is.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from ..certificates.optimum import make_optimum_certificate
from ..certificates.optimum_bounds import Part, Prover
from ..certificates.optimum_checker import cases_of_file, check
from ..certificates.optimum_words import CASES, MAIN
from ..certificates.permitted_cases import permitted_cases
from ..diagram import Diagram
from ..errors import UnsupportedError
from ..problem import Problem
from ..problem.texts import plural

MOST_ROUNDS = 400
"""More steps are more than anybody follows."""


class CheckKind(StrEnum):
    """What a step of a check does."""

    COUNT = "count"
    LOOK = "look"
    PROVED = "proved"


@dataclass(frozen=True)
class CheckStep:
    """A step of a check, and why, in a sentence.

    Attributes
    ----------
    bounds : what every tree that begins with each cut costs at least, as far as it is known after the step.
    looked : the cuts at which bounds were computed until now, as positions in `bounds`; new : those of this step.
    """

    what: CheckKind
    words: str
    bounds: tuple[int, ...]
    looked: tuple[int, ...] = ()
    new: tuple[int, ...] = ()

    def open(self, cost: int) -> int:
        """How many cuts might still begin a better tree."""
        return sum(bound < cost for bound in self.bounds)


@dataclass(frozen=True)
class CheckReplay:
    """A check from its beginning to its end: the cuts in words with their columns, the cost of the tree, the steps."""

    cuts: tuple[str, ...]
    columns: tuple[str, ...]
    cost: int
    steps: tuple[CheckStep, ...]


@dataclass
class _Watched:
    """What the checker was seen to do with the whole table: bounds on all cuts, and which were computed."""

    base: int = 0
    bounds: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    rounds: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)


def replay_check(problem: Problem, tree: Diagram) -> CheckReplay:
    """Have the certificate of a tree checked, and record how.

    Raises
    ------
    UnsupportedError
        The tree is not optimal, or the check takes more steps than anybody follows.
    """
    files, distinct = make_optimum_certificate(problem, tree), permitted_cases(problem)
    seen = _Watched()

    class Watcher(Prover):
        """Writes down what is computed of all cases."""

        def looked(self, part: Part, at: np.ndarray, known: np.ndarray, new: np.ndarray) -> None:
            if part.order.shape[1] < self.cases.ranks.shape[1]:
                return
            if not len(seen.bounds):
                seen.bounds, seen.base = np.zeros(len(part.start), np.int64), self.cases.base
            seen.bounds[at] = np.maximum(seen.bounds[at], known.sum(axis=0) + self.price)
            seen.rounds.append((new, seen.bounds.copy()))
            if len(seen.rounds) > MOST_ROUNDS:
                raise UnsupportedError(
                    f"Ended here: {MOST_ROUNDS} steps are more than anybody follows. Take fewer rows."
                )

    found = check(files.__getitem__, prover=Watcher)
    if not found.proved:
        raise UnsupportedError("The check ends with a bound below the errors of this tree. Look for a better tree.")
    part = cases_of_file(files[CASES].decode(), json.loads(files[MAIN]))[0].all()
    places = np.flatnonzero(part.end < part.order.shape[1])
    words, columns = [], []
    for place in places.tolist():
        o, k = int(part.column[place]), int(part.end[place])
        low, high = (int(part.cases.ranks[o, part.order[o, i]]) for i in (k - 1, k))
        predicate, _ = distinct.orders.question(int(distinct.kept[o]), low, high, False)
        words.append(predicate.words(problem.dataset.schema))
        columns.append(predicate.column)
    return CheckReplay(tuple(words), tuple(columns), found.cost, _steps(seen, found.cost, part, places, words))


def _steps(seen: _Watched, cost: int, part: Part, places: np.ndarray, words: list[str]) -> tuple[CheckStep, ...]:
    """The steps in words; without rounds all cuts were tried, each with the best leaves on both sides."""
    errors = plural(cost, "error")
    counted = (
        f"The checker counts for itself what the tree gets wrong: {errors}. It believes nothing else. Now it must show "
        f"that no other tree makes fewer, whichever of {len(places)} questions comes first."
    )
    steps, looked = [CheckStep(CheckKind.COUNT, counted, (0,) * len(places))], np.zeros(0, np.int64)
    rank = np.full(len(part.start), -1, np.int64)
    rank[places] = np.arange(len(places))
    for at, bounds in seen.rounds:
        new = np.setdiff1d(rank[at], looked)
        now = np.minimum(bounds[places] + seen.base, cost)
        if not len(new):
            continue
        looked = np.union1d(looked, new)
        left = int((now < cost).sum())
        spared = int((now >= cost).sum()) - int((now[looked] >= cost).sum())
        more = f" (and {len(new) - 1} more)" if len(new) > 1 else ""
        text = (
            f"Looked into: '{words[int(new[0])]}'{more}. The fewest errors of both its sides are computed. A question "
            f"nearby moves only few rows to the other side, and each can save one error at most; so of the others "
            f"{spared} are done without a look. Still open: {left}."
        )
        steps.append(CheckStep(CheckKind.LOOK, text, tuple(now.tolist()), tuple(looked.tolist()), tuple(new.tolist())))
    if not seen.rounds:
        now = np.minimum(part.leaf.sum(axis=0)[places] + part.cases.base, cost)
        text = f"With one question all {len(places)} are tried: the best answer on each side is counted."
        every = tuple(range(len(places)))
        steps.append(CheckStep(CheckKind.LOOK, text, tuple(now.tolist()), every, every))
    done = (
        f"Proved: a tree is one leaf, or it begins with one of these {len(places)} questions, and none makes fewer "
        f"than {errors}. Looked into were {len(steps[-1].looked)}; the others follow from them."
    )
    last = steps[-1]
    steps.append(CheckStep(CheckKind.PROVED, done, (cost,) * len(places), last.looked))
    return tuple(steps)
