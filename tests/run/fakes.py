"""Methods that behave well or badly on purpose. `tests.run.plugin` adds them to the registry of a worker."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import ClassVar

import numpy as np
from numba.core import event

from solvers.compilation import COMPILATION
from solvers.diagram import Diagram, Leaf
from solvers.methods import Clock, Method, Option, RegistryEntry, Unsupported
from solvers.problem import Limits, Problem, ShapeKind
from solvers.run import StoredRun, load_run
from solvers.solution import Bound, Emit, EndReason, Incumbent, Progress, Solution, Started, Status, Stop


def leaf(problem: Problem, label: int) -> Diagram:
    """The diagram that predicts the same class for every row."""
    dataset = problem.dataset
    counts = tuple(float(count) for count in np.bincount(dataset.y, dataset.weight, dataset.n_classes))
    return Diagram(
        ShapeKind.TREE, dataset.schema, dataset.classes, dataset.outcome, dataset.positive, (Leaf(label, counts),)
    )


def majority(problem: Problem) -> int:
    """The class with the largest weight."""
    dataset = problem.dataset
    return int(np.bincount(dataset.y, dataset.weight, dataset.n_classes).argmax())


def no_model(problem: Problem, method: str) -> Solution:
    """The claim that no model exists."""
    return Solution(problem.id, method, Status.INFEASIBLE, None, None, None, 0.0, 0.0, ended=EndReason.PROVED)


class Fake(Method):
    """A method that finds the majority class, and proves a bound of 1 first."""

    title = "Fake"
    kinds: ClassVar[tuple[ShapeKind, ...]] = (ShapeKind.TREE,)
    exact = False
    summary = "For tests."
    source = "None."
    options: ClassVar[tuple[Option, ...]] = ()
    priced_depth = False

    def __init__(self) -> None:
        self.name = next(name for name, entry in FAKES.items() if entry.path.endswith(f":{type(self).__name__}"))

    def check(self, problem: Problem) -> tuple[Unsupported, ...]:
        """Accept everything."""
        return ()

    def precompile(self, constraints: bool = False) -> None:
        """Prepare nothing."""

    def run(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """Report two incumbents and a bound, misbehave, and end."""
        self.clock, self.status, self.bound = Clock(), Status.FEASIBLE, 1
        emit(Started(self.name))
        for label in (1 - majority(problem), majority(problem)):
            self.diagram = leaf(problem, label)
            self.cost = problem.cost(self.diagram.predict(problem.dataset))
            emit(Incumbent(self.clock.elapsed, self.cost, self.diagram))
        emit(Bound(self.clock.elapsed, self.bound))
        emit(Progress(self.clock.elapsed, "Looking.", {"nodes": 2}))
        self.misbehave(limits, emit, stop)
        return Solution(
            problem_id=problem.id,
            method=self.name,
            status=self.status,
            diagram=self.diagram,
            cost=self.cost,
            bound=self.bound,
            seconds=self.clock.elapsed,
            cpu_seconds=self.clock.cpu,
        )

    def misbehave(self, limits: Limits, emit: Emit, stop: Stop) -> None:
        """Hook for subclasses."""


class Choosy(Fake):
    """A method with options that reports the chosen ones."""

    options: ClassVar[tuple[Option, ...]] = (
        Option("colour", "Colour", "What it is painted with.", ("red", "green"), "red"),
        Option("size", "Size", "How large it is.", (), "3"),
    )

    def __init__(self, colour: str = "red", size: str = "3") -> None:
        super().__init__()
        self.chosen = (colour, size)

    def misbehave(self, limits: Limits, emit: Emit, stop: Stop) -> None:
        """Report the chosen options."""
        emit(Progress(self.clock.elapsed, "Painting.", {"chosen": " and ".join(self.chosen)}))


class Patient(Fake):
    """Runs until it is stopped."""

    def misbehave(self, limits: Limits, emit: Emit, stop: Stop) -> None:
        while not stop.is_set():
            time.sleep(0.01)
        self.status = Status.CANCELLED


class Deaf(Fake):
    """Ignores a stop."""

    def misbehave(self, limits: Limits, emit: Emit, stop: Stop) -> None:
        time.sleep(600)


class Broken(Fake):
    """Raises an exception during the search."""

    def misbehave(self, limits: Limits, emit: Emit, stop: Stop) -> None:
        raise ZeroDivisionError("the secret cell")


class OutOfMemory(Fake):
    """Raises `MemoryError`."""

    def misbehave(self, limits: Limits, emit: Emit, stop: Stop) -> None:
        raise MemoryError


class Noisy(Fake):
    """Prints to descriptor 1 as native libraries do, and through Python."""

    def misbehave(self, limits: Limits, emit: Emit, stop: Stop) -> None:
        os.write(1, b'native noise {"event": "finished"}\n' * 2000)
        print("noise of Python")


class Greedy(Fake):
    """Allocates more and more memory until it is stopped."""

    def misbehave(self, limits: Limits, emit: Emit, stop: Stop) -> None:
        self.hoard = []
        while not stop.is_set():
            self.hoard.append(b"x" * 2**25)
            time.sleep(0.05)
        self.status = Status.CANCELLED


class Gluttonous(Fake):
    """Allocates more and more memory and ignores a stop."""

    def misbehave(self, limits: Limits, emit: Emit, stop: Stop) -> None:
        self.hoard = []
        while len(self.hoard) < 40:
            self.hoard.append(b"x" * 2**25)
            time.sleep(0.05)
        time.sleep(600)


class Overclaiming(Fake):
    """Claims that no tree is better than the majority class, as a faulty solver would."""

    exact = True

    def misbehave(self, limits: Limits, emit: Emit, stop: Stop) -> None:
        self.status, self.bound = Status.OPTIMAL, self.cost
        emit(Bound(self.clock.elapsed, self.bound))


class Denying(Fake):
    """Claims that there is no tree."""

    exact = True

    def run(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        emit(Started(self.name))
        return no_model(problem, self.name)


class Picky(Fake):
    """Refuses every problem."""

    def check(self, problem: Problem) -> tuple[Unsupported, ...]:
        return (Unsupported("Tables", "This method takes none.", "Choose another method."),)


class Chatty(Fake):
    """Reports many thousands of bounds and heartbeats."""

    def misbehave(self, limits: Limits, emit: Emit, stop: Stop) -> None:
        for i in range(20_000):
            emit(Progress(self.clock.elapsed, f"Step {i}."))
            emit(Bound(self.clock.elapsed, 1))


class Unprepared(Fake):
    """Compiles a kernel for more than a second while it runs, as a method with an incomplete warm-up."""

    def misbehave(self, limits: Limits, emit: Emit, stop: Stop) -> None:
        COMPILATION.watch()
        with event.trigger_event("numba:compile"), event.trigger_event("numba:compile"):
            time.sleep(1.2)
        if stop.is_set():
            self.status = Status.CANCELLED


FAKES = {
    f"fake-{kind.__name__.lower()}": RegistryEntry(f"tests.run.fakes:{kind.__name__}")
    for kind in (
        Fake,
        Patient,
        Deaf,
        Broken,
        OutOfMemory,
        Noisy,
        Greedy,
        Gluttonous,
        Picky,
        Choosy,
        Chatty,
        Unprepared,
    )
}
FAKES |= {
    f"fake-{kind.__name__.lower()}": RegistryEntry(f"tests.run.fakes:{kind.__name__}", ("ortools",))
    for kind in (Overclaiming, Denying)
}


def runs_in(runs: Path) -> tuple[StoredRun, ...]:
    """All runs in a folder, newest first."""
    return tuple(load_run(file.parent) for file in sorted(runs.glob("*/run.json"), reverse=True))
