"""The smallest tree that makes no mistake, by exact search.

'Smallest' is the least depth and then the fewest nodes, or the fewest nodes at any depth that the shape allows. The
search is over subsets of the distinct rows, or over boxes of values where columns have few of them. Where rows
contradict each other, the tree makes the mistakes that no tree avoids and no others; where no such tree has the asked
shape, which is proved, ConTree finds the fewest mistakes.

Example
-------
>>> SmallestTree().run(Problem(dataset, Shape(depth=8)), Limits(), print, threading.Event())  # doctest: +SKIP
"""

from __future__ import annotations

import threading
from dataclasses import replace
from enum import StrEnum
from typing import Any

import numpy as np

from solvers.methods.base import Clock, Option, Unsupported, infeasible, only_trees
from solvers.methods.contree import ConTree
from solvers.methods.live import Live
from solvers.methods.smallest.asking import PREDICATES, Asked, Predicates, ask, unaskable
from solvers.methods.smallest.finding import Finding, Question, Search, search_for
from solvers.problem import Column, Dataset, Kind, Limits, Problem, Schema, Shape, ShapeKind
from solvers.solution import Bound, Emit, Event, Incumbent, Log, Progress, Solution, Started, Status, Stop

SHOWN_ROWS = 10


class Noise(StrEnum):
    """What is done about rows that contradict each other."""

    FEWEST = "fewest"
    DROP = "drop"
    REFUSE = "refuse"


NOISE = Option(
    "noise",
    "Contradictions",
    "Rows that equal each other but for the class: make the fewest mistakes that they allow; leave the rows of the "
    "costlier classes out and list them; or end and name the rows.",
    tuple(Noise),
    Noise.FEWEST,
    ("Fewest mistakes", "Leave rows out", "Only name them"),
)

QUESTION = Option(
    "question",
    "Smallest",
    "The least depth and then the fewest nodes, or the fewest nodes at any depth that is allowed.",
    tuple(Question),
    Question.DEPTH,
    ("Depth, then nodes", "Nodes at any depth"),
)

SEARCH = Option(
    "search",
    "Search",
    "Over boxes of values, which suits columns with few values; over subsets of rows; or whichever suits the table.",
    tuple(Search),
    Search.AUTO,
    ("Automatic", "Boxes of values", "Subsets of rows"),
)


class SmallestTree:
    """Smallest trees without avoidable mistakes.

    Parameters
    ----------
    predicates, question, noise, search : see `options`.
    """

    name = "smallest-tree"
    title = "Smallest tree without mistakes (exact search)"
    kinds = (ShapeKind.TREE,)
    exact = True
    summary = (
        "Finds the least depth at which a tree gets every row right, and the fewest nodes at that depth or at any, and "
        "proves both. Names rows that contradict each other. Where the depth does not suffice, it finds the fewest "
        "errors."
    )
    source = (
        "Own method, for the problem of Avellaneda: Efficient Inference of Optimal Decision Trees. AAAI 2020, "
        "10.1609/aaai.v34i04.5711."
    )
    options = (PREDICATES, QUESTION, NOISE, SEARCH)

    def __init__(
        self,
        predicates: str = PREDICATES.default,
        question: str = QUESTION.default,
        noise: str = NOISE.default,
        search: str = SEARCH.default,
    ) -> None:
        self._predicates, self._question = Predicates(predicates), Question(question)
        self._noise, self._search = Noise(noise), Search(search)

    def check(self, problem: Problem) -> tuple[Unsupported, ...]:
        """Trees without demands that compete with making no mistake."""
        return (*only_trees(self.title, problem), *unaskable(self.title, problem, self._predicates))

    def run(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """Raise the depth until there is a tree, then make it small; where none fits, find the fewest mistakes."""
        clock = Clock()
        emit(Started(self.name))
        if none := infeasible(problem, self.name, clock):
            return none
        asked, live = ask(problem, self._predicates), Live(problem, clock, emit)

        def due() -> bool:
            return stop.is_set() or (limits.seconds is not None and clock.elapsed > limits.seconds)

        finding = Finding(asked, limits, live, due, search_for(asked, limits, self._search))
        finding.adopt({})
        live.raise_bound(asked.unavoidable)
        stats: dict[str, Any] = {}
        if self._noise is Noise.REFUSE and len(asked.contradictory):
            finding.adopt_greedy()
            message = "The smallest tree was not looked for."
        else:
            finding.find(self._question)
            stats = _stats(finding)
            message = self._message(finding, stop)
            if finding.none_fits:
                live.raise_bound(min(live.cost, asked.unavoidable + asked.least_mistake))
                message += self._hand_over(finding, stop)
        best = live.diagram
        if finding.splits is not None:
            finding.live = last = Live(problem, clock, lambda event: None)
            finding.adopt(finding.splits)
            best = last.diagram
            stats["n_nodes"] = best.n_nodes
        return Solution(
            problem_id=problem.id,
            method=self.name,
            status=_status(live, stop),
            diagram=best,
            cost=live.cost,
            bound=live.bound,
            seconds=clock.elapsed,
            cpu_seconds=clock.cpu,
            trace=tuple(live.trace),
            stats={**stats, **self._about(asked)},
            message=" ".join(filter(None, (message, self._note(asked)))),
        )

    def warm(self, wishes: bool = False) -> None:
        """Compile both searches, and what finds the fewest mistakes."""
        ConTree().warm(wishes)
        values = np.array([[0, 0, 1, 1, 2, 2, 3, 3], [0, 1, 0, 1, 0, 1, 0, 1]], np.float64).T
        schema = Schema((Column("a", Kind.NUMERIC), Column("b", Kind.NUMERIC)))
        table = Dataset("warm-up", schema, values, np.array([0, 1, 1, 0, 0, 1, 1, 2]), ("a", "b", "c"), "class")
        for search in (Search.BOXES, Search.SUBSETS):
            method = SmallestTree(search=search)
            method.run(Problem(table, Shape(depth=4)), Limits(), lambda event: None, threading.Event())

    def _hand_over(self, finding: Finding, stop: Stop) -> str:
        """Let ConTree find the fewest mistakes in the time that is left; its message."""
        asked, live, limits = finding.asked, finding.live, finding.limits
        if finding.due():
            return ""

        def hear(event: Event) -> None:
            now = live.clock.elapsed
            if isinstance(event, Incumbent):
                live.adopt(asked.restore(event.diagram))
            elif isinstance(event, Bound):
                live.raise_bound(event.value)
            elif isinstance(event, Progress):
                live.emit(Progress(now, event.text, event.stats))

        live.emit(Log(live.clock.elapsed, "Looking for the fewest mistakes instead."))
        if limits.seconds is not None:
            limits = replace(limits, seconds=max(1e-3, limits.seconds - live.clock.elapsed))
        found = ConTree().run(asked.problem, limits, hear, stop)
        live.adopt(asked.restore(found.diagram))
        live.raise_bound(found.bound)
        return f" {found.message}"

    def _message(self, finding: Finding, stop: Stop) -> str:
        """What was proved about trees that make no avoidable mistake."""
        size = finding.asked.problem.size
        mistake = "mistake that can be avoided" if finding.asked.unavoidable else "mistake"
        proved = "proved for the classes taken" if finding.asked.tied else "proved"
        shape = f"at most {size.depth} questions a path"
        if size.leaves is not None:
            shape += f" and {size.leaves} leaves"
        if finding.none_fits:
            return f"Every tree of {shape} makes a {mistake}: {proved}."
        ended = "Stopped" if stop.is_set() else f"The time limit of {finding.limits.seconds or 0:g} s was reached"
        if finding.search.out_of_memory:
            ended = f"The memory limit of {finding.limits.memory_mb} MiB was reached"
        if finding.minimum_depth is None:
            below = f"; every tree of depth {finding.refuted[-1]} makes a {mistake}" if finding.refuted else ""
            return f"{ended}{below}."
        if finding.minimum_depth == 0:
            return f"A single leaf makes no {mistake}."
        told = f"A tree of depth {finding.minimum_depth} makes no {mistake}, and none less deep does: {proved}."
        if not finding.smallest:
            return f"{told} {ended} while fewer nodes were sought."
        nodes = 2 * len(finding.splits) + 1
        if self._question is Question.NODES:
            return f"{told} None of {shape} has fewer than {nodes} nodes: {proved}."
        if finding.least_deep > finding.minimum_depth:
            told += f" With at most {size.leaves} leaves the least depth is {finding.least_deep}: {proved}."
        return f"{told} None of depth {finding.least_deep} has fewer than {nodes} nodes: {proved}."

    def _note(self, asked: Asked) -> str:
        """What there is to say about contradictions."""
        if not len(asked.contradictory):
            return ""
        rows = _rows(asked.contradictory)
        told = f"{rows} contradict each other: at least {len(asked.mistaken)} of them must be got wrong."
        if self._noise is Noise.DROP:
            told += f" {_rows(asked.mistaken)} {'was' if len(asked.mistaken) == 1 else 'were'} left out."
        elif self._noise is Noise.REFUSE:
            told += " Correct them, or choose 'drop' or 'fewest' for the option 'noise'."
        if asked.tied and self._noise is not Noise.REFUSE:
            told += " Of classes that cost equally little the first is taken; with another a smaller tree might do."
        return told

    def _about(self, asked: Asked) -> dict[str, Any]:
        """Figures of the question itself."""
        left_out = asked.mistaken.tolist() if self._noise is Noise.DROP else []
        return {
            "predicates": str(self._predicates),
            "examples_used": asked.n_cases,
            "contradictory rows": asked.contradictory.tolist(),
            "unavoidable mistakes": len(asked.mistaken),
            "rows left out": left_out,
        }


def _stats(finding: Finding) -> dict[str, Any]:
    stats: dict[str, Any] = {"search": finding.search.name, "refuted": finding.refuted, **finding.search.stats}
    if finding.minimum_depth is not None:
        stats |= {
            "minimum_depth": finding.minimum_depth,
            "smallest_proved": finding.smallest and not finding.asked.tied,
        }
    return stats


def _status(live: Live, stop: Stop) -> Status:
    if live.cost == live.bound:
        return Status.OPTIMAL
    return Status.CANCELLED if stop.is_set() else Status.FEASIBLE


def _rows(numbers: np.ndarray) -> str:
    """Row numbers in words, the first few of many."""
    if len(numbers) == 1:
        return f"Row {numbers[0]}"
    shown = ", ".join(map(str, numbers[:SHOWN_ROWS]))
    return f"The rows {shown}{f' and {len(numbers) - SHOWN_ROWS} more' if len(numbers) > SHOWN_ROWS else ''}"
