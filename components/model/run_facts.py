"""What is shown about the data, a run and its proof, as plain facts: no Streamlit and no drawing in here."""

from typing import NamedTuple

from components.session.work import Design, FinishedModel, Prepared
from components.words.cost_facts import cost_parts, cost_unit, cost_words, counts_errors, price_words
from components.words.text import count, in_units, percent, plain, seconds
from components.words.tone import Tone
from solvers.errors import MissingPackageError
from solvers.methods import Method, registry
from solvers.problem import Contradictions, Problem, Shape, ShapeKind, Table
from solvers.problem.sources.delimited import SEPARATORS
from solvers.run import JobState, Snapshot
from solvers.solution import Solution, Status
from solvers.words import bound_words, remarks, result_words, scope_words
from solvers.words.division import held_out_words
from solvers.words.shapes import shape_words, size_found, size_limits


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


def table_sentence(table: Table) -> str:
    """How large a table is and what was recognised in its file."""
    size = f"{count(table.n_rows, 'row')}, {count(len(table.names), 'column')}."
    layout = []
    if table.separator is not None and len(table.names) > 1:
        layout.append(f"Fields are separated by {SEPARATORS[table.separator]}.")
    if table.separator is not None and table.has_header:
        layout.append("The first line names the columns.")
    encoding = f"Encoding {table.encoding}." if table.encoding else ""
    return " ".join(part for part in (size, *layout, *table.notes, encoding) if part)


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


def division_sentences(prepared: Prepared) -> tuple[str, ...]:
    """Which rows are held out, and by what column the others are divided where they have something in common."""
    division, column = prepared.whole.division, prepared.train.division.column
    out = []
    if prepared.test is not None:
        out.append(f"Held out: {held_out_words(division, prepared.choices.seed)}.")
    if column:
        out.append(f"Cross-validation, sweeps and the recommended size divide rows by '{column}', too.")
    return tuple(out)


def design_sentence(design: Design, prepared: Prepared) -> str:
    """What is asked for in one line of Markdown, for instance 'tree of depth 3, by ConTree in at most 60 s'."""
    parts = [plain(words) for words in shape_words(design.shape)]
    if design.kind is ShapeKind.DIAGRAM and design.min_rows > 1:
        parts.append(f"at least {count(design.min_rows)} rows per question")
    parts += [plain(words) for words in price_words(design.objective(prepared.train), prepared.train)]
    if design.constraints:
        parts.append(count(len(design.constraints), "constraint", "constraints"))
    return f"{', '.join(parts)}, by {registry.get(design.method).title} in at most {design.seconds:g} s"


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


def pill(solution: Solution, exact: bool, problem: Problem) -> Pill:
    """What is known of a result, and how sure; nothing is called proved that was not verified independently."""
    if solution.diagram is None and solution.verified is not False:
        return _pill_without_model(solution.status, result_words(problem, solution), problem)
    if solution.verified is not True or solution.cost is None:
        return Pill("Not verified", Tone.BAD, f"The check of this result did not pass. {solution.message}".strip())
    errors = cost_words(problem, solution.diagram, solution.cost)
    if solution.status is Status.OPTIMAL:
        among = f"; proved among {scope_words(solution.scope)}" if solution.scope else ""
        return Pill("Proved optimal", Tone.GOOD, f"{errors}{among}.", result_words(problem, solution))
    if not exact:
        noun = problem.shape.kind.noun
        return Pill("Heuristic", Tone.PLAIN, f"{errors}; a greedy {noun}, without a proof of how good it is.")
    stopped = solution.status in (Status.CANCELLED, Status.FAILED)
    if solution.bound is None:
        words = "Stopped" if stopped else "Not proved"
        return Pill(words, Tone.OPEN, f"{errors}; the search ended before it had a bound on the optimum.")
    if solution.cost == solution.bound:
        open_size = f"no {_kind_of_model(problem)} does better, but a smaller one may do as well"
        remark = result_words(problem, solution)
        return Pill("Stopped" if stopped else "Size open", Tone.OPEN, f"{errors}; {open_size}.", remark)
    words = "Stopped" if stopped else _gap_words(solution.cost, solution.bound, problem)
    remark = "" if solution.status is Status.CANCELLED else " ".join(filter(None, remarks(problem, solution)))
    return Pill(words, Tone.OPEN, f"{errors}; {_at_best(solution.bound, problem)}.", remark)


def _at_best(bound: int, problem: Problem) -> str:
    if bound > 0:
        return bound_words(problem, bound)
    noun = problem.shape.kind.noun
    return f"a {noun} {'without any error' if counts_errors(problem) else 'that costs nothing'} is not ruled out yet"


def _kind_of_model(problem: Problem) -> str:
    """Among which models a result is the best."""
    return f"{problem.shape.kind.noun} {'that keeps all constraints' if problem.constraints else 'of this size'}"


def _pill_without_model(status: Status, words: str, problem: Problem) -> Pill:
    noun = problem.shape.kind.noun
    return {
        Status.INFEASIBLE: Pill("Infeasible", Tone.BAD, words),
        Status.CANCELLED: Pill("Stopped", Tone.OPEN, f"The run was stopped before it found a {noun}."),
        Status.FAILED: Pill("Failed", Tone.BAD, words or "The run ended with an error."),
    }.get(status, Pill(f"No {noun}", Tone.OPEN, words))


def _gap_words(cost: int, bound: int, problem: Problem) -> str:
    """How much better a model could be at most, as a share of what all rows cost at 1 each (by weight)."""
    return f"Within {percent((cost - bound) / problem.total)}" if bound > 0 else "Nothing proved yet"


def run_pill(snapshot: Snapshot, exact: bool, problem: Problem) -> Pill:
    """What is known of a run at a moment."""
    noun = problem.shape.kind.noun
    if snapshot.state is JobState.FAILED:
        return _pill_without_model(Status.FAILED, snapshot.error or "", problem)
    if snapshot.solution is not None:
        return pill(snapshot.solution, exact, problem)
    if snapshot.state.terminal:
        return _pill_without_model(Status.CANCELLED, "", problem)
    if snapshot.state is not JobState.RUNNING:
        return Pill("Waiting", Tone.PLAIN, snapshot.text)
    if snapshot.cost is not None:
        return _improving(snapshot, snapshot.cost, problem)
    if snapshot.bound:
        return Pill("Searching", Tone.PLAIN, f"No {noun} yet; {_at_best(snapshot.bound, problem)}.")
    return Pill("Searching", Tone.PLAIN, snapshot.text)


def _improving(snapshot: Snapshot, cost: int, problem: Problem) -> Pill:
    words = cost_words(problem, snapshot.diagram, cost)
    errors = f"Best {problem.shape.kind.noun} so far: {words[0].lower()}{words[1:]}"
    if snapshot.bound is None:
        return Pill("Searching", Tone.OPEN, f"{errors}.")
    sentence = f"{errors}; {_at_best(snapshot.bound, problem)}."
    if cost == snapshot.bound:
        return Pill("Nearly done", Tone.OPEN, sentence, snapshot.text)
    return Pill(_gap_words(cost, snapshot.bound, problem), Tone.OPEN, sentence)


def model_sentence(model: FinishedModel) -> str:
    """What a model is, in one line of Markdown: its proof, its size, and what it asks about."""
    diagram = model.diagram
    proof = pill(model.solution, model.exact, model.problem)
    asks = ", ".join(plain(name, 30) for name in diagram.features[:3]) + (" ..." if len(diagram.features) > 3 else "")
    return f"**{proof.words}**: {size_found(diagram)}" + (f", asks about {asks}" if asks else "")


def proof_rows(model: FinishedModel) -> tuple[tuple[str, str], ...]:
    """What was asked of the solver and what it proved: (name, value) in words."""
    solution, problem = model.solution, model.problem
    gap = None if solution.bound is None else (model.cost - solution.bound) / problem.total
    whole = "all rows" if counts_errors(problem) else "an error in every row"
    open_gap = f"{percent(gap)} of {whole}" if gap and solution.bound else "nothing proved yet"
    return (
        *_cost_rows(model),
        ("Size", ", ".join(_size_limits(problem.shape))),
        ("Lower bound", "none" if solution.bound is None else in_units(solution.bound, problem.scale)),
        ("Gap", "unknown" if gap is None else open_gap if gap else "0, proved"),
        ("Method", model.title),
        ("How it ended", result_words(problem, solution) or "\u2013"),
        ("Solving time", seconds(solution.seconds)),
        ("Check", "passed" if solution.verified else "not passed"),
    )


def _size_limits(shape: Shape) -> list[str]:
    """The limits of the size, a piece for each."""
    if shape.kind is ShapeKind.DIAGRAM:
        return shape_words(shape)
    what = (
        f"{count(shape.max_depth, 'level')} at most"
        if shape.kind is ShapeKind.BDD
        else f"depth at most {shape.max_depth}"
    )
    return [what, *size_limits(shape)]


def _cost_rows(model: FinishedModel) -> tuple[tuple[str, str], ...]:
    """The objective and what the model achieves by it."""
    problem, found = model.problem, cost_parts(model.problem, model.diagram)
    cost = in_units(model.cost, problem.scale)
    if counts_errors(problem):
        return ("Objective", f"fewest {cost_unit(problem)}"), ("Errors", cost)
    wrong = f"{count(found.wrong)} of {count(found.of)}" + (", by weight" if problem.dataset.weight is not None else "")
    return (
        ("Objective", f"least cost: {', '.join(price_words(problem.objective, problem.dataset))}"),
        ("Cost", f"{cost} = {' + '.join(found.parts)}"),
        ("Rows wrong", wrong),
    )


def run_sentence(best: FinishedModel) -> str:
    """What a finished run came to, in one line of Markdown."""
    shown = pill(best.solution, best.exact, best.problem)
    return f"**{shown.words}** {plain(shown.full, 600)}"


class Curve(NamedTuple):
    """Incumbent and bound over time as steps: (seconds, errors) in `unit`; empty while there are none.

    `noun` is what the incumbent is called.
    """

    incumbent: tuple[tuple[float, float], ...]
    bound: tuple[tuple[float, float], ...]
    end: float
    proved: bool
    unit: str
    noun: str = "tree"


def curve(snapshot: Snapshot, problem: Problem) -> Curve:
    """How the incumbent came down and the bound came up."""
    scale = problem.scale
    solution = snapshot.solution
    above = tuple((p.elapsed, p.cost / scale) for p in snapshot.trace if p.cost is not None)
    below = tuple((p.elapsed, p.bound / scale) for p in snapshot.trace if p.bound is not None)
    proved = solution is not None and solution.status is Status.OPTIMAL and solution.verified is True
    end = max(snapshot.elapsed, *(p.elapsed for p in snapshot.trace), 0.0)
    return Curve(above, below, end, proved, cost_unit(problem), problem.shape.kind.noun)


def methods_of(kind: ShapeKind) -> dict[str, Method | str]:
    """The methods that make a shape, its first one at the top; of one that is not installed the reason.

    What such a method makes is not known, so it is listed for every shape.
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
