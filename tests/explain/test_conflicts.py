"""Conflicts are smallest, nearest values are nearest, and repairs repair: against all trees of small worlds."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.constraints import KINDS, Constraint, FixedTop, MaxLeaves, MinLeafRows, NeverColumns, Questions
from solvers.explain import Extent, conflict, posed, weaker_forms, wishes_of
from solvers.explain.cores import smallest_hitting_set
from solvers.problem import Dataset, Kind, Problem, Shape
from solvers.solution import Status
from tests.explain.worlds import World
from tests.strategies import make_dataset


@cache
def world(seed: int) -> World:
    """A table of ten rows, two columns and two groups, with all its trees of two levels."""
    rng = np.random.default_rng(seed)
    columns = {"a": (Kind.NUMERIC, rng.integers(0, 3, 10)), "b": (Kind.BINARY, rng.integers(0, 2, 10))}
    return World(make_dataset(columns, rng.integers(0, 2, 10).tolist()))


@cache
def plain() -> World:
    """A table in which every question about 'a' and 'b' has rows on both sides."""
    columns = {"a": (Kind.NUMERIC, [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]), "b": (Kind.BINARY, [0, 1, 0, 1, 0, 1, 0, 1, 0, 1])}
    return World(make_dataset(columns, [0, 0, 1, 1, 1, 0, 0, 0, 1, 0]))


def some_wishes(dataset: Dataset, rng: np.random.Generator, n: int) -> tuple[Constraint, ...]:
    """Random constraints of any kind that the table can have; the same one is not asked for twice."""
    kinds = list(KINDS.values())
    found: dict[Constraint, None] = {}
    while len(found) < n:
        example = kinds[rng.integers(len(kinds))].example(dataset, rng)
        if example is not None:
            found[example] = None
    return tuple(found)


def random_problem(here: World, seed: int, n: int) -> Problem:
    """A problem of the world with random wishes, now and then with limits of its shape."""
    rng = np.random.default_rng(seed)
    shape = Shape(
        depth=int(rng.integers(0, 3)), leaves=rng.choice([None, None, 1, 3]), min_leaf=int(rng.choice([1, 3]))
    )
    return Problem(here.problem.dataset, shape, constraints=some_wishes(here.problem.dataset, rng, n))


A_FIRST = FixedTop(Questions("a", value=0.5))
SEEDS = st.integers(0, 2**32 - 1)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(place=st.integers(0, 5), seed=SEEDS, n=st.integers(1, 4))
def test_the_conflict_is_smallest(place: int, seed: int, n: int) -> None:
    """The parts of a conflict admit no tree, and no smaller set of wishes does without one either."""
    here = world(place)
    problem = random_problem(here, seed, n)
    wishes = wishes_of(problem)
    answer = conflict(problem, here.solve)
    least = here.smallest_conflict(wishes)
    if least is None:
        assert answer.status is Status.FEASIBLE
        return
    chosen = [part.wish for part in answer.parts if not part.wish.lasting]
    assert (answer.status, answer.extent, len(chosen)) == (Status.INFEASIBLE, Extent.SMALLEST, least)
    assert not len(here.allowed([*chosen, *(wish for wish in wishes if wish.lasting)]))


@settings(derandomize=True, deadline=None, max_examples=150)
@given(place=st.integers(0, 5), seed=SEEDS, n=st.integers(1, 4))
def test_nearest_forms_and_repairs(place: int, seed: int, n: int) -> None:
    """The nearest form of each wish is the strongest that the others allow; each repair gives its proved optimum."""
    here = world(place)
    problem = random_problem(here, seed, n)
    answer = conflict(problem, here.solve)
    lasting = [wish for wish in wishes_of(problem) if wish.lasting]
    chosen = [part.wish for part in answer.parts if not part.wish.lasting]
    for part in answer.parts:
        if part.wish.lasting:
            continue
        others = [*(wish for wish in chosen if wish is not part.wish), *lasting]
        forms = list(weaker_forms(problem, part.wish))
        possible = [form for form in forms if len(here.allowed([*others, form]))]
        assert part.proved
        assert part.nearest == (possible[0] if possible else None)
    for repair in answer.repairs:
        repaired = repair.apply(problem)
        assert repaired.id == posed(repaired, wishes_of(repaired)).id
        assert here.optimum(wishes_of(repaired)) == repair.cost == repair.bound
        for change in repair.changes:
            assert change.words() in repair.words()


@settings(derandomize=True, deadline=None, max_examples=100)
@given(place=st.integers(0, 5), seed=SEEDS, n=st.integers(2, 5))
def test_there_is_always_a_repair(place: int, seed: int, n: int) -> None:
    """Where one wish can give way alone, that is a repair; else the fewest that have to give way together are."""
    here = world(place)
    problem = random_problem(here, seed, n)
    answer = conflict(problem, here.solve)
    if answer.status is Status.FEASIBLE:
        return
    wishes = wishes_of(problem)
    alone = {w.key for w in wishes if not w.lasting and len(here.allowed([o for o in wishes if o is not w]))}
    dropped = [
        {change.wish.key for change in repair.changes}
        for repair in answer.repairs
        if all(change.weaker is None for change in repair.changes)
    ]
    deeper = any(change.wish.lasting for repair in answer.repairs for change in repair.changes)
    if alone:
        assert sorted(map(min, dropped), key=str) == sorted(alone, key=str)
    elif not deeper:
        assert len(dropped) == 1
        assert len(dropped[0]) > 1
        assert answer.further


def test_four_wishes_one_of_them_innocent() -> None:
    """The first question is about a column that may not be asked about; the other two have nothing to do with it."""
    here = plain()
    wishes = (MaxLeaves(4), A_FIRST, MinLeafRows(1), NeverColumns(("a",)))
    answer = conflict(Problem(here.problem.dataset, Shape(depth=2), constraints=wishes), here.solve)
    assert [part.wish.key for part in answer.parts] == [1, 3]
    assert answer.words().startswith("These 2 wishes cannot hold together: ")
    assert {repair.changes[0].wish.key for repair in answer.repairs} == {1, 3}


def test_a_deeper_tree_may_be_the_repair() -> None:
    """A limit of the depth takes part in a conflict where one more level would do, and the repair says so."""
    here = plain()
    problem = Problem(here.problem.dataset, Shape(depth=0), constraints=(A_FIRST,))
    answer = conflict(problem, here.solve)
    assert [(part.wish.key, part.nearest.constraint.limit) for part in answer.parts if part.nearest] == [("depth", 1)]
    repair = next(repair for repair in answer.repairs if repair.changes[0].wish.key == "depth")
    assert repair.apply(problem).shape.depth == 1
    assert len(repair.apply(problem).constraints) == 1


def test_undecided_is_said() -> None:
    """Where the solver does not decide, nothing is claimed; what it decides elsewhere still counts."""
    here = World(plain().problem.dataset)
    wishes = (A_FIRST, NeverColumns(("a",)), MaxLeaves(1))
    problem = Problem(here.problem.dataset, Shape(depth=2), constraints=wishes)
    words = {wish.key: wish.words for wish in wishes_of(problem)}
    here.silent = [frozenset({words[0], words[1]})]
    answer = conflict(problem, here.solve)
    assert answer.status is Status.NO_SOLUTION
    assert "not decided" in answer.words()
    here.silent = [frozenset({words[0]})]
    answer = conflict(Problem(here.problem.dataset, Shape(depth=2), constraints=wishes[:1]), here.solve)
    assert (answer.status, answer.parts, answer.repairs) == (Status.NO_SOLUTION, (), ())


class Pressed:
    """A stop signal that was given before the start."""

    def is_set(self) -> bool:
        """Always."""
        return True


def test_a_stop_ends_it_at_once() -> None:
    """After a stop the solver is not asked any more, and nothing is claimed."""
    here = World(world(1).problem.dataset)
    answer = conflict(random_problem(here, 1, 3), here.solve, stop=Pressed())
    assert (here.calls, answer.status, answer.complete) == (0, Status.NO_SOLUTION, True)


def test_what_is_known_is_told_on_the_way() -> None:
    """The conflict is told before its nearest forms and repairs, and only the last report is complete."""
    here = plain()
    wishes = (A_FIRST, NeverColumns(("a",)))
    told = []
    answer = conflict(Problem(here.problem.dataset, Shape(depth=2), constraints=wishes), here.solve, tell=told.append)
    assert told[-1] == answer
    assert [report.complete for report in told] == [False] * (len(told) - 1) + [True]
    assert told[0].parts
    assert not told[0].repairs


@pytest.mark.parametrize(
    ("sets", "hit"), [([], ()), ([{1}], (1,)), ([{0, 2}, {1, 2}], (2,)), ([{0}, {0, 1}, {1, 3}], (0, 1))]
)
def test_smallest_hitting_sets(sets: list[set[int]], hit: tuple[int, ...]) -> None:
    """The smallest choice that meets every set, the first of equals."""
    assert smallest_hitting_set([frozenset(one) for one in sets], 4) == hit
