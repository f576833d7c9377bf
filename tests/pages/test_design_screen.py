"""The Design screen: size, limits, and methods with what they can and cannot do."""

from __future__ import annotations

from solvers.methods import registry
from tests.pages.journey import go_to, opened, session, with_sample, words


def test_leads_to_the_data_while_there_is_no_table():
    """Without a table the screen says so, and its one button leads to the Data screen."""
    app = go_to(opened(), "design")
    assert "no table" in words(app)
    app.button(key="next").click().run()
    assert app.title[0].value == "Choose a table"


def test_offers_every_method_of_the_registry_with_its_promise():
    """The picker is made from the registry: title, whether it proves, and what it does."""
    app = go_to(with_sample(), "design")
    assert not app.exception
    assert app.radio(key="design_method").options == [
        f"{registry.get(name).title} :gray[{'proves the optimum' if registry.get(name).exact else 'greedy, no proof'}]"
        for name in registry.names()
    ]


def test_refuses_what_a_method_cannot_do_with_reason_and_remedy():
    """A method that cannot take the problem says why and what to do, and Solve cannot be pressed."""
    app = go_to(with_sample(), "design")
    app.radio(key="design_method").set_value("brute").run()
    refusals = registry.get("brute").check(session(app).design.problem(session(app).prepared))
    assert refusals
    assert refusals[0].remedy in words(app)
    assert app.button(key="next").disabled
    app.radio(key="design_method").set_value("cart").run()
    assert not app.warning
    assert not app.button(key="next").disabled


def test_counts_the_questions_and_the_trees():
    """The rough size of the search is said: XOR has two binary columns that matter and few questions."""
    app = go_to(with_sample("xor"), "design")
    assert "can be asked at each node" in words(app)


def test_the_design_is_kept_and_used_by_the_next_run():
    """Depth, time limit and gap outlive a visit of another screen and reach the solver as they were set."""
    app = go_to(with_sample(), "design")
    app.slider(key="design_depth").set_value(2).run()
    app.number_input(key="design_seconds").set_value(7.0).run()
    app.number_input(key="design_gap").set_value(2.0).run()
    app = go_to(go_to(app, "data"), "design")
    assert app.slider(key="design_depth").value == 2
    design = session(app).design
    assert (design.depth, design.limits.seconds, design.limits.gap) == (2, 7.0, 0.02)


def test_a_sample_brings_its_own_depth():
    """A sample suggests the depth at which its trees are worth seeing, also after another one was designed for."""
    app = go_to(with_sample("xor"), "design")
    assert app.slider(key="design_depth").value == session(app).source.sample.depth
