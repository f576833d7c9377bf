"""The models that are nearly as good as the best one: what all of them ask, the list, and those the user would like."""

import hashlib
import json
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import pandas as pd

from components.inspect.alternatives.bdd_facts import Alternatives
from components.model.facts import share_right
from components.session.work import FinishedModel, Prepared
from components.words.cost_facts import counts_errors
from components.words.text import amount, count, percent
from solvers.diagram import Diagram, Split, to_dict
from solvers.errors import DataError
from solvers.methods.trees.near_optimal import NearSet
from solvers.metrics import Rate, fairness, rate
from solvers.problem import Dataset, Problem
from solvers.solution import Status

MANY = 10**6
"""Larger numbers of models are written in powers of ten."""

TOLERANCES = (0, 1, 2, 3, 5, 8, 12, 20, 35, 50)
"""How much worse models may be, in errors, where the table is large enough."""


class Often(StrEnum):
    """In how many of the models a column is asked about."""

    ALWAYS = "always"
    SOMETIMES = "sometimes"
    NEVER = "never"


class Use(NamedTuple):
    """What the models have to do with a column.

    Attributes
    ----------
    name : of the column; often : in how many of the models it is asked about; share : the same as a share.
    with_it, without, first : how much worse than the best the best model is that asks about it, that does not, and that
        asks about it first, in the user's unit; `None` where there is none among them.
    """

    name: str
    often: Often
    share: float
    with_it: float | None
    without: float | None
    first: float | None


class NearModel(NamedTuple):
    """A model of the list.

    Attributes
    ----------
    number : its place, from 1 on.
    cost, worse : in the user's unit, and how much more than the best.
    questions : how many; features : the columns asked about, in the table's order; first : that of the first question,
        '' without any.
    train, test : the share of rows predicted right; `None` where none are held out.
    gap : demographic parity, the largest difference between groups of the share predicted positive among training
        rows; `None` without groups.
    changed : the training rows that get another answer than from the best model.
    orders : how many of the models seen have the same leaves and columns and differ in the order of questions alone.
    diagram : the model.
    """

    number: int
    cost: float
    worse: float
    questions: int
    features: tuple[str, ...]
    first: str
    train: Rate
    test: Rate | None
    gap: float | None
    changed: int
    orders: int
    diagram: Diagram


class ModelFilter(NamedTuple):
    """What the user would like: columns asked about, not asked about, asked about first ('' for any), and a size."""

    must: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    first: str = ""
    questions: int | None = None

    @property
    def anything(self) -> bool:
        """Whether there is anything that the user would like."""
        return self != ModelFilter()

    def fits(self, model: NearModel) -> bool:
        """Whether a model is as the user would like it."""
        features = set(model.features)
        return (
            set(self.must) <= features
            and not features & set(self.never)
            and self.first in ("", model.first)
            and (self.questions is None or model.questions <= self.questions)
        )


class NearModels(NamedTuple):
    """The models that are nearly as good.

    Attributes
    ----------
    models : the list, the best first, and of these the smallest.
    uses : the columns: those asked about by all, by some (most first), by none.
    sentence : how many there are, and what is not complete.
    whole : whether `uses` speak of all models within the tolerance, and not of the list alone.
    all_listed : whether the list has every model within the tolerance.
    unit : what costs are counted in; noun : what a model is called.
    """

    models: tuple[NearModel, ...]
    uses: tuple[Use, ...]
    sentence: str
    whole: bool
    all_listed: bool
    unit: str
    noun: str

    def named(self, often: Often) -> tuple[Use, ...]:
        """The columns that are asked about so often."""
        return tuple(use for use in self.uses if use.often is often)

    def fitting(self, wanted: ModelFilter, each: bool = True) -> tuple[NearModel, ...]:
        """The models that the user would like; unless `each`, one of those with the same columns and first question."""
        fitting = [model for model in self.models if wanted.fits(model)]
        if each:
            return tuple(fitting)
        first: dict[tuple[tuple[str, ...], str], NearModel] = {}
        for model in fitting:
            first.setdefault((model.features, model.first), model)
        return tuple(first.values())


def tolerances(problem: Problem) -> tuple[int, ...]:
    """How much worse models may be, in errors: at most a twentieth of all rows (by weight)."""
    most = max(3.0, problem.total / problem.scale / 20)
    return tuple(errors for errors in TOLERANCES if errors <= most)


def usual_tolerance(problem: Problem) -> int:
    """The tolerance that is offered first: about half a per cent of the rows."""
    wanted = max(1.0, problem.total / problem.scale / 200)
    return max(errors for errors in tolerances(problem) if errors <= wanted)


def worse_words(more: float, problem: Problem) -> str:
    """How much worse in words, for instance 'as good' or '2 more errors'."""
    if not more:
        return "as good as the best"
    return count(more, "more error") if counts_errors(problem) else f"a cost of {amount(more)} more"


def near_trees_of(best: FinishedModel, prepared: Prepared, near: NearSet) -> NearModels:
    """The trees that a search within a tolerance came to."""
    problem = best.problem
    trees = sorted(near.trees, key=lambda tree: (tree.cost, tree.diagram.n_splits))
    least = best.cost if near.best is None else near.best
    listed = _models(best, prepared, [(tree.cost, tree.diagram, tree.orders) for tree in trees], least)
    uses = _sorted(_uses(near, problem) if near.counted and near.columns else _uses_of_list(listed, problem))
    unit = "errors" if counts_errors(problem) else "cost in errors"
    whole = near.counted and bool(near.columns)
    return NearModels(listed, uses, _sentence(near, problem, len(listed)), whole, near.all_listed, unit, "tree")


def near_bdds_of(best: FinishedModel, prepared: Prepared, near: Alternatives) -> NearModels:
    """The BDDs that the search left with its result."""
    listed = _models(best, prepared, [(*item, 1) for item in near.items], best.cost)
    uses = _sorted(_uses_of_list(listed, best.problem))
    return NearModels(listed, uses, near.sentence, near.complete, near.complete, near.unit, "BDD")


def _models(
    best: FinishedModel, prepared: Prepared, listed: Sequence[tuple[int, Diagram, int]], least: int
) -> tuple[NearModel, ...]:
    answers, train, scale = best.diagram.predict(prepared.train), prepared.train, best.problem.scale
    models = []
    for number, (cost, diagram, orders) in enumerate(listed, start=1):
        predicted, root = diagram.predict(train), diagram.nodes[0]
        models.append(
            NearModel(
                number,
                cost / scale,
                (cost - least) / scale,
                diagram.n_splits,
                tuple(name for name in train.schema.names if name in diagram.features),
                root.predicate.columns[0] if isinstance(root, Split) else "",
                rate(predicted == train.y, train.weight),
                None if prepared.test is None else share_right(diagram, prepared.test),
                _gap(train, predicted),
                int((predicted != answers).sum()),
                orders,
                diagram,
            )
        )
    return tuple(models)


def _gap(train: Dataset, predicted: np.ndarray) -> float | None:
    if not train.groups or train.positive is None:
        return None
    try:
        return fairness(train, predicted, train.groups[0]).demographic_parity.difference.value
    except DataError:
        return None


def _uses(near: NearSet, problem: Problem) -> list[Use]:
    """The columns among all trees within the tolerance."""

    def worse(cost: int | None) -> float | None:
        return None if cost is None or near.best is None else (cost - near.best) / problem.scale

    return [
        _use(
            column.name,
            column.n_with,
            column.n_without,
            (worse(column.least_with), worse(column.least_without), worse(column.least_first)),
        )
        for column in near.columns
    ]


def _uses_of_list(listed: Sequence[NearModel], problem: Problem) -> list[Use]:
    """The columns among the models of the list alone."""

    def worse(models: list[NearModel]) -> float | None:
        return min((model.worse for model in models), default=None)

    uses = []
    for name in problem.dataset.schema.names if listed else ():
        asking = [model for model in listed if name in model.features]
        others = [model for model in listed if name not in model.features]
        heads = [model for model in listed if model.first == name]
        uses.append(_use(name, len(asking), len(others), (worse(asking), worse(others), worse(heads))))
    return uses


def _use(name: str, n_with: int, n_without: int, worse: tuple[float | None, ...]) -> Use:
    often = Often.NEVER if not n_with else Often.SOMETIMES if n_without else Often.ALWAYS
    # whole numbers of any size: their quotient is a float all the same
    return Use(name, often, n_with / (n_with + n_without) if n_with else 0.0, *worse)


def _sorted(uses: list[Use]) -> tuple[Use, ...]:
    return tuple(sorted(uses, key=lambda use: -use.share))


def many(number: int, noun: str) -> str:
    """A number of models; an astronomical one as a power of ten, for instance 'about 3.2 × 10^18 trees'."""
    if number <= MANY:
        return count(number, noun)
    power = len(str(number)) - 1
    if power < 9:
        return count(number, noun)
    lead = number // 10 ** (power - 2)
    return f"about {lead // 100}.{lead % 100:02d} \u00d7 10^{power} {noun}s"


def _sentence(near: NearSet, problem: Problem, n_listed: int) -> str:
    if near.reached is None:
        seen = f"{count(n_listed, 'tree')} were found until then." if n_listed else ""
        return f"{near.note} {seen}".strip()
    if not near.reached:
        size = "as good as the best one"
    else:
        size = f"with at most {worse_words(near.reached / problem.scale, problem)}"
    if near.n_trees is None:
        sentence = f"{count(n_listed, 'tree')} {size} that keep your constraints were found; there may be more."
    elif not near.n_trees:
        sentence = f"There is no tree {size} that is as you would like it: all were looked at."
    else:
        number = many(near.n_trees, "tree")
        sentence = (
            f"There is {number} {size}, counted exactly."
            if near.n_trees == 1
            else f"There are {number} {size}, counted exactly."
        )
        if not near.all_listed:
            sentence += f" {count(n_listed)} of them are listed, unlike ones first; the table of columns speaks of all."
        elif near.n_trees != n_listed:
            sentence += f" {count(n_listed)} are listed; the others ask the same questions in another order."
    return f"{sentence} {near.note}".strip()


def frequency_words(use: Use) -> str:
    """How often a column is asked about."""
    if use.often is Often.SOMETIMES:
        return percent(use.share)
    return use.often.value


def worse_cell(worse: float | None) -> str:
    """How much worse the best such model is; more than the tolerance where there is none."""
    if worse is None:
        return "none"
    return "as good" if worse == 0 else f"+{amount(worse)}" if worse > 0 else amount(worse)


def frame(near: NearModels, models: Sequence[NearModel]) -> pd.DataFrame:
    """Some models of the list as a table, columns that say nothing left out."""
    lines = [
        {
            "number": model.number,
            near.unit: model.cost,
            "more than the best": model.worse,
            "questions": model.questions,
            "right in test": None if model.test is None else model.test.value,
            "gap between groups": model.gap,
            "rows that change": model.changed,
            "asked first": model.first,
            "asks about": ", ".join(model.features),
        }
        for model in models
    ]
    return pd.DataFrame(lines).dropna(axis=1, how="all") if lines else pd.DataFrame()


def as_model(best: FinishedModel, chosen: NearModel) -> FinishedModel:
    """A model of the list as one of the session, verified; it is proved where it costs as little as was proved
    possible, and its message says how far it is from the best.
    """
    problem, diagram = best.problem, chosen.diagram
    if diagram == best.diagram:
        return best
    cost = problem.cost_of(diagram)
    worse = (cost - best.cost) / problem.scale
    title = f"Alternative {chosen.number}" + (f" (+{amount(worse)})" if worse > 0 else "")
    return best.beside(model_key(diagram), title, diagram, _distance(best, cost))


def model_key(diagram: Diagram) -> str:
    """The key of a model that no method names: the same for the same model."""
    return f"near_{hashlib.sha256(json.dumps(to_dict(diagram), sort_keys=True).encode()).hexdigest()[:12]}"


def _distance(best: FinishedModel, cost: int) -> str:
    solution, noun = best.solution, best.problem.shape.kind.noun
    worse = (cost - best.cost) / best.problem.scale
    what = "proved optimum" if solution.status is Status.OPTIMAL else f"best {noun} found, which is not proved"
    if worse <= 0:
        return f"As good as the {what}, with other questions."
    unit = count(worse, "error") if counts_errors(best.problem) else f"a cost of {amount(worse)}"
    return f"Within {unit} of the {what}."
