"""The same model in other views: rules by risk, who gets which answer, rows as areas."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from components.inspect.explorer.views_facts import areas, risk_rules, who_gets_what
from solvers.metrics import leaf_risks
from tests.pages.handmade import diagram, prepared_sample
from tests.pages.journey import finished


def models():
    """A tree that was solved, and a diagram in which ways join."""
    run, train = finished("xor"), prepared_sample("triage").train
    return [(run.best.diagram, run.prepared.train), (diagram(train), train)]


@pytest.mark.parametrize("which", [0, 1])
def test_rules_and_areas_have_every_row_once(which: int):
    """Rules fall in risk and hold the rows of their leaves; areas divide into the areas behind them."""
    model, data = models()[which]
    rules = risk_rules(model, data)
    shares = [-1 if rule.risk.value is None else rule.risk.value for rule in rules]
    assert shares == sorted(shares, reverse=True)
    assert {rule.node: rule.risk for rule in rules} == {one.node: one.risk for one in leaf_risks(model, data)}
    found = areas(model, data, dark=False)
    behind: dict[str, float] = defaultdict(float)
    for area in found:
        behind[area.before] += area.weight
    assert behind.pop("") == data.total_weight
    weights = {area.name: area.weight for area in found}
    assert all(np.isclose(weights[name], total) for name, total in behind.items())


@pytest.mark.parametrize("which", [0, 1])
def test_the_table_has_a_line_a_way(which: int):
    """Each line says what its way asks of each column, without its name; the lines of a tree are its leaves."""
    model, data = models()[which]
    rules = risk_rules(model, data)
    found = who_gets_what(model, rules)
    assert found.complete and len(found.lines) >= len(rules)
    if which == 0:
        for rule, (answer, cells, risk) in zip(rules, found.lines, strict=True):
            assert (rule.answer, rule.risk) == (answer, risk)
            questions = zip(found.columns, cells, strict=True)
            assert sorted(rule.who.split(" and ")) == sorted(f"{name} is {cell}" for name, cell in questions if cell)
    cells = [cell for _, cells, _ in found.lines for cell in cells]
    assert any(cells) and not any(cell.startswith("is ") for cell in cells)
