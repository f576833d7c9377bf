"""The truth table of a BDD: what it answers to every combination of answers, and how many rows have that combination.

A combination that no training row has was never learned from; what the BDD answers there was decided otherwise.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..diagram import Diagram, Leaf, question_order
from ..diagram.words import merged
from ..errors import DiagramError
from ..problem import Dataset, LinearPredicate, Predicate
from .counts import labels_of

MOST_QUESTIONS = 12
"""A table of more questions has more than 4,096 lines, which nobody reads."""


@dataclass(frozen=True)
class Truth:
    """The combinations of answers to the questions of a BDD.

    The answers of a combination, the first question foremost and yes as 1, are the binary digits of its number.

    Attributes
    ----------
    diagram : the BDD.
    questions : in the order in which the BDD asks them.
    answers : bool (n_cells, n_questions)
    labels : int64 (n_cells,), the class that the BDD answers.
    """

    diagram: Diagram
    questions: tuple[Predicate | LinearPredicate, ...]
    answers: np.ndarray
    labels: np.ndarray

    @cached_property
    def possible(self) -> np.ndarray:
        """Whether a case can give these answers, bool (n_cells,): nobody has 'age <= 40' and not 'age <= 60'."""
        node_of = {split.predicate: i for i, split in self.diagram.splits}
        nodes = [node_of[question] for question in self.questions]
        return np.array(
            [merged(self.diagram, zip(nodes, row, strict=True)) is not None for row in self.answers.tolist()]
        )

    def cells(self, dataset: Dataset) -> np.ndarray:
        """The combination of each row, int64 (n_samples,)."""
        X = self.diagram.encode(dataset)
        cell = np.zeros(len(X), np.int64)
        for question in self.questions:
            cell = 2 * cell + question.holds(self.diagram.schema, X)
        return cell

    def counts(self, dataset: Dataset) -> np.ndarray:
        """How many rows of each class have each combination, each counted once, int64 (n_cells, n_classes)."""
        counts = np.zeros((len(self.labels), len(self.diagram.classes)), np.int64)
        np.add.at(counts, (self.cells(dataset), labels_of(self.diagram, dataset)), 1)
        return counts


def truth(diagram: Diagram) -> Truth:
    """The truth table of a BDD.

    Raises
    ------
    DiagramError
        The questions follow no one order, or there are more than `MOST_QUESTIONS` of them.
    """
    questions = question_order(diagram)
    if questions is None:
        raise DiagramError("The ways of this model ask in different orders, so it has no truth table. Read its rules.")
    if len(questions) > MOST_QUESTIONS:
        raise DiagramError(
            f"The truth table of {len(questions)} questions would have {2 ** len(questions):,} lines. Read the rules "
            f"instead, or ask for a BDD of at most {MOST_QUESTIONS} questions."
        )
    numbers = np.arange(2 ** len(questions))
    answers = (numbers[:, None] >> np.arange(len(questions))[::-1] & 1).astype(bool)
    at = np.zeros(len(numbers), np.int64)
    labels = np.zeros(len(numbers), np.int64)
    for i, node in enumerate(diagram.nodes):
        here = at == i
        if isinstance(node, Leaf):
            labels[here] = node.label
        else:
            at[here] = np.where(answers[here, questions.index(node.predicate)], node.yes, node.no)
    return Truth(diagram, questions, answers, labels)
