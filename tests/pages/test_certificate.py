"""The section of the Proof tab that makes certificates."""

from __future__ import annotations

from pathlib import Path

from msgspec import structs
from msgspec.structs import replace as replace_fields

from solvers.certificates import OptimumReport, check_optimum, reader
from solvers.messages.certificates import describe_certificate
from solvers.problem import ShapeKind
from tests.pages.journey import PATIENCE, go_to, last_run, session, with_sample, words


def inspected(sample: str, **design: object):
    """The Inspect screen with a model of a sample."""
    app = with_sample(sample)
    session(app).request = replace_fields(session(app).request, **design)
    app = go_to(app, "design").button(key="next").click().run()
    last_run(app).job.wait(PATIENCE)
    return go_to(app.run(), "inspect")


def test_the_smallest_tree_is_certified() -> None:
    """A worker makes the certificate; the screen names the smaller trees that are ruled out and offers the file."""
    app = inspected("monk1", method="smallest-tree", max_depth=6)
    app = app.button(key="ask_certificate_smallest-tree_1").click().run()
    report = last_run(app).inquiries["certificate_smallest-tree"].wait(PATIENCE).answer
    app = app.run()
    assert not app.exception and not app.error and report.optimal and len(report.smaller) == 2
    assert all(f"No {smaller} has a cost as low" in words(app) for smaller in report.smaller)
    assert app.download_button(key="save_certificate_smallest-tree_1").label.startswith("Download certificate")
    assert check_optimum(reader(Path(report.path))).accepted
    # trees of heuristics have no certificate
    app.button_group(key="model_1").set_value("cart").run()
    assert "Certificate" not in [header.value for header in app.subheader]


def test_an_unproved_gap_is_reported() -> None:
    """The sentence does not call the tree optimal."""
    report = OptimumReport(92.0, 89.0, 300, 280, 0.2, gap=3.0, left_out=("the tests cost at most 5 on average",))
    sentence = describe_certificate(report, ShapeKind.TREE)
    assert sentence.startswith("Certified lower bound 89; this tree costs 92.")
    assert "rests on the search alone" in sentence and "Not certified: the tests cost at most 5 on average" in sentence
    assert report.accepted and not report.optimal
    assert "Each BDD unfolds" in describe_certificate(structs.replace(report, gap=0.0, left_out=()), ShapeKind.BDD)
