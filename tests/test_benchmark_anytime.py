"""The benchmark of incumbents over time: the best at a given time, and peers that are ahead."""

from __future__ import annotations

from benchmarks import anytime, bounds
from benchmarks.process import Run


def run(learner: str, trace: tuple[tuple[float, int | None, int | None], ...]) -> Run:
    """A run with made-up measurements."""
    return Run(learner, 1.0, 1.0, late=False, peak_mb=100.0, trace=trace)


def test_incumbent_at_a_moment() -> None:
    """The best tree so far; `None` before the first one."""
    found = run("method", trace=((0.05, None, 0), (0.2, 9, 0), (0.5, 7, 3), (2.0, 6, 6)))
    assert [anytime.incumbent_at(found, moment) for moment in (0.1, 0.3, 1.0, 3.0)] == [None, 9, 7, 6]


def test_bound_at_a_moment() -> None:
    """The highest bound so far; 0 before the first one."""
    found = run("method", trace=((0.05, None, None), (0.2, 9, 1), (0.5, 7, 3), (2.0, 6, 6)))
    assert [bounds.bound_at(found, moment) for moment in (0.1, 0.3, 1.0, 3.0)] == [0, 1, 3, 6]


def test_peers_that_are_ahead_are_reported() -> None:
    """A peer with a better tree at a time is listed with both values; one with no tree or an equal one is not."""
    ours = run("method", trace=((0.05, 9, 0), (2.0, 6, 6)))
    peer = run("ca-contree", trace=((0.5, 8, None), (1.5, 6, None), (20.0, 5, None)))
    assert list(anytime.behind(ours, peer, (0.3, 1.0, 3.0, 30.0))) == [
        "1 s: ca-contree has 8 errors, ours 9",
        "30 s: ca-contree has 5 errors, ours 6",
    ]
    early = run("licketysplit", trace=((0.1, 7, None),))
    table = anytime.compare([("wilt", ours, peer), ("rice", ours, peer), ("rice", ours, early)], (1.0, 3.0), 5)
    assert table.rows == (
        ("ca-contree, 1 s", "0", "0", "2", "wilt, rice"),
        ("ca-contree, 3 s", "0", "2", "0", "–"),
        ("licketysplit, 1 s", "0", "0", "1", "rice"),
        ("licketysplit, 3 s", "1", "0", "0", "–"),
    )


def test_a_proof_ends_when_bound_and_errors_meet() -> None:
    """The search for fewer splits that follows does not count."""
    assert bounds.proved_after(run("method", trace=((0.2, 9, 1), (0.5, 7, 7)))) == 0.5
    assert bounds.proved_after(run("pycontree", trace=())) == 1.0
