"""Decision diagrams by mixed-integer programming: agreement with enumeration, wishes, weighted sums, plain words."""

from __future__ import annotations

import threading
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import train_test_split

from solvers.constraints import KINDS, Constraint, Severity, rules_of
from solvers.diagram import Split
from solvers.errors import UnsupportedError
from solvers.methods import get
from solvers.methods.diagrams.construction import constructions
from solvers.methods.diagrams.drafting import Draft, DraftNode, leaf_arc
from solvers.methods.diagrams.skeleton import PRESETS, objective_of, scaled_value
from solvers.methods.diagrams.terms import LEAST_MARGIN, terms_of, widest
from solvers.methods.mip.backend import End, Request, TooLarge
from solvers.methods.mip.gurobi import Gurobi
from solvers.methods.mip.highs import HiGHS
from solvers.methods.odd import method as odd
from solvers.methods.odd.frame import Frame, frame_of
from solvers.methods.odd.hyperplanes import Hyperplanes
from solvers.methods.odd.ladders import Ladders
from solvers.methods.odd.method import Odd
from solvers.methods.odd.network import Network, Separation
from solvers.methods.odd.posting import POSTS, post
from solvers.methods.odd.reading import read, write
from solvers.methods.odd.thresholds import Thresholds
from solvers.metrics import verify
from solvers.problem import (
    Group,
    Kind,
    Limits,
    LinearPredicate,
    MissingPolicy,
    Objective,
    Op,
    Predicate,
    Problem,
    Shape,
    question_orders,
    sample_dataset,
)
from solvers.solution import Solution, Status
from tests.constraints.trees import with_groups
from tests.methods.diagrams import allowed, every_draft, half_planes, least, optimum, small_table
from tests.methods.mip import tiny
from tests.methods.running import solve
from tests.strategies import make_dataset

NAN = float("nan")
SEEDS = st.integers(0, 2**32 - 1)
SKELETONS = ((1,), (1, 2), (1, 2), (1, 1), (1, 2, 1), (1, 1, 1), (1, 2, 2), (1, 1, 2))


def diagrams(*widths: int, **more: object) -> Shape:
    """The shape of a skeleton."""
    return Shape(kind="diagram", widths=widths, **more)


def proved(method: Odd, problem: Problem) -> int | None:
    """The optimum that a method proves and the verifier confirms; `None` where it proves that there is none."""
    assert method.check(problem) == ()
    solution = solve(method, problem).solution
    assert verify(problem, solution).ok, verify(problem, solution).failures
    assert solution.status is (Status.INFEASIBLE if solution.cost is None else Status.OPTIMAL), solution.message
    return solution.cost


def drawn(seed: int) -> Problem:
    """A small problem without wishes."""
    rng = np.random.default_rng(seed)
    widths = SKELETONS[rng.integers(len(SKELETONS))]
    wide = widths == (1, 2, 2)
    dataset = small_table(rng, n_rows=7 if wide else int(rng.integers(4, 9)), n_values=2 if wide else 3)
    objective = Objective(split_cost=float(rng.choice([0, 0.5, 1, 0.3])), free_root=bool(rng.random() < 0.5))
    return Problem(
        dataset, diagrams(*widths, questions=int(rng.integers(4)) if rng.random() < 0.3 else None), objective
    )


class TestAgreement:
    """The optimum is that of trying all diagrams."""

    @settings(derandomize=True, deadline=None, max_examples=100)
    @given(seed=SEEDS)
    def test_models_that_grow(self, seed: int) -> None:
        """Topologies, long arcs, questions that pass rows on, several classes, weights and any price of a question."""
        problem = drawn(seed)
        assert proved(Odd(backend="highs"), problem) == optimum(problem)

    @settings(derandomize=True, deadline=None, max_examples=25)
    @given(seed=SEEDS)
    def test_one_model(self, seed: int) -> None:
        """The same with the whole skeleton at once."""
        problem = drawn(seed)
        assert proved(Odd(backend="highs", models="whole"), problem) == optimum(problem)

    @settings(derandomize=True, deadline=None, max_examples=25)
    @given(seed=SEEDS)
    def test_thresholds_with_large_constants(self, seed: int) -> None:
        """The same with the paper's form of the questions."""
        problem = drawn(seed)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(odd, "MOST_STEPS", 0)
            run = solve(Odd(backend="highs"), problem)
        assert run.solution.stats.get("questions") in ("Thresholds", None)
        assert run.solution.status is Status.OPTIMAL and verify(problem, run.solution).ok
        assert run.solution.cost == optimum(problem)

    @settings(derandomize=True, deadline=None, max_examples=25)
    @given(seed=SEEDS)
    def test_trees(self, seed: int) -> None:
        """With the topology of a tree it is the optimal tree, of the exact search where every layer is full."""
        rng = np.random.default_rng(seed)
        widths = ((1, 2), (1, 2, 4), (1, 1, 2), (1, 2, 3))[rng.integers(4)]
        objective = Objective(split_cost=float(rng.choice([0, 0.5, 1, 0.3])))
        problem = Problem(small_table(rng, n_rows=int(rng.integers(4, 10))), diagrams(*widths), objective)
        if len(widths) == 2 or widths == (1, 2, 4):
            tree = Problem(problem.dataset, Shape(depth=len(widths)), objective)
            expected = solve(get("contree"), tree).solution.cost
        else:
            expected = optimum(problem, tree=True)
        assert proved(Odd(backend="highs", topology="tree"), problem) == expected

    @settings(derandomize=True, deadline=None, max_examples=35)
    @given(seed=SEEDS)
    def test_weighted_sums(self, seed: int) -> None:
        """Questions about both columns of a plane part the rows in every way that a line can."""
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 9))
        unit, classes = (1.0, 100.0, 1e-4)[rng.integers(3)], int(rng.choice([2, 2, 3]))
        columns = {name: (Kind.NUMERIC, rng.integers(0, 4, n) * scale + 5) for name, scale in (("a", unit), ("b", 1.0))}
        dataset = make_dataset(columns, rng.integers(0, classes, n), n_classes=3)
        widths = ((1,), (1, 2), (1, 1), (1, 1, 1))[rng.integers(4)]
        objective = Objective(split_cost=float(rng.choice([0, 0.5, 1, 0.3])), free_root=bool(rng.random() < 0.5))
        problem = Problem(dataset, diagrams(*widths, split_features=None), objective)
        bits = [*half_planes(dataset), np.ones(n, bool)]
        assert proved(Odd(backend="highs"), problem) == optimum(problem, bits=bits)

    @settings(derandomize=True, deadline=None, max_examples=70)
    @given(seed=SEEDS)
    def test_wishes(self, seed: int) -> None:
        """Under wishes of every kind that is posted, alone and in pairs; each kind comes up as often as any other."""
        problem = wished(seed)
        if problem.constraints and not Odd().check(problem):
            assert proved(Odd(backend="highs"), problem) == least(problem)

    def test_gurobi(self) -> None:
        """Both solvers prove the same, with univariate questions and with weighted sums."""
        try:
            Gurobi().solve(tiny(), Request(None, 0.5, 10.0, 1, 0, lambda: False, lambda x: None, lambda v, n: None))
        except TooLarge:
            pytest.skip("Gurobi has no licence here")
        rng = np.random.default_rng(1)
        for most in (1, None):
            for _ in range(3):
                shape = diagrams(1, 2, split_features=most)
                problem = Problem(small_table(rng, n_columns=2), shape, Objective(split_cost=0.5))
                both = [proved(Odd(backend=backend), problem) for backend in ("gurobi", "highs")]
                assert both[0] == both[1]


def wished(seed: int) -> Problem:
    """A small problem with a wish or two, the first of the kinds in turn."""
    rng = np.random.default_rng(seed)
    dataset = with_groups(small_table(rng, n_rows=int(rng.integers(5, 8)), n_values=int(rng.integers(2, 4))), rng)
    kinds = list(KINDS)
    chosen = [kinds[seed % len(kinds)], *([str(rng.choice(kinds))] if rng.random() < 0.3 else [])]
    made = [KINDS[kind].example(dataset, rng) for kind in chosen]
    read = [
        c for c in made if c is not None and all(f.severity is not Severity.ERROR for f in c.check(Problem(dataset)))
    ]
    widths = ((1,), (1, 2), (1, 2), (1, 1), (1, 1, 1))[rng.integers(5)]
    objective = Objective(split_cost=float(rng.choice([0, 0.5, 0.3])), free_root=bool(rng.random() < 0.5))
    return Problem(dataset, diagrams(*widths, min_leaf=int(rng.choice([1, 1, 2]))), objective, tuple(read))


def network(problem: Problem, form: type[Separation] = Ladders, *, tree: bool = False) -> Network:
    """The model of a problem with everything posted."""
    rules = rules_of(problem)
    frame = frame_of(problem.size, problem.dataset.n_classes)
    net = Network(problem, rules, form(problem, rules), frame, tree=tree)
    post(net)
    return net


TABLE = make_dataset(
    {"a": (Kind.NUMERIC, [1, 1, 2, 2, 3, 3]), "b": (Kind.BINARY, [0, 1, 0, 1, 0, 1])}, [0, 1, 1, 2, 0, 1]
)


class TestModel:
    """The program itself."""

    @pytest.mark.parametrize("form", [Ladders, Thresholds, Hyperplanes])
    def test_every_diagram_is_in_the_model(self, form: type[Separation]) -> None:
        """Each diagram keeps all rows of the model at some places, and costs there what it costs: symmetry breaking,
        (11) and (12), leaves one of each."""
        problem = Problem(TABLE, diagrams(1, 2, split_features=1), Objective(split_cost=0.5))
        net = network(problem, form)
        program = net.model.program()
        seen = 0
        for number, draft in enumerate(every_draft(problem)):
            if number % 19 or not draft.layers or not _is_in_the_model(problem, draft):
                continue
            seen += 1
            values = write(net, draft)
            assert values is not None and program.keeps(values), draft
            objective = program.cost @ values[program.kept] + program.offset
            assert net.base + net.unit * round(objective) == draft.cost(problem)
            again = read(net, values)
            assert np.array_equal(again.predict(TABLE), draft.predict(TABLE))
            assert again.n_questions == draft.n_questions
        assert seen > 50

    @pytest.mark.parametrize("widths", [(1, 2, 4), (1, 2, 2)])
    def test_as_a_tree_the_topology_is_given(self, widths: tuple[int, ...]) -> None:
        """In the model of trees a question has one way to it, whether its places are fixed or not."""
        problem = Problem(TABLE, diagrams(*widths))
        first, second = Predicate("b", Op.IS, 1.0, True), Predicate("a", Op.LE, 1.5, True)
        third = Predicate("a", Op.LE, 2.5, True)
        for meets in (True, False):
            last = {slot: DraftNode(third, leaf_arc(1), leaf_arc(2)) for slot in range(2 - meets)}
            middle = {0: DraftNode(second, leaf_arc(0), 0), 1: DraftNode(second, leaf_arc(1), 0 if meets else 1)}
            draft = Draft([{0: DraftNode(first, 0, 1)}, middle, last])
            for tree in (True, False):
                net = network(problem, tree=tree)
                values = write(net, draft)
                assert (values is not None and net.model.program().keeps(values)) == (not (meets and tree))

    @pytest.mark.parametrize("form", [Ladders, Thresholds, Hyperplanes])
    def test_flows_are_predictions(self, form: type[Separation]) -> None:
        """In the solver's own values every row flows where the diagram sends it, place by place."""
        most = None if form is Hyperplanes else 1
        problem = Problem(TABLE, diagrams(1, 2, split_features=most), Objective(split_cost=0.25))
        net = network(problem, form)
        program, found = net.model.program(), []
        request = Request(None, 0.5, 20.0, 1, 0, lambda: False, found.append, lambda value, nodes: None)
        assert HiGHS().solve(program, request).end is End.PROVED
        values = program.expand(found[-1])
        assert np.abs(values[net.through] - values[net.through].round()).max() < 1e-5, "flows are whole, theorem 1"
        draft = read(net, values)
        told = draft.diagram(problem).predict(TABLE)
        assert np.array_equal(values[net.ends].argmax(axis=1)[net.questions.cell], told)
        for number, slot, yes, no in draft.walk(TABLE):
            place = int(net.frame.layers[number][0]) + slot
            passing = values[net.through][:, net.questions.cell, place].sum(axis=0) > 0.5
            assert np.flatnonzero(passing).tolist() == sorted([*yes, *no])
        net_cost = net.base + net.unit * round(program.cost @ found[-1] + program.offset)
        assert net_cost == draft.cost(problem) == optimum(problem, bits=_bits(problem, form))

    def test_solutions_that_contradict_their_diagram_are_refused(self) -> None:
        """Flows that end elsewhere than the questions lead are no diagram."""
        problem = Problem(TABLE, diagrams(1, 2))
        net = network(problem)
        values = write(net, next(d for d in _some_drafts(problem, 20) if d.layers))
        assert read(net, values) is not None
        values[net.ends[0]] = np.roll(values[net.ends[0]], 1)
        assert read(net, values) is None

    def test_frame(self) -> None:
        """Layers, arcs to the next layer and to the terminals, and fewer places for fewer questions."""
        frame = Frame((1, 2, 4), 3)
        assert [places.tolist() for places in frame.layers] == [[0], [1, 2], [3, 4, 5, 6]]
        assert frame.n_arcs == 1 * 5 + 2 * 7 + 4 * 3
        assert frame.head[frame.leaving(2)].tolist() == [3, 4, 5, 6, 7, 8, 9]
        assert frame.tail[frame.entering(3)].tolist() == [1, 2]
        assert len(frame.paths()) == 1 + 2 + 8
        assert frame.doubles and not Frame((1, 2, 3), 2).doubles
        assert frame_of(diagrams(1, 2, 4, 8, questions=3), 2).widths == (1, 2, 1)
        assert frame_of(diagrams(1, 2, 4, 8, questions=0), 2).n_nodes == 0

    def test_a_sample_has_as_many_flows_as_the_paper_says(self) -> None:
        """For 150 rows and skeleton I of two classes: some 200 variables a row, far beyond a free licence."""
        frame = Frame(PRESETS["I"].widths, 3)
        assert 2 * (frame.n_arcs + frame.n_nodes) + frame.n_classes == 207


def _is_in_the_model(problem: Problem, draft: Draft) -> bool:
    """Whether every leaf has a row, and no question passes all rows on to a leaf, which the arc before it can do."""
    nodes = [node for layer in draft.layers for node in layer.values()]
    vain = [n for n in nodes if n.question.holds(problem.dataset.schema, problem.dataset.X).all() and n.yes < 0]
    return not vain and allowed(problem, draft, draft.diagram(problem))


def _some_drafts(problem: Problem, n: int) -> list[Draft]:
    """Diagrams of the paper's construction, from many seeds."""
    orders = question_orders(problem.dataset)
    return [next(iter(constructions(problem, orders, seed, lambda: True))) for seed in range(n)]


def _bits(problem: Problem, form: type[Separation]) -> list[np.ndarray] | None:
    """The ways in which the questions of a form can part the rows; `None` for those about single columns."""
    if form is not Hyperplanes:
        return None
    return [*half_planes(problem.dataset), np.ones(problem.dataset.n_samples, bool)]


WARD = replace(
    make_dataset(
        {
            "fever": (Kind.BINARY, [1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1]),
            "pain": (Kind.ORDERED, [2, 1, 1, 0, 2, 1, 1, 0, 1, 0, 0, 0, 2, 1]),
        },
        [0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0],
    ),
    positive=1,
    groups=(Group("sex", ("f", "m"), np.repeat([0, 1], 7)),),
)
"""Fourteen cases of two sexes; fever tells the illness of the one better than that of the other."""

BINDING = (
    ("demographic-parity", {"column": "sex", "gap": Fraction(1, 10)}),
    ("demographic-parity-ratio", {"column": "sex", "ratio": Fraction(4, 5)}),
    ("equal-opportunity", {"column": "sex", "gap": Fraction(1, 10)}),
    ("equal-opportunity-ratio", {"column": "sex", "ratio": Fraction(4, 5)}),
    ("predictive-equality", {"column": "sex", "gap": Fraction(1, 10)}),
    ("predictive-equality-ratio", {"column": "sex", "ratio": Fraction(4, 5)}),
    ("max-questions", {"questions": 1}),
    ("min-question-rows", {"rows": 9}),
)


class TestWishes:
    """Fairness, parsimony and stability."""

    @pytest.mark.parametrize(("kind", "fields"), BINDING, ids=[kind for kind, _ in BINDING])
    def test_binds_and_holds(self, kind: str, fields: dict) -> None:
        """Without the wish the best diagram breaks it; with it the best one keeps it, costs more, and is the optimum.

        The wish has no room left there, or no figure that says so.
        """
        free = Problem(WARD, diagrams(1, 2))
        wish: Constraint = KINDS[kind](**fields)
        before = solve(Odd(), free).solution
        assert wish.violations(before.diagram, WARD)
        problem = replace(free, constraints=(wish,))
        after = solve(Odd(), problem).solution
        assert verify(problem, after).ok and not wish.violations(after.diagram, WARD)
        assert after.cost > before.cost
        assert (after.status, after.cost) == (Status.OPTIMAL, least(problem))

    def test_what_is_not_posted_is_refused(self) -> None:
        """Wishes that are not linear in the flows are refused with reason and remedy."""
        refused = {kind for kind in KINDS if _refusal(kind)}
        assert refused == {"fixed-top", "must-appear", "monotone"}
        assert all(rule.__name__ for rule in POSTS)

    def test_impossible_wishes(self) -> None:
        """That no diagram keeps all wishes is proved, also where models grow."""
        wishes = (KINDS["max-errors"](3), KINDS["max-questions"](1))
        problem = Problem(WARD, diagrams(1, 2), Objective(split_cost=0.5), wishes)
        solution = solve(Odd(), problem).solution
        assert solution.status is Status.INFEASIBLE and "keeps all wishes" in solution.message
        assert verify(problem, solution).ok

    def test_many_ways_of_costs_are_refused(self) -> None:
        """The cost of a path is posted for every way through the skeleton, so of those there may not be too many."""
        wish = KINDS["max-path-cost"]({"fever": 1, "pain": 2}, 2)
        reasons = Odd().check(Problem(WARD, Shape(kind="diagram", depth=8), constraints=(wish,)))
        assert "ways through the skeleton" in reasons[0].reason
        assert Odd().check(Problem(WARD, PRESETS["I"].shape(), constraints=(wish,))) == ()


def _refusal(kind: str) -> bool:
    """Whether a wish of the kind is refused on a table that has everything it can be about."""
    made = (KINDS[kind].example(WARD, np.random.default_rng(seed)) for seed in range(3))
    return any(c is not None and Odd().check(Problem(WARD, diagrams(1, 2), constraints=(c,))) for c in made)


class TestWeightedSums:
    """Questions that combine columns."""

    @pytest.mark.parametrize(("gap", "errors"), [(1e-6, 1), (1e-2, 0)])
    def test_a_question_below_the_margin_is_not_used(self, gap: float, errors: int) -> None:
        """Rows that only a hair's breadth divides are not divided, and the proof says so."""
        a, b = np.array([0.0, 1.0, 0.5, 0.25, 0.75]), np.array([0.0, 1.0, 0.5 + gap, 0.25, 0.75])
        dataset = make_dataset({"a": (Kind.NUMERIC, a), "b": (Kind.NUMERIC, b)}, [0, 0, 1, 0, 0])
        problem = Problem(dataset, diagrams(1, split_features=None))
        solution = solve(Odd(), problem).solution
        assert (solution.status, solution.cost) == (Status.OPTIMAL, errors)
        assert "keep a margin of 0.0001" in solution.message

    @settings(derandomize=True, deadline=None, max_examples=8)
    @given(seed=SEEDS, most=st.sampled_from([2, None]))
    def test_questions_keep_margin_and_limit(self, seed: int, most: int | None) -> None:
        """In the user's units every sum keeps the margin, and has no more columns than one question may combine."""
        rng = np.random.default_rng(seed)
        units = (1.0, 1e-3, 1e5)
        columns = {f"x{j}": (Kind.NUMERIC, rng.random(10) * units[j] + 37 * units[j]) for j in range(3)}
        columns["ward"] = (Kind.CATEGORICAL, rng.integers(0, 3, 10).astype(float))
        dataset = make_dataset(columns, rng.integers(0, 2, 10))
        problem = Problem(dataset, diagrams(1, 2, split_features=most), Objective(split_cost=1))
        solution = solve(Odd(), problem, Limits(seconds=20)).solution
        assert verify(problem, solution).ok
        terms, asked = terms_of(problem), [n.predicate for n in solution.diagram.nodes if isinstance(n, Split)]
        reach = solution.diagram.reach(dataset)
        for i, question in enumerate(asked):
            assert terms.margin(question, np.flatnonzero(reach[:, i])) >= LEAST_MARGIN
            assert most is None or len(set(question.columns)) <= most

    def test_one_column_gives_a_plain_question(self) -> None:
        """A sum of one column is asked as a threshold, with a short number between the rows."""
        dataset = make_dataset(
            {"age": (Kind.NUMERIC, [20, 30, 40, 60, 70]), "sex": (Kind.BINARY, [0, 1, 0, 1, 0])}, [0, 0, 0, 1, 1]
        )
        solution = solve(Odd(), Problem(dataset, diagrams(1, split_features=None), Objective(split_cost=0.5))).solution
        question = solution.diagram.nodes[0].predicate
        assert (question.column, question.value) == ("age", 50)

    def test_widest_margin(self) -> None:
        """The widest margin between two points lies along the term in which they differ most."""
        weights, margin = widest(np.array([[0.0, 0.0]]), np.array([[1.0, 0.25]]))
        assert weights.tolist() == [1, 0] and margin == pytest.approx(1)
        assert widest(np.array([[0.0], [1.0]]), np.array([[0.5]]))[1] == pytest.approx(0)

    def test_missing_values_are_refused_by_name(self) -> None:
        """A weighted sum needs every value, so the column and its first row are named, unless values are filled in."""
        columns = {"age": (Kind.NUMERIC, [20, NAN, 40, NAN]), "b": (Kind.NUMERIC, [1, 2, 3, 4])}
        problem = Problem(make_dataset(columns, [0, 0, 1, 1]), diagrams(1, split_features=None))
        reasons = Odd().check(problem)
        assert "'age' is missing in row 2 and 1 more" in reasons[0].what and "filled in" in reasons[0].remedy
        assert Odd().check(replace(problem, shape=diagrams(1))) == ()
        without = KINDS["never-columns"](("age",))
        assert Odd().check(replace(problem, constraints=(without,))) == ()
        filled = make_dataset(columns, [0, 0, 1, 1], missing=MissingPolicy.IMPUTE)
        assert proved(Odd(), replace(problem, dataset=filled)) == 0

    def test_wishes_about_thresholds_are_refused(self) -> None:
        """A weighted sum has no threshold of one column, and is not below a question about another."""
        problem = Problem(WARD, diagrams(1, 2, split_features=None))
        for wish in (KINDS["thresholds-within"]("pain", low="level 0"), KINDS["only-after"]("fever", "pain")):
            reasons = Odd().check(replace(problem, constraints=(wish,)))
            assert "about one column" in reasons[0].remedy
        wish = KINDS["never-both-on-path"](("fever", "pain"))
        solution = solve(Odd(), replace(problem, constraints=(wish,))).solution
        assert solution.status is Status.OPTIMAL and len(solution.diagram.features) == 1


class TestWords:
    """What cannot be done is said."""

    def test_more_classes_than_rows(self) -> None:
        """A table of two rows and four classes has a diagram all the same."""
        dataset = make_dataset({"x": (Kind.NUMERIC, [1, 2])}, [1, 3], n_classes=4)
        assert proved(Odd(), Problem(dataset, diagrams(1, 2))) == 0

    @pytest.mark.parametrize("most", [1, None])
    def test_constant_columns(self, most: int | None) -> None:
        """Columns that say nothing leave one answer for all, which is proved without a solver."""
        columns = {"x": (Kind.NUMERIC, [2, 2, 2]), "c": (Kind.CATEGORICAL, [1, 1, 1])}
        problem = Problem(make_dataset(columns, [0, 1, 1]), diagrams(1, 2, split_features=most))
        solution = solve(Odd(), problem).solution
        assert (solution.status, solution.cost, solution.diagram.n_splits) == (Status.OPTIMAL, 1, 0)

    def test_large_tables_are_refused(self) -> None:
        """A model that no machine could hold is not begun."""
        rng = np.random.default_rng(0)
        dataset = make_dataset({"x": (Kind.NUMERIC, rng.random(20_000))}, rng.integers(0, 2, 20_000).tolist())
        reasons = Odd().check(Problem(dataset, PRESETS["I"].shape()))
        assert "variables for the ways of the rows" in reasons[0].reason and "odd-search" in reasons[0].remedy

    @pytest.mark.parametrize("models", ["growing", "whole"])
    def test_gurobi_without_a_licence(self, monkeypatch: pytest.MonkeyPatch, models: str) -> None:
        """Where it alone may be used the run says why not and what to do; otherwise HiGHS takes over."""

        class Refusing:
            title = "Gurobi"

            def solve(self, *_: object) -> None:
                raise TooLarge("Gurobi has no licence here.")

        problem = Problem(TABLE, diagrams(1, 2), Objective(split_cost=0.25))
        monkeypatch.setitem(odd.BACKENDS, "gurobi", (Refusing(),))
        monkeypatch.setitem(odd.BACKENDS, "auto", (Refusing(), HiGHS()))
        with pytest.raises(UnsupportedError, match=r"no licence here\. Choose the solver 'highs'"):
            solve(Odd(backend="gurobi", models=models), problem)
        run = solve(Odd(models=models), problem)
        assert run.solution.status is Status.OPTIMAL and run.solution.stats["solver"] == "HiGHS"
        told = [event.text for event in run.events if type(event).__name__ == "Log"]
        assert told == ["Gurobi has no licence here. HiGHS takes it."]

    def test_gurobi_that_is_not_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The package is optional."""
        monkeypatch.setattr("solvers.methods.mip.gurobi.find_spec", lambda name: None)
        with pytest.raises(UnsupportedError, match=r"Gurobi is not installed\. Choose the solver 'highs', or 'auto'"):
            solve(Odd(backend="gurobi"), Problem(TABLE, diagrams(1, 2)))

    def test_a_gap_is_enough_where_it_was_asked_for(self) -> None:
        """The search ends within the gap and says what it has proved."""
        problem = Problem(sample_dataset("iris"), diagrams(1, 2, 4), Objective(split_cost=1))
        solution = solve(Odd(), problem, Limits(gap=0.5)).solution
        assert solution.cost - solution.bound <= 75
        assert solution.status is Status.OPTIMAL or "Within the gap" in solution.message


class TestIris:
    """The example of the documentation: 75 rows, the skeleton 1, 2, 4, 8, alpha 0.1."""

    @pytest.mark.parametrize(("most", "value", "n_splits"), [(1, 0.0143, 3), (None, 0.0071, 2)])
    def test_proved(self, most: int | None, value: float, n_splits: int) -> None:
        """Single columns tell the three kinds apart with three questions, weighted sums with two."""
        dataset = sample_dataset("iris")
        rows, _ = train_test_split(np.arange(150), train_size=0.5, random_state=0, stratify=dataset.y)
        dataset = dataset.take(np.sort(rows))
        shape = PRESETS["I"].shape(split_features=most)
        problem = Problem(dataset, shape, objective_of(0.1, dataset.n_samples))
        solution: Solution = solve(Odd(), problem).solution
        assert verify(problem, solution).ok
        assert solution.status is Status.OPTIMAL
        assert scaled_value(problem, solution.cost) == pytest.approx(value, abs=1e-4)
        assert solution.diagram.n_splits == n_splits
        assert (most == 1) or any(isinstance(n.predicate, LinearPredicate) for n in solution.diagram.nodes[:n_splits])


def test_stopping_a_search() -> None:
    """The stop signal ends a search that has only begun, with the best diagram so far and a bound below it."""
    problem = Problem(sample_dataset("wine"), PRESETS["I"].shape())
    stop, bounds = threading.Event(), []

    def hear(event: object) -> None:
        if type(event).__name__ == "Progress":
            stop.set()
        bounds.append(getattr(event, "value", None))

    solution = Odd().run(problem, Limits(seconds=60), hear, stop)
    assert solution.status in (Status.CANCELLED, Status.OPTIMAL)
    assert solution.bound <= solution.cost and verify(problem, solution).ok
