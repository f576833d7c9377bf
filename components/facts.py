"""What is shown about the data, a run and its proof, as plain facts: no Streamlit and no drawing in here."""

from __future__ import annotations

import math
import re
from enum import StrEnum
from typing import NamedTuple

from components.cost_facts import charge, cost_unit, cost_words, counts_errors, price_words
from components.text import amount, count, percent, plain, seconds
from components.work import Design, Model, Prepared, Run
from solvers.diagram import Diagram
from solvers.errors import MissingPackageError
from solvers.methods import registry
from solvers.problem import ColumnReport, Contradictions, Kind, Problem, Shape, Table
from solvers.run import JobState, Snapshot
from solvers.solution import Solution, Status


class Tone(StrEnum):
    """What a pill says at a glance; its words say the same."""

    GOOD = "good"
    OPEN = "open"
    PLAIN = "plain"
    BAD = "bad"


class Pill(NamedTuple):
    """A status: a few words, their tone, a sentence that explains them, and what the method says besides."""

    words: str
    tone: Tone
    sentence: str
    remark: str = ""

    @property
    def full(self) -> str:
        """Sentence and remark."""
        return f"{self.sentence} {self.remark}".strip()


class ColumnRow(NamedTuple):
    """A line of the table of columns."""

    name: str
    use: bool
    kind: str | None
    missing: int
    distinct: int
    examples: str
    note: str


def column_row(report: ColumnReport, used: bool, kind: Kind | None) -> ColumnRow:
    """The line of a column; `kind` is the type that the user chose, or the one that was recognised."""
    notes = (report.problem, "Constant." if report.constant else None, report.why)
    return ColumnRow(
        report.name,
        used,
        kind and kind.value,
        report.n_missing,
        report.n_distinct,
        ", ".join(str(example) for example in report.examples),
        " ".join(note for note in notes if note),
    )


def table_sentence(table: Table) -> str:
    """How large a table is and what was recognised in its file."""
    size = f"{count(len(table.frame), 'row')}, {count(table.frame.shape[1], 'column')}."
    encoding = f"Encoding {table.encoding}." if table.encoding else ""
    return " ".join(part for part in (size, *table.notes, encoding) if part)


def data_sentence(prepared: Prepared) -> str:
    """What is known of the data, in Markdown, for instance '569 rows, 30 features, outcome malignant 37 %'."""
    data = prepared.whole
    parts = [count(data.n_samples, "row"), count(data.n_columns, "feature")]
    if data.positive is not None:
        share = data.class_counts[data.positive] / data.n_samples
        parts.append(f"outcome {plain(data.classes[data.positive], 30)} {percent(share, 0)}")
    else:
        parts.append(f"outcome {plain(data.outcome, 30)} with {data.n_classes} classes")
    if prepared.test is not None:
        parts.append(f"{count(prepared.test.n_samples)} rows held out for the test")
    return ", ".join(parts)


def design_sentence(design: Design, prepared: Prepared) -> str:
    """What is asked for in one line of Markdown, for instance 'tree of depth 3, by ConTree in at most 60 s'."""
    parts = [f"tree of depth {design.depth}", *_leaf_limits(design.shape)]
    parts += [plain(words) for words in price_words(design.objective, prepared.train)]
    if design.constraints:
        parts.append(count(len(design.constraints), "wish", "wishes"))
    return f"{', '.join(parts)}, by {registry.get(design.method).title} in at most {design.seconds:g} s"


def _leaf_limits(shape: Shape) -> list[str]:
    parts = []
    if shape.leaves is not None:
        parts.append(f"at most {count(shape.leaves, 'leaf', 'leaves')}")
    if shape.min_leaf > 1:
        parts.append(f"at least {count(shape.min_leaf)} rows a leaf")
    if shape.min_leaf_weight:
        parts.append(f"a weight of at least {amount(shape.min_leaf_weight)} a leaf")
    return parts


def health_sentences(found: Contradictions, n_samples: int) -> tuple[str, ...]:
    """What duplicate and contradictory rows mean for any model."""
    out = []
    if found.n_duplicates:
        out.append(f"{count(found.n_duplicates, 'row repeats', 'rows repeat')} the features of an earlier row.")
    if found.n_contradictory:
        out.append(
            f"{count(found.n_contradictory, 'row has', 'rows have')} the same features as a row of another class. "
            f"Whatever the model, at least {count(found.unavoidable, 'row is', 'rows are')} classified wrongly "
            f"({percent(found.unavoidable / n_samples)} of all rows)."
        )
    return tuple(out) or ("No row repeats another, and no two rows contradict each other.",)


def _power(exponent: float) -> str:
    """A power of ten with raised digits, or the number itself where it is small."""
    if exponent < 6:
        return count(round(10**exponent))
    return "10" + str(round(exponent)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


class Work(NamedTuple):
    """How large the search is: distinct questions at the root, and the number of trees that could be asked, as 10^x."""

    questions: int
    trees_log10: float

    @property
    def sentence(self) -> str:
        """The size in words, with a rough expectation."""
        return (
            f"{count(self.questions, 'question')} can be asked at each node, "
            f"which makes about {_power(self.trees_log10)} possible trees. "
            "One level more squares that number; the search leaves most of it out, but not always fast."
        )


def work(questions: int, shape: Shape) -> Work:
    """The size of the search for a full tree, an upper estimate: every node may ask every one of the questions."""
    splits = 2**shape.depth - 1
    if shape.leaves is not None:
        splits = min(splits, shape.leaves - 1)
    return Work(questions, splits * math.log10(max(questions, 1)))


def pill(solution: Solution, exact: bool, problem: Problem) -> Pill:
    """What is known of a result, and how sure; nothing is called proved that was not verified independently."""
    if solution.diagram is None:
        return _pill_without_model(solution)
    if solution.verified is not True:
        return Pill("Not verified", Tone.BAD, f"The check of this result did not pass. {solution.message}".strip())
    errors = cost_words(problem, solution.diagram, solution.cost)
    if solution.status is Status.OPTIMAL:
        remark = solution.message or "No tree of this size over these columns does better."
        return Pill("Proved optimal", Tone.GOOD, f"{errors}.", remark)
    if not exact:
        return Pill("Heuristic", Tone.PLAIN, f"{errors}; a greedy tree, without a proof of how good it is.")
    stopped = solution.status in (Status.CANCELLED, Status.FAILED)
    if solution.bound is None:
        words = "Stopped" if stopped else "Not proved"
        return Pill(words, Tone.OPEN, f"{errors}; the search ended before it had a bound on the optimum.")
    words = "Stopped" if stopped else f"Within {percent(_within(solution.cost, solution.bound, problem))}"
    remark = "" if solution.status is Status.CANCELLED else _BOUND_AGAIN.sub("", solution.message)
    return Pill(words, Tone.OPEN, f"{errors}; {_at_best(solution.bound, problem)}.", remark)


_BOUND_AGAIN = re.compile(r"[;:] no tree can cost less than \d+(?=\.|$)")
"""Messages end in the bound in cost units, which the sentence already has in errors."""


def _at_best(bound: int, problem: Problem) -> str:
    if counts_errors(problem):
        if bound <= 0:
            return "a tree without any error is not ruled out yet"
        return f"no tree of this size has fewer than {count(bound / problem.scale)}"
    if bound <= 0:
        return "a tree that costs nothing is not ruled out yet"
    return f"no tree of this size costs less than {amount(bound / problem.scale)}"


def _pill_without_model(solution: Solution) -> Pill:
    nothing = solution.message or "Proved: no tree satisfies everything that was asked for."
    return {
        Status.INFEASIBLE: Pill("Infeasible", Tone.BAD, nothing),
        Status.CANCELLED: Pill("Stopped", Tone.OPEN, "The run was stopped before it found a tree."),
        Status.FAILED: Pill("Failed", Tone.BAD, solution.message or "The run ended with an error."),
    }.get(solution.status, Pill("No tree", Tone.OPEN, solution.message or "The search ended before it found a tree."))


def _within(cost: int | None, bound: int | None, problem: Problem) -> float | None:
    """How much better a tree could be at most, as a share of what all rows cost at 1 each (by weight)."""
    if cost is None or bound is None:
        return None
    return (cost - bound) / problem.total


class Live(NamedTuple):
    """A run as its panel shows it: the pill, the seconds of solving, and whether it is still at work."""

    pill: Pill
    elapsed: float
    running: bool


def live(snapshot: Snapshot, exact: bool, problem: Problem) -> Live:
    """The facts of a run at a moment."""
    if snapshot.state is JobState.FAILED:
        shown = Pill("Failed", Tone.BAD, snapshot.error or "The run ended with an error.")
    elif snapshot.solution is not None:
        shown = pill(snapshot.solution, exact, problem)
    elif snapshot.state.terminal:
        shown = Pill("Stopped", Tone.OPEN, "The run was stopped before it found a tree.")
    elif snapshot.cost is None or snapshot.state is not JobState.RUNNING:
        waits = snapshot.state is not JobState.RUNNING
        shown = Pill("Waiting" if waits else "Searching", Tone.PLAIN, snapshot.text)
    else:
        shown = _improving(snapshot, problem)
    return Live(shown, snapshot.elapsed, not snapshot.state.terminal)


def _improving(snapshot: Snapshot, problem: Problem) -> Pill:
    words = cost_words(problem, snapshot.diagram, snapshot.cost)
    errors = f"Best tree so far: {words[0].lower()}{words[1:]}"
    gap = _within(snapshot.cost, snapshot.bound, problem)
    if gap is None:
        return Pill("Searching", Tone.OPEN, f"{errors}.")
    if gap == 0:
        return Pill("Nearly done", Tone.OPEN, f"{errors}; {_at_best(snapshot.bound, problem)}.", snapshot.text)
    return Pill(f"Within {percent(gap)}", Tone.OPEN, f"{errors}; {_at_best(snapshot.bound, problem)}.")


def model_sentence(model: Model) -> str:
    """What a model is, in one line of Markdown: its proof, its size, and what it asks about."""
    diagram = model.solution.diagram
    proof = pill(model.solution, model.exact, model.problem)
    asks = ", ".join(plain(name, 30) for name in diagram.features[:3]) + (" ..." if len(diagram.features) > 3 else "")
    return f"**{proof.words}**: {size_words(diagram)}" + (f", asks about {asks}" if asks else "")


def proof_rows(model: Model) -> tuple[tuple[str, str], ...]:
    """What was asked of the solver and what it proved: (name, value) in words."""
    solution, problem = model.solution, model.problem
    gap = _within(solution.cost, solution.bound, problem)
    whole = "all rows" if counts_errors(problem) else "an error in every row"
    return (
        *_cost_rows(model),
        ("Size", ", ".join([f"depth at most {problem.shape.depth}", *_leaf_limits(problem.shape)])),
        ("Lower bound", "none" if solution.bound is None else amount(solution.bound / problem.scale)),
        ("Gap", "unknown" if gap is None else f"{percent(gap)} of {whole}" if gap else "0, proved"),
        ("Method", model.title),
        ("The method says", solution.message or "\u2013"),
        ("Solving time", seconds(solution.seconds)),
        ("Check", "passed" if solution.verified else "not passed"),
    )


def _cost_rows(model: Model) -> tuple[tuple[str, str], ...]:
    """The objective and what the model achieves by it."""
    problem, found = model.problem, charge(model.problem, model.solution.diagram)
    cost = amount(model.solution.cost / problem.scale)
    if counts_errors(problem):
        return ("Objective", f"fewest {cost_unit(problem)}"), ("Errors", cost)
    wrong = f"{count(found.wrong)} of {count(found.of)}" + (", by weight" if problem.dataset.weight is not None else "")
    return (
        ("Objective", f"least cost: {', '.join(price_words(problem.objective, problem.dataset))}"),
        ("Cost", f"{cost} = {' + '.join(found.parts)}"),
        ("Rows wrong", wrong),
    )


def size_words(diagram: Diagram) -> str:
    """How large a model is, for instance '7 questions, 8 leaves, depth 3'."""
    splits, leaves = count(diagram.n_splits, "question"), count(diagram.n_leaves, "leaf", "leaves")
    return f"{splits}, {leaves}, depth {diagram.depth}"


def run_sentence(run: Run) -> str:
    """What a finished run came to, in one line of Markdown."""
    best = run.best
    shown = pill(best.solution, best.exact, best.problem)
    return f"**{shown.words}** {plain(shown.full, 600)}"


class Curve(NamedTuple):
    """Incumbent and bound over time as steps: (seconds, errors) in `unit`; empty while there are none."""

    incumbent: tuple[tuple[float, float], ...]
    bound: tuple[tuple[float, float], ...]
    end: float
    proved: bool
    unit: str


def curve(snapshot: Snapshot, problem: Problem) -> Curve:
    """How the incumbent came down and the bound came up."""
    scale = problem.scale
    solution = snapshot.solution
    above = tuple((p.elapsed, p.cost / scale) for p in snapshot.trace if p.cost is not None)
    below = tuple((p.elapsed, p.bound / scale) for p in snapshot.trace if p.bound is not None)
    proved = solution is not None and solution.status is Status.OPTIMAL and solution.verified is True
    end = max(snapshot.elapsed, *(p.elapsed for p in snapshot.trace), 0.0)
    return Curve(above, below, end, proved, cost_unit(problem))


class MethodFacts(NamedTuple):
    """A method as the picker offers it; `refusals` say why it cannot take the problem: (what, reason, remedy)."""

    name: str
    title: str
    promise: str
    summary: str
    source: str
    refusals: tuple[tuple[str, str, str], ...]


def method_facts(problem: Problem | None) -> tuple[MethodFacts, ...]:
    """All methods of the registry, with what stands against each for this problem, where there is one."""
    out = []
    for name in registry.names():
        try:
            method = registry.get(name)
        except MissingPackageError as error:
            out.append(MethodFacts(name, name, "not installed", "", "", (("Not installed", str(error), ""),)))
            continue
        refusals = () if problem is None else tuple((u.what, u.reason, u.remedy) for u in method.check(problem))
        promise = "proves the optimum" if method.exact else "greedy, no proof"
        out.append(MethodFacts(name, method.title, promise, method.summary, method.source, refusals))
    return tuple(out)
