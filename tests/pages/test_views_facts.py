"""The same model in other views: rules by risk, who gets which answer, rows as areas."""

from __future__ import annotations

import numpy as np
import pytest

from components.inspect.explorer.views_panel import areas, leaves_by_risk, who_gets_what
from solvers.diagram import describe
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
    leaves = leaves_by_risk(model, data)
    shares = [-1 if leaf.risk.value is None else leaf.risk.value for leaf in leaves]
    assert shares == sorted(shares, reverse=True)
    assert {leaf.node: leaf.risk for leaf in leaves} == {one.node: one.risk for one in leaf_risks(model, data)}
    found = areas(model, data, dark=False)
    weights = dict(zip(found["id"], found["weight"], strict=True))
    behind = found.groupby("parent")["weight"].sum().to_dict()
    assert behind.pop("") == data.total_weight
    assert all(np.isclose(weights[name], total) for name, total in behind.items())


@pytest.mark.parametrize("which", [0, 1])
def test_the_table_has_a_line_a_way(which: int):
    """Each line says what its way asks of each column, without its name; the lines of a tree are its leaves."""
    model, data = models()[which]
    leaves = leaves_by_risk(model, data)
    lines, complete = who_gets_what(model, leaves)
    assert complete and len(lines) >= len(leaves)
    if which == 0:
        for leaf, (answer, asked, risk) in zip(leaves, lines, strict=True):
            assert answer.endswith(model.classes[leaf.label]) and leaf.risk == risk
            who = describe(model, leaf.node).split(" and ")
            assert sorted(who) == sorted(f"{name} is {words}" for name, words in asked.items())
    cells = [words for _, asked, _ in lines for words in asked.values()]
    assert any(cells) and not any(cell.startswith("is ") for cell in cells)
