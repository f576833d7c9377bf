"""From features to the ordered and reduced diagram: beads, and the predictions of cells without rows."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from docs.pictures.bdds import FOLDER, SIGNS, models
from solvers.diagram import Diagram, Leaf, Split
from solvers.methods.bdds.table import UNKNOWN, Unseen, bdd_of, merge_rows, truth_table
from solvers.metrics import verify
from solvers.problem import Kind, Objective, Op, Predicate, Problem, Shape, ShapeKind, binary_view
from solvers.solution import Solution, Status
from tests.case_count import case_count
from tests.strategies import make_dataset, problems

FEW = settings(derandomize=True, deadline=None, max_examples=case_count(150))


def table_of(text: str, *, twice: str = "") -> Problem:
    """A problem with a row for each cell of a truth table ('u': none), and a second one in the cells of `twice`."""
    n = len(text).bit_length() - 1
    cells = [i for i, label in enumerate(text) if label != "u"]
    cells += [i for i in cells for mark in twice[i : i + 1] if mark == "2"]
    columns = {f"f{j + 1}": (Kind.BINARY, [i >> (n - 1 - j) & 1 for i in cells]) for j in range(n)}
    dataset = make_dataset(columns, [int(text[i]) for i in cells])
    return Problem(dataset, Shape(kind=ShapeKind.BDD, max_depth=n))


def in_order(problem: Problem) -> tuple:
    """One split for each column, 'the level 1', in the order of the columns."""
    return tuple(Predicate(column.name, Op.IS, 1.0, False) for column in problem.dataset.schema.columns)


def answers(diagram: Diagram, n: int) -> str:
    """The prediction of a diagram over f1, f2, ... in every cell."""
    X = np.array(list(product([0.0, 1.0], repeat=n)))
    return "".join(map(str, diagram.predict(X).tolist()))


def beads(text: str) -> set[str]:
    """The subtables that are not squares, from the definition; without the terminals."""
    subtables = {text}
    for size in (2**k for k in range(len(text).bit_length() - 2, 0, -1)):
        subtables |= {text[i : i + size] for i in range(0, len(text), size)}
    return {t for t in subtables if len(t) > 1 and t[: len(t) // 2] != t[len(t) // 2 :]}


class TestReduced:
    """The diagram of a complete truth table."""

    def test_two_of_three(self) -> None:
        """The paper's example 1, at least two of three: the beads 00010111, 0001, 0111 and 01, and two terminals."""
        problem = table_of("00010111")
        diagram = bdd_of(problem, in_order(problem), Unseen.PARENT)
        assert [node.predicate.column for node in diagram.nodes if isinstance(node, Split)] == ["f1", "f2", "f2", "f3"]
        assert (diagram.n_splits, diagram.n_leaves) == (4, 2)
        assert answers(diagram, 3) == "00010111"
        assert diagram.nodes[-2:] == (Leaf(0, (4.0, 0.0)), Leaf(1, (0.0, 4.0)))

    @FEW
    @given(text=st.integers(0, 4).flatmap(lambda n: st.text("012", min_size=2**n, max_size=2**n)))
    def test_one_node_for_each_bead(self, text: str) -> None:
        """Nodes and beads correspond one by one for any table, and the diagram predicts the table."""
        problem = table_of(text)
        diagram = bdd_of(problem, in_order(problem), Unseen.PARENT)
        assert diagram.n_splits == len(beads(text))
        assert diagram.n_leaves == len(set(text))
        assert answers(diagram, len(text).bit_length() - 1) == text


class TestMerged:
    """Cells without rows get the predictions that make the diagram small (policy C)."""

    def test_example_of_the_paper(self) -> None:
        """Example 3: u0u1011u becomes 10010110, with the five beads that the paper draws."""
        assert merge_rows(np.array([UNKNOWN, 0, UNKNOWN, 1, 0, 1, 1, UNKNOWN])).tolist() == [1, 0, 0, 1, 0, 1, 1, 0]
        problem = table_of("u0u1011u")
        diagram = bdd_of(problem, in_order(problem), Unseen.MERGE)
        assert answers(diagram, 3) == "10010110"
        assert diagram.n_splits == 5 == len(beads("10010110"))

    def test_an_empty_half_takes_the_other(self) -> None:
        """A half without rows copies the other one."""
        assert merge_rows(np.array([UNKNOWN] * 4 + [0, 1, 1, 1])).tolist() == [0, 1, 1, 1, 0, 1, 1, 1]

    def test_merges_the_halves_that_agree_most(self) -> None:
        """0u1u could become 0011 or 0110; in the second, more known cells agree."""
        assert merge_rows(np.array([0, 1, 0, 0, 1, 1, 1, UNKNOWN])).tolist() == [0, 1, 0, 0, 1, 1, 1, 1]

    @FEW
    @given(text=st.integers(0, 5).flatmap(lambda n: st.text("uuu012", min_size=2**n, max_size=2**n)))
    def test_keeps_known_cells(self, text: str) -> None:
        """Every cell gets a prediction, known ones are kept, and no class is new."""
        if set(text) == {"u"}:
            text = "0" + text[1:]
        table = np.array([UNKNOWN if label == "u" else int(label) for label in text])
        full = merge_rows(table)
        assert full[table != UNKNOWN].tolist() == table[table != UNKNOWN].tolist()
        assert set(full.tolist()) == set(table[table != UNKNOWN].tolist())


class TestUnseen:
    """The policies for cells without rows."""

    def test_parent(self) -> None:
        """A cell without rows predicts the majority class of the smallest block around it (policy P)."""
        problem = table_of("uu01110u", twice="00020000")
        assert answers(bdd_of(problem, in_order(problem), Unseen.PARENT), 3) == "11011100"

    def test_parent_does_not_invent_a_class(self) -> None:
        """A class that is the majority of the block, but of none of its cells, is not predicted: it has no rows."""
        columns = {"f1": (Kind.BINARY, [0] * 10 + [1] * 2), "f2": (Kind.BINARY, [0] * 5 + [1] * 5 + [0] * 2)}
        dataset = make_dataset(columns, [0, 0, 0, 2, 2, 1, 1, 1, 2, 2, 1, 1])
        problem = Problem(dataset, Shape(kind=ShapeKind.BDD, max_depth=2))
        diagram = bdd_of(problem, in_order(problem), Unseen.PARENT)
        assert answers(diagram, 2) == "0111"

    def test_as_solved(self) -> None:
        """The solver's table decides in cells without rows and between tied classes, and nowhere else (policy S)."""
        columns = {"f1": (Kind.BINARY, [0, 0, 0, 1]), "f2": (Kind.BINARY, [0, 0, 1, 0])}
        problem = Problem(make_dataset(columns, [0, 1, 0, 1]), Shape(kind=ShapeKind.BDD, max_depth=2))
        table = truth_table(problem, in_order(problem))
        assert table.labels(Unseen.SOLVED, np.array([1, 1, 0, 0])).tolist() == [1, 0, 1, 0]
        assert table.labels(Unseen.SOLVED, np.array([0, 1, 0, 1])).tolist() == [0, 0, 1, 1]

    def test_as_solved_needs_rows_for_every_prediction(self) -> None:
        """A prediction of the solver that no row supports is replaced by the majority."""
        problem = table_of("0u00")
        table = truth_table(problem, in_order(problem))
        assert table.labels(Unseen.SOLVED, np.array([0, 1, 0, 0])).tolist() == [0, 0, 0, 0]


class TestOnAnyTable:
    """For any columns, classes, weights and costs."""

    @FEW
    @given(problem=problems(max_rows=14), seed=st.integers(0, 99))
    def test_is_sound(self, problem: Problem, seed: int) -> None:
        """Under all policies the training rows are predicted at the least cost of their cells, the diagram passes
        verification, and no node is redundant or duplicated.
        """
        rng = np.random.default_rng(seed)
        n_classes = problem.dataset.n_classes
        objective = Objective(problem.objective.class_costs)
        problem = Problem(problem.dataset, Shape(kind=ShapeKind.BDD, max_depth=4), objective)
        offered = binary_view(problem.dataset).predicates
        chosen = [offered[i] for i in rng.permutation(len(offered))[:4]]
        table = truth_table(problem, chosen)
        for unseen in Unseen:
            diagram = bdd_of(problem, chosen, unseen, rng.integers(0, n_classes, 2 ** len(chosen)))
            predicted = diagram.predict(problem.dataset)
            cost = problem.cost(predicted)
            assert cost == table.cost == least_cost(problem, table.cell)
            solution = Solution(problem.id, "a test", Status.FEASIBLE, diagram, cost, None, 0.0, 0.0)
            assert verify(problem, solution).ok, str(verify(problem, solution))


def test_the_figure_in_the_docs() -> None:
    """The diagram and the tree in docs/bdds.md predict the same, the diagram is smaller, and both match the drawing."""
    drawn = models()
    bdd, tree = drawn["bdd"], drawn["bdd-as-tree"]
    assert (bdd.n_splits, bdd.n_leaves, tree.n_splits, tree.n_leaves) == (4, 2, 5, 6)
    X = np.array(list(product([0.0, 1.0], repeat=3)))
    assert bdd.predict(X).tolist() == tree.predict(X).tolist() == [0, 0, 0, 1, 0, 1, 1, 1]
    for name in drawn:
        text = (FOLDER / f"{name}.svg").read_text("utf-8")
        assert "in danger" in text and all(sign in text for sign in SIGNS)


def least_cost(problem: Problem, cell: np.ndarray) -> int:
    """The least cost of a prediction for each group of rows, summed row by row."""
    dataset, prices, total = problem.dataset, problem.class_costs.tolist(), 0
    for here in set(cell.tolist()):
        rows = np.flatnonzero(cell == here).tolist()
        weight = problem.weights.tolist()
        total += min(sum(weight[i] * prices[dataset.y[i]][k] for i in rows) for k in range(dataset.n_classes))
    return total
