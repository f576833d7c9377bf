"""Sentences about the data, a run and its proof, shared by several screens."""

from typing import NamedTuple

from components.messages.text import count, percent, plain
from components.session.work import FinishedModel, Prepared
from solvers.errors import MissingPackageError
from solvers.messages.costs import cost_unit, describe_cost, describe_price
from solvers.messages.division import describe_held_out
from solvers.messages.results import BEST, StatusBadge, Tone, badge_without_model, bound_sentence, status_badge
from solvers.messages.shapes import describe_shape, size_found
from solvers.methods import Method, registry
from solvers.posing import method_of, objective_on, shape_of
from solvers.problem import Contradictions, Problem, ShapeKind, Table
from solvers.problem.sources.layout import SEPARATORS
from solvers.request import Request
from solvers.run import JobState, Snapshot
from solvers.solution import Status


def table_sentence(table: Table) -> str:
    """The size of a table and the layout of its file."""
    size = f"{count(table.n_rows, 'row')}, {count(len(table.names), 'column')}."
    layout = []
    if table.separator is not None and len(table.names) > 1:
        layout.append(f"Fields are separated by {SEPARATORS[table.separator]}.")
    if table.separator is not None and table.has_header:
        layout.append("The first line names the columns.")
    encoding = f"Encoding {table.encoding}." if table.encoding else ""
    return " ".join(part for part in (size, *layout, *table.notes, encoding) if part)


def data_sentence(prepared: Prepared) -> str:
    """A summary of the data in Markdown, for instance '569 rows, 30 features, outcome malignant 37%'."""
    data = prepared.whole
    parts = [count(data.n_samples, "row"), count(data.n_columns, "feature")]
    if data.positive is not None:
        share = data.class_counts[data.positive] / data.n_samples
        parts.append(f"outcome {plain(data.classes[data.positive], 30)} {percent(share, 0)}")
    else:
        parts.append(f"outcome {plain(data.outcome, 30)} with {data.n_classes} classes")
    if prepared.test is not None:
        parts.append(f"{count(prepared.test.n_samples)} held-out rows")
    return ", ".join(parts)


def division_sentences(prepared: Prepared) -> tuple[str, ...]:
    """Which rows are held out, and the column by which the others are divided."""
    division, column = prepared.whole.division, prepared.train.division.column
    out = []
    if prepared.test is not None:
        out.append(f"Held out: {describe_held_out(division, prepared.request.seed)}.")
    if column:
        out.append(f"Cross-validation, sweeps and size recommendation also divide rows by '{column}'.")
    return tuple(out)


def request_sentence(request: Request, prepared: Prepared) -> str:
    """The request in one line of Markdown, for instance 'tree of depth 3, by ConTree in at most 60 s'."""
    parts = [plain(words) for words in describe_shape(shape_of(request))]
    if request.min_samples_split > 1:
        parts.append(f"at least {count(request.min_samples_split)} rows per split")
    parts += [plain(words) for words in describe_price(objective_on(request, prepared.train), prepared.train)]
    if request.constraints:
        parts.append(count(len(request.constraints), "constraint", "constraints"))
    return f"{', '.join(parts)}, by {registry.get(method_of(request)).title} in at most {request.time_limit:g} s"


def health_sentences(found: Contradictions, n_samples: int) -> tuple[str, ...]:
    """The consequences of duplicate and contradictory rows for every model."""
    out = []
    if found.n_duplicates:
        out.append(f"{count(found.n_duplicates, 'row repeats', 'rows repeat')} the features of an earlier row.")
    if found.n_contradictory:
        out.append(
            f"{count(found.n_contradictory, 'row has', 'rows have')} the same features as a row of another class. "
            f"Every model makes at least {count(found.unavoidable, 'error')} "
            f"({percent(found.unavoidable / n_samples)} of all rows)."
        )
    return tuple(out) or ("No duplicate or contradictory rows.",)


def run_badge(snapshot: Snapshot, exact: bool, problem: Problem) -> StatusBadge:
    """The status of a run at the time of a snapshot."""
    noun = problem.shape.kind.noun
    if snapshot.state is JobState.FAILED:
        return badge_without_model(Status.FAILED, snapshot.error or "", problem)
    if snapshot.solution is not None:
        return status_badge(snapshot.solution, exact, problem)
    if snapshot.state.terminal:
        return badge_without_model(Status.CANCELLED, "", problem)
    if snapshot.state is not JobState.RUNNING:
        return StatusBadge("Waiting", Tone.PLAIN, snapshot.text)
    if snapshot.cost is not None:
        cost = describe_cost(problem, snapshot.diagram, snapshot.cost)
        sentence = f"{BEST}: {cost}. {bound_sentence(problem, snapshot.bound)}"
        if snapshot.cost == snapshot.bound:
            return StatusBadge("Optimal; minimising size", Tone.OPEN, sentence, snapshot.text)
        return StatusBadge(BEST, Tone.OPEN, sentence)
    bound = bound_sentence(problem, snapshot.bound) if snapshot.bound else snapshot.text
    return StatusBadge("Searching", Tone.PLAIN, f"No {noun} yet. {bound}" if snapshot.bound else bound)


def model_sentence(model: FinishedModel) -> str:
    """A model in one line of Markdown: its status, size and features."""
    diagram = model.diagram
    proof = status_badge(model.solution, model.exact, model.problem)
    titles = diagram.schema.titles(diagram.features)
    asks = ", ".join(plain(title, 30) for title in titles[:3]) + (" ..." if len(titles) > 3 else "")
    return f"**{proof.words}**: {size_found(diagram)}" + (f", features: {asks}" if asks else "")


def run_sentence(best: FinishedModel) -> str:
    """The result of a finished run, in one line of Markdown."""
    shown = status_badge(best.solution, best.exact, best.problem)
    return f"**{shown.words}** {plain(shown.full, 600)}"


class Curve(NamedTuple):
    """Best cost and lower bound over time as steps: (seconds, cost) in `unit`; empty while there are none."""

    incumbent: tuple[tuple[float, float], ...]
    bound: tuple[tuple[float, float], ...]
    end: float
    proved: bool
    unit: str


def curve(snapshot: Snapshot, problem: Problem) -> Curve:
    """The best cost and the lower bound over time."""
    scale = problem.scale
    solution = snapshot.solution
    above = tuple((p.elapsed, p.cost / scale) for p in snapshot.trace if p.cost is not None)
    below = tuple((p.elapsed, p.bound / scale) for p in snapshot.trace if p.bound is not None)
    proved = solution is not None and solution.status is Status.OPTIMAL and solution.verified is True
    end = max(snapshot.elapsed, *(p.elapsed for p in snapshot.trace), 0.0)
    return Curve(above, below, end, proved, cost_unit(problem))


def methods_of(kind: ShapeKind) -> dict[str, Method | str]:
    """The methods for a shape, its default first; for a method that is not installed, the reason.

    The shapes of a method that is not installed are unknown, so it is listed for every shape.
    """
    found: dict[str, Method | str] = {}
    for name in sorted(registry.names(), key=lambda name: name != registry.FIRST[kind]):
        try:
            method = registry.get(name)
        except MissingPackageError as error:
            found[name] = str(error)
            continue
        if kind in method.kinds:
            found[name] = method
    return found
