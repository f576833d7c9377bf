"""The part of the Proof tab that makes certificates."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from components.inspect.proof.certificate_facts import certificate, certified_optimum
from solvers.certificates import (
    Archive,
    CertificateReport,
    CheckedPart,
    ClaimReport,
    Evidence,
    OptimumReport,
    Standing,
    Technique,
    check_certificate,
    check_optimum,
)
from solvers.certificates.claims import Claim
from solvers.problem import ShapeKind
from tests.pages.handmade import prepared_sample
from tests.pages.journey import PATIENCE, go_to, last_run, session, with_sample, words


def inspected(**options: str):
    """The Inspect screen with the smallest tree for one of Monk's problems."""
    app = with_sample("monk1")
    session(app).design = replace(session(app).design, method="smallest-tree", max_depth=6, options=options)
    app = go_to(app, "design").button(key="next").click().run()
    last_run(app).job.wait(PATIENCE)
    return go_to(app.run(), "inspect")


def test_a_certificate_is_made_told_and_saved():
    """The button makes it in a worker; claims, checks, deciding cases and the file are on the screen."""
    app = inspected()
    assert not app.exception and "Certificate" in [header.value for header in app.subheader]
    app = app.button(key="ask_certificate_1").click().run()
    run = last_run(app)
    report = run.inquiries["certificate"].wait(PATIENCE).answer
    app = app.run()
    assert not app.exception and not app.error
    shown = words(app)
    assert all(sentence in shown for sentence in report.conclusions) and len(report.conclusions) == 2
    assert "formula refuted" in shown and "table of boxes" in shown and "not accepted" not in shown
    assert app.download_button(key="save_certificate_1").label.startswith("Download the certificate")
    assert check_certificate(Archive(Path(report.path)).read).accepted
    label = f"{len(report.used)} of"
    assert any(label in expander.label.replace("\\", "") for expander in app.expander)
    assert any(frame.value.index.tolist() == list(report.used) for frame in app.dataframe)


def test_a_certificate_can_leave_rows_and_words_out():
    """The choice makes another file, which says neither rows nor questions."""
    app = inspected()
    app = app.checkbox(key="certificate_private_1").check().run()
    app = app.button(key="ask_certificate_private_1").click().run()
    report = last_run(app).inquiries["certificate_private"].wait(PATIENCE).answer
    app = app.run()
    assert not app.exception and report.accepted and report.used == ()
    names = zipfile.ZipFile(io.BytesIO(Path(report.path).read_bytes())).namelist()
    assert "questions.csv" not in names and "cases.csv" in names
    assert app.download_button(key="save_certificate_private_1")


def test_an_optimal_tree_with_mistakes_is_certified():
    """The button computes the bound anew in a worker; the sentence and the file are on the screen."""
    app = with_sample("iris")
    session(app).design = replace(session(app).design, max_depth=2)
    app = go_to(app, "design").button(key="next").click().run()
    last_run(app).job.wait(PATIENCE)
    app = go_to(app.run(), "inspect")
    app = app.button(key="ask_optimum_contree_1").click().run()
    report = last_run(app).inquiries["optimum_contree"].wait(PATIENCE).answer
    app = app.run()
    assert not app.exception and report.accepted and "no tree of this size costs less" in words(app)
    assert app.download_button(key="save_optimum_contree_1").label.startswith("Download the certificate")
    assert check_optimum(Archive(Path(report.path)).read).accepted
    app.button_group(key="model_1").set_value("cart").run()
    assert "Certificate" not in [header.value for header in app.subheader]


def test_other_models_have_none():
    """Heuristic trees beside the run, and runs of other methods, are not certified."""
    app = inspected()
    app.button_group(key="model_1").set_value("cart").run()
    assert "Certificate" not in [header.value for header in app.subheader]


class Rows:
    """What the facts ask of a run."""

    number = 3
    prepared = prepared_sample("monk1")


def test_facts_of_a_certificate():
    """Each proof is a row of its own; what was not proved says why; rows of the table stand for the cases."""
    rows = tuple(Rows.prepared.train.rows[[0, 5]].tolist())
    proved = ClaimReport(
        Claim(3),
        Standing.PROVED,
        (Evidence(Technique.BOXES, "", 1234, 0.1), Evidence(Technique.FORMULA, "2 cases", 10, 0.1)),
        (CheckedPart("a", "every box", True, "fine", 0.5), CheckedPart("b", "lines", False, "line 3", 0.5)),
    )
    left = ClaimReport(Claim(4, 6), Standing.OPEN, note="Formula: the time was up.")
    facts = certificate(
        Rows(), CertificateReport(("So it is.",), (proved, left), None, 300, 200, rows, "x.zip", 2_300_000)
    )
    assert [row.ok for row in facts.rows] == [True, False, False]
    assert [row.size for row in facts.rows] == ["1.2 kB", "2 cases", ""]
    assert [bool(row.claim) for row in facts.rows] == [True, False, True]
    assert "not accepted: line 3" in facts.rows[1].check and "time was up" in facts.rows[2].check
    assert facts.deciding.startswith("2 of 200 distinct cases (300 rows) are enough")
    assert np.array_equal(facts.positions, [0, 5])
    assert (facts.accepted, facts.size, facts.name) == (False, "2.3 MB", "espalier-run-3-certificate.zip")


def test_a_gap_is_told_with_what_the_proof_leaves_out():
    """It is not called optimal: the sentence says what is proved, and on what the rest stands."""
    report = OptimumReport(92.0, 89.0, 300, 280, 0.2, gap=3.0, left_out=("the tests cost at most 5 on average",))
    sentence = certified_optimum(report, ShapeKind.TREE)
    assert sentence.startswith(
        "Certified up to a gap of 3: no tree that is allowed costs less than 89, and this one costs 92"
    )
    assert "rests on the search alone" in sentence and "leaves out: the tests cost at most 5 on average" in sentence
    assert report.accepted and not report.optimal
    proved = certified_optimum(replace(report, gap=0.0, left_out=()), ShapeKind.BDD)
    assert "so no BDD, which unfolds" in proved
