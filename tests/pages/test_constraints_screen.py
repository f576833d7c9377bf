"""Constraints on the Design screen: added, changed, switched off, removed, saved, loaded, and protected."""

from __future__ import annotations

import json

from solvers.constraints import AskedBefore, MaxLeaves, MinPPV, MinSensitivity, Who
from solvers.methods import registry
from tests.pages.journey import go_to, problem_of, session, with_sample, words


def designing(key: str = "triage"):
    """The Design screen with a sample."""
    return go_to(with_sample(key), "design")


def open_form(app, topic: str, kind: str) -> str:
    """Open the editor at the form of a kind of constraint; returns the prefix of the keys of its fields."""
    app.button(key="constraint_new").click().run()
    key = f"constraint_{session(app).opened}"
    app.button_group(key=f"{key}_topic").set_value(topic).run()
    app.radio(key=f"{key}_{topic}").set_value(kind).run()
    assert not app.exception
    return f"{key}_{kind}"


def add_order(app, first: str = "age", then: str = "lactate"):
    """Add the constraint that one column comes before another."""
    key = open_form(app, "Order of questions", "asked-before")
    app.selectbox(key=f"{key}_first").set_value(first).run()
    app.selectbox(key=f"{key}_then").set_value(then).run()
    app.button(key="constraint_done").click().run()
    assert not app.exception
    return app


def with_constraints(app, *constraints):
    """The Design screen with these constraints on the list."""
    state = session(app)
    state.constraints[state.source.number] = _constraints(constraints)
    return app.run()


def _constraints(constraints):
    from components.session.constraint_list import ConstraintList

    return ConstraintList().with_added(constraints)


def constraints_on(app) -> tuple:
    """The constraints that the next run must satisfy."""
    state = session(app)
    return state.constraints[state.source.number].on


def toggles(app) -> dict[str, bool]:
    """The list on the screen: text, and whether the constraint is on."""
    words = [toggle.label.replace("\\", "").removeprefix(":gray[").removesuffix("]") for toggle in app.toggle]
    return dict(zip(words, (toggle.value for toggle in app.toggle), strict=True))


def test_an_added_constraint_is_listed_and_can_be_switched_off_and_on():
    """Topic, kind and two columns make a sentence on the list, which the summary counts. A constraint that is off
    stays on the list, and the next run ignores it.
    """
    app = add_order(designing())
    assert toggles(app) == {"age is asked before lactate": True}
    assert constraints_on(app) == (AskedBefore("age", "lactate"),)
    assert "1 constraint" in words(app)
    assert session(app).editor is None
    app.toggle[0].set_value(False).run()
    assert constraints_on(app) == () and list(toggles(app).values()) == [False]
    assert "1 constraint" not in words(app)
    app.toggle[0].set_value(True).run()
    assert constraints_on(app) == (AskedBefore("age", "lactate"),)


def test_the_form_shows_sentence_and_cheap_checks_at_once():
    """While the form is filled in, it lists missing fields, then the sentence, and the number of rows concerned."""
    app = designing()
    key = open_form(app, "Diagnostic accuracy", "min-sensitivity")
    assert "Enter: Minimum sensitivity." in words(app)
    app.button(key="constraint_done").click().run()
    assert app.toast and session(app).editor is not None
    app.number_input(key=f"{key}_share").set_value(90.0).run()
    app.selectbox(key=f"{key}_who").set_value("sex").run()
    app.selectbox(key=f"{key}_who_sex").set_value("female").run()
    shown = words(app)
    assert "is at least 90%" in shown and "sex = female" in shown and "At most 5 of them" in shown
    app.button(key="constraint_done").click().run()
    assert constraints_on(app) == (MinSensitivity("0.9", Who("sex", "female"), "yes"),)


def test_a_predictive_value_has_a_confidence():
    """The form has a share and a confidence, and shows the necessary number of predictions before solving."""
    app = designing()
    key = open_form(app, "Diagnostic accuracy", "min-ppv")
    app.number_input(key=f"{key}_share").set_value(60.0).run()
    assert "A model that never predicts 'yes' also satisfies this." in words(app)
    app.number_input(key=f"{key}_confidence").set_value(95.0).run()
    assert "is at least 60%, with 95% confidence" in words(app)
    assert "The model must select at least" in words(app)
    app.button(key="constraint_done").click().run()
    assert constraints_on(app) == (MinPPV("0.6", confidence="0.95", positive="yes"),)


def test_a_constraint_is_changed_in_place_and_removed():
    """The editor opens with the current values; saving replaces the constraint, and switches it on. The trash icon
    removes only its constraint.
    """
    app = with_constraints(designing(), AskedBefore("age", "lactate"), MaxLeaves(6))
    app.toggle[1].set_value(False).run()
    app.button(key="constraint_edit_2").click().run()
    key = f"constraint_{session(app).opened}_max-leaves_leaves"
    assert app.number_input(key=key).value == 6
    app.number_input(key=key).set_value(4).run()
    app.button(key="constraint_done").click().run()
    assert list(toggles(app)) == ["age is asked before lactate", "at most 4 leaves"]
    assert constraints_on(app) == (AskedBefore("age", "lactate"), MaxLeaves(4))
    app.button(key="constraint_remove_1").click().run()
    assert toggles(app) == {"at most 4 leaves": True}


def test_an_impossible_constraint_is_marked_in_red():
    """A leaf cannot have more rows than there are; the list says so before solving."""
    app = designing()
    key = open_form(app, "Size", "min-samples-leaf")
    app.number_input(key=f"{key}_rows").set_value(5000).run()
    assert ":red[" in words(app) and "750 rows" in words(app)
    app.button(key="constraint_done").click().run()
    (finding,) = [m.value for m in app.markdown if ":red[" in m.value]
    assert "750 rows" in finding.replace("\\", "")


def test_a_constraint_on_a_dropped_column_must_be_corrected():
    """If the table no longer has a column, the constraint names the nearest one, and Solve is disabled."""
    app = with_constraints(designing(), AskedBefore("agee", "lactate"))
    assert "Did you mean 'age'?" in words(app)
    assert app.button(key="next").disabled
    app.toggle[0].set_value(False).run()
    assert not app.button(key="next").disabled


def test_the_picker_names_unsupported_constraints():
    """CART supports limits of the size only: its line names the constraint; selecting it shows reason and remedy."""
    app = with_constraints(designing(), AskedBefore("age", "lactate"), MaxLeaves(6))
    app.radio(key="design_method").set_value("cart").run()
    refusals = registry.get("cart").check(problem_of(app))
    assert len(refusals) == 1
    (warning,) = app.warning
    message = warning.value.replace("\\", "")
    assert "'age is asked before lactate'" in message and "leaves" not in message
    assert refusals[0].reason in message and refusals[0].remedy in message
    assert app.button(key="next").disabled
    app.toggle[0].set_value(False).run()
    assert not app.warning and not app.button(key="next").disabled


def test_a_click_selects_a_method_that_supports_all_constraints():
    """If the selected method refuses, the first exact one that accepts is offered, and selected by a click."""
    app = with_constraints(designing(), AskedBefore("age", "lactate"), MinSensitivity("0.6"))
    app.radio(key="design_method").set_value("cart").run()
    assert app.button(key="next").disabled
    app.button(key="design_other").click().run()
    problem = problem_of(app)
    able = [name for name in registry.names() if registry.get(name).exact and not registry.get(name).check(problem)]
    assert app.radio(key="design_method").value == able[0]
    assert not app.warning and not app.button(key="next").disabled


def test_constraints_are_loaded_from_a_file():
    """A JSON file adds its constraints to the list once; an invalid file is reported with the reason."""
    app = with_constraints(designing(), MaxLeaves(6))
    constraints = [{"kind": "asked-before", "first": "age", "then": "lactate"}, {"kind": "max-leaves", "leaves": 6}]
    upload = app.file_uploader(key="constraints_file")
    upload.upload("constraints.json", json.dumps({"constraints": constraints}).encode(), "application/json").run()
    assert not app.exception
    assert list(toggles(app)) == ["at most 6 leaves", "age is asked before lactate"]
    app.file_uploader(key="constraints_file").upload("bad.json", b'[{"kind": "max-leafs"}]', "application/json").run()
    (error,) = app.error
    assert "max-leaves" in error.value.replace("\\", "")
    assert len(app.toggle) == 2
