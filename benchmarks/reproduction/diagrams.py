"""Florio, Martins, Schiffer, Serra, Vidal: Optimal Decision Diagrams for Classification (AAAI 2023)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.reproduction.diagram_cases import CONSTRAINTS, TREE, case, extension
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
    shown,
)
from benchmarks.tables import NOTHING, digits, whole
from solvers.problem.skeleton import PRESETS

ALPHAS = (0.01, 0.1, 0.2, 0.5, 1.0)
SKELETONS = (*PRESETS, TREE)

PROVED = {
    "I": (152, 155, 162, 179, 225), "II": (150, 154, 162, 179, 227), "III": (148, 152, 161, 177, 223),
    "IV": (149, 156, 163, 178, 226), TREE: (155, 158, 163, 177, 225),
}  # fmt: skip
IMPROVED = {
    "I": (35, 91, 134, 202, 202), "II": (36, 91, 124, 194, 193), "III": (38, 89, 129, 200, 205),
    "IV": (62, 124, 150, 226, 221), TREE: (30, 98, 131, 208, 207),
}  # fmt: skip
RUNS = 540
"""Table 1: runs proved and improved by alpha, of 54 data sets in five divisions, with splits of both kinds."""

TABLE_2 = {True: (0.828, 0.827, 0.823, 0.823), False: (0.840, 0.838, 0.837, 0.835)}
FLOWS = (0.05, 0.10, 0.15, 0.20)
"""Table 2: test accuracy if every split gets a share of the rows; sums of columns, and single columns."""

SMALL = (
    "echocardiogram", "hepatitis", "acute-inflammations-nephritis", "iris", "teaching-assistant-evaluation",
    "hayes-roth", "wine", "seeds", "thyroid-new",
)  # fmt: skip
"""The nine tables of at most 110 training rows."""

HERE = (
    *SMALL, "acute-inflammations-urinary", "balance-scale", "banknote-authentication",
    "blood-transfusion-service", "breast-cancer-prognostic", "breast-cancer-wisconsin", "car-evaluation",
    "chess-kr-vs-kp", "climate-simulation-crashes", "congressional-voting", "connectionist-vowel",
    "contraceptive-method-choice", "credit-approval", "cylinder-bands", "dermatology", "habermans-survival",
    "heart-disease-cleveland", "image-segmentation", "ionosphere", "mammographic-mass", "monks1", "monks2",
    "monks3", "optical-recognition", "ozone-eighthr", "ozone-onehr", "pima-indians-diabetes",
    "qsar-biodegradation", "seismic-bumps", "spambase", "spect-heart", "spectf-heart", "statlog-german-credit",
    "statlog-landsat-satellite", "thoracic-surgery", "thyroid-ann", "tic-tac-toe", "wall-following-robot-2",
)  # fmt: skip

MIDDLE = (
    *SMALL, "acute-inflammations-urinary", "breast-cancer-prognostic", "climate-simulation-crashes",
    "congressional-voting", "cylinder-bands", "dermatology", "habermans-survival", "heart-disease-cleveland",
    "ionosphere", "monks1", "monks3", "spect-heart", "spectf-heart", "thoracic-surgery",
)  # fmt: skip
"""The 23 tables of at most 600 rows, on which `medium` compares diagrams and trees."""

FAIR, FEW, STEADY = 0.8, 3, 0.1
KINDS = {"single columns": False, "sums": True}


def _extension(name: str, constraint: str, extent: Extent) -> Case:
    return Case("diagrams.extension", {"name": name, "constraint": constraint}, extent.seconds)


def _compare_extensions(extent: Extent, results: Results) -> Comparison:
    lines = []
    for name in extent.sets or HERE:
        free = clean(results(_extension(name, "none", extent)))
        for constraint in CONSTRAINTS:
            run = clean(results(_extension(name, constraint, extent)))
            cheaper = free.get("proved") and run.get("cost") is not None and run["cost"] < free["cost"] - 1e-9
            verdict = Verdict.DIFFERS if cheaper else Verdict.OWN if run else Verdict.OPEN
            cells = [name, constraint, run.get("status", NOTHING), shown(_of_rows(run, "cost"), 5)]
            cells += [shown(_of_rows(run, "bound"), 5), whole(run.get("questions")), shown(run.get("cpu"), 2)]
            lines.append(Line(tuple(cells), verdict, "below the free optimum" if verdict is Verdict.DIFFERS else ""))
    headers = ("table", "constraint", "status", "objective", "lower bound", "questions", "CPU s", "verdict")
    return Comparison(headers, tuple(lines))


def _of_rows(run: Result, key: str) -> float | None:
    return None if run.get(key) is None else run[key] / run["n"]


def _small(extent: Extent) -> list[list[Case]]:
    """By table and alpha the diagram and the tree, both with sums of columns, without the paper's construction.

    The search for diagrams spends half of its time among trees, so the search for trees has half of the limit.
    """
    return [
        [
            Case("diagrams.case", {**_case(name, skeleton, alpha, True, 0, extent).arguments, "built": False}, seconds)
            for skeleton, seconds in (("I", extent.seconds), (TREE, extent.seconds / 2))
        ]
        for name in extent.sets or SMALL
        for alpha in ALPHAS
    ]  # fmt: skip


def _case(name: str, skeleton: str, alpha: float, sums: bool, seed: int, extent: Extent, flow: float = 0.0) -> Case:
    asked: dict[str, Any] = {"name": name, "skeleton": skeleton, "alpha": alpha, "sums": sums, "seed": seed}
    return Case("diagrams.case", {**asked, "flow": flow} if flow else asked, extent.seconds)


def _runs(skeleton: str, alpha: float, sums: bool, extent: Extent) -> list[Case]:
    return [_case(name, skeleton, alpha, sums, seed, extent) for name in extent.sets or HERE
            for seed in range(extent.seeds)]  # fmt: skip


def _all(extent: Extent) -> list[Case]:
    return [one for sums in KINDS.values() for skeleton in SKELETONS for alpha in ALPHAS
            for one in _runs(skeleton, alpha, sums, extent)]  # fmt: skip


def _improved(run: Result) -> bool:
    return run.get("built") is not None and run.get("cost") is not None and run["cost"] < run["built"] - 1e-9


def _compare_1(extent: Extent, results: Results) -> Comparison:
    lines = []
    for skeleton in SKELETONS:
        for i, alpha in enumerate(ALPHAS):
            by_kind = {
                sums: known([results(c) for c in _runs(skeleton, alpha, sums, extent)]) for sums in (False, True)
            }
            both = [*by_kind[False], *by_kind[True]]
            paper = 100 * PROVED[skeleton][i] / RUNS
            either = 100 * (PROVED[skeleton][i] + IMPROVED[skeleton][i]) / RUNS
            ours = _share([run["proved"] for run in both])
            verdict, cause = higher(paper, ours, 5, "a shorter limit, other tables")
            if ours is not None and extent.sets is not None:
                # shares of selected tables are not comparable with the paper's
                verdict, cause = Verdict.OWN, "these tables are small"
            cells = [skeleton, f"{alpha:g}", whole(len(both)), shown(paper, 0)]
            cells += [shown(_share([run["proved"] for run in by_kind[sums]]), 0) for sums in (False, True)]
            cells += [shown(ours, 0), shown(either, 0), shown(_share([r["proved"] or _improved(r) for r in both]), 0)]
            seconds = [run["cpu"] for run in both if run["proved"]]
            cells.append(digits(max(float(np.median(seconds)), 0.01), 2) if seconds else NOTHING)
            lines.append(Line(tuple(cells), verdict, cause))
    headers = (
        "skeleton",
        "alpha",
        "cases",
        "proved %: paper",
        "single columns",
        "sums",
        "both",
        "proved or improved %: paper",
    )
    return Comparison((*headers, "ours", "median CPU s of proofs", "verdict"), tuple(lines))


def _share(flags: Sequence[bool]) -> float | None:
    return 100 * sum(flags) / len(flags) if flags else None


def _chosen(name: str, seed: int, sums: bool, skeletons: Sequence[str], extent: Extent, results: Results) -> Result:
    """The run that is best on the validation rows; among ties the one with fewer splits. Empty without any."""
    runs = known([results(_case(name, skeleton, alpha, sums, seed, extent)) for skeleton in skeletons
                  for alpha in ALPHAS])  # fmt: skip
    runs = [run for run in runs if run.get("valid") is not None]
    return max(runs, key=lambda run: (run["valid"], -run["questions"]), default={})


def _pairs(sums: bool, extent: Extent, results: Results) -> Iterator[tuple[str, float, float]]:
    """Test accuracy of the best diagram and the best tree of each table and seed, both of two splits or more."""
    for name in extent.sets or HERE:
        for seed in range(extent.seeds):
            diagram = _chosen(name, seed, sums, tuple(PRESETS), extent, results)
            tree = _chosen(name, seed, sums, (TREE,), extent, results)
            if diagram and tree and min(diagram["questions"], tree["questions"]) > 1:
                yield name, 100 * diagram["test"], 100 * tree["test"]


def _compare_f2(extent: Extent, results: Results) -> Comparison:
    lines, remarks = [], []
    for title, sums in KINDS.items():
        pairs = list(_pairs(sums, extent, results))
        diagrams, trees = (np.array([pair[i] for pair in pairs]) for i in (1, 2))
        for model, values in (("diagrams", diagrams), ("trees", trees)):
            quartiles = np.quantile(values, (0.25, 0.5, 0.75)) if len(values) else []
            mean = float(values.mean()) if len(values) else None
            cells = (title, model, whole(len(values)), shown(mean), *(shown(float(q)) for q in quartiles))
            cells += (NOTHING,) * (7 - len(cells))
            lines.append(Line(cells, *_claim(diagrams - trees, sums)))
        if pairs:
            gaps = diagrams - trees
            ahead, behind = int((gaps > 0).sum()), int((gaps < 0).sum())
            remarks.append(
                f"{title}: the diagram is better on {ahead}, equal on {len(pairs) - ahead - behind} and worse on "
                f"{behind} of {len(pairs)} runs; {gaps.mean():+.1f} ± {_error(gaps):.1f} points on average."
            )
    headers = (
        "questions about",
        "model",
        "runs",
        "mean test %",
        "first quartile",
        "median",
        "third quartile",
        "verdict",
    )
    return Comparison(headers, tuple(lines), tuple(remarks))


def _error(gaps: np.ndarray) -> float:
    """The standard error of a mean."""
    return float(gaps.std(ddof=1) / len(gaps) ** 0.5) if len(gaps) > 1 else np.inf


def _claim(gaps: np.ndarray, sums: bool) -> tuple[Verdict, str]:
    """Whether diagrams beat trees significantly with sums of columns; whether both are equal with single columns."""
    if not len(gaps):
        return Verdict.OPEN, ""
    if sums:
        holds = gaps.mean() > 2 * _error(gaps)
        return (Verdict.REPRODUCED, "") if holds else (Verdict.DIFFERS, "no difference beyond chance")
    holds = abs(gaps.mean()) < max(2.0, 2 * _error(gaps))
    return (Verdict.REPRODUCED, "") if holds else (Verdict.DIFFERS, f"{gaps.mean():+.1f} points")


def _compare_small(extent: Extent, results: Results) -> Comparison:
    lines = []
    for cases in _small(extent):
        pair = [clean(results(case)) for case in cases]
        cells = [cases[0].arguments["name"], f"{cases[0].arguments['alpha']:g}"]
        for run in pair:
            cells += [f"{run['cost']:.5f}{'*' * run['proved']}" if run.get("cost") is not None else NOTHING]
            cells += [shown(run.get("bound"), 5), whole(run.get("questions"))]
        if not all(run.get("cost") is not None for run in pair):
            verdict, cause = Verdict.OPEN, ""
        elif pair[1]["cost"] < pair[0]["cost"] - 1e-9:
            # every tree of the skeleton is a diagram of it
            verdict, cause = Verdict.DIFFERS, "the diagram is not the best yet"
        else:
            equal = pair[1]["cost"] < pair[0]["cost"] + 1e-9
            verdict, cause = Verdict.OWN, "equal" if equal else "the diagram is better"
        lines.append(Line(tuple(cells), verdict, cause))
    headers = (
        "table",
        "alpha",
        "diagram: objective",
        "lower bound",
        "questions",
        "tree: objective",
        "lower bound",
        "questions",
    )
    return Comparison((*headers, "verdict"), tuple(lines))


def _flows(sums: bool, flow: float, extent: Extent) -> list[Case]:
    return [_case(name, "I", 0.2, sums, seed, extent, flow) for name in extent.sets or HERE
            for seed in range(extent.seeds)]  # fmt: skip


def _compare_2(extent: Extent, results: Results) -> Comparison:
    lines = []
    for title, sums in KINDS.items():
        columns = [[results(c) for c in _flows(sums, flow, extent)] for flow in FLOWS]
        # only the runs available for every share
        rows = [row for row in zip(*columns, strict=True) if all(clean(run).get("test") is not None for run in row)]
        means = [float(np.mean([row[i]["test"] for row in rows])) if rows else None for i in range(len(FLOWS))]
        for i, flow in enumerate(FLOWS):
            lost = None if means[i] is None else 100 * (means[i] - means[0])
            paper = 100 * (TABLE_2[sums][i] - TABLE_2[sums][0])
            verdict, cause = higher(paper, lost, 1, "other tables")
            ours = None if means[i] is None else 100 * means[i]
            cells = (title, f"{flow:.0%}", whole(len(rows)), shown(100 * TABLE_2[sums][i]), shown(ours))
            lines.append(Line((*cells, shown(paper), shown(lost)), verdict, cause))
    headers = (
        "questions about",
        "rows at every question",
        "runs",
        "test %: paper",
        "ours",
        "lost, points: paper",
        "ours",
    )
    return Comparison((*headers, "verdict"), tuple(lines))


ASSISTANTS = "teaching-assistant-evaluation"


def _thinner(diagram: int, tree: int, diagram_share: float, tree_share: float) -> tuple[Verdict, str]:
    """Whether a diagram asks its questions of more rows on average than a tree of as many questions, as in the figure.

    More questions lower the mean share of any model, and with two questions no branches can meet again.
    """
    if diagram != tree:
        return Verdict.OWN, "different numbers of questions"
    if tree < 3:
        return Verdict.OWN, "too few questions for branches to rejoin"
    if diagram_share >= tree_share:
        return Verdict.REPRODUCED, ""
    return Verdict.DIFFERS, "the tree's questions are asked of more rows"


def _compare_f4(extent: Extent, results: Results) -> Comparison:
    lines = []
    for title, sums in KINDS.items():
        for alpha in ALPHAS:
            pair = [clean(results(_case(ASSISTANTS, skeleton, alpha, sums, 0, extent))) for skeleton in ("II", TREE)]
            if not all(run.get("shares") for run in pair):
                lines.append(Line((title, f"{alpha:g}", *[NOTHING] * 6), Verdict.OPEN))
                continue
            least = [100 * run["shares"][-1] for run in pair]
            mean = [100 * float(np.mean(run["shares"])) for run in pair]
            cells = [title, f"{alpha:g}", *(whole(run["questions"]) for run in pair)]
            cells += [*(shown(value, 0) for value in mean), *(shown(value, 0) for value in least)]
            lines.append(Line(tuple(cells), *_thinner(*(run["questions"] for run in pair), *mean)))
    headers = (
        "questions about",
        "alpha",
        "questions: diagram",
        "tree",
        "mean % of rows at a question: diagram",
        "tree",
    )
    return Comparison((*headers, "least %: diagram", "tree", "verdict"), tuple(lines))


_SETTING = "54 data sets, five divisions (50, 25, 25 %), Gurobi for 600 s after 60 s of construction"
_FULL, _MEDIUM = Extent(600, seeds=5), Extent(3)
TABLES = (
    PaperTable(
        "diagrams-1", "Table 1", "runs proved, and improved beyond the construction", _SETTING, _FULL,
        replace(_MEDIUM, sets=MIDDLE), _all,
        _compare_1,
        causes="Of the paper's 54 data sets 47 are published in this form. The construction has a tenth of the limit "
        "everywhere, also for trees; 'improved' is measured against it in skeleton I. Trees about single columns are "
        "those of `contree`, trees with sums are those of `odd-search --topology tree`.",
    ),
    PaperTable(
        "diagrams-f2", "Figures 2 and 3", "test accuracy of diagrams and trees", _SETTING, _FULL,
        replace(_MEDIUM, sets=MIDDLE), _all,
        _compare_f2,
        causes="Skeleton and alpha are chosen on the rows to choose by, as in the paper; runs in which either model "
        "has fewer than two questions are left out. Reproduced where diagrams with sums are ahead by more than "
        "two standard errors, and where those about single columns are within two points.",
    ),
    PaperTable(
        "diagrams-f4", "Figure 4", "how thinly a tree and a diagram cut the rows of teaching assistants",
        "an optimal tree and diagram of seven questions each", _FULL, Extent(10),
        lambda extent: [_case(ASSISTANTS, skeleton, alpha, sums, 0, extent) for sums in KINDS.values()
                        for alpha in ALPHAS for skeleton in ("II", TREE)],
        _compare_f4,
        causes="The figure has a diagram and a tree of seven questions each, so only pairs of equally many questions "
        "have a verdict. Which pairs are equal depends on the limit, as diagrams are not proved: with more time they "
        "cost less, with other numbers of questions.",
    ),
    PaperTable(
        "diagrams-2", "Table 2", "test accuracy where every question is asked of so many rows",
        "skeleton and alpha chosen by validation", _FULL, _MEDIUM,
        lambda extent: [one for sums in KINDS.values() for flow in FLOWS for one in _flows(sums, flow, extent)],
        _compare_2,
        causes="Ours are skeleton I with alpha 0.2; the verdict is about the loss against 5 %, as the tables differ.",
    ),
    PaperTable(
        "diagrams-extensions", "Discussion", "fairness, parsimony and stability (equations 19 and 20)",
        "no figures", Extent(600), Extent(5),
        lambda extent: [_extension(name, one, extent) for name in extent.sets or HERE for one in CONSTRAINTS],
        _compare_extensions,
        causes="Skeleton I, alpha 0.2, questions about single columns: the four-fifths rule between the two groups of "
        "the first column that has two values, at most three questions, and a tenth of the rows at every question. "
        "As a term of the objective, fairness is a price on the trade-off curve of this constraint, not measured here.",
    ),
    PaperTable(
        "diagrams-small", "Beyond the paper", "optimal trees and diagrams with sums of columns on nine small tables",
        "no such table", Extent(600), Extent(40),
        lambda extent: [one for cases in _small(extent) for one in cases],
        _compare_small,
        causes="\\* proved. Skeleton I, seed 0; the objective is the share of wrong rows and alpha / 14 for each "
        "question besides the first. Open cases are those without a star: small alpha, and above all hayes-roth and "
        "teaching-assistant-evaluation. A diagram behind a tree needs more time: hayes-roth at alpha 0.1 has 0.141 "
        "after 8 s, where the tree has 0.134, and 0.123 after 40 s; at alpha 0.01 0.104, 0.103 and 0.091. Trees have "
        "half of the limit, as the search for diagrams spends half of its time among trees.",
    ),
)  # fmt: skip

PAPER = Paper(
    "diagrams",
    "Florio, Martins, Schiffer, Serra, Vidal: *Optimal Decision Diagrams for Classification*, AAAI 2023",
    "All are in the UCI repository; the paper's project (github.com/vidalt/Decision-Diagrams) has them as numbers.",
    TABLES,
    {"diagrams.case": case, "diagrams.extension": extension},
)
