"""The sections of a report; they contain no patient's row."""

import platform
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from .. import COMMAND
from ..certificates import uncertified
from ..constraints import Constraint
from ..diagram import percent as whole_percent
from ..diagram import plain, summary
from ..diagram.labels import cut
from ..diagram.spellings import NOTICE
from ..errors import RenderError
from ..messages import caution_title, describe_caution, describe_proof
from ..messages.confirmation import describe_confirmation
from ..messages.results import proof_facts
from ..metrics import achieved, cautions, compared_groups, verify
from ..metrics.words import DASH, count, in_units
from ..problem import Column, Dataset, Problem, ShapeKind, Unknown
from ..solution import BY_HAND, Solution, Status
from .blocks import (
    BLANK,
    Block,
    Facts,
    Picture,
    Preformatted,
    Report,
    Section,
    TableBlock,
    Words,
    blocks_or_reason,
)
from .checklist import REFERENCE, checklist
from .exports import Material
from .measures import fairness_blocks, group_title, leaf_blocks, performance_blocks
from .risks import part_blocks, risk_blocks
from .subject import Author, Subject
from .suppression import Suppressed, shown

CHECKLIST = "Checklist for authors"
PACKAGES = ("numpy", "pandas", "numba", "scikit-learn", "ortools", "highspy", "python-sat", "gurobipy", "pygraphviz")
MOST_LEVELS = 8
CERTIFICATE = (
    "Available: a file that proves the optimum with Python and numpy alone. See 'Inspect', 'Proof', 'Make "
    f"certificate', or '{COMMAND} certify'."
)
_CARD_LENGTH = 240
"""The maximum number of characters of a fact on a card."""


def report(subject: Subject, author: Author) -> Report:
    """The whole report; `DataError` if the limit for small counts hides nothing."""
    material = subject.material(author.least, author.detail)
    least = author.least
    subject.suppressed(least)  # a limit that hides nothing is an error of the whole report
    made: tuple[tuple[str, Callable[[], Iterable[Block]]], ...] = (
        ("Summary", lambda: _summary(subject, author)),
        ("Model", lambda: _model(subject, material)),
        ("Leaves", lambda: leaf_blocks(subject, least)),
        ("Performance", lambda: performance_blocks(subject, least)),
        ("Risks", lambda: risk_blocks(subject, least)),
        ("Subgroups", lambda: part_blocks(subject, least)),
        ("Fairness", lambda: fairness_blocks(subject, least)),
        ("Constraints", lambda: _constraints(subject, least)),
        ("Search", lambda: _search(subject, material)),
        ("Data", lambda: _data(subject, least)),
        (CHECKLIST, lambda: (Words(REFERENCE), checklist(subject, author))),
        ("Versions", lambda: (Facts(_versions(subject)),)),
    )
    return Report(*_heading(subject, author), tuple(Section(title, blocks_or_reason(make)) for title, make in made))


def card(subject: Subject, author: Author) -> Report:
    """A one-page report: outcome, proof, source and date above the picture with its legend; raises like `report`."""
    material = subject.material(author.least, author.detail)
    subject.suppressed(author.least)
    facts = blocks_or_reason(lambda: (_card_facts(subject, author),))
    picture = blocks_or_reason(lambda: reversed(_picture(subject, material)))
    return Report(*_heading(subject, author), (Section("About this model", (*facts, *picture)),))


def _heading(subject: Subject, author: Author) -> tuple[str, tuple[str, ...]]:
    """The title, and the lines below it."""
    title = author.title or f"A {subject.diagram.kind.noun} for {plain(subject.diagram.outcome)}"
    byline = (author.author or f"Author: {BLANK.lower()}", f"{subject.made:%d %B %Y}", NOTICE)
    return plain(title), tuple(map(plain, byline))


def _card_facts(subject: Subject, author: Author) -> Facts:
    rows = (*_summary_facts(subject, author).rows, ("Source", subject.source), ("Method", subject.method))
    return Facts(tuple((name, cut(plain(words), _CARD_LENGTH)) for name, words in rows if words != BLANK))


def _summary(subject: Subject, author: Author) -> tuple[Block, ...]:
    return (*_cautions(subject, author.least), _summary_facts(subject, author), Words(NOTICE, True))


def _summary_facts(subject: Subject, author: Author) -> Facts:
    diagram, train = subject.diagram, subject.train
    size = f"{count(diagram.n_splits, 'split')}, depth {diagram.depth}"
    features = ", ".join(map(plain, diagram.schema.titles(diagram.features))) or "none"
    rows: list[tuple[str, str]] = [
        ("Purpose", plain(author.purpose) or BLANK),
        ("Outcome", plain(diagram.outcome) + _positive(train)),
        ("Model", f"{summary(diagram)[0]}: {size}"),
        ("Features", features),
        ("Training data", f"{plain(train.name)}, {count(train.n_samples, 'row')}"),
        ("Status", describe_status(subject, subject.material(author.least))),
    ]
    return Facts(tuple(rows))


def _cautions(subject: Subject, least: int | None) -> Iterator[Block]:
    """Warnings about the model, without numbers if small counts are hidden."""
    for caution in cautions(subject.problem, subject.diagram, subject.test, subject.rivals):
        words = "" if least is not None else f": {describe_caution(subject.problem, caution)}"
        yield Words(plain(f"Caution. {caution_title(caution)}{words or '.'}"), True)


def _positive(data: Dataset) -> str:
    return "" if data.positive is None else f"; positive class: {plain(data.classes[data.positive])}"


def describe_status(subject: Subject, material: Material) -> str:
    """The proof status of the model, in a sentence; only verified results are called optimal."""
    solution, problem = subject.solution, subject.problem
    if solution.verified is not True and solution.method != BY_HAND:
        return "Not verified: the check of this result did not pass."
    with_errors = material.suppressed is None or material.suppressed.errors
    cost = f" Cost on the training data: {in_units(solution.cost, problem.scale)}." if with_errors else ""
    return plain(describe_proof(problem, solution, figures=with_errors)) + cost


def _model(subject: Subject, material: Material) -> tuple[Block, ...]:
    return (*_picture(subject, material), Preformatted(material.rules().rstrip()))


def _picture(subject: Subject, material: Material) -> list[Block]:
    blocks: list[Block] = []
    try:
        blocks.append(Picture(material.picture("svg"), "\n".join(summary(subject.diagram))))
    except RenderError as error:
        blocks.append(Words(str(error)))
    if subject.diagram.kind is not ShapeKind.TREE:
        blocks.append(Words("Solid arcs: yes. Dashed arcs: no. Several paths may lead to a node."))
    return blocks


def _constraints(subject: Subject, least: int | None) -> tuple[Block, ...]:
    constraints = subject.problem.constraints
    if not constraints:
        return (Words("No constraints other than size."),)
    head = ["Constraint"]
    columns: list[list[str]] = []
    for name, data in subject.samples:
        head.append(name)
        columns.append([_kept(c, subject, data, least, name == "Training") for c in constraints])
    words = [plain(c.full_words(subject.train)) for c in constraints]
    rows = tuple((words[i], *(column[i] for column in columns)) for i in range(len(words)))
    aside = subject.aside
    confirmed = "" if aside is None else plain(describe_confirmation(subject.problem, subject.diagram, aside))
    table = TableBlock("Constraints, and what the model achieves", tuple(head), rows)
    return (Words(confirmed), table) if confirmed else (table,)


def _kept(constraint: Constraint, subject: Subject, data: Dataset, least: int | None, trained: bool) -> str:
    if not trained:
        if not constraint.sees_answers:
            return DASH
        constraint = constraint.judged
    found = achieved(constraint, subject.diagram, data)
    if found is None:
        return DASH
    verdict = "VIOLATED" if not found.holds else f"holds: {plain(found.idle)}" if found.idle else "satisfied"
    return verdict if found.value is None or least is not None else f"{verdict} ({constraint.show(found.value)})"


def _search(subject: Subject, material: Material) -> tuple[Block, ...]:
    solution, problem, limits = subject.solution, subject.problem, subject.limits
    with_errors = material.suppressed is None or material.suppressed.errors
    method, status = f"{subject.method} ({subject.source})", describe_status(subject, material)
    rows = [
        *proof_facts(problem, solution, method, status, figures=with_errors),
        ("Options", ", ".join(f"{name} = {value}" for name, value in subject.options.items()) or "default"),
        *([("Certificate", CERTIFICATE)] if can_be_certified(subject) else []),
    ]
    if limits is not None:
        seconds = "none" if limits.seconds is None else f"{limits.seconds:g} s"
        rows += [
            ("Limits", f"time {seconds}, gap {limits.gap:g}, threads {limits.threads}"),
            ("Seed", str(limits.seed)),
        ]
    else:
        rows.append(("Limits and seed", "not recorded"))
    return (Facts(tuple((name, plain(words)) for name, words in rows)), checks_table(problem, solution, with_errors))


def checks_table(problem: Problem, solution: Solution, figures: bool = True) -> TableBlock:
    """The checks of a result, recomputed from model and data; without what they found unless `figures`."""
    verification = verify(problem, solution)
    # next to a failure, a satisfied check would repeat a claim that was not verified
    checks = verification.failures or verification.checks
    head = ("Check", "Found", "Holds") if figures else ("Check", "Holds")
    rows = tuple(
        (check.name, *([plain(check.detail)] if figures else []), "yes" if check.ok else "NO") for check in checks
    )
    return TableBlock("Verified by recomputation", head, rows, wide=(1,) if figures else ())


def can_be_certified(subject: Subject) -> bool:
    """Whether a certificate can prove to others what was proved of the model."""
    solution = subject.solution
    proved = solution.status is Status.OPTIMAL and solution.verified is True and not solution.scope
    return proved and not uncertified(subject.problem, subject.diagram)


def _data(subject: Subject, least: int | None) -> tuple[Block, ...]:
    train, hidden, groups = subject.train, subject.suppressed(least), compared_groups(subject.problem, subject.train)
    prints = [(f"Fingerprint, {name.lower()} rows", data.fingerprint) for name, data in subject.samples]
    rows = (
        ("Table", plain(train.name)),
        *prints,
        ("Left out as features", ", ".join(map(plain, train.schema.left_out)) or "none"),
        ("Missing values", train.schema.missing.words),
        ("Unknown values", Unknown.ERROR.words),
        ("Weights", "none" if train.weight is None else "rows have weights"),
        ("Groups", ", ".join(plain(group_title(train, one.name)) for one in groups) or "none"),
        ("Divided by", plain(train.division.column) or "none: independent rows"),
        *(("Note", plain(note)) for note in subject.notes if least is None),
    )
    heads = tuple(name for name, _ in subject.samples)
    classes = tuple(
        (plain(name), *(_class_count(data, k, one) for (_, data), one in zip(subject.samples, hidden, strict=True)))
        for k, name in enumerate(train.classes)
    )
    totals = ("all", *(f"{data.n_samples:,}" for _, data in subject.samples))
    head = ("Feature", "Type", "Levels", *(f"Missing, {name.lower()}" for name in heads))
    columns = tuple(_column(column, subject, least) for column in train.schema.columns)
    steps = tuple((str(number), plain(words)) for number, words in enumerate(subject.steps, start=1))
    return (
        Facts(rows),
        *([TableBlock("Preparation of all rows", ("Step", "What it does"), steps, wide=(1,))] if steps else ()),
        TableBlock(f"Outcome {plain(train.outcome)}: rows of each class", ("Class", *heads), (*classes, totals)),
        TableBlock("Features", head, columns, wide=(1, 2)),
    )


def _class_count(data: Dataset, k: int, hidden: Suppressed | None) -> str:
    n = int(data.class_counts[k])
    if hidden is not None and not hidden.classes[k]:
        return shown(n, hidden.k, False)
    return f"{n:,} ({whole_percent(float(n), float(data.n_samples))})"


def _column(column: Column, subject: Subject, least: int | None) -> tuple[str, ...]:
    levels = [plain(level) for level in column.levels[:MOST_LEVELS]] + ["\u2026"] * (len(column.levels) > MOST_LEVELS)
    missing = []
    for _, data in subject.samples:
        n = int(np.isnan(data.X[:, data.schema.index(column.name)]).sum())
        missing.append(f"{n:,}" if least is None else shown(n, least, n >= least))
    return (plain(column.heading), column.kind.value, ", ".join(levels) or DASH, *missing)


def _versions(subject: Subject) -> tuple[tuple[str, str], ...]:
    found = [("Made", f"{subject.made:%Y-%m-%d %H:%M %Z}".strip()), ("Python", platform.python_version())]
    for package in PACKAGES:
        try:
            found.append((package, version(package)))
        except PackageNotFoundError:
            continue
    return tuple(found)
