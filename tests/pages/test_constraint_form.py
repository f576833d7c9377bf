"""The form of every kind of constraint: it has the necessary fields, reports faults, and returns the constraint."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from components.design.constraints.editor import kinds_by_topic
from components.design.constraints.fields import describe_label
from components.design.constraints.form import draft
from solvers.constraints import KINDS, FieldType, Severity, Who
from solvers.problem import Problem, sample_dataset
from tests.case_count import case_count

SECONDS = 60


@pytest.fixture(scope="module")
def problem() -> Problem:
    """The triage sample, which has numbers, categories, ordered levels, missing values and a group column."""
    return Problem(sample_dataset("triage"))


def every_form() -> None:
    """A screen with the form of each kind of constraint, filled from an example; the results are recorded."""
    import numpy as np
    import streamlit as st

    from components.design.constraints import form
    from solvers.constraints import KINDS
    from solvers.problem import Problem, sample_dataset
    from tests.constraints.examples import example

    problem = Problem(sample_dataset("triage"))
    seed = st.session_state["seed"]
    for kind in KINDS.values():
        former = example(kind, problem.dataset, np.random.default_rng(seed))
        if former is not None:
            found = form.show(kind, former, problem, f"form_{kind.kind}")
            st.session_state[f"out_{kind.kind}"] = (former, found)


@pytest.mark.parametrize("seed", range(case_count(4)))
def test_every_form_returns_its_constraint(problem, seed):
    """For each kind, a form that is opened on a constraint and not changed returns the same one, word for word."""
    app = AppTest.from_function(every_form, default_timeout=SECONDS)
    app.session_state["seed"] = seed
    app.run()
    assert not app.exception
    seen = 0
    for name in KINDS:
        if f"out_{name}" in app.session_state:
            former, found = app.session_state[f"out_{name}"]
            assert found.constraint is not None, (name, found)
            assert found.constraint.words(problem.dataset) == former.words(problem.dataset)
            assert found.constraint.rules(problem) is not None
            seen += 1
    assert seen > len(KINDS) / 2


PROPOSED = (FieldType.CHOICE, FieldType.UNITS)
"""The types of fields that have defaults."""


def empty_forms() -> None:
    """A screen with the empty form of each kind of constraint."""
    import streamlit as st

    from components.design.constraints import form
    from solvers.constraints import KINDS
    from solvers.problem import Problem, sample_dataset

    problem = Problem(sample_dataset("triage"))
    for kind in KINDS.values():
        st.session_state[f"out_{kind.kind}"] = form.show(kind, None, problem, f"form_{kind.kind}")


def test_an_empty_form_lists_missing_fields():
    """Every kind needs some fields; an empty form names them and cannot be added. Units have defaults."""
    app = AppTest.from_function(empty_forms, default_timeout=SECONDS).run()
    assert not app.exception
    for name, kind in KINDS.items():
        found = app.session_state[f"out_{name}"]
        needed = {field.label for field in kind.form() if not field.optional and field.type not in PROPOSED}
        assert not found.sound or not needed, name
        assert set(found.lacking) <= {field.label for field in kind.form()}


def test_every_kind_is_offered_once_under_its_topic():
    """The picker derives from the list of kinds; no kind is missing or repeated."""
    offered = [kind for kinds in kinds_by_topic().values() for kind in kinds]
    assert sorted(kind.kind for kind in offered) == sorted(KINDS)
    assert all(kind.topic is topic for topic, kinds in kinds_by_topic().items() for kind in kinds)
    assert all(kind.summary.endswith(".") for kind in offered)


def test_an_invalid_value_is_reported_at_its_field(problem):
    """A value out of range is an error of its field, reported without repeating the label."""
    found = draft(KINDS["min-sensitivity"], {"share": 2, "who": None, "positive": None}, problem)
    assert found.constraint is None and not found.sound
    (fault,) = found.about("share")
    assert fault.severity is Severity.ERROR and "between 0 and 1" in fault.text
    assert "Minimum sensitivity" not in fault.text
    assert not found.about(None)


def test_contradictory_fields_are_reported_below_the_form(problem):
    """A column cannot come before itself; this concerns both fields."""
    found = draft(KINDS["asked-before"], {"first": "age", "then": "age"}, problem)
    assert not found.sound
    assert "cannot come before itself" in found.about(None)[0].text


def test_cheap_checks_count_rows_at_once(problem):
    """Before solving, a share is shown in rows: the total, and how many may be missed."""
    found = draft(KINDS["min-sensitivity"], {"share": "0.9", "who": Who("sex", "female")}, problem)
    assert found.sound
    data = problem.dataset
    sex = data.schema["sex"].levels.index("female")
    women = int(((data.X[:, data.schema.index("sex")] == sex) & (data.y == data.positive)).sum())
    text = " ".join(finding.text for finding in found.findings)
    assert f"{women} training rows" in text and f"At most {women - int(np.ceil(0.9 * women))} of them" in text


def test_labels_have_their_unit_once():
    """A share is in %, and 'Maximum leaves' does not repeat leaves."""
    forms = {name: {field.name: describe_label(field) for field in kind.form()} for name, kind in KINDS.items()}
    assert forms["min-sensitivity"]["share"] == "Minimum sensitivity (%)"
    assert forms["max-leaves"]["leaves"] == "Maximum leaves"
