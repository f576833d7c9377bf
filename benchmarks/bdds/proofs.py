"""Time to prove the best BDD of each depth, by method."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.bdds.data import Bits
from benchmarks.bdds.process import Runner, Way
from benchmarks.bdds.ways import EXACT, disagreements, faults_of, seconds
from benchmarks.cli import Findings
from benchmarks.tables import NOTHING, Table, whole


def measure(
    runner: Runner, tables: Sequence[Bits], depths: Sequence[int], limit: float, ways: Sequence[Way] = EXACT
) -> Findings:
    """One line per table and depth; a method that timed out at two depths of a table is not run at larger ones."""
    lines, faults = [], []
    for table in tables:
        late = dict.fromkeys(ways, 0)
        for depth in depths:
            name = f"{table.name}, depth {depth}"
            answers = [(way, runner.run(way, table, depth, limit)) for way in ways if late[way] < 2]
            for way, answer in answers:
                late[way] += not answer.proved
                faults += faults_of(name, way, answer)
            faults += disagreements(name, answers)
            optimum = next((whole(a.errors) for _, a in answers if a.proved), NOTHING)
            told = dict(answers)
            cells = [seconds(told[way]) if way in told else NOTHING for way in ways]
            sizes = (whole(len(table.y)), whole(table.X.shape[1]), whole(depth))
            lines.append((table.name, *sizes, optimum, *cells))
    title = (
        f"User CPU seconds to the proof, one core; without a proof after {limit:g} s, the bound and the fewest errors:"
    )
    headers = ("table", "rows", "columns", "depth", "optimum", *(way.title for way in ways))
    return Findings((Table(title, headers, tuple(lines)),), tuple(faults))
