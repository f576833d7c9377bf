"""The BDDs that are nearly as good as the best one, for a user who may prefer other questions."""

from typing import NamedTuple

from components.session.work import FinishedModel
from components.words.cost_facts import counts_errors
from components.words.text import amount, count
from solvers.diagram import Diagram
from solvers.methods.bdds.sizes import diagram_of_entry
from solvers.methods.bdds.table import Unseen, bdd_of
from solvers.metrics import truth
from solvers.problem import Predicate, Problem


class Alternatives(NamedTuple):
    """The BDDs with their costs in whole units, the cheapest first, and of these the smallest.

    `complete` says whether there are no more within the tolerance; the best costs `best`, and `scale` whole units are
    one of those that the user counts in.
    """

    items: tuple[tuple[int, Diagram], ...]
    complete: bool
    unit: str
    best: int
    scale: int

    @property
    def sentence(self) -> str:
        """How many there are, in a sentence."""
        if len(self.items) < 2:
            return (
                "No other set of questions was found that is as good; Design has the choice of how much worse to list."
            )
        costs = [cost for cost, _ in self.items]
        more = (max(costs) - self.best) / self.scale
        worse = f", the others cost at most {amount(more)} {self.unit} more" if more else ""
        which = "These are all" if self.complete else "There may be more"
        listed = f"{count(len(costs), 'BDD')}, each with other questions"
        return f"{listed}: {count(costs.count(self.best))} as good as the best{worse}. {which}."


def alternatives(best: FinishedModel, unseen: Unseen = Unseen.SOLVED) -> Alternatives | None:
    """The list that a search left with its result; `None` where the method makes none.

    Combinations of answers without training rows are answered by the policy `unseen`, as in the BDD itself.
    """
    details, problem = best.solution.details, best.problem
    if not details.near_optimal:
        return None
    diagrams = [_under(diagram_of_entry(problem, entry), problem, unseen) for entry in details.near_optimal]
    items = tuple((problem.cost_of(diagram), diagram) for diagram in diagrams)
    unit = "errors" if counts_errors(problem) else "cost in errors"
    return Alternatives(items, details.all_near_optimal, unit, best.cost, problem.scale)


def _under(solved: Diagram, problem: Problem, unseen: Unseen) -> Diagram:
    if unseen is Unseen.SOLVED:
        return solved
    questions = [question for question in truth(solved).questions if isinstance(question, Predicate)]
    return bdd_of(problem, questions, unseen)
