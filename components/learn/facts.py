"""Scores, ranked splits, steps of a search and curves of a lesson."""

from collections.abc import Callable
from typing import NamedTuple

import pandas as pd

from components.learn.classroom import DEEPEST, Classroom, Optimum, greedy_way, tree_key
from components.messages.text import count, interval, percent
from components.model.run_facts import Curve
from solvers.diagram import Diagram
from solvers.metrics import Rate, rate
from solvers.teaching import (
    Candidate,
    Greedy,
    GreedyReplay,
    Happening,
    Recording,
)


class Score(NamedTuple):
    """The training errors of a model, the training rows, and the error rate on new rows."""

    errors: int
    n: int
    new: Rate


def score(diagram: Diagram, room: Classroom) -> Score:
    """The score of a model on training and new rows."""
    wrong = [diagram.predict(data) != data.y for data in (room.train, room.test)]
    return Score(int(wrong[0].sum()), room.train.n_samples, rate(wrong[1]))


def verdict(you: int, method: str, greedy: int, optimum: Optimum | None) -> str:
    """A sentence that compares the errors of the student's tree with those of the others."""
    cost = None if optimum is None else optimum.cost
    if optimum is None or cost is None:
        best, after = "searching for the optimum", ""
    elif not optimum.proved:
        best, after = f"best so far: {cost}", ""
    else:
        best, after = f"optimum: {cost} (proved)", f" {count(you - cost, 'error')} to go."
        if you == cost:
            after = " Yours is optimal on the training data."
    return f"You: {count(you, 'error')}; {method}: {greedy}; {best}.{after}"


def listed_places(table: tuple[Candidate, ...], chosen: Candidate | None, most: int) -> list[int]:
    """Positions of the listed splits of a ranked table: the best ones, and the chosen one."""
    places = list(range(min(most, len(table))))
    if chosen is not None and table.index(chosen) >= most:
        places = [*places[:-1], table.index(chosen)]
    return places


def greedy_sentence(replay: GreedyReplay, frame: int) -> str:
    """The next step of a greedy method, and its reason."""
    data, title = replay.problem.dataset, replay.method.label
    step = replay.next_step(frame)
    if step is None:
        if frame < replay.n_frames - 1 and replay.n_taken_back:
            back = count(replay.n_taken_back, "split")
            return f"No split left. Next, {back} with the same prediction in both leaves will be removed."
        wrong = int((replay.result.predict(data) != data.y).sum())
        return f"Done: {title} makes {wrong} errors in {data.n_samples} training rows. It never revises a split."
    where = "all rows" if step.slot == 0 else count(len(step.rows), "row")
    if step.chosen is None:
        why = "no split gains anything" if step.blind else f"no split gains enough for {title}"
        return f"For {where}, {title} stops: {why}. It does not look further ahead."
    words = step.chosen.predicate.words(data.schema)
    gain = f"a gain of {step.chosen.gain:.3f} bits and a gain ratio of {step.chosen.ratio:.3f}"
    if replay.method is Greedy.CART:
        gain = f"a Gini gain of {step.chosen.gini:.3f}"
    lot = " No split gains anything, so the choice is arbitrary." if step.blind else ""
    return f"For {where}, {title} chooses '{words}', with {gain}.{lot}"


def next_of(recording: Recording, frame: int, what: Happening) -> int | None:
    """The next event of a kind after a frame; `None` if there is none."""
    return next((i for i in range(frame + 1, len(recording.events)) if recording.events[i].what is what), None)


def depth_curves(room: Classroom, optimum: Callable[[str], Optimum | None]) -> pd.DataFrame:
    """Training error and error on new rows by depth, of the optimal trees found so far and of the greedy ones.

    One row per model: `optimal`, depth, training error rate (`train`), error rate on new rows (`new`), and whether it
    is proved. `optimum` looks up results by key.
    """
    lines = []
    for depth in range(1, DEEPEST + 1):
        best = optimum(tree_key(depth))
        grown = greedy_way(room.setting.recipe, depth, room.setting.method).result
        for optimal, tree in ((False, grown), (True, None if best is None else best.diagram)):
            if tree is not None:
                scored = score(tree, room)
                proved = optimal and best is not None and best.proved
                lines.append((optimal, depth, scored.errors / scored.n, scored.new, proved))
    return pd.DataFrame(lines, columns=["optimal", "depth", "train", "new", "proved"])


def describe_depth(curves: pd.DataFrame) -> str:
    """A sentence on the best depth on the training rows and on new rows."""
    optimal = list(curves[curves["optimal"]].itertuples())
    if len(optimal) < DEEPEST:
        return "Searching for the optimal trees."
    fitting = min(optimal, key=lambda point: (point.train, point.depth))
    lasting = min(optimal, key=lambda point: (point.new.value, point.depth))
    if fitting.depth == lasting.depth:
        return f"Depth {fitting.depth} is best on training and new rows. Add noise, or use fewer rows."
    return (
        f"Best on training rows: depth {fitting.depth} ({percent(fitting.train)} errors). Best on new rows: depth "
        f"{lasting.depth} ({percent(lasting.new.value)}, against {percent(fitting.new.value)} at depth "
        f"{fitting.depth}). The deeper tree fits noise."
    )


def describe_new(wrong: Rate, drawn: bool) -> str:
    """The error rate on new rows; with its interval if they are a sample, and not all possible rows."""
    return f"{percent(wrong.value)} ({interval(wrong)})" if drawn and wrong.n else percent(wrong.value)


def closing_in(recording: Recording) -> Curve:
    """The best tree so far and the lower bound of a recorded search, step by step."""
    best, bound = (
        tuple((float(step), float(value)) for step, value in enumerate(values))
        for values in zip(*((event.incumbent, event.bound) for event in recording.events), strict=True)
    )
    proved = recording.events[-1].what is Happening.PROVED
    return Curve(best, bound, float(max(1, len(recording.events) - 1)), proved, "errors")
