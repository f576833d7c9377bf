"""An exit at every question: fast-and-frugal trees, which read as lists of rules."""

from dataclasses import dataclass

from ..diagram import Diagram, Leaf
from ..problem import Dataset, Problem
from .base import Constraint, Topic
from .rules import Rule, RuleListRule


@dataclass(frozen=True)
class FastAndFrugal(Constraint):
    """Every question has an exit: one of its two answers leads to a leaf, and that of the last one both do.

    A list of rules is the same: if the first question is answered so, then this, else the next question. Its length is
    the number of questions, which is also the depth.
    """

    kind = "fast-and-frugal"
    title = "Fast-and-frugal tree"
    summary = (
        "At every question, one answer leads to a leaf at once, so the model reads as a rule list: if this, then that, "
        "else the next question."
    )
    wording = "every question has an exit"
    formula = r"\text{some child of } u \text{ is a leaf} \quad \text{for every question } u"
    source = (
        "Martignon, Vitouch, Takezawa and Forster (2003); Phillips, Neth, Woike and Gaissmaier (2017), 'FFTrees'; as "
        "lists of rules Angelino, Larus-Stone, Alabi, Seltzer and Rudin (2018), 'CORELS'"
    )
    topic = Topic.SIZE

    def words(self, dataset: Dataset | None = None) -> str:
        """'every question has an exit'."""
        return self.wording

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The questions whose answers both lead to another question."""
        return tuple(
            f"both answers to node {i} lead to another question"
            for i, node in diagram.splits
            if not any(isinstance(diagram.nodes[child], Leaf) for child in (node.yes, node.no))
        )

    def rules(self, problem: Problem) -> tuple[Rule, ...]:
        """The model is a chain."""
        return (RuleListRule(),)
