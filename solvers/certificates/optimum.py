"""Make a certificate that no tree costs less; it includes its checker, `optimum_checker`, as `check.py`."""

import csv
import io
import json
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ..constraints import rules_of
from ..constraints.rules import RuleListRule
from ..diagram import Diagram, to_json
from ..errors import CertificateError
from ..methods.search.clock import Clock
from ..methods.search.deadline import Deadline
from ..problem import Limits, Problem, ShapeKind
from ..problem.texts import MISSING_MARKS
from ..solution import AnswerRecord, Criterion, Solution, Stop
from . import optimum_bounds, optimum_checker, optimum_words
from .constraint_claims import Multipliers, constraint_claims, multipliers, unfold_claims
from .optimum_bounds import RejectedError, UndecidedError
from .optimum_checker import (
    FORMAT,
    VERSION,
)
from .optimum_words import (
    CASES,
    MAIN,
    README,
    WORDS,
    describe_smaller,
    in_words,
    readme,
    smaller_trees,
    statement,
)
from .permitted_cases import permitted_cases, rule_claims, tree_claim

CHECKER = "check.py"

# an installed package has another name
_OWN_IMPORT = re.compile(r"^from (__future__|\.)[^(\n]*(\([^)]*\))?\n", re.MULTILINE)


class OptimumReport(AnswerRecord, frozen=True):
    """The result of a certificate: the cost of the tree and the lower bound for all trees, in the run's units.

    `fault` says why nothing is proved, '' if it is proved; cost and bound are `None` if the check did not reach them.
    If the certificate claims that no tree costs less than the bound, `gap` is the difference. `left_out` lists
    constraints that the proof omits: the bound then covers more trees than are allowed. `statement` is the whole claim
    on one line, and `smaller` names the smaller trees that are claimed to cost more.
    `decided` is false if time ran out, and `path` is the zip file that was written, of `n_bytes`.
    """

    cost: float | None
    bound: float | None
    n_rows: int
    n_cases: int
    seconds: float
    fault: str = ""
    decided: bool = True
    path: str | None = None
    n_bytes: int = 0
    gap: float = 0.0
    left_out: tuple[str, ...] = ()
    statement: str = ""
    smaller: tuple[str, ...] = ()

    @property
    def accepted(self) -> bool:
        """Whether the claim of the certificate is proved."""
        return not self.fault

    @property
    def optimal(self) -> bool:
        """Whether the tree is proved optimal."""
        return self.accepted and not self.gap


def checker_text() -> str:
    """The checker as one file that does not need this program."""
    parts = [
        Path(str(module.__file__)).read_text("utf-8") for module in (optimum_bounds, optimum_words, optimum_checker)
    ]
    return "\n\n".join((parts[0], *(_OWN_IMPORT.sub("", part) for part in parts[1:])))


def uncertified(problem: Problem, diagram: Diagram | None) -> str:
    """Why a model cannot be certified, in a sentence; '' if it can."""
    if diagram is None:
        return (
            "There is no model to certify. To prove that every tree of a size makes errors, certify the optimal tree "
            "of the method 'contree'."
        )
    if diagram.kind is not ShapeKind.TREE and (problem.split_penalty or problem.shape.split_features != 1):
        return "BDDs and diagrams can be certified only without a split penalty and with splits on one column."
    if problem.objective.free_root:
        return "A certificate of optimality cannot describe a free first split."
    if rules_of(problem).of(RuleListRule):
        return "A certificate of optimality cannot describe trees with an exit at every split."
    return ""


def smallest_of(solution: Solution) -> Criterion | None:
    """The claim about smaller trees that a solution proves and a certificate can make; `None` for nothing.

    If contradictory rows allow several classes at the same cost, the search chooses one of them, so another choice
    might need a smaller tree.
    """
    known = solution.details.consistent
    if known is None or known.tied:
        return None
    if known.fewest_nodes:
        return known.least
    return None if known.least is Criterion.NODES or known.least_depth is None else Criterion.DEPTH_ALONE


def make_optimum_certificate(
    problem: Problem,
    diagram: Diagram | None,
    limits: Limits | None = None,
    stop: Stop | None = None,
    smallest: Criterion | None = None,
) -> dict[str, bytes]:
    """Make the files of a certificate that no allowed tree costs less than this one.

    Parameters
    ----------
    problem : the problem; diagram : the tree that was found.
    limits, stop : for the search for multipliers and the gap. If they end it, no gap is claimed.
    smallest : the claim that smaller trees cost more. `None` for no such claim.

    Raises
    ------
    CertificateError
        The model cannot be certified, see `uncertified`.
    """
    if fault := uncertified(problem, diagram):
        raise CertificateError(fault)
    assert diagram is not None
    limits, stop = limits or Limits(), stop or threading.Event()
    due = Deadline(limits, Clock(), stop).due
    folded = diagram.kind is not ShapeKind.TREE
    problem, left_out = unfold_claims(problem) if folded else (problem, [])
    distinct = permitted_cases(problem)
    tree, constraints = tree_claim(diagram, problem, distinct), constraint_claims(problem)
    constraints.left_out += left_out
    size = problem.size
    counts = distinct.cases.total(np.column_stack((np.ones(problem.dataset.n_samples, np.int64), *constraints.weights)))
    by_class = distinct.cases.class_weight
    bound_by = Multipliers()
    most = None
    if size.max_leaf_nodes is not None and size.max_leaf_nodes < 2**size.max_depth:
        most = size.max_leaf_nodes - 1
    cost = problem.cost(diagram.predict(problem.dataset), 0 if folded else diagram.n_splits)
    if constraints.sums or (most is not None and not smallest):
        bound_by = multipliers(problem, constraints, cost, most, due)
    claim = {
        "format": FORMAT,
        "version": VERSION,
        "depth": size.max_depth,
        "least_rows": size.min_samples_leaf,
        "least_weight": problem.min_weight_leaf,
        "price": problem.split_penalty,
        "scale": problem.scale,
        "max_splits": most,
        "more": bound_by.split,
        "parts": bound_by.cost,
        "groups": constraints.groups,
        "sums": constraints.sums,
        "multipliers": bound_by.sums,
        "left_out": constraints.left_out,
        "gap": 0,
        "folded": folded,
        "shallowest": smallest in (Criterion.DEPTH, Criterion.DEPTH_ALONE),
        "fewest": smallest in (Criterion.DEPTH, Criterion.NODES),
        "classes": list(problem.dataset.classes),
        "table": _table(problem),
        "orders": distinct.order_claims(problem.dataset),
        "rules": rule_claims(problem),
        "tree": tree,
    }
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    write(
        [
            *(f"rank_{o}" for o in range(len(distinct.rank))),
            "rows",
            *(f"class_{k}" for k in range(by_class.shape[1])),
            *(f"group_{g}" for g in range(len(constraints.groups))),
        ]
    )
    for line in np.column_stack((distinct.rank.T, counts[:, :1], by_class, counts[:, 1:])).tolist():
        write(line)
    files = {
        **_claim_files(claim, cost),
        CASES: out.getvalue().encode(),
        CHECKER: checker_text().encode(),
        "tree.json": to_json(diagram).encode(),
        WORDS: in_words(claim["tree"], claim).encode(),
    }
    if not smallest and (folded or constraints.sums or constraints.left_out or most is not None):
        with suppress(UndecidedError):
            claim["gap"] = cost - optimum_checker.check(files.__getitem__, due).bound
    return {**files, **_claim_files(claim, cost)}


def _claim_files(claim: dict[str, Any], cost: int) -> dict[str, bytes]:
    """The files that contain the claim."""
    return {README: readme(claim, cost).encode(), MAIN: json.dumps(claim, indent=1, ensure_ascii=False).encode()}


def _table(problem: Problem) -> dict[str, Any]:
    """How to read the table: outcome, row ranges, weights, costs, and marks of missing values."""
    data = problem.dataset
    order = np.argsort(data.rows)
    rows = data.rows[order]
    ends = np.flatnonzero(np.diff(rows, prepend=-1, append=rows[-1] + 2) != 1)
    return {
        "outcome": data.outcome,
        "rows": [[int(rows[a]), int(rows[b - 1])] for a, b in pairwise(ends)],
        "weights": None if data.weight is None else problem.weights[order].tolist(),
        "class_costs": problem.class_costs.tolist(),
        "missing": sorted(MISSING_MARKS),
        "absent": sorted(set(range(data.n_classes)) - set(data.y.tolist())),
    }


def check_optimum(
    read: Callable[[str], bytes], due: Callable[[], bool] = lambda: False, table: str | None = None
) -> OptimumReport:
    """Check a certificate with the checker code that it includes.

    Parameters
    ----------
    read : returns the content of a file by its name.
    due : whether to stop early.
    table : the text of a CSV file to compute the distinct rows from.
    """
    begun = time.monotonic()
    try:
        found = optimum_checker.check(read, due, table)
        claim = json.loads(read(MAIN))
        scale = claim["scale"]
    except (RejectedError, UndecidedError, CertificateError, ValueError, KeyError, TypeError) as error:
        decided = not isinstance(error, UndecidedError)
        return OptimumReport(None, None, 0, 0, time.monotonic() - begun, str(error), decided)
    cost, bound = found.cost / scale, found.bound / scale
    fault = "" if found.proved else f"The tree costs {cost:g}, and the bound is {bound:g}."
    if found.smaller:
        fault = f"A {found.smaller} may have the same cost."
    seconds, gap = time.monotonic() - begun, found.gap / scale
    left_out = tuple(map(str, claim["left_out"]))
    return OptimumReport(
        cost,
        bound,
        found.n_rows,
        found.n_cases,
        seconds,
        fault,
        gap=gap,
        left_out=left_out,
        statement=statement(claim, found.cost),
        smaller=tuple(describe_smaller(*one) for one in smaller_trees(claim)),
    )
