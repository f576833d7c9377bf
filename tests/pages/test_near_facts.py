"""Facts of near-optimal models, for handwritten sets."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec import structs

from components.inspect.near_facts import (
    ModelFilter,
    as_model,
    describe_frequency,
    describe_votes,
    many,
    near_trees_of,
    tolerances,
    worse_cell,
)
from components.session.work import FinishedModel
from solvers.messages import describe_result
from solvers.methods.trees.near_optimal import ColumnUse, NearSet, NearTree, SizeCount
from solvers.methods.trees.tree_of_splits import diagram_of_questions
from solvers.problem import Objective, Op, Predicate, Problem, Shape
from solvers.solution import Details, EndReason, PartialScope, Scope, Solution, Status
from tests.pages.handmade import prepared_sample

ROWS = prepared_sample("iris")


def stump(column: int, threshold: float, problem: Problem):
    """A tree of one split."""
    data = problem.dataset
    question = Predicate(data.schema.names[column], Op.LE, threshold, False)
    return diagram_of_questions(problem, {0: question})


def problem(**more: object) -> Problem:
    """Trees of one split."""
    return Problem(ROWS.train, Shape(max_depth=1), **more)


def cost(tree) -> int:
    """The cost of a tree."""
    return problem().cost(tree.predict(ROWS.train), tree.n_splits)


def best() -> FinishedModel:
    """A proved tree of one split on the petals."""
    tree = stump(3, 0.8, problem())
    found = Solution(problem().id, "contree", Status.OPTIMAL, tree, cost(tree), cost(tree), 0.1, 0.1, verified=True)
    return FinishedModel("contree", "ConTree", found, True, problem())


def found(**changes: object) -> NearSet:
    """Three trees: two on petals and a worse one on sepals."""
    trees = [stump(3, 0.8, problem()), stump(2, 2.45, problem()), stump(0, 5.5, problem())]
    listed = tuple(sorted((NearTree(cost(t), t) for t in trees), key=lambda one: one.cost))
    least, worst = listed[0].cost, listed[-1].cost
    names = ROWS.train.schema.names
    columns = (
        ColumnUse(names[0], 1, 2, 1, worst, least, worst),
        ColumnUse(names[1], 0, 3, 0, None, least, None),
        ColumnUse(names[2], 1, 2, 1, least, least, least),
        ColumnUse(names[3], 3, 0, 1, least, None, least),
    )
    sizes = SizeCount(least, 1, 2), SizeCount(worst, 1, 1)
    known = NearSet(least, worst - least, worst - least, sizes, columns, listed, True, True, "", True)
    return structs.replace(known, **changes)


def test_columns_are_sorted_by_use():
    """Always, sometimes with its share, never; the cost of omitting each; a column without a figure has 'none'."""
    near = near_trees_of(best(), ROWS, found())
    assert [describe_frequency(use.n_with, use.n_without) for use in near.uses.itertuples()] == [
        "always",
        "33.3%",
        "33.3%",
        "never",
    ]
    assert near.uses["without"][0] is None and worse_cell(near.uses["without"][0]) == "none"
    assert near.uses["name"][3] == ROWS.train.schema.names[1]
    assert set(near.sometimes) == {ROWS.train.schema.names[i] for i in (0, 2)}
    assert near.whole and "There are 3 trees" in near.sentence and "counted exactly" in near.sentence


def test_the_best_tree_is_first_and_the_others_vote_on_a_row():
    """The best tree leads the list, once, also if it was not found again; differing votes are counted."""
    model = best()
    near = near_trees_of(model, ROWS, found(trees=found().trees[1:]))
    assert len(near.models) == len(near_trees_of(model, ROWS, found()).models)
    assert near.models["diagram"][1] == model.diagram and len(near.models) == 3
    for data in (ROWS.train, ROWS.test):
        number = int(data.rows[5])
        own, *others = (diagram.predict(data.take([5]))[0] for diagram in near.models["diagram"])
        differ = sum(other != own for other, worse in zip(others, near.models["worse"][1:], strict=True) if not worse)
        assert describe_votes(near, model, ROWS, number) == (
            f"Row {number}: the proved tree predicts '{data.classes[own]}'. "
            f"Of 1 other equally good tree, {differ} decide differently."
        )
    assert "neither a training row" in describe_votes(near, model, ROWS, 10**6)


def test_the_list_can_be_filtered():
    """Filters apply to columns, first split and size; without a filter all models remain."""
    near = near_trees_of(best(), ROWS, found())
    names = ROWS.train.schema.names
    assert not ModelFilter().anything and len(near.fitting(ModelFilter())) == 3
    assert list(near.fitting(ModelFilter(must=(names[0],)))["features"]) == [(names[0],)]
    assert all(names[3] not in features for features in near.fitting(ModelFilter(never=(names[3],)))["features"])
    assert list(near.fitting(ModelFilter(first=names[2]))["first"]) == [names[2]]
    assert near.fitting(ModelFilter(questions=0)).empty
    twice = found(trees=(*found().trees, NearTree(cost(stump(3, 0.75, problem())), stump(3, 0.75, problem()))))
    near = near_trees_of(best(), ROWS, twice)
    assert len(near.fitting(ModelFilter(), each=True)) == 4 and len(near.fitting(ModelFilter(), each=False)) == 3


def test_the_table_has_the_available_columns():
    """Costs, excess cost, test figures; without groups no column of differences; changed rows are counted."""
    near = near_trees_of(best(), ROWS, found())
    table = near.frame(near.models)
    assert "group difference" not in table.columns and "held-out accuracy" in table.columns
    assert table["extra errors"].iloc[0] == 0 and table["changed predictions"].iloc[0] == 0
    for diagram, changed in zip(near.models["diagram"], table["changed predictions"], strict=True):
        assert changed == (diagram.predict(ROWS.train) != best().solution.diagram.predict(ROWS.train)).sum()
    assert near.frame(near.models[:0]).empty


def test_incomplete_sets_are_reported():
    """A truncated set is reported; a set checked tree by tree has no total; an empty set is reported as empty."""
    cut = near_trees_of(best(), ROWS, found(all_listed=False, sizes=(SizeCount(50, 1, 10**20),)))
    assert "about 1.00 \u00d7 10^20 trees" in cut.sentence and "3 different ones are listed" in cut.sentence
    unknown = near_trees_of(best(), ROWS, found(counted=False, columns=(), all_listed=False))
    assert "There may be more." in unknown.sentence and not unknown.whole
    assert len(unknown.uses)
    none = near_trees_of(best(), ROWS, found(sizes=(), columns=(), trees=()))
    assert "No tree" in none.sentence and none.models.empty
    stopped = near_trees_of(best(), ROWS, found(reached=None, counted=False, columns=(), note="It was stopped."))
    assert stopped.sentence == "It was stopped. Found so far: 3 trees."


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (1, "1 tree"),
        (10**6, "1,000,000 trees"),
        (12345678, "12,345,678 trees"),
        (3217 * 10**15, "about 3.21 \u00d7 10^18 trees"),
    ],
)
def test_huge_numbers_are_powers_of_ten(number: int, words: str):
    """They are rounded down to three digits."""
    assert many(number, "tree") == words


def test_an_opened_tree_is_verified():
    """It is proved only if its cost equals the proved optimum; the same tree is the same model."""
    model = best()
    near = near_trees_of(model, ROWS, found())
    diagrams = near.models["diagram"]
    (same,) = [i for i, diagram in diagrams.items() if diagram == model.diagram]
    (other,) = [i for i in diagrams.index[near.models["worse"] == 0] if i != same]
    assert as_model(model, same, diagrams[same]) is model
    opened = as_model(model, other, diagrams[other])
    assert (opened.solution.status, opened.solution.verified) == (Status.OPTIMAL, True)
    far = as_model(model, 3, diagrams[3])
    assert (far.solution.status, far.solution.verified) == (Status.FEASIBLE, True)
    assert far.solution.message == f"{near.models.worse[3]:g} errors more than the optimum."
    assert far.key == as_model(model, 3, diagrams[3]).key != opened.key
    unproved = model._replace(solution=replace(model.solution, status=Status.FEASIBLE, bound=0))
    assert "best tree so far" in as_model(unproved, 3, diagrams[3]).solution.message


def test_an_opened_tree_does_not_inherit_the_confirmation():
    """Confirmation by a second method applies only to the best tree, which has the fewest splits."""
    part = PartialScope(Scope.MARGIN)
    details = Details(fewest_splits=True, confirmed_by="cart", part=part)
    model = best()
    model = model._replace(solution=replace(model.solution, ended=EndReason.PROVED, details=details))
    opened = as_model(model, 3, near_trees_of(model, ROWS, found()).models["diagram"][3])
    assert (opened.solution.ended, opened.solution.details) == (None, Details(part=part))
    assert "second method" not in describe_result(problem(), opened.solution)


def test_tolerances_fit_the_table():
    """They are at most a twentieth of the rows, in errors, for any scale of the costs."""
    for objective in (Objective(), Objective(split_penalty=0.25)):
        offered = tolerances(problem(objective=objective))
        assert offered[:2] == (0, 1) and max(offered) <= max(3, ROWS.train.n_samples / 20)
