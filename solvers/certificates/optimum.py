"""Make a certificate that no tree costs less; `optimum_checker` checks it, and is part of it as `check.py`."""

import csv
import io
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from solvers.certificates import optimum_checker
from solvers.certificates.certificate import plain_tree
from solvers.certificates.claims import tree_to_json
from solvers.certificates.optimum_checker import CASES, FORMAT, MAIN, VERSION, RejectedError, UndecidedError
from solvers.constraints import rules_of
from solvers.diagram import Diagram, to_json, to_rules
from solvers.errors import CertificateError
from solvers.explain import solver
from solvers.methods.cells import class_weights
from solvers.methods.trees.smallest.cases import distinct_cases
from solvers.problem import Limits, Problem, ShapeKind
from solvers.solution import Stop

CHECKER = "check.py"

_MOST_PRICES = 30

_README = f"""\
# A certificate of optimality

The tree in `tree.txt` costs {{cost}}, and no tree {{size}} costs less. To check it with Python and numpy alone:

    python {CHECKER} THIS_FILE_OR_FOLDER

`{CHECKER}` is short, says by which rules it computes its bound, and shares no code with the search that found the tree.

- `{MAIN}`: what is claimed, and the tree over the orders of questions.
- `{CASES}`: the distinct cases of the table; no values. `rank_o` is the number of questions of order o that a case
  answers with no; `rows` are the rows that it stands for; `cost_k` is what it costs to answer class k for all of them.
- `tree.txt`, `tree.json`: the tree in words, and for programs.

Costs are whole numbers: {{scale}} of them are one in the units of the run.
"""


@dataclass(frozen=True)
class OptimumReport:
    """What came of it: the cost of the tree and the bound on every other, in the run's units.

    `fault` says why nothing is proved, '' where it is; cost and bound are `None` where the check did not come to them.
    `decided` is false where the time was up before, and `path` is the zip file that was written, of `n_bytes`.
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

    @property
    def accepted(self) -> bool:
        """Whether no tree costs less."""
        return not self.fault


def uncertified(problem: Problem, diagram: Diagram | None) -> str:
    """Why there is no such certificate for a model, in a sentence; '' where there can be one."""
    if diagram is None or diagram.kind is not ShapeKind.TREE:
        return "There is no tree to certify."
    if problem.min_leaf_weight > 0 or problem.objective.free_root:
        return "A certificate of optimality cannot tell of a least weight of leaves, or of a free first split."
    if rules_of(problem):
        return "A certificate of optimality cannot tell of constraints other than those on size and rows of a leaf."
    return ""


def multiplier(problem: Problem, diagram: Diagram, limits: Limits, stop: Stop) -> Fraction | None:
    """What a split must cost more, so that no tree costs less than this one, even if it had all splits allowed.

    The least costs of trees by their splits need not be convex, so there may be none: then, and where the time ends, it
    is `None`. It is looked for between the prices at which the tree is level with those that were best at other prices.

    Parameters
    ----------
    problem : with a limit on the leaves that binds.
    limits, stop : for each search at a price.
    """
    solve = solver("contree")
    free = replace(problem, shape=replace(problem.size, max_leaf_nodes=None, max_splits=None), constraints=())
    own, most = problem.cost(diagram.predict(problem.dataset), diagram.n_splits), (problem.size.max_leaf_nodes or 1) - 1
    low, high = Fraction(0), Fraction(own if diagram.n_splits == most else 0)
    for _ in range(_MOST_PRICES):
        more = Fraction(round((low + high) / 2 * 1000), 1000) if high - low > Fraction(1, 250) else (low + high) / 2
        price = (problem.split_cost + more) / problem.scale
        found = solve(
            replace(free, objective=replace(problem.objective, split_cost=float(price))), limits, _unheard, stop
        )
        if found.diagram is None or stop.is_set():
            return None
        other = found.diagram
        cost, n_other = problem.cost(other.predict(problem.dataset), other.n_splits), other.n_splits
        if cost + more * n_other >= own + more * most:
            return more
        if n_other == most:
            return None
        level = Fraction(own - cost, n_other - most)
        low, high = (max(low, level), high) if n_other > most else (low, min(high, level))
        if low > high:
            return None
    return None


def make_optimum_certificate(
    problem: Problem, diagram: Diagram | None, limits: Limits | None = None, stop: Stop | None = None
) -> dict[str, bytes]:
    """The files of a certificate that a tree costs as little as any that is allowed.

    Parameters
    ----------
    problem : what was asked; diagram : the tree that was found.
    limits, stop : used where a limit on the leaves binds, see `multiplier`.

    Raises
    ------
    CertificateError
        There can be none, see `uncertified` and `multiplier`.
    """
    if fault := uncertified(problem, diagram):
        raise CertificateError(fault)
    assert diagram is not None
    distinct = distinct_cases(problem)
    tree = plain_tree(diagram, distinct)
    if tree is None:
        raise CertificateError("The tree asks what no question of the cases does.")
    costs = problem.leaf_costs(class_weights(problem, distinct.cell, distinct.n_cases))
    rows = np.bincount(distinct.cell, minlength=distinct.n_cases)
    size = problem.size
    most, more = None, Fraction(0)
    if size.max_leaf_nodes is not None and size.max_leaf_nodes < 2**size.max_depth:
        most = size.max_leaf_nodes - 1
        found = multiplier(problem, diagram, limits or Limits(), stop or threading.Event())
        if found is None:
            raise CertificateError(
                "No price of a leaf makes this tree the best of all sizes, which a certificate needs where a limit on "
                "the leaves binds. Ask for another limit, or for a price instead."
            )
        more = found
    claim = {
        "format": FORMAT,
        "version": VERSION,
        "depth": size.max_depth,
        "least_rows": size.min_samples_leaf,
        "price": problem.split_cost,
        "scale": problem.scale,
        "max_splits": most,
        "more": more.numerator,
        "parts": more.denominator,
        "classes": list(problem.dataset.classes),
        "tree": tree_to_json(tree),
    }
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    write([*(f"rank_{o}" for o in range(len(distinct.rank))), "rows", *(f"cost_{k}" for k in range(costs.shape[1]))])
    for line in np.column_stack((distinct.rank.T, rows, costs)).tolist():
        write(line)
    allowed = f"of depth at most {size.max_depth}"
    if most is not None:
        allowed += f" and at most {most + 1} leaves"
    if size.min_samples_leaf > 1:
        allowed += f" with at least {size.min_samples_leaf} rows in each leaf"
    cost = problem.cost(diagram.predict(problem.dataset), diagram.n_splits) / problem.scale
    return {
        "README.md": _README.format(cost=f"{cost:g}", size=allowed, scale=problem.scale).encode(),
        MAIN: json.dumps(claim, indent=1, ensure_ascii=False).encode(),
        CASES: out.getvalue().encode(),
        CHECKER: Path(optimum_checker.__file__).read_bytes(),
        "tree.json": to_json(diagram).encode(),
        "tree.txt": to_rules(diagram).encode(),
    }


def _unheard(event: object) -> None:
    """Nobody looks on."""


def check_optimum(read: Callable[[str], bytes], due: Callable[[], bool] = lambda: False) -> OptimumReport:
    """Check a certificate by the checker that is part of it.

    Parameters
    ----------
    read : gives the content of a file by its name.
    due : says whether to end before it is done.
    """
    begun = time.monotonic()
    try:
        found = optimum_checker.check(read, due)
        scale = json.loads(read(MAIN))["scale"]
    except (RejectedError, UndecidedError, CertificateError, ValueError, KeyError, TypeError) as error:
        decided = not isinstance(error, UndecidedError)
        return OptimumReport(None, None, 0, 0, time.monotonic() - begun, str(error), decided)
    cost, bound = found.cost / scale, found.bound / scale
    fault = "" if found.proved else f"The tree costs {cost:g}, and the bound is {bound:g}."
    return OptimumReport(cost, bound, found.n_rows, found.n_cases, time.monotonic() - begun, fault)
