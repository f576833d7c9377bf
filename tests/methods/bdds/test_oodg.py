"""The greedy diagrams of Kohavi and Li."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from solvers.methods.bdds.oodg import Oodg, chosen_in_turn
from solvers.methods.features import features_of
from solvers.problem import Kind, Objective, Problem, Shape, ShapeKind
from tests.case_count import case_count
from tests.methods.running import solve
from tests.oracle.information import entropy
from tests.oracle.trees import weights as weights_of
from tests.strategies import make_dataset, problems

FEW = settings(derandomize=True, deadline=None, max_examples=case_count(80))


def of_rows(rows: list[str], labels: str, depth: int = 3) -> Problem:
    """A problem from rows of bits such as '010', and a class for each."""
    columns = {f"x{j}": (Kind.BINARY, [int(row[j]) for row in rows]) for j in range(len(rows[0]))}
    dataset = make_dataset(columns, [int(label) for label in labels])
    return Problem(dataset, Shape(ShapeKind.BDD, max_depth=depth))


def conditional(labels: list[int], weights: list[float], keys: list[tuple]) -> float:
    """The conditional entropy of labels given keys, from the definition."""
    total, left = sum(weights), 0.0
    for key in set(keys):
        here = [i for i, other in enumerate(keys) if other == key]
        by_class = [sum(weights[i] for i in here if labels[i] == k) for k in range(max(labels) + 1)]
        left += sum(by_class) / total * entropy(by_class)
    return left


class TestFeatures:
    """The selected features and their order."""

    @FEW
    @given(problem=problems(max_rows=14))
    def test_each_leaves_the_least_entropy(self, problem: Problem) -> None:
        """Every feature leaves the least conditional entropy of all, by the definition."""
        features = features_of(problem)
        order, entropies = chosen_in_turn(features, 3, np.ones(problem.dataset.n_classes, int), lambda: False)
        labels, weights = problem.dataset.y.tolist(), [float(w) for w in weights_of(problem.dataset)]
        bits = features.bits.tolist()
        for n in range(len(order) + 1):
            keys = [tuple(row[f] for f in order[:n]) for row in bits]
            assert entropies[n] == pytest.approx(conditional(labels, weights, keys), abs=1e-9)
            if n < len(order):
                others = [
                    conditional(labels, weights, [(*key, row[f]) for key, row in zip(keys, bits, strict=True)])
                    for f in range(len(features))
                ]
                assert entropies[n + 1] == pytest.approx(min(others), abs=1e-9)
        assert len(order) == min(3, len(features)) or entropies[-1] == pytest.approx(0, abs=1e-9)

    def test_no_feature_is_added_once_all_is_known(self) -> None:
        """If two features determine everything, a third is not used."""
        solution = solve(Oodg(), of_rows(["000", "011", "101", "110"], "0111")).solution
        assert len(solution.stats["chosen"]) == 2
        assert solution.stats["conditional entropies"][-1] == 0

    def test_class_costs_weigh_the_classes(self) -> None:
        """Class costs decide between a feature that finds most of a class and one that misses none of it."""
        ill, well = [f"{i < 7:d}1" for i in range(10)], [f"0{i < 4:d}" for i in range(10)]
        problem = of_rows(ill + well, "1" * 10 + "0" * 10, depth=1)
        first = {}
        for price in (1, 50):
            objective = Objective(((0, 1), (price, 0)))
            solution = solve(Oodg(), replace(problem, objective=objective)).solution
            first[price] = solution.diagram.features
        assert first == {1: ("x0",), 50: ("x1",)}


class TestMerging:
    """From the oblivious tree to the graph."""

    def test_equal_or_compatible(self) -> None:
        """Both kinds of merging predict the same classes; merging compatible subtrees needs no more splits."""
        problem = of_rows(["00", "00", "01", "11", "11", "11"], "001111", depth=2)
        graph = solve(Oodg(), problem).solution.diagram
        tree = solve(Oodg(empty_cells="parent"), problem).solution.diagram
        assert graph.predict(problem.dataset).tolist() == tree.predict(problem.dataset).tolist()
        assert graph.n_splits <= tree.n_splits

    def test_predicts_as_the_oblivious_tree(self) -> None:
        """With equal subtrees merged only, an unknown leaf has the majority of the nearest node above that has rows."""
        rows, labels = ["000", "000", "001", "100", "101", "111", "111", "111"], "00110111"
        problem = of_rows(rows, labels)
        solution = solve(Oodg(empty_cells="parent"), problem).solution
        names = [words.split()[0] for words in solution.stats["chosen"]]
        columns = [int(name[1:]) for name in names]
        for code in range(8):
            case = f"{code:03b}"
            for n in range(len(columns), -1, -1):
                same = [
                    int(label)
                    for row, label in zip(rows, labels, strict=True)
                    if all(row[j] == case[j] for j in columns[:n])
                ]
                if same:
                    break
            expected = int(np.bincount(same).argmax())
            answers = solution.diagram.predict(np.array([[float(bit) for bit in case]]))
            assert answers.tolist() == [expected], case


class TestNodes:
    """The cost and the number of nodes."""

    def test_limit(self) -> None:
        """With fewer nodes than all features need, fewer features are used."""
        problem = of_rows([f"{i:04b}" for i in range(16)], "".join(str(i.bit_count() % 2) for i in range(16)), depth=4)
        assert solve(Oodg(), problem).solution.diagram.n_splits == 7
        for most in range(8):
            size = replace(problem.shape, max_splits=most)
            solution = solve(Oodg(), replace(problem, shape=size)).solution
            assert solution.diagram.n_splits <= most
            assert (solution.cost == 0) == (most == 7)
