"""The linear program of decision diagrams itself: its contents, and the meaning of its values."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from solvers.constraints import KINDS, rules_of
from solvers.constraints.rules import Allowed, ThresholdRange
from solvers.methods.diagrams.draft import DiagramDraft
from solvers.methods.diagrams.greedy import constructions
from solvers.methods.diagrams.odd.method import Odd
from solvers.methods.diagrams.program.hyperplanes import Hyperplanes
from solvers.methods.diagrams.program.network import Network, frame_of, read, write
from solvers.methods.diagrams.program.univariate import Univariate
from solvers.methods.mip.cell_program import POSTS
from solvers.problem import (
    Objective,
    Problem,
    question_orders,
)
from tests.case_count import case_count
from tests.constraints.examples import example
from tests.constraints.trees import with_groups
from tests.methods.diagrams.small_diagrams import TABLE, allowed, diagrams, every_draft, small_table


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
        """Each diagram is in the model once, with its own cost: symmetry breaking, (11) and (12), leaves one."""
        problem = Problem(TABLE, diagrams(1, 2, split_features=1), Objective(split_penalty=0.5))
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

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_constraint_leaves_the_diagrams_that_satisfy_it(self, kind: str) -> None:
        """Each rule is posted exactly: a diagram satisfies all rows if it satisfies the constraint, and only then."""
        for seed in range(case_count(2)):
            rng = np.random.default_rng(seed)
            dataset = with_groups(small_table(rng, n_rows=5, n_values=2), rng)
            free = Problem(dataset, diagrams(1, 2))
            problem = replace(free, constraints=tuple(filter(None, (example(KINDS[kind], dataset, rng),))))
            if not problem.constraints or Odd().check(problem) or len(np.unique(dataset.X, axis=0)) < 2:
                continue
            net = network(problem)
            program = net.model.program()
            # a split that all rows pass stands for those on all columns if only single splits are restricted
            plain = net.rules.kinds <= {Allowed, ThresholdRange}
            for draft in islice(every_draft(problem), 0, None, 7):
                if draft.layers and _is_in_the_model(free, draft) and not (plain and _passes(free, draft)):
                    values = write(net, draft)
                    kept = values is not None and program.keeps(values)
                    assert kept == allowed(problem, draft), (seed, problem.constraints, draft)

    def test_solutions_that_contradict_their_diagram_are_refused(self) -> None:
        """Flows that do not end where the splits lead are not a diagram."""
        problem = Problem(TABLE, diagrams(1, 2))
        net = network(problem)
        values = write(net, next(d for d in _some_drafts(problem, 20) if d.layers))
        assert read(net, values) is not None
        values[net.ends[0]] = np.roll(values[net.ends[0]], 1)
        assert read(net, values) is None


def _passes(problem: Problem, draft: DiagramDraft) -> bool:
    """Whether some split has all rows of the table on one side."""
    questions = [node.question for layer in draft.layers for node in layer.values()]
    sides = [question.holds(problem.dataset.schema, problem.dataset.X) for question in questions]
    return any(side.all() or not side.any() for side in sides)


def _is_in_the_model(problem: Problem, draft: DiagramDraft) -> bool:
    """Whether every leaf has a row, and no split passes all rows on to a leaf, which the arc before it can do."""
    nodes = [node for layer in draft.layers for node in layer.values()]
    vain = [n for n in nodes if n.question.holds(problem.dataset.schema, problem.dataset.X).all() and n.yes < 0]
    return not vain and allowed(problem, draft)


def _some_drafts(problem: Problem, n: int) -> list[DiagramDraft]:
    """Diagrams of the paper's construction, from many seeds."""
    orders = question_orders(problem.dataset)
    return [next(iter(constructions(problem, orders, seed, lambda: True))) for seed in range(n)]
