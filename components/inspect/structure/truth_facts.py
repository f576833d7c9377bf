"""The truth table of a BDD as it is shown, and what it would answer where no training row was under other policies."""

from enum import StrEnum
from typing import NamedTuple

import numpy as np
import pandas as pd

from components.model.facts import positive_first, share_right
from components.session.work import Prepared
from components.words.text import count, distinguished, percent
from solvers.diagram import Diagram
from solvers.methods.bdds.table import Unseen, bdd_of
from solvers.metrics import Rate, truth
from solvers.problem import Predicate, Problem


class Seen(StrEnum):
    """What the training rows say of a combination of answers."""

    YES = "seen"
    NO = "unseen"
    NEVER = "cannot occur"


class Cell(NamedTuple):
    """A combination of answers, what the BDD says there, and its training rows by class, in the order of the table.

    `test` is the number of its test rows, `None` where none are held out.
    """

    answers: tuple[bool, ...]
    says: str
    counts: tuple[int, ...]
    test: int | None
    seen: Seen


class TruthTableFacts(NamedTuple):
    """The truth table of a BDD: its questions in words, the classes, the positive one first, and all combinations.

    Those with yes to the first question come first.
    """

    questions: tuple[str, ...]
    classes: tuple[str, ...]
    cells: tuple[Cell, ...]

    def of(self, seen: Seen) -> tuple[Cell, ...]:
        """The combinations that are seen, unseen, or cannot occur."""
        return tuple(cell for cell in self.cells if cell.seen is seen)

    @property
    def test_unseen(self) -> int | None:
        """How many test rows have a combination that no training row has; `None` where none are held out."""
        if self.cells[0].test is None:
            return None
        return sum(cell.test or 0 for cell in self.cells if cell.seen is not Seen.YES)

    @property
    def sentence(self) -> str:
        """How much of the table the training rows fill."""
        parts = [f"{count(len(self.cells), 'combination')} of answers"]
        parts += [f"{count(len(self.of(Seen.YES)))} with training rows, {count(len(self.of(Seen.NO)))} without"]
        if never := len(self.of(Seen.NEVER)):
            parts.append(f"{count(never)} that cannot occur")
        sentence = f"{parts[0]}: {', '.join(parts[1:])}."
        if self.test_unseen is None:
            return sentence
        tests = sum(cell.test or 0 for cell in self.cells)
        share = f" ({percent(self.test_unseen / tests)})" if tests else ""
        return (
            f"{sentence} {count(self.test_unseen)} of {count(tests, 'test row')}{share} fall where no training row was."
        )

    def frame(self) -> pd.DataFrame:
        """The table with a line a combination, to be shown and saved."""
        lines = [
            [
                *("yes" if answer else "no" for answer in cell.answers),
                cell.says,
                cell.seen.value,
                *cell.counts,
                *(() if cell.test is None else (cell.test,)),
            ]
            for cell in self.cells
        ]
        tests = () if self.cells[0].test is None else ("test rows",)
        names = [
            *self.questions,
            "answer",
            "training rows",
            *(f"training: {name}" for name in self.classes),
            *tests,
        ]
        return pd.DataFrame(lines, columns=distinguished(names))


def table(diagram: Diagram, prepared: Prepared) -> TruthTableFacts:
    """The truth table of a BDD, with its training and test rows.

    Raises `DiagramError` where the model has no truth table, or one that is too large.
    """
    combinations = truth(diagram)
    order = positive_first(diagram)
    counts = combinations.counts(prepared.train)[:, order]
    tests = None if prepared.test is None else combinations.counts(prepared.test).sum(axis=1)
    cells = []
    for i in reversed(range(len(combinations.labels))):
        here = counts[i].any()
        seen = Seen.YES if here else Seen.NO if combinations.possible[i] else Seen.NEVER
        test = None if tests is None else int(tests[i])
        says = diagram.classes[combinations.labels[i]]
        cells.append(Cell(tuple(combinations.answers[i].tolist()), says, tuple(counts[i].tolist()), test, seen))
    words = tuple(f"{question.words(diagram.schema)}?" for question in combinations.questions)
    return TruthTableFacts(words, tuple(diagram.classes[k] for k in order), tuple(cells))


class Policy(NamedTuple):
    """A way to answer combinations without training rows, and the BDD of the same questions that it makes.

    `changed` is how many test rows get another answer than from the BDD as it is; it and `test` are `None` without such
    rows.
    """

    unseen: Unseen
    name: str
    meaning: str
    questions: int
    train: Rate
    test: Rate | None
    changed: int | None
    diagram: Diagram


_POLICIES = (
    (
        Unseen.PARENT,
        "Parent's majority",
        "The majority of the nearest rows: those that agree in as many of the first questions as possible.",
    ),
    (Unseen.MERGE, "Merge", "Whatever makes parts of the table equal, so that the BDD gets smaller."),
    (Unseen.SOLVED, "As solved", "What the solver's own table says there."),
)


def policies(diagram: Diagram, problem: Problem, prepared: Prepared) -> tuple[Policy, ...]:
    """The BDD under each policy for unseen combinations, with the same questions in the same order.

    The table of the BDD itself stands for the solver's, so 'as solved' is the BDD as it is, but for answers that no
    training row supports. Raises `DiagramError` where the model has no truth table, or one that is too large.
    """
    combinations = truth(diagram)
    questions = [question for question in combinations.questions if isinstance(question, Predicate)]
    out = []
    for unseen, name, meaning in _POLICIES:
        made = bdd_of(problem, questions, unseen, combinations.labels)
        out.append(_policy(unseen, name, meaning, made, diagram, prepared))
    return tuple(out)


def _policy(unseen: Unseen, name: str, meaning: str, made: Diagram, diagram: Diagram, prepared: Prepared) -> Policy:
    train, test = share_right(made, prepared.train), prepared.test
    if test is None:
        return Policy(unseen, name, meaning, made.n_splits, train, None, None, made)
    changed = int(np.sum(made.predict(test) != diagram.predict(test)))
    return Policy(unseen, name, meaning, made.n_splits, train, share_right(made, test), changed, made)
