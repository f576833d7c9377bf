"""What is shown of a lesson: scores, ranked questions, steps of a search, curves. No Streamlit and no drawing."""

from collections.abc import Callable
from typing import NamedTuple

from components.learn.classroom import DEEPEST, OPTIMAL, Classroom, greedy_way
from components.words.cost_facts import cost_unit
from components.words.text import count, in_units, interval, percent, seconds
from solvers.diagram import Diagram
from solvers.metrics import Rate, fragmentation, rate
from solvers.problem import Dataset, Problem
from solvers.solution import TracePoint
from solvers.teaching import (
    Candidate,
    Greedy,
    GreedyReplay,
    Happening,
    Recording,
    ShapeOptimum,
    Sketch,
)


class Score(NamedTuple):
    """How a model does: the training rows that it gets wrong, of how many, the share of new rows, and its questions."""

    name: str
    errors: int
    n: int
    new: Rate
    questions: int


def score(name: str, diagram: Diagram, train: Dataset, test: Dataset) -> Score:
    """How a model does on the rows to learn from and on the new ones."""
    wrong = [diagram.predict(data) != data.y for data in (train, test)]
    return Score(name, int(wrong[0].sum()), train.n_samples, rate(wrong[1]), diagram.n_splits)


def verdict(you: Score, greedy: Score, optimum: ShapeOptimum | None) -> str:
    """The student's tree against the others, in a sentence."""
    cost = None if optimum is None else optimum.cost
    if optimum is None or cost is None:
        best, after = "the optimum is being looked for", ""
    elif not optimum.proved:
        best, after = f"best known: {cost}, not proved yet", ""
    elif you.errors == cost:
        best, after = (
            f"optimum: {cost}, proved",
            " Yours is optimal: no tree of this depth makes fewer errors.",
        )
    else:
        best, after = (
            f"optimum: {cost}, proved",
            f" {count(you.errors - cost, 'error')} to go.",
        )
    return f"You: {count(you.errors, 'error')}; {greedy.name}: {greedy.errors}; {best}.{after}"


class RankedRow(NamedTuple):
    """A line of the table that a greedy method chooses from, in words; `chosen` marks the one that it takes."""

    place: int
    question: str
    sides: str
    gain: str
    gini: str
    ratio: str
    errors: int
    chosen: bool


class Ranked(NamedTuple):
    """The table: its first lines, the chosen one among them wherever it stands, and how many there are in all."""

    rows: tuple[RankedRow, ...]
    n: int


def ranked_rows(table: tuple[Candidate, ...], chosen: Candidate | None, data: Dataset, most: int = 8) -> Ranked:
    """The best questions of a ranked table, and the chosen one."""
    places = list(range(min(most, len(table))))
    if chosen is not None and table.index(chosen) >= most:
        places = [*places[:-1], table.index(chosen)]
    return Ranked(tuple(_ranked_row(i + 1, table[i], table[i] == chosen, data) for i in places), len(table))


def _ranked_row(place: int, candidate: Candidate, chosen: bool, data: Dataset) -> RankedRow:
    sides = " | ".join(" + ".join(map(str, reversed(side))) for side in (candidate.yes, candidate.no))
    words = candidate.predicate.words(data.schema)
    gain, gini, ratio = (f"{one:.3f}" for one in (candidate.gain, candidate.gini, candidate.ratio))
    return RankedRow(place, words, sides, gain, gini, ratio, candidate.errors, chosen)


def greedy_sentence(replay: GreedyReplay, frame: int) -> str:
    """What a greedy method does next, and why, for someone who sees the tree of this frame."""
    data, title = replay.problem.dataset, replay.method.label
    step = replay.next_step(frame)
    if step is None:
        if frame < replay.n_frames - 1 and replay.n_taken_back:
            back = count(replay.n_taken_back, "question is", "questions are")
            return (
                f"Nothing is left to ask. {back} of no use, because both leaves say the same: next they are taken away."
            )
        wrong = int((replay.result.predict(data) != data.y).sum())
        return f"Done: {title} is wrong in {wrong} of {data.n_samples} training rows. It never takes a question back."
    where = "all rows" if step.slot == 0 else count(len(step.rows), "row")
    if step.chosen is None:
        why = "no question gains anything" if step.blind else f"no question gains enough for the rules of {title}"
        return f"For {where} {title} stops: {why}. It does not look further ahead."
    words = step.chosen.predicate.words(data.schema)
    gain = f"a gain of {step.chosen.gain:.3f} bits and a gain ratio of {step.chosen.ratio:.3f}"
    if replay.method is Greedy.CART:
        gain = f"a Gini gain of {step.chosen.gini:.3f}"
    lot = " Nothing is gained by any question, so this one is as good as any other." if step.blind else ""
    return f"For {where} {title} asks '{words}', with {gain}.{lot}"


class SearchFrame(NamedTuple):
    """A moment of the recorded search: what happens, and why, and what kind of event it is, in a word or two.

    `sketch` has the questions on the way to where it happens, `slot`. No tree goes below the errors of `bound`; `tried`
    and `spared` count the questions that were tried, and left out, until now.
    """

    words: str
    kind: str
    sketch: Sketch
    slot: int
    incumbent: int
    bound: int
    tried: int
    spared: int


_KINDS = {
    Happening.OPEN: "Look",
    Happening.ASK: "Try",
    Happening.SOLVED: "Solved",
    Happening.BETTER: "Better",
    Happening.WORSE: "No better",
    Happening.PRUNED: "Pruned",
    Happening.PROVED: "Proved",
    Happening.ENDED: "Ended",
}


def search_frame(recording: Recording, frame: int) -> SearchFrame:
    """The search after so many events."""
    event, before = recording.events[frame], recording.events[: frame + 1]
    return SearchFrame(
        event.words,
        _KINDS[event.what],
        Sketch(dict(event.path)),
        event.slot,
        event.incumbent,
        event.bound,
        sum(one.what is Happening.ASK for one in before),
        sum(one.spared for one in before),
    )


def next_of(recording: Recording, frame: int, what: Happening) -> int | None:
    """The next event of a kind after a frame; `None` where there is none."""
    return next((i for i in range(frame + 1, len(recording.events)) if recording.events[i].what is what), None)


class DepthPoint(NamedTuple):
    """A model of one depth: the shares of training rows and new rows that it gets wrong; `proved` if optimal."""

    depth: int
    train: float
    new: Rate
    proved: bool


class DepthCurves(NamedTuple):
    """Errors over depth, of the optimal trees that are known until now and of greedy ones, and what to read there."""

    optimal: tuple[DepthPoint, ...]
    greedy: tuple[DepthPoint, ...]
    greedy_name: str
    sentence: str


def depth_curves(room: Classroom, optimum: Callable[[str], ShapeOptimum | None]) -> DepthCurves:
    """How training error and error on new rows go with depth; `optimum` is asked for what is known, by its key."""
    optimal, greedy = [], []
    for depth in range(1, DEEPEST + 1):
        replay = greedy_way(room.setting.recipe, depth, room.setting.method)
        greedy.append(_depth_point(depth, replay.result, room, False))
        best = optimum(f"{OPTIMAL} {depth}")
        if best is not None and best.diagram is not None:
            optimal.append(_depth_point(depth, best.diagram, room, best.proved))
    return DepthCurves(tuple(optimal), tuple(greedy), room.setting.method.label, _depth_sentence(optimal))


def _depth_point(depth: int, diagram: Diagram, room: Classroom, proved: bool) -> DepthPoint:
    scored = score("", diagram, room.train, room.test)
    return DepthPoint(depth, scored.errors / scored.n, scored.new, proved)


def _depth_sentence(optimal: list[DepthPoint]) -> str:
    if len(optimal) < DEEPEST:
        return "The optimal trees are being looked for."
    fitting = min(optimal, key=lambda point: (point.train, point.depth))
    lasting = min(optimal, key=lambda point: (point.new.value, point.depth))
    if fitting.depth == lasting.depth:
        return f"Depth {fitting.depth} is best on the training rows and on new rows. Add noise, or take fewer rows."
    return (
        f"On the training rows depth {fitting.depth} is best ({percent(fitting.train)} wrong), on new rows "
        f"depth {lasting.depth} ({percent(lasting.new.value)} wrong, against {percent(fitting.new.value)} of "
        f"depth {fitting.depth}): the deeper tree has learned noise by heart."
    )


class ModelSize(NamedTuple):
    """The size of a model: questions, leaves, levels, and the rows of the question that is asked fewest."""

    name: str
    questions: int
    leaves: int
    depth: int
    fewest: int | None


def size_of(name: str, diagram: Diagram, data: Dataset) -> ModelSize:
    """How large a model is, and how thinly the rows are spread."""
    fewest = fragmentation(diagram, data).smallest_question if diagram.n_splits else None
    return ModelSize(name, diagram.n_splits, diagram.n_leaves, diagram.depth, fewest)


def new_words(wrong: Rate, drawn: bool) -> str:
    """The share of new rows that are wrong; with its interval where these are drawn, and not all that there are."""
    return f"{percent(wrong.value)} ({interval(wrong)})" if drawn and wrong.n else percent(wrong.value)


def trace_sentence(point: TracePoint, problem: Problem) -> str:
    """What was known at a moment of a run."""
    unit, noun, when = cost_unit(problem), problem.shape.kind.noun, seconds(point.elapsed)
    best = (
        f"no {noun} yet" if point.cost is None else f"the best {noun} has {in_units(point.cost, problem.scale)} {unit}"
    )
    if point.bound is None:
        return f"After {when}: {best}."
    bound = f"no {noun} that is allowed can have fewer than {in_units(point.bound, problem.scale)}"
    if point.cost is not None and point.cost == point.bound:
        return f"After {when}: {best}, and {bound}. That is the proof."
    return f"After {when}: {best}, and {bound}."
