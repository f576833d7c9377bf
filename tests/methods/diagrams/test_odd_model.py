"""The linear program of decision diagrams itself: what is in it, and what its values mean."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.constraints import rules_of
from solvers.methods.diagrams.construction import constructions
from solvers.methods.diagrams.draft import DiagramDraft, DraftNode, leaf_arc
from solvers.methods.diagrams.program.forms import read, write
from solvers.methods.diagrams.program.frame import LayeredFrame, frame_of
from solvers.methods.diagrams.program.hyperplanes import Hyperplanes
from solvers.methods.diagrams.program.network import Network
from solvers.methods.diagrams.program.rules import POSTS
from solvers.methods.diagrams.program.univariate import Univariate
from solvers.methods.mip.backend import End, SolverRequest
from solvers.methods.mip.highs import HiGHS
from solvers.problem import (
    Objective,
    Op,
    Predicate,
    Problem,
    question_orders,
)
from solvers.problem.skeleton import PRESETS
from tests.methods.diagrams.small_diagrams import (
    TABLE,
    allowed,
    diagrams,
    every_draft,
    half_planes,
)
from tests.oracle.diagrams import diagram_least_cost


def network(problem: Problem, form: type = Univariate, *, tree: bool = False) -> Network:
    """The model of a problem with everything posted."""
    rules = rules_of(problem)
    frame = frame_of(problem.size, problem.dataset.n_classes)
    net = Network(problem, rules, form(problem, rules), frame, tree=tree)
    net.post(POSTS)
    return net


class TestModel:
    """The program itself."""

    @pytest.mark.parametrize("form", [Univariate, Hyperplanes])
    def test_every_diagram_is_in_the_model(self, form: type) -> None:
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
            assert net.least + net.unit * round(objective) == draft.cost(problem)
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
            draft = DiagramDraft([{0: DraftNode(first, 0, 1)}, middle, last])
            for tree in (True, False):
                net = network(problem, tree=tree)
                values = write(net, draft)
                assert (values is not None and net.model.program().keeps(values)) == (not (meets and tree))

    @pytest.mark.parametrize("form", [Univariate, Hyperplanes])
    def test_flows_are_predictions(self, form: type) -> None:
        """In the solver's own values every row flows where the diagram sends it, place by place."""
        most = None if form is Hyperplanes else 1
        problem = Problem(TABLE, diagrams(1, 2, split_features=most), Objective(split_cost=0.25))
        net = network(problem, form)
        program, found = net.model.program(), []
        request = SolverRequest(None, 0.5, 20.0, 1, 0, lambda: False, found.append, lambda value, nodes: None)
        assert HiGHS().solve(program, request).end is End.PROVED
        values = program.expand(found[-1])
        assert np.abs(values[net.through] - values[net.through].round()).max() < 1e-5, "flows are whole, theorem 1"
        draft = read(net, values)
        labels = draft.diagram(problem).predict(TABLE)
        assert np.array_equal(values[net.ends].argmax(axis=1)[net.questions.cell], labels)
        for number, slot, yes, no in draft.walk(TABLE):
            place = int(net.frame.layers[number][0]) + slot
            passing = values[net.through][:, net.questions.cell, place].sum(axis=0) > 0.5
            assert np.flatnonzero(passing).tolist() == sorted([*yes, *no])
        net_cost = net.least + net.unit * round(program.cost @ found[-1] + program.offset)
        assert net_cost == draft.cost(problem) == diagram_least_cost(problem, answers=_bits(problem, form))

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
        frame = LayeredFrame((1, 2, 4), 3)
        assert [places.tolist() for places in frame.layers] == [[0], [1, 2], [3, 4, 5, 6]]
        assert frame.n_arcs == 1 * 5 + 2 * 7 + 4 * 3
        assert frame.head[frame.leaving(2)].tolist() == [3, 4, 5, 6, 7, 8, 9]
        assert frame.tail[frame.entering(3)].tolist() == [1, 2]
        assert len(frame.paths()) == 1 + 2 + 8
        assert frame.doubles and not LayeredFrame((1, 2, 3), 2).doubles
        assert frame_of(diagrams(1, 2, 4, 8, max_splits=3), 2).widths == (1, 2, 1)
        assert frame_of(diagrams(1, 2, 4, 8, max_splits=0), 2).n_nodes == 0

    def test_a_sample_has_as_many_flows_as_the_paper_says(self) -> None:
        """For 150 rows and skeleton I of two classes: some 200 variables a row, far beyond a free licence."""
        frame = LayeredFrame(PRESETS["I"].widths, 3)
        assert 2 * (frame.n_arcs + frame.n_nodes) + frame.n_classes == 207


def _is_in_the_model(problem: Problem, draft: DiagramDraft) -> bool:
    """Whether every leaf has a row, and no question passes all rows on to a leaf, which the arc before it can do."""
    nodes = [node for layer in draft.layers for node in layer.values()]
    vain = [n for n in nodes if n.question.holds(problem.dataset.schema, problem.dataset.X).all() and n.yes < 0]
    return not vain and allowed(problem, draft)


def _some_drafts(problem: Problem, n: int) -> list[DiagramDraft]:
    """Diagrams of the paper's construction, from many seeds."""
    orders = question_orders(problem.dataset)
    return [next(iter(constructions(problem, orders, seed, lambda: True))) for seed in range(n)]


def _bits(problem: Problem, form: type) -> list[np.ndarray] | None:
    """The ways in which the questions of a form can part the rows; `None` for those about single columns."""
    if form is not Hyperplanes:
        return None
    return [*half_planes(problem.dataset), np.ones(problem.dataset.n_samples, bool)]
