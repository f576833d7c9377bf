"""Hu, Huguet, Siala: Optimizing Binary Decision Diagrams with MaxSAT for Classification (AAAI 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.bdds.data import folds, sample
from benchmarks.bdds.paper import on_folds, on_samples
from benchmarks.bdds.process import Answer, Way, learned
from benchmarks.bdds.ways import BDD2, CART, HEURISTIC, MAXSAT, MAXSAT_DT, ODT, OODG, SEARCH, faults_of
from benchmarks.reproduction.data import zeros_and_ones
from benchmarks.reproduction.registry import (
    Case,
    Comparison,
    Extent,
    Line,
    Paper,
    PaperTable,
    Result,
    Results,
    Verdict,
    clean,
    higher,
    known,
    lower,
    mean_of,
    shown,
)
from benchmarks.tables import NOTHING, whole

HERE = (
    "lymph", "primary-tumor", "vote", "tic-tac-toe", "heart-cleveland", "soybean", "audiology", "anneal",
    "australian-credit", "breast-wisconsin", "car", "kr-vs-kp", "hypothyroid", "splice-1", "mushroom",
)  # fmt: skip

TABLE_3 = {
    # rows, columns, share of the positive class
    "anneal": (812, 89, 0.77), "audiology": (216, 146, 0.26), "australian-credit": (653, 124, 0.55),
    "breast-wisconsin": (683, 89, 0.35), "car": (1728, 21, 0.30), "hypothyroid": (3247, 86, 0.91),
    "mushroom": (8124, 112, 0.52), "splice-1": (3190, 287, 0.52), "heart-cleveland": (296, 95, 0.54),
    "kr-vs-kp": (3196, 73, 0.52), "lymph": (148, 68, 0.55), "primary-tumor": (336, 31, 0.24),
    "soybean": (630, 50, 0.15), "tic-tac-toe": (958, 27, 0.65), "vote": (435, 48, 0.61),
}  # fmt: skip

BIASES = tuple(
    Way(title, SEARCH.method, {"empty_cells": policy})
    for title, policy in (("BDD-P", "parent"), ("BDD-C", "merge"), ("BDD-S", "solved"))
)
"""Predictions of cells without rows, for the same optimal features."""

WAYS = {way.title: way for way in (MAXSAT, HEURISTIC, OODG, ODT, MAXSAT_DT, CART, SEARCH, BDD2, *BIASES)}

DEPTHS = (2, 3, 4, 5, 6)
SHARES = (0.05, 0.1, 0.15, 0.2, 0.25)
FOLDS, DEEPEST = 5, 10


def about(folder: Path, seconds: float, *, name: str) -> Result:
    """Rows, columns, and the share of the positive class."""
    table = zeros_and_ones(folder, name)
    return {"rows": len(table.y), "columns": table.X.shape[1], "positive": float(table.y.mean())}


def fold(folder: Path, seconds: float, *, name: str, way: str, depth: int, seed: int, part: int) -> Result:
    """A method trained on the rows of a fold and tested on the others."""
    train, test = list(folds(zeros_and_ones(folder, name), FOLDS, seed))[part]
    return _as_result(WAYS[way], learned(WAYS[way], train, depth, seconds, test))


def on_sample(folder: Path, seconds: float, *, name: str, way: str, share: float, seed: int) -> Result:
    """The fewest splits without errors on a sample, tested on the other rows."""
    train, test = sample(zeros_and_ones(folder, name), share, seed)
    answer = learned(WAYS[way], train, DEEPEST, seconds, test)
    return {**_as_result(WAYS[way], answer), "fewest": fewest(answer)}


def on_all_rows(folder: Path, seconds: float, *, name: str, way: str, depth: int) -> Result:
    """A method trained on all rows of a table."""
    return _as_result(WAYS[way], learned(WAYS[way], zeros_and_ones(folder, name), depth, seconds))


def _as_result(way: Way, answer: Answer) -> dict[str, Any]:
    faults = faults_of("", way, answer)
    if faults:
        return {"failure": faults[0]}
    found = asdict(answer)
    del found["stats"], found["failure"]
    return {**found, "cpu": answer.seconds, "literals": answer.literals, "settled": answer.proved}


def fewest(answer: Answer) -> int | None:
    """The least depth, if the run proved it."""
    if answer.errors is None or answer.errors != answer.bound:
        return None
    if answer.questions == 0:
        return 0
    if "fewest questions" in answer.stats:
        return int(answer.stats["fewest questions"])
    tried = answer.stats.get("depths", ())
    refuted = max((depth["depth"] for depth in tried if not depth["holds"]), default=0)
    return answer.questions if refuted == answer.questions - 1 else None


def _folds(name: str, way: Way, depth: int, extent: Extent) -> list[Case]:
    return [
        Case(
            "maxsat.fold",
            {"name": name, "way": way.title, "depth": depth, "seed": seed, "part": part},
            extent.seconds,
        )
        for seed in range(extent.seeds)
        for part in extent.first(FOLDS)
    ]


def _every(ways: Sequence[Way], extent: Extent) -> list[Case]:
    return [case for name in extent.sets or HERE for depth in extent.depths or DEPTHS for way in ways
            for case in _folds(name, way, depth, extent)]  # fmt: skip


def _printed(name: str, depth: int, way: Way) -> dict[str, float | None]:
    row = on_folds(name, depth, way.title) or {}
    found: dict[str, float | None] = {}
    for key in ("train", "test", "nodes", "literals", "proved", "seconds"):
        text = row.get(key) or ""
        found[key] = float(text) if text and text != "TO" else None
    return found


def _on_folds(ways: Sequence[Way]) -> dict[str, Any]:
    """Cases and comparison of tables 5 and 6: the training accuracy decides the verdict, the test accuracy is shown."""

    def compare(extent: Extent, results: Results) -> Comparison:
        lines = []
        for name in HERE:
            for depth in DEPTHS:
                for way in ways:
                    runs = known([results(case) for case in _folds(name, way, depth, extent)])
                    printed = _printed(name, depth, way)
                    train, test = mean_of(runs, "train", 100), mean_of(runs, "test", 100)
                    late = way is not CART and not all(run["settled"] for run in runs)
                    cause = "a shorter limit" if late else "other columns or folds"
                    # with fewer parts, chance differences are larger
                    verdict, cause = higher(printed["train"], train, 0.5 if extent.parts is None else 2.0, cause)
                    settled = 100 * mean(bool(run["settled"]) for run in runs) if runs else None
                    cells = [name, str(depth), way.title]
                    for key, ours in (
                        ("train", train),
                        ("test", test),
                        ("nodes", mean_of(runs, "nodes")),
                        ("literals", mean_of(runs, "literals", 1e-4)),
                        ("proved", settled if way not in (CART, OODG, ODT) else None),
                        ("seconds", mean_of(runs, "cpu")),
                    ):
                        places = 2 if key in ("literals", "seconds") else 1
                        cells += [shown(printed[key], places), shown(ours, places)]
                    cells.append(shown(mean_of(runs, "early", 100)))
                    lines.append(Line(tuple(cells), verdict, cause))
        names = ("train %", "test %", "nodes", "literals in ten thousands", "proved %", "CPU s")
        headers = ["table", "H", "way"]
        for title in names:
            headers += [f"{title}: paper", "ours"]
        return Comparison((*headers, "train % at 60 s", "verdict"), tuple(lines))

    return {"cases": lambda extent: _every(ways, extent), "compare": compare}


def _compare_3(extent: Extent, results: Results) -> Comparison:
    lines = []
    for name, (rows, columns, positive) in TABLE_3.items():
        found = clean(results(Case("maxsat.about", {"name": name}, extent.seconds)))
        ours = (found.get("rows"), found.get("columns"))
        share = found.get("positive")
        equal = ours[0] == rows and ours[1] == columns
        verdict = Verdict.OPEN if not found else Verdict.REPRODUCED if equal else Verdict.DIFFERS
        cells = (name, whole(rows), whole(ours[0]), whole(columns), whole(ours[1]), shown(positive, 2), shown(share, 2))
        cause = ""
        if verdict is Verdict.DIFFERS:
            cause = "other rows" if ours[0] != rows else "other columns, from another binarisation"
        lines.append(Line(cells, verdict, cause))
    headers = ("table", "rows: paper", "ours", "columns: paper", "ours", "positive: paper", "ours", "verdict")
    return Comparison(headers, tuple(lines))


def _samples(name: str, way: Way, share: float, extent: Extent) -> list[Case]:
    return [Case("maxsat.sample", {"name": name, "way": way.title, "share": share, "seed": seed}, extent.seconds)
            for seed in range(extent.seeds)]  # fmt: skip


FEWEST = (BDD2,)


def _compare_4(extent: Extent, results: Results) -> Comparison:
    lines = []
    for name in HERE:
        for share in SHARES:
            for way in FEWEST:
                runs = known([results(case) for case in _samples(name, way, share, extent)])
                proved = [run for run in runs if run["fewest"] is not None]
                row = on_samples(name, share, way.title) or {}
                depth = float(row["depth"]) if row.get("depth") else None
                ours = mean_of(proved, "fewest")
                if not runs:
                    verdict, cause = Verdict.OPEN, ""
                elif depth is None:
                    verdict, cause = (Verdict.BETTER, "") if ours is not None and row else (Verdict.OWN, "")
                elif ours is None:
                    verdict, cause = Verdict.DIFFERS, "no proof within the limit"
                else:
                    verdict, cause = lower(depth, ours, 0.5, "other samples")
                cells = [name, f"{share:.0%}", way.title, f"{len(proved)} of {len(runs)}", row.get("depth") or NOTHING]
                cells += [shown(ours, 2), row.get("test") or NOTHING, shown(mean_of(proved, "test", 100))]
                cells += [row.get("literals") or NOTHING, shown(mean_of(proved, "literals", 1e-4), 2)]
                cells += [row.get("seconds") or NOTHING, shown(mean_of(proved, "cpu"), 2)]
                lines.append(Line(tuple(cells), verdict, cause))
    headers = ["table", "sample", "way", "proved"]
    for title in ("least depth", "test %", "literals in ten thousands", "CPU s"):
        headers += [f"{title}: paper", "ours"]
    return Comparison((*headers, "verdict"), tuple(lines))


def _splice(way: Way, depth: int, extent: Extent) -> Case:
    return Case("maxsat.all", {"name": "splice-1", "way": way.title, "depth": depth}, extent.seconds)


def _compare_splice(extent: Extent, results: Results) -> Comparison:
    lines = []
    for depth in DEPTHS:
        for way in (SEARCH, MAXSAT):
            run = clean(results(_splice(way, depth, extent)))
            cells = (way.title, str(depth), whole(run.get("errors")), whole(run.get("bound")), shown(run.get("cpu"), 2))
            verdict = Verdict.OWN if run else Verdict.OPEN
            lines.append(Line((*cells, run.get("status", NOTHING)), verdict))
    return Comparison(("way", "H", "errors", "lower bound", "CPU s", "status", "verdict"), tuple(lines))


BOXES = (*BIASES, ODT, OODG)


def _compare_6(extent: Extent, results: Results) -> Comparison:
    lines = []
    for depth in DEPTHS:
        tests = {}
        for way in BOXES:
            runs = [known([results(case) for case in _folds(name, way, depth, extent)]) for name in HERE]
            tests[way.title] = [value for value in (mean_of(found, "test", 100) for found in runs) if value is not None]
        means = {title: mean(values) if values else None for title, values in tests.items()}
        known_means = {title: value for title, value in means.items() if value is not None}
        if len(known_means) < len(BOXES):
            verdict = Verdict.OPEN
        else:
            greedy = max(known_means[way.title] for way in (ODT, OODG))
            ahead = min(known_means[way.title] for way in BIASES) >= greedy
            verdict = Verdict.REPRODUCED if ahead else Verdict.DIFFERS
        cells = (str(depth), *(shown(value) for value in means.values()), whole(len(tests[OODG.title])))
        lines.append(Line(cells, verdict, "a greedy way is ahead" if verdict is Verdict.DIFFERS else ""))
    headers = ("H", *(f"{way.title}, test %" for way in BOXES), "tables", "verdict")
    return Comparison(headers, tuple(lines))


NEAR = 1.0
"""Points by which a mean difference between two methods may be less than the paper's."""


def _scatter(better: Way, other: Way, key: str, claim: str) -> dict[str, Any]:
    """Cases and comparison of figures 7 and 8: two methods, one point per table and depth."""

    def compare(extent: Extent, results: Results) -> Comparison:
        lines = []
        for depth in DEPTHS:
            gaps, printed = [], []
            for name in HERE:
                first, second = (_printed(name, depth, way)[key] for way in (better, other))
                if first is not None and second is not None:
                    printed.append(first - second)
                pair = [mean_of(known([results(case) for case in _folds(name, way, depth, extent)]), key, 100)
                        for way in (better, other)]  # fmt: skip
                if pair[0] is not None and pair[1] is not None:
                    gaps.append(pair[0] - pair[1])
            ahead, behind = sum(gap > 0.05 for gap in gaps), sum(gap < -0.05 for gap in gaps)
            verdict = Verdict.OPEN
            if gaps:
                near = bool(printed) and mean(gaps) >= mean(printed) - NEAR
                verdict = Verdict.REPRODUCED if ahead >= behind or near else Verdict.DIFFERS
            cells = (str(depth), whole(len(gaps)), whole(ahead), whole(len(gaps) - ahead - behind), whole(behind))
            cells += tuple(shown(mean(found), 2) if found else NOTHING for found in (gaps, printed))
            lines.append(Line(cells, verdict, "see below" if verdict is Verdict.DIFFERS else ""))
        headers = ("H", "tables", f"{better.title} ahead", "equal", f"{other.title} ahead")
        means = ("mean difference, points", "in the paper's tables")
        return Comparison((*headers, *means, "verdict"), tuple(lines), (f"The paper's claim: {claim}",))

    return {"cases": lambda extent: _every((better, other), extent), "compare": compare}


_FULL, _MEDIUM = Extent(900, seeds=5), Extent(5, parts=2)
_SETTING = "five times five folds, Loandra for 15 minutes a run"
_COLUMNS = (
    "`breast-wisconsin` has 120 columns here and 89 in the paper; others differ by a few. Columns that tell nothing "
    "and rows that are equal are left out before our formulas are made, so that they have fewer literals."
)

TABLES = (
    PaperTable(
        "maxsat-3", "Table 3", "the data sets", "tables of the CP4IM project", Extent(60), Extent(5),
        lambda extent: [Case("maxsat.about", {"name": name}, extent.seconds) for name in extent.sets or HERE],
        _compare_3,
    ),
    PaperTable(
        "maxsat-4", "Table 4", "the fewest questions without errors on samples", "ten samples, 20 hours a run",
        Extent(3600, seeds=10), Extent(10, seeds=3),
        lambda extent: [case for name in extent.sets or HERE for share in SHARES for way in FEWEST
                        for case in _samples(name, way, share, extent)],
        _compare_4,
        causes="All try at most ten questions. The paper's means are over samples that both of its models solved.",
    ),
    PaperTable(
        "maxsat-5", "Table 5", "MaxSAT-BDD against MaxSAT-DT", _SETTING, _FULL, _MEDIUM,
        **_on_folds((MAXSAT, MAXSAT_DT, SEARCH)), causes=_COLUMNS + " `search` is this program's own exact search.",
    ),
    PaperTable(
        "maxsat-6", "Table 6", "CART, heuristic MaxSAT-BDD and MaxSAT-BDD", _SETTING, _FULL, _MEDIUM,
        **_on_folds((CART, HEURISTIC, MAXSAT)),
        causes="The search begins with a greedy diagram, and asks columns in the order of the table, which excludes no "
        "diagram.",
    ),
    PaperTable(
        "maxsat-f6", "Figure 6", "test accuracy by what cells without rows answer", _SETTING, _FULL, _MEDIUM,
        lambda extent: _every(BOXES, extent), _compare_6,
        causes="Reproduced where each of the three biases is at least as good as both greedy ways, on average.",
    ),
    PaperTable(
        "maxsat-f7", "Figure 7", "training accuracy of MaxSAT-BDD against OODG", _SETTING, _FULL, _MEDIUM,
        **_scatter(MAXSAT, OODG, "train", "MaxSAT-BDD has better training accuracy than OODG."),
    ),
    PaperTable(
        "maxsat-f8", "Figure 8", "test accuracy of heuristic and exact MaxSAT-BDD", _SETTING, _FULL, _MEDIUM,
        **_scatter(HEURISTIC, MAXSAT, "test", "the heuristic is competitive with the exact model on new rows."),
        causes="Reproduced where the heuristic wins as often as it loses, or where the mean difference is at most a "
        "point below that of the paper's table 6. At H = 5 and 6 the paper's exact model mostly ran out of time, which "
        "favours the heuristic; ours has more proofs.",
    ),
    PaperTable(
        "maxsat-splice", "Beyond the paper", "all 3,190 rows of splice-1 with its 287 yes/no columns",
        "divided into folds, and not proved at any depth (table 5)", Extent(900), Extent(120),
        lambda extent: [_splice(way, depth, extent) for way in (SEARCH, MAXSAT) for depth in DEPTHS], _compare_splice,
        causes="An open case: at H = 5 and 6 no proof is known.",
    ),
)  # fmt: skip

PAPER = Paper(
    "maxsat",
    "Hu, Huguet, Siala: *Optimizing Binary Decision Diagrams with MaxSAT for Classification*, AAAI 2022",
    "The CP4IM project has them as zeros and ones (dtai.cs.kuleuven.be/CP4IM/datasets).",
    TABLES,
    {"maxsat.about": about, "maxsat.fold": fold, "maxsat.sample": on_sample, "maxsat.all": on_all_rows},
)
