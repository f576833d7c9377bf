"""Models that are nearly as good as the best one: the list, and how often each feature is used."""

import hashlib
import json
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from components.messages.text import amount, count, percent
from components.session.work import FinishedModel, Prepared
from solvers.diagram import Diagram, Split, question_order, to_dict
from solvers.errors import DataError
from solvers.messages.costs import counts_errors
from solvers.messages.results import describe_distance
from solvers.methods.bdds.sizes import diagram_of_entry
from solvers.methods.bdds.table import Unseen, bdd_of
from solvers.methods.trees.near_optimal import NearSet
from solvers.metrics import Criterion, fairness, rate
from solvers.problem import Dataset, Predicate, Problem
from solvers.solution import Status

MANY = 10**6
"""Larger numbers of models are written in powers of ten."""

TOLERANCES = (0, 1, 2, 3, 5, 8, 12, 20, 35, 50)
"""The offered tolerances in errors, if the table is large enough."""

USES = ["name", "n_with", "n_without", "with_it", "without", "first"]


class ModelFilter(NamedTuple):
    """A filter: features used, not used, used first ('' for any), and the largest number of splits."""

    must: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    first: str = ""
    questions: int | None = None

    @property
    def anything(self) -> bool:
        """Whether the filter is set."""
        return self != ModelFilter()


class NearModels(NamedTuple):
    """The models that are nearly as good.

    Attributes
    ----------
    models : one row per model, numbered from 1, the best first, then the smallest: cost and how much worse than the
        best (`worse`) in the user's unit, splits, features, the first of them ('' without any), held-out accuracy
        (`test`), demographic parity difference on the training rows (`difference`), training rows whose prediction
        differs from that of the best model (`changed`), and the diagram.
    uses : one row per feature, the most used first: the number of models with and without it, and the extra cost of the
        best model with it, without it, and with it in the first split (`None` if there is no such model).
    sentence : the number of models, and what is incomplete.
    whole : whether `uses` covers all models within the tolerance, not just the list.
    all_listed : whether the list has every model within the tolerance.
    unit : unit of the costs; noun : name of a model.
    """

    models: pd.DataFrame
    uses: pd.DataFrame
    sentence: str
    whole: bool
    all_listed: bool
    unit: str
    noun: str

    @property
    def sometimes(self) -> list[str]:
        """The features that only some of the models use."""
        return list(self.uses["name"][(self.uses["n_with"] > 0) & (self.uses["n_without"] > 0)])

    def fitting(self, wanted: ModelFilter, each: bool = True) -> pd.DataFrame:
        """The models that match the filter; unless `each`, one per set of features and first split."""
        models, must, never = self.models, set(wanted.must), set(wanted.never)
        fits = np.array([must <= set(asks) and not never & set(asks) for asks in models["features"]], bool)
        if wanted.first:
            fits &= (models["first"] == wanted.first).to_numpy()
        if wanted.questions is not None:
            fits &= (models["splits"] <= wanted.questions).to_numpy()
        models = models[fits]
        return models if each else models.drop_duplicates(["features", "first"])

    def frame(self, models: pd.DataFrame) -> pd.DataFrame:
        """Some models of the list as a display table, without empty columns."""
        names = {
            "number": "number",
            "cost": self.unit,
            "worse": f"extra {self.unit}",
            "splits": "splits",
            "test": "held-out accuracy",
            "difference": "group difference",
            "changed": "changed predictions",
            "first": "first feature",
            "features": "features",
        }
        features = [", ".join(one.diagram.schema.titles(one.features)) for one in models.itertuples()]
        first = [", ".join(one.diagram.schema.titles(filter(None, [one.first]))) for one in models.itertuples()]
        shown = models.reset_index(names="number").assign(features=features, first=first)
        return shown[list(names)].rename(columns=names).dropna(axis=1, how="all")


def tolerances(problem: Problem) -> tuple[int, ...]:
    """The offered tolerances in errors: at most a twentieth of all rows (by weight), or 3 errors in a small table."""
    most = max(3.0, problem.total / problem.scale / 20)
    return tuple(errors for errors in TOLERANCES if errors <= most)


def describe_worse(more: float, problem: Problem) -> str:
    """A difference as text, for instance 'as good' or '2 more errors'."""
    if not more:
        return "as good as the best"
    return count(more, "more error") if counts_errors(problem) else f"a cost of {amount(more)} more"


def _unit(problem: Problem) -> str:
    return "errors" if counts_errors(problem) else "cost"


def near_trees_of(best: FinishedModel, prepared: Prepared, near: NearSet, with_best: bool = True) -> NearModels:
    """The trees that a search within a tolerance found, after the best tree itself if `with_best`."""
    problem = best.problem
    trees = sorted(near.trees, key=lambda tree: (tree.cost, tree.diagram.n_splits))
    least = best.cost if near.best is None else near.best
    listed = [(tree.cost, tree.diagram) for tree in trees]
    if with_best and (trees or near.reached is None):
        listed = [(best.cost, best.diagram), *(tree for tree in listed if tree[1] != best.diagram)]
    models = _models(best, prepared, listed, least)
    whole = near.counted and bool(near.columns)
    uses = _uses(near, problem) if whole else _uses_of_list(models, problem)
    return NearModels(
        models, uses, _sentence(near, problem, len(models)), whole, near.all_listed, _unit(problem), "tree"
    )


def title_of(best: FinishedModel) -> str:
    """The name of the best model in the list of alternatives."""
    noun = best.problem.shape.kind.noun
    return f"proved {noun}" if best.solution.status is Status.OPTIMAL else f"best {noun} so far"


def describe_votes(near: NearModels, best: FinishedModel, prepared: Prepared, number: int) -> str:
    """How many of the equally good models, or of all in the list, predict another class for a row of the file."""
    for data in (prepared.train, *([] if prepared.test is None else [prepared.test])):
        place = np.flatnonzero(data.rows == number)
        if len(place):
            break
    else:
        return f"Row {number} is neither a training row nor a held-out row."
    row = data.take(place[:1])

    def prediction(diagram: Diagram) -> str:
        return data.classes[diagram.predict(row)[0]] if diagram.stops(row)[0] < 0 else "nothing"

    others = near.models[near.models["diagram"].map(lambda diagram: diagram != best.diagram)]
    equal = others[others["worse"] <= 0]
    which = "equally good" if len(equal) else "listed"
    voting = equal if len(equal) else others
    own = prediction(best.diagram)
    differ = sum(prediction(diagram) != own for diagram in voting["diagram"])
    start = f"Row {number}: the {title_of(best)} predicts '{own}'."
    some = "" if near.all_listed or not len(equal) else " in the list"
    return f"{start} Of {count(len(voting), f'other {which} {near.noun}')}{some}, {count(differ)} decide differently."


def near_bdds_of(best: FinishedModel, prepared: Prepared, unseen: Unseen = Unseen.SOLVED) -> NearModels | None:
    """The BDDs that the search stored with its result; `None` if the method makes no list.

    Combinations without training rows are predicted by the policy `unseen`, as in the BDD itself.
    """
    details, problem = best.solution.details, best.problem
    if not details.near_optimal:
        return None
    diagrams = [diagram_of_entry(problem, entry) for entry in details.near_optimal]
    if unseen is not Unseen.SOLVED:
        splits = ([one for one in question_order(d) or () if isinstance(one, Predicate)] for d in diagrams)
        diagrams = [bdd_of(problem, of_one, unseen) for of_one in splits]
    listed = [(problem.cost_of(diagram), diagram) for diagram in diagrams]
    models, whole = _models(best, prepared, listed, best.cost), details.all_near_optimal
    uses, sentence = _uses_of_list(models, problem), _describe_bdd(models, whole, _unit(problem))
    return NearModels(models, uses, sentence, whole, whole, _unit(problem), "BDD")


def _describe_bdd(models: pd.DataFrame, complete: bool, unit: str) -> str:
    if len(models) < 2:
        return "No other set of splits is as good. Choose a larger tolerance on Design."
    more = models["worse"].max()
    worse = f", the others cost at most {amount(more)} {unit} more" if more else ""
    which = "These are all" if complete else "There may be more"
    as_good = int((models["worse"] == 0).sum())
    return f"{len(models)} BDDs with different splits: {count(as_good)} as good as the best{worse}. {which}."


def _models(best: FinishedModel, prepared: Prepared, listed: Sequence[tuple[int, Diagram]], least: int) -> pd.DataFrame:
    train, test, scale = prepared.train, prepared.test, best.problem.scale
    answers = best.diagram.predict(train)
    lines = []
    for cost, diagram in listed:
        predicted, root = diagram.predict(train), diagram.nodes[0]
        lines.append(
            (
                cost / scale,
                (cost - least) / scale,
                diagram.n_splits,
                tuple(name for name in train.schema.names if name in diagram.features),
                root.predicate.columns[0] if isinstance(root, Split) else "",
                None if test is None else rate(diagram.predict(test) == test.y, test.weight).value,
                _difference(train, predicted),
                int((predicted != answers).sum()),
                diagram,
            )
        )
    columns = ["cost", "worse", "splits", "features", "first", "test", "difference", "changed", "diagram"]
    return pd.DataFrame(lines, columns=columns, index=range(1, len(lines) + 1))


def _difference(train: Dataset, predicted: np.ndarray) -> float | None:
    if not train.groups or train.positive is None:
        return None
    try:
        return fairness(train, predicted, train.groups[0]).disparities[Criterion.PARITY].difference.value
    except DataError:
        return None


def _uses(near: NearSet, problem: Problem) -> pd.DataFrame:
    """Feature usage among all trees within the tolerance."""

    def worse(cost: int | None) -> float | None:
        return None if cost is None or near.best is None else (cost - near.best) / problem.scale

    lines = []
    for column in near.columns:
        least = (column.least_with, column.least_without, column.least_first)
        lines.append((column.name, column.n_with, column.n_without, *map(worse, least)))
    return _most_used_first(lines)


def _uses_of_list(models: pd.DataFrame, problem: Problem) -> pd.DataFrame:
    """Feature usage among the models of the list alone."""

    def worse(those: pd.Series) -> float | None:
        return min(models["worse"][those], default=None)

    lines = []
    for name in problem.dataset.schema.names if len(models) else ():
        asks = models["features"].map(lambda features, name=name: name in features)
        n_with = int(asks.sum())
        least = worse(asks), worse(~asks), worse(models["first"] == name)
        lines.append((name, n_with, len(models) - n_with, *least))
    return _most_used_first(lines)


def _most_used_first(lines: Sequence[tuple[object, ...]]) -> pd.DataFrame:
    # counts are integers of any size
    found = pd.DataFrame(lines, columns=USES, dtype=object)
    return found.sort_values("n_with", ascending=False, kind="stable", ignore_index=True)


def many(number: int, noun: str) -> str:
    """A number of models; a very large one as a power of ten, for instance 'about 3.2 × 10^18 trees'."""
    power = len(str(number)) - 1
    if number <= MANY or power < 9:
        return count(number, noun)
    lead = number // 10 ** (power - 2)
    return f"about {lead // 100}.{lead % 100:02d} \u00d7 10^{power} {noun}s"


def _sentence(near: NearSet, problem: Problem, n_listed: int) -> str:
    if near.reached is None:
        seen = f"Found so far: {count(n_listed, 'tree')}." if n_listed else ""
        return f"{near.note} {seen}".strip()
    size = "as good as the best one"
    if near.reached:
        size = f"with at most {describe_worse(near.reached / problem.scale, problem)}"
    if near.n_trees is None:
        sentence = f"Found {count(n_listed, 'tree')} {size} that satisfy all constraints. There may be more."
    elif not near.n_trees:
        sentence = f"No tree {size} matches the filter (all were searched)."
    else:
        are = "is" if near.n_trees == 1 else "are"
        sentence = f"There {are} {many(near.n_trees, 'tree')} {size}, counted exactly."
        if not near.all_listed:
            sentence += f" {count(n_listed)} different ones are listed; the feature table covers all."
        elif near.n_trees != n_listed:
            sentence += f" {count(n_listed)} are listed; the others have the same splits in another order."
    return f"{sentence} {near.note}".strip()


def describe_frequency(n_with: int, n_without: int) -> str:
    """A sentence on how often a feature is used."""
    if not n_with:
        return "never"
    return percent(n_with / (n_with + n_without)) if n_without else "always"


def worse_cell(worse: float | None) -> str:
    """How much worse the best such model is; 'none' if there is none within the tolerance."""
    if worse is None:
        return "none"
    return "as good" if worse == 0 else f"+{amount(worse)}" if worse > 0 else amount(worse)


def as_model(best: FinishedModel, number: int, diagram: Diagram) -> FinishedModel:
    """A model of the list as one of the session, verified; its message states its distance from the best."""
    if diagram == best.diagram:
        return best
    cost = best.problem.cost_of(diagram)
    worse = (cost - best.cost) / best.problem.scale
    title = f"Alternative {number}" + (f" (+{amount(worse)})" if worse > 0 else "")
    distance = describe_distance(best.problem, best.solution, cost)
    return best.beside(model_key(diagram), title, diagram, distance)


def model_key(diagram: Diagram) -> str:
    """The key of a model that no method made: the same for equal models."""
    return f"near_{hashlib.sha256(json.dumps(to_dict(diagram), sort_keys=True).encode()).hexdigest()[:12]}"
