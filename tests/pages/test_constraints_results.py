"""Results for constraints: which are satisfied and binding, the price of each, and reasons for conflicts."""

from __future__ import annotations

import re
import threading
from dataclasses import replace
from fractions import Fraction

import pytest
from msgspec import structs

from solvers.constraints import AskedBefore, MaxLeaves, MinSensitivity, MinSpecificity
from solvers.messages import changed_mistakes
from solvers.methods import get
from solvers.problem import Limits
from solvers.solution import Status
from tests.pages.handmade import AnsweredJob
from tests.pages.journey import PATIENCE, go_to, last_run, session, with_file, words
from tests.pages.test_constraints_screen import with_constraints

LIVER = b"age,bilirubin,ill\n" + b"".join(
    f"{30 + 10 * (i % 4)},{1 + i * 7 % 5},{'yes' if ill else 'no'}\n".encode()
    for i in range(32)
    for ill in [(i * 7 % 5 > 2 and i % 4 > 1) or i in (4, 9, 17)]
)
"""A table that is solved at once, and that no small tree fits perfectly."""


def solved_with(*constraints):
    """The Solve screen after a run on the table under these constraints."""
    app = with_file(LIVER, "liver.csv")
    app.selectbox(key="positive_1_ill").set_value("yes").run()
    app = go_to(app, "design")
    app.slider(key="design_max_depth").set_value(2).run()
    app.number_input(key="design_min_samples_leaf").set_value(1).run()
    app = with_constraints(app, *constraints)
    assert not app.exception
    app = app.button(key="next").click().run()
    assert last_run(app).job.wait(PATIENCE).state.terminal
    return go_to(app, "solve")


def optimum(problem) -> int:
    """The cost of the best tree of a problem."""
    return get("contree").run(problem, Limits(seconds=PATIENCE), lambda event: None, threading.Event()).cost


def cells(app, constraint: str) -> list[str]:
    """The cells of a constraint's line in the table, without markup."""
    for table in (html.value for html in app.html):
        for line in re.findall(r"<tr>(.*?)</tr>", table):
            found = [re.sub(r"<.*?>", "", cell) for cell in re.findall(r"<td>(.*?)</td>", line)]
            if found and found[0] == constraint:
                return found
    raise AssertionError(f"no line for '{constraint}'")


def wait_for(app, name: str):
    """The result of a request on the last run, and the screen that shows it."""
    run = last_run(app)
    run.inquiries[name].wait(PATIENCE)
    return run.inquiries[name].snapshot().answer, app.run()


@pytest.fixture(scope="module")
def constrained():
    """The Solve screen with a tree that satisfies three constraints."""
    app = solved_with(AskedBefore("bilirubin", "age"), MinSensitivity("0.8"), MaxLeaves(3))
    assert last_run(app).best is not None
    return app


def test_each_constraint_is_listed_with_its_value(constrained):
    """The table shows whether each constraint is satisfied, its value on the training rows, and its slack."""
    run = last_run(constrained)
    diagram, data = run.best.solution.diagram, run.problem.dataset
    order, found, leaves = run.problem.constraints
    assert cells(constrained, order.words(data))[1] == "satisfied"
    row = cells(constrained, found.words(data))
    value = found.value(diagram, data)
    share = re.fullmatch(r"([\d.]+)% \([\d.]+–100\.0%\)", row[2])
    assert (
        row[1] == "satisfied" and share is not None and float(share[1]) == pytest.approx(100 * float(value), abs=0.05)
    )
    assert Fraction(found.value(diagram, data)) >= found.share
    row = cells(constrained, leaves.words(data))
    assert row[2] == str(diagram.n_leaves)
    assert ("binding" in row[3]) == (diagram.n_leaves == 3)
    assert f"{order.words(data)} and 2 more constraints" in words(constrained)


def test_prices_are_savings_of_the_best_tree_without_a_constraint(constrained):
    """Each price equals the difference of two optima that are solved here."""
    app = go_to(constrained, "inspect")
    app.button(key="ask_prices_1").click().run()
    answer, app = wait_for(app, "prices")
    assert not app.exception and answer.finished
    problem = last_run(app).problem
    whole = optimum(problem)
    for i, constraint in enumerate(problem.constraints):
        others = tuple(c for c in problem.constraints if c is not constraint)
        saved = (whole - optimum(replace(problem, constraints=others))) // problem.scale
        price = cells(app, constraint.words(problem.dataset))[-1]
        split = changed_mistakes(answer.wrong, answer.prices[i].wrong, problem.dataset)
        assert price == ("nothing" if not saved else f"{saved} error{'s' * (saved != 1)}") + split, (i, price)
        before, after = (sum(wrong) for wrong in (answer.wrong, answer.prices[i].wrong))
        assert before - after == saved


def test_the_trade_off_of_a_constraint_is_drawn(constrained):
    """One click draws the cost of other limits of a constraint; another selects a limit and gets its tree."""
    app = go_to(constrained, "inspect")
    app.selectbox(key="trade_off_1").set_value("2").run()
    app.button(key="ask_trade_off_2_1").click().run()
    answer, app = wait_for(app, "trade_off_2")
    assert not app.exception
    assert [point.cost for point in answer.points] == sorted(point.cost for point in answer.points)
    assert len(answer.points) > 1 and answer.complete
    # the curve reuses the proofs of the run and the prices
    run = last_run(app)
    known, proved = run.inquiries["trade_off_2"].task.known, run.best.solution
    assert any((one.constraints, one.bound) == (run.problem.constraints, proved.cost) for one in known)
    assert {one.constraints for one in run.inquiries["prices"].snapshot().answer.evidence} <= {
        one.constraints for one in known
    }
    app.selectbox(key="limit_1_2").set_value(0).run()
    before = last_run(app)
    app = app.button(key="take_1_2").click().run()
    again = last_run(app)
    again.job.wait(PATIENCE)
    assert again is not before
    assert again.problem.constraints[:2] == before.problem.constraints[:2]
    assert again.problem.constraints[2] == MaxLeaves(int(answer.points[0].limit))
    assert again.best.solution.cost == answer.points[0].cost


def test_an_undecided_result_can_be_continued(constrained):
    """A button continues with more time and with all known results."""
    app = go_to(constrained, "inspect")
    run = last_run(app)
    longer = f"longer_prices_{run.number}"
    if "prices" not in run.inquiries:
        app.button(key=f"ask_prices_{run.number}").click().run()
    answer, app = wait_for(app, "prices")
    inquiry = run.inquiries["prices"]
    assert not [button for button in app.button if button.key == longer]
    left_open = structs.replace(answer, prices=tuple(replace(price, saved_most=None) for price in answer.prices))
    run.inquiries["prices"] = AnsweredJob(inquiry.task, left_open)
    app = app.run()
    assert "not known yet" in words(app)
    app = app.button(key=longer).click().run()
    assert not app.exception
    again = run.inquiries["prices 4"]
    assert (again.task.step, again.limits.seconds) == (4 * inquiry.task.step, 4 * inquiry.limits.seconds)
    assert all(known in again.task.known for known in answer.evidence)
    assert again.wait(PATIENCE).answer.decided
    app = app.run()
    assert "not known yet" not in words(app)
    assert not [button for button in app.button if button.key == longer]


def test_a_conflict_is_explained_and_relaxed_by_a_click():
    """The conflict, its repairs, and one click that changes the constraint and finds the promised tree."""
    app = solved_with(MinSensitivity("0.99"), MinSpecificity("0.99"), MaxLeaves(4))
    run = last_run(app)
    assert run.job.snapshot().solution.status is Status.INFEASIBLE
    answer, app = wait_for(app, "conflict")
    assert not app.exception
    shown = words(app)
    assert "cannot hold together" in shown and "Possible changes" in shown
    assert len(answer.parts) == 2 and answer.repairs
    repair = answer.repairs[0]
    assert repair.words() in shown
    app = app.button(key=f"repair_{run.number}_0").click().run()
    again = last_run(app)
    assert again.number == run.number + 1
    again.job.wait(PATIENCE)
    assert again.best is not None
    if repair.proved:
        assert again.best.solution.cost == repair.cost
    assert len(again.problem.constraints) + sum(change.weaker is None for change in repair.changes) == 3
    assert session(app).constraints[1].on == again.problem.constraints


def test_without_constraints_the_tab_explains_how_to_add_some():
    """Inspect has a section for constraints in any case."""
    app = go_to(solved_with(), "inspect")
    assert "No constraints." in words(app)
