"""Forged certificates without the table: none passes that claims more than is true of its cases.

Releases are tested with `ESPALIER_CASES=2000`.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from solvers.certificates import make_optimum_certificate
from solvers.certificates.optimum_bounds import RejectedError, permits
from solvers.certificates.optimum_checker import check
from solvers.certificates.optimum_words import (
    CASES,
    MAIN,
    README,
    WORDS,
    in_words,
    n_rows_of,
    readme,
    smaller_trees,
    splits,
)
from solvers.constraints import MinSensitivity, OnlyColumns
from solvers.methods import get
from solvers.problem import Kind, Limits, Objective, Problem, Shape
from solvers.solution import Criterion
from tests.case_count import case_count
from tests.explain.worlds import never
from tests.strategies import make_dataset

FORGERIES = case_count(900, fewest=150)
N_PROBLEMS = 12


@cache
def honest(seed: int) -> dict[str, bytes]:
    """The certificate of a small table, with weights, costs, split penalties, leaf limits and constraints in turn."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 9))
    columns = {name: (Kind.NUMERIC, rng.integers(0, 4, n).tolist()) for name in "ab"}
    y = rng.permutation([0, 1, *rng.integers(0, 2 + seed % 2, n - 2).tolist()]).tolist()
    n_classes = max(y) + 1
    data = make_dataset(columns, y, n_classes=n_classes)
    if seed % 3 == 0:
        data = replace(data, weight=rng.integers(1, 4, n).astype(float))
    costs = np.ones((n_classes, n_classes)) + (rng.integers(0, 3, (n_classes, n_classes)) if seed % 4 == 1 else 0)
    objective = Objective(tuple(map(tuple, costs * (1 - np.eye(n_classes)))), 0.5 if seed % 4 == 2 else 0)
    leaves = 3 if seed % 5 == 4 else None
    shape = Shape(max_depth=1 + seed % 2, min_samples_leaf=1 + (seed % 5 == 1), max_leaf_nodes=leaves)
    constraints = (
        ((), (MinSensitivity("0.5", positive=data.classes[1]),), (OnlyColumns(("a",)),))[seed % 3]
        if n_classes == 2
        else ()
    )
    problem = Problem(data, shape, objective, constraints)
    solution = get("contree").run(problem, Limits(), lambda event: None, never)
    assert solution.diagram is not None
    certificate = make_optimum_certificate(problem, solution.diagram)
    plain = not (problem.split_penalty or constraints or leaves) and json.loads(certificate[MAIN])["gap"] == 0
    for smallest in (Criterion.NODES, Criterion.DEPTH)[seed % 4 == 3 :] if plain else ():
        claimed = make_optimum_certificate(problem, solution.diagram, smallest=smallest)
        certificate = claimed if check(claimed.__getitem__).proved else certificate
    return certificate


Lines = list[list[Any]]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to all values of a JSON document."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for name, part in parts for place in places(part, (*path, name)))][0 if path else 1 :]


def change_claim(claim: dict[str, Any], lines: Lines, rng: np.random.Generator) -> None:
    """Change some value of the claim."""
    *above, last = places(claim)[rng.integers(len(places(claim)))]
    holder: Any = claim
    for name in above:
        holder = holder[name]
    old = holder[last]
    if type(old) is int:
        holder[last] = max(0, old + int(rng.choice([-2, -1, 1, 2, 10])))
    elif type(old) is list and old:
        holder[last] = old[:-1] if rng.random() < 0.5 else [*old, old[int(rng.integers(len(old)))]]
    else:
        others: list[Any] = [None, 0, 1, True, False, [], {}, "", "1", 2.5]
        holder[last] = others[rng.integers(len(others))]


def change_cell(claim: dict[str, Any], lines: Lines, rng: np.random.Generator) -> None:
    """Change a number of the cases, often to 0."""
    i, j = rng.integers(1, len(lines)), rng.integers(len(lines[0]))
    lines[i][j] = int(rng.choice([0, 0, int(lines[i][j]) + 1, int(lines[i][j]) - 1, 50]))


def move_rows(claim: dict[str, Any], lines: Lines, rng: np.random.Generator) -> None:
    """Move rows or weight from one case to another, so that all sums stay the same."""
    i, k = rng.integers(1, len(lines), 2)
    for j in rng.choice(len(lines[0]), rng.integers(1, 4), replace=False):
        amount = int(rng.integers(0, int(lines[i][j]) + 1))
        lines[i][j], lines[k][j] = int(lines[i][j]) - amount, int(lines[k][j]) + amount


def change_lines(claim: dict[str, Any], lines: Lines, rng: np.random.Generator) -> None:
    """Remove or repeat a case."""
    i = int(rng.integers(1, len(lines)))
    if rng.random() < 0.5:
        del lines[i]
    else:
        lines.insert(i, list(lines[i]))


def empty_cases(claim: dict[str, Any], lines: Lines, rng: np.random.Generator) -> None:
    """Leave most cases without rows or without weight, so that most leaves are too small."""
    n = len(claim["orders"])
    for line in lines[2:]:
        moved = [n] if rng.random() < 0.5 else range(n + 1, len(lines[0]))
        for j in moved:
            lines[1][j], line[j] = int(lines[1][j]) + int(line[j]), 0
    claim["least_weight" if rng.random() < 0.5 else "least_rows"] = 1


def plant_tree(claim: dict[str, Any], lines: Lines, rng: np.random.Generator) -> None:
    """Replace the best tree by a leaf, or change its predictions."""

    def answered(tree: Any) -> Any:
        if "class" in tree:
            return {"class": int(rng.integers(len(claim["classes"])))}
        return {**tree, "low": answered(tree["low"]), "high": answered(tree["high"])}

    claim["tree"] = answered(claim["tree"] if rng.random() < 0.5 else {"class": 0})


def larger_claim(claim: dict[str, Any], lines: Lines, rng: np.random.Generator) -> None:
    """Claim deeper trees, smaller leaves, no gap, other multipliers, or no rules."""
    wider = [
        {"depth": claim["depth"] + 1},
        {"least_rows": 0},
        {"gap": 0},
        {"max_splits": None, "more": 0},
        {"more": int(rng.integers(0, 9)), "parts": int(rng.integers(1, 9))},
        {"multipliers": [int(rng.integers(0, 99)) for _ in claim["multipliers"]]},
        {"rules": []},
        {"price": claim["price"] + 1},
        {"shallowest": True},
        {"fewest": True},
    ]
    claim.update(wider[rng.integers(len(wider))])


CHANGES: tuple[Callable[[dict[str, Any], Lines, np.random.Generator], None], ...] = (
    change_claim,
    change_cell,
    move_rows,
    change_lines,
    empty_cases,
    plant_tree,
    larger_claim,
)


def forged(seed: int) -> dict[str, bytes]:
    """A certificate with one to four changes; its texts fit if the claim can be put into words, and sometimes lie."""
    rng = np.random.default_rng(seed)
    files = honest(int(rng.integers(N_PROBLEMS)))
    claim, lines = json.loads(files[MAIN]), list(csv.reader(io.StringIO(files[CASES].decode())))
    try:
        for _ in range(rng.integers(1, 5)):
            CHANGES[rng.integers(len(CHANGES))](claim, lines, rng)
    except (LookupError, TypeError, ValueError):
        pass  # an earlier change left nothing for this one
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(lines)
    texts = {MAIN: json.dumps(claim).encode(), CASES: out.getvalue().encode()}
    try:
        cost = cost_of(claim, cases_of(claim, lines), claim["tree"])
        text = readme(claim, cost)
        texts[WORDS] = in_words(claim["tree"], claim).encode()
    except Exception:  # a meaningless claim has no text
        return {**files, **texts}
    lies = [
        text.replace(f"costs {cost}", f"costs {cost // 2}", 1),
        "No tree of any depth costs less.\n\n" + text,
        text.replace("depth at most", "any depth, and of depth at most"),
        files[README].decode(),
    ]
    return {**texts, README: (text if rng.random() < 0.85 else lies[rng.integers(len(lies))]).encode()}


def cases_of(claim: dict[str, Any], lines: Lines) -> list[dict[str, Any]]:
    """The cases as a reader parses them: ranks, number of rows, and weights by class and group."""
    n, k = len(claim["orders"]), len(claim["classes"])
    read = []
    for line in lines[1:]:
        numbers = [int(cell) for cell in line]
        read.append(
            {
                "ranks": numbers[:n],
                "rows": numbers[n],
                "classes": numbers[n + 1 : n + 1 + k],
                "groups": numbers[n + 1 + k :],
            }
        )
    return read


def leaf_cost(claim: dict[str, Any], here: list[dict[str, Any]], answer: int) -> int:
    """The cost of a prediction for some cases, by the misclassification costs of the claim."""
    paid = claim["table"]["class_costs"]
    return sum(weight * paid[k][answer] for one in here for k, weight in enumerate(one["classes"]))


def cost_of(claim: dict[str, Any], here: list[dict[str, Any]], tree: Any) -> int:
    """The cost of a tree."""
    if "class" in tree:
        return leaf_cost(claim, here, tree["class"])
    low = [one for one in here if one["ranks"][tree["order"]] <= tree["last"]]
    high = [one for one in here if one["ranks"][tree["order"]] > tree["last"]]
    return int(claim["price"]) + cost_of(claim, low, tree["low"]) + cost_of(claim, high, tree["high"])


Sums = tuple[Any, ...]
"""The sums of a tree: its cost, number of splits and depth, and the amount of each constraint."""


def trees(
    claim: dict[str, Any],
    here: list[dict[str, Any]],
    depth: int,
    whole: list[int],
    fixed: Any,
    above: frozenset[str] = frozenset(),
) -> set[Sums]:
    """The sums of every allowed tree, by enumeration."""
    if not here:
        return set()
    found: set[Sums] = set()
    enough = sum(one["rows"] for one in here) >= claim["least_rows"]
    enough &= sum(sum(one["classes"]) for one in here) >= claim["least_weight"]
    if enough and fixed.get("fixed") is not True:
        for k in range(len(claim["classes"])):
            amounts = [
                sum(
                    Fraction(times) * sum(one["groups"][group] for one in here) / (1 if of is None else whole[of])
                    for times, group, answers, of in limit["terms"]
                    if k in answers
                )
                for limit in claim["sums"]
            ]
            found.add((leaf_cost(claim, here, k), 0, 0, *amounts))
    for o, order in enumerate(claim["orders"] if depth else ()):
        column = order["column"]
        if not all(permits(rule, above, column) for rule in claim["rules"]):
            continue
        for last in sorted({one["ranks"][o] for one in here})[:-1]:
            begun = fixed.get("fixed") is True
            if begun and (fixed["order"], fixed["last"]) != (o, last):
                continue
            low, high = ([one for one in here if (one["ranks"][o] <= last) is side] for side in (True, False))
            below = above | {column}
            first = trees(claim, low, depth - 1, whole, fixed["low"] if begun else {}, below)
            second = trees(claim, high, depth - 1, whole, fixed["high"] if begun else {}, below) if first else set()
            for one in first:
                found |= {
                    (
                        one[0] + other[0] + claim["price"],
                        one[1] + other[1] + 1,
                        1 + max(one[2], other[2]),
                        *(a + b for a, b in zip(one[3:], other[3:], strict=True)),
                    )
                    for other in second
                }
    return found


def more_than_true(files: dict[str, bytes]) -> str:
    """The first false claim of an accepted certificate, by brute force over its cases; '' if there is none."""
    claim = json.loads(files[MAIN])
    cases = cases_of(claim, list(csv.reader(io.StringIO(files[CASES].decode()))))
    cost = cost_of(claim, cases, claim["tree"])
    whole = [sum(one["groups"][g] for one in cases) for g in range(len(claim["groups"]))]
    allowed = [
        sums
        for sums in trees(claim, cases, min(claim["depth"], 4), whole, claim["tree"])
        if (claim["max_splits"] is None or sums[1] <= claim["max_splits"])
        and all(a <= Fraction(one["most"]) for a, one in zip(sums[3:], claim["sums"], strict=True))
    ]
    weights = claim["table"]["weights"] or [1] * n_rows_of(claim)
    if files[README].decode() != readme(claim, cost):
        return "README tells something else"
    if min(sums[0] for sums in allowed) < cost - claim["gap"]:
        return "there is a better tree"
    for depth, most in smaller_trees(claim):
        if any(s[0] <= cost and s[2] <= depth and (most is None or s[1] <= most) for s in allowed):
            return "a smaller tree costs as little"
    if not any(sums[:2] == (cost, splits(claim["tree"])) for sums in allowed):
        return "the tree is not allowed"
    if min(one["rows"] for one in cases) < 1 or min(sum(one["classes"]) for one in cases) < min(weights):
        return "a case has no rows, or weighs nothing"
    if sum(one["rows"] for one in cases) != n_rows_of(claim):
        return "there are other rows"
    return "" if sum(sum(one["classes"]) for one in cases) == sum(weights) else "the rows weigh something else"


def end_of(seed: int) -> str:
    """The outcome of the check of a forged certificate."""
    files = forged(seed)
    try:
        found = check(files.__getitem__)
    except RejectedError:
        return "rejected"
    if not found.proved:
        return "not proved"
    fault = more_than_true(files)
    assert not fault, (seed, fault, files[README].decode().splitlines()[2])
    return "true"


def test_no_forged_certificate_proves_more_than_is_true_of_its_cases() -> None:
    """Random changes of claim, cases and README, compared with all trees over the cases."""
    assert all(
        check(honest(seed).__getitem__).proved and not more_than_true(honest(seed)) for seed in range(N_PROBLEMS)
    )
    ends = Counter(end_of(seed) for seed in range(FORGERIES))
    print(f"\n{FORGERIES} forged certificates: {dict(ends)}")
    # if all certificates were rejected, the test would find nothing
    assert ends["true"] > FORGERIES // 50 and ends["not proved"] > FORGERIES // 50


def simple(cases: list[list[int]], **changes: Any) -> dict[str, bytes]:
    """A certificate that the leaf 'c0' is optimal at depth 1, for cases of one column: rank, rows, two classes."""
    claim = json.loads(honest(0)[MAIN])
    order = {"column": "a", "levels": None, "dates": False, "missing": None, "within": None}
    claim |= {"depth": 1, "orders": [order], "rules": [], "groups": [], "sums": [], "multipliers": [], "left_out": []}
    claim |= {"tree": {"class": 0}, "classes": ["no", "yes"], "gap": 0, "more": 0, "parts": 1, "max_splits": None}
    rows = [[1, sum(line[1] for line in cases)]]
    claim["table"] |= {"rows": rows, "weights": None, "class_costs": [[0, 1], [1, 0]], "absent": []}
    claim |= {"least_rows": 1, "least_weight": 0, "price": 0, "scale": 1}
    claim |= {"shallowest": False, "fewest": False}
    claim["table"] |= changes.pop("table", {})
    claim |= changes
    lines = ["rank_0,rows,class_0,class_1", *(",".join(map(str, line)) for line in cases)]
    cost = sum(line[3] for line in cases)
    texts = {README: readme(claim, cost), WORDS: in_words(claim["tree"], claim), CASES: "\n".join(lines)}
    return {MAIN: json.dumps(claim).encode(), **{name: text.encode() for name, text in texts.items()}}


FORGED = {
    "a case of no rows": simple([[0, 100, 50, 50], [1, 0, 0, 50]]),
    "a case that weighs nothing": simple([[0, 50, 50, 50], [1, 50, 0, 0]], least_weight=1),
    "rows that are negative": simple([[0, 150, 100, 50], [1, -50, 0, 50]]),
    "weights of other rows": simple([[0, 1, 1, 0], [1, 1, 0, 9]], table={"weights": [1, 2]}),
    "a case heavier than its rows can be": simple([[0, 1, 1, 0], [1, 1, 0, 9]], table={"weights": [5, 5]}),
    "a class without rows": simple([[0, 2, 2, 0], [1, 2, 2, 0]]),
}


@pytest.mark.parametrize("kind", FORGED)
def test_cases_that_no_rows_can_give_are_rejected(kind: str) -> None:
    """Number, sum, minimum and maximum of rows and weights must fit the claim."""
    assert not check(simple([[0, 50, 50, 0], [1, 50, 0, 50]]).__getitem__).proved
    assert check(simple([[0, 50, 30, 20], [1, 50, 30, 20]]).__getitem__).proved
    with pytest.raises(RejectedError):
        check(FORGED[kind].__getitem__)


@pytest.mark.parametrize("lie", ["No tree of any size costs less.\n\n{}", "{}\nIt is optimal for all patients.\n"])
def test_a_readme_that_adds_a_claim_is_rejected(lie: str) -> None:
    """The whole text must be the one that follows from the claim."""
    files = honest(0)
    with pytest.raises(RejectedError, match=README):
        check({**files, README: lie.format(files[README].decode()).encode()}.__getitem__)
