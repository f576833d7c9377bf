"""The fewest questions without errors on small samples (Table 4): BDD1, BDD2 and hitting sets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from benchmarks.bdds.data import Bits, sample
from benchmarks.bdds.paper import on_samples
from benchmarks.bdds.process import Answer, Runner, Way
from benchmarks.bdds.ways import BDD1, BDD2, HITTING, average, faults_of
from benchmarks.cli import Findings
from benchmarks.tables import NOTHING, Table

WAYS = (BDD1, BDD2, HITTING)
DEEPEST = 10


class Round(NamedTuple):
    """All ways on one sample; `None` for a way that was left out."""

    table: str
    share: float
    answers: dict[Way, Answer | None]


def fewest(answer: Answer | None) -> int | None:
    """The least depth, where the run proved it."""
    if answer is None or answer.errors is None or answer.errors != answer.bound:
        return None
    if answer.questions == 0:
        return 0
    if "fewest questions" in answer.stats:
        return int(answer.stats["fewest questions"])
    tried = answer.stats.get("depths", ())
    refuted = max((depth["depth"] for depth in tried if not depth["holds"]), default=0)
    return answer.questions if refuted == answer.questions - 1 else None


def measure(
    runner: Runner,
    tables: Sequence[Bits],
    shares: Sequence[float],
    repeats: int,
    limit: float,
    ways: Sequence[Way] = WAYS,
) -> Findings:
    """A line for each table and share; a way that proved nothing at a share is not run at larger ones."""
    rounds, faults = [], []
    for table in tables:
        able = list(ways)
        for share in sorted(shares):
            here = [_round(runner, table, share, seed, able, limit) for seed in range(repeats)]
            rounds += here
            able = [way for way in able if any(fewest(one.answers[way]) is not None for one in here)]
    for one in rounds:
        name = f"{one.table}, {one.share:.0%}"
        for way, answer in one.answers.items():
            faults += faults_of(name, way, answer)
        depths = {fewest(answer) for answer in one.answers.values()} - {None}
        if len(depths) > 1:
            faults.append(f"{name}: proved depths differ: {', '.join(map(str, sorted(depths)))}")
    title = (
        f"The fewest questions without errors on {repeats} random samples, limit {limit:g} s a run. 'proved' counts "
        f"samples; the other figures are means over those that the way proved (literals in ten thousands, user CPU "
        f"seconds). In the paper: ten samples, 20 hours a run, means over those that both models solved:"
    )
    headers = ("table", "sample", "way", "proved", "depth", "test %", "literals", "seconds")
    paper = ("paper: depth", "test %", "literals", "seconds")
    lines = [
        line
        for (table, share), group in groupby(rounds, key=lambda one: (one.table, one.share))
        for line in _lines(table, share, list(group), ways)
    ]
    return Findings((Table(title, headers + paper, tuple(lines)),), tuple(faults))


def _round(runner: Runner, table: Bits, share: float, seed: int, ways: Sequence[Way], limit: float) -> Round:
    train, test = sample(table, share, seed)
    return Round(table.name, share, {way: runner.run(way, train, DEEPEST, limit, test) for way in ways})


def _lines(table: str, share: float, rounds: Sequence[Round], ways: Sequence[Way]) -> list[tuple[str, ...]]:
    lines = []
    for way in ways:
        answers = [one.answers[way] for one in rounds if way in one.answers]
        proved = [answer for answer in answers if fewest(answer) is not None]
        printed = on_samples(table, share, way.title) or {}
        lines.append(
            (
                table,
                f"{share:.0%}",
                way.title,
                f"{len(proved)} of {len(rounds)}" if answers else NOTHING,
                average((fewest(a) for a in proved), 2),
                average((a.test for a in proved), 1, 100),
                average((a.literals for a in proved), 2, 1e-4),
                average((a.seconds for a in proved), 3),
                *(printed.get(key) or NOTHING for key in ("depth", "test", "literals", "seconds")),
            )
        )
    return lines
