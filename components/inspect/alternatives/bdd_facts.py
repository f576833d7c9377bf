"""The BDDs that are nearly as good as the best one, for a user who may prefer other questions."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from components.session.work import Model, Prepared
from components.words.cost_facts import counts_errors
from components.words.text import amount, count
from solvers.diagram import Diagram
from solvers.methods.bdds.sizes import diagram_of_entry
from solvers.methods.bdds.table import Unseen, bdd_of
from solvers.metrics import Rate, rate, truth
from solvers.problem import Problem


class Alternative(NamedTuple):
    """A BDD of the list.

    Attributes
    ----------
    number : its place in the list, from 1 on.
    cost : in the user's unit; errors where nothing else costs.
    questions : its inner nodes.
    asks : its questions in words, in their order.
    train, test : the share of rows predicted right; `test` is `None` where none are held out.
    changed : how many of the training rows get another answer than from the best BDD.
    diagram : the BDD.
    """

    number: int
    cost: float
    questions: int
    asks: tuple[str, ...]
    train: Rate
    test: Rate | None
    changed: int
    diagram: Diagram


class Alternatives(NamedTuple):
    """The list.

    Attributes
    ----------
    items : the cheapest first, and of these the smallest.
    complete : whether there are no more within the slack that was asked for.
    unit : what the costs are counted in.
    best : the cost of the best one.
    """

    items: tuple[Alternative, ...]
    complete: bool
    unit: str
    best: float

    @property
    def sentence(self) -> str:
        """How many there are, in a sentence."""
        if len(self.items) < 2:
            return (
                "No other set of questions was found that is as good; Design has the choice of how much worse to list."
            )
        slack = max(item.cost for item in self.items) - self.best
        as_good = sum(item.cost == self.best for item in self.items)
        worse = f", the others cost at most {amount(slack)} {self.unit} more" if slack else ""
        which = "These are all" if self.complete else "There may be more"
        listed = f"{count(len(self.items), 'BDD')}, each with other questions"
        return f"{listed}: {count(as_good)} as good as the best{worse}. {which}."

    def frame(self) -> pd.DataFrame:
        """The list as a table."""
        lines = [
            (
                item.number,
                item.cost,
                item.questions,
                *(() if item.test is None else (item.test.value,)),
                item.changed,
                "; ".join(item.asks),
            )
            for item in self.items
        ]
        test = () if not self.items or self.items[0].test is None else ("right in test",)
        names = ["number", self.unit, "questions", *test, "training rows that change", "asks"]
        return pd.DataFrame(lines, columns=names)


def alternatives(best: Model, prepared: Prepared, unseen: Unseen = Unseen.SOLVED) -> Alternatives | None:
    """The list that a search left with its result; `None` where the method makes none.

    Combinations of answers without training rows are answered by the policy `unseen`, as in the BDD itself.
    """
    details = best.solution.details
    if not details.near_optimal:
        return None
    problem, said = best.problem, best.solution.diagram.predict(prepared.train)
    items = []
    for number, entry in enumerate(details.near_optimal, start=1):
        diagram = _under(diagram_of_entry(problem, entry), problem, unseen)
        predicted = diagram.predict(prepared.train)
        test = None
        if prepared.test is not None:
            test = rate(diagram.predict(prepared.test) == prepared.test.y, prepared.test.weight)
        items.append(
            Alternative(
                number,
                problem.cost(predicted, diagram.n_splits) / problem.scale,
                diagram.n_splits,
                tuple(entry["words"]),
                rate(predicted == prepared.train.y, prepared.train.weight),
                test,
                int((predicted != said).sum()),
                diagram,
            )
        )
    unit = "errors" if counts_errors(problem) else "cost in errors"
    return Alternatives(tuple(items), details.all_near_optimal, unit, best.solution.cost / problem.scale)


def _under(solved: Diagram, problem: Problem, unseen: Unseen) -> Diagram:
    if unseen is Unseen.SOLVED:
        return solved
    return bdd_of(problem, truth(solved).questions, unseen)
