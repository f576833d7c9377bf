"""Sets of near-optimal trees compared with those of arborenum: `python -m benchmarks.near FOLDER`.

Both list every tree whose cost (errors and split penalties) is within a tolerance of the optimum. arborenum counts one
tree per threshold, even if two thresholds divide the rows of a node identically; here such thresholds are one split. So
its trees are read one by one and merged accordingly, and then the two numbers must be equal. The split penalty must be
larger than the tolerance, so that neither set has splits that change no prediction.

Tables with more than two classes use the largest class against the others. Each program has a process of its own.
Seconds are user CPU seconds of the enumeration alone, the median of three runs; both know the optimum.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.cli import Findings, conclude, number, numbers, parser, seconds, tell
from benchmarks.data import Task, coarse
from benchmarks.learners import dataset
from benchmarks.process import requested, respond, timed
from benchmarks.tables import NOTHING, Table, digits, versions, whole
from solvers.errors import MissingPackageError, RunError

MOST = 300_000
"""Maximum number of trees of arborenum that are read one by one; of larger sets only the numbers are reported."""


def of_two_classes(task: Task) -> Task:
    """The largest class against the others."""
    if task.n_classes == 2:
        return task
    largest = np.bincount(task.label).argmax()
    return Task(task.name, task.rank, (task.label == largest).astype(np.int32))


def ours(task: Task, depth: int, penalty: int, tolerance: int, limit: float) -> tuple[int, int, int, float]:
    """Cost of the best tree, number of trees within the tolerance, again the number, and seconds."""
    from solvers.methods.trees.near_optimal.enumeration import near_trees
    from solvers.problem import Objective, Problem, Shape
    from solvers.run import solve

    problem = Problem(dataset(task), Shape(max_depth=depth), Objective(split_penalty=float(penalty)))
    best = solve(problem, method="contree").cost
    assert best is not None
    near_trees(problem, best, 0)  # compile
    found, spent = timed(lambda: near_trees(problem, best, tolerance * problem.scale), limit)
    return best // problem.scale, found.n_trees, found.n_trees, spent


def theirs(task: Task, depth: int, penalty: int, tolerance: int, limit: float) -> tuple[int, int, int | None, float]:
    """The same for arborenum in its exact mode: the cost, the trees, the distinct trees, and the seconds."""
    from arborenum import ArborEnum

    def listed(share: float) -> ArborEnum:
        trees = ArborEnum()
        trees.fit(
            task.rank.T.astype(np.float64),
            task.label,
            proxy_mode="continuous",
            lookahead_k=depth,
            lambda_reg=penalty / task.n_rows,
            depth_budget=depth,
            rashomon_mult=share,
            majority_leaf_only=True,
        )
        return trees

    # it counts a penalty per leaf; a tree has one more leaf than splits
    cost = timed(lambda: listed(0.0), limit, repeats=1)[0].get_min_objective()
    trees, spent = timed(lambda: listed((tolerance + 0.1) / cost), limit)
    count = trees.count_trees()
    different = len({_shape(trees, i, task) for i in range(count)}) if count <= MOST else None
    return cost - penalty, count, different, spent


PROGRAMS = {"ours": ours, "arborenum": theirs}


def carry_out(task: Task, request: dict[str, Any]) -> tuple[int, int, int | None, float]:
    """Carry out a request in the process."""
    return PROGRAMS[request.pop("program")](task, limit=request.pop("seconds"), **request)


def _shape(trees: object, i: int, task: Task) -> object:
    """A tree of arborenum by how each split divides the rows that reach it."""
    paths, _ = trees.get_tree_paths(i)

    def node(paths: list[list[int]], rows: np.ndarray) -> object:
        if not paths[0]:
            return None
        feature = abs(paths[0][0])
        about = trees.get_internal_feature_info(feature - 1)
        column, cut = _column(trees, about)
        low = task.rank[column, rows] <= cut
        sides = ((feature, rows[low]), (-feature, rows[~low]))
        below = (node([path[1:] for path in paths if path[0] == answer], side) for answer, side in sides)
        return (column, rows[low].tobytes(), *below)

    return node(paths, np.arange(task.n_rows))


def _column(trees: object, about: dict[str, object]) -> tuple[int, float]:
    """The column and threshold of a split of arborenum."""
    if about["kind"] == "continuous_threshold":
        return int(trees.continuous_feature_indices_[about["continuous_group"]]), float(about["cutpoint"])
    specification = trees.binary_feature_specs_[about["internal_feature"]]
    return int(specification["original_feature"]), float(specification["cutpoint"])


def measure(
    tasks: Sequence[Task],
    depths: Sequence[int],
    *,
    penalty: int = 10,
    tolerance: int = 3,
    thresholds: int | None = None,
    limit: float = 60.0,
    progress: Callable[[str], None] = tell,
) -> Findings:
    """One line per table and depth; columns have at most `thresholds` thresholds, `None` for all.

    Raises
    ------
    MissingPackageError
        arborenum is not installed.
    """
    if find_spec("arborenum") is None:
        raise MissingPackageError(
            "The package 'arborenum' is needed. Install the peers with 'pip install -r requirements-bench.txt'."
        )
    rows, faults = [], []
    asked = {"penalty": penalty, "tolerance": tolerance}
    for task in map(of_two_classes, tasks):
        rowset = task if thresholds is None else coarse(task, thresholds)
        for depth in depths:
            where, cells, known = f"{task.name}, depth {depth}", [task.name, str(depth)], []
            for program in PROGRAMS:
                try:
                    found = requested("benchmarks.near", rowset, limit, program=program, depth=depth, **asked)
                except RunError as error:
                    cells += [NOTHING, NOTHING, NOTHING, str(error)]
                    continue
                known.append(found)
                cells += [*map(whole, found[:3]), digits(found[3])]
            progress(f"{where}: {cells[2:]}")
            # arborenum's cost is in the table only if it differs, and the number of our trees once
            rows.append((*cells[:4], *cells[5:6], *cells[7:]))
            if len({cost for cost, *_ in known}) > 1:
                faults.append(f"{where}: the optima differ: {known[0][0]} and {known[1][0]}")
            if len({count for *_, count, _ in known if count is not None}) > 1:
                faults.append(f"{where}: the sets differ: {known[0][2]} and {known[1][2]} trees")
    headers = ("table", "depth", "least cost", "trees", "CPU s", "arborenum: trees", "merged", "CPU s")
    some = "all thresholds" if thresholds is None else f"at most {thresholds} thresholds a column"
    title = f"Trees within {tolerance} errors of the optimum, a split costs {penalty} errors, {some}"
    return Findings((Table(f"{title} ({versions(['arborenum'])}):", headers, tuple(rows)),), tuple(faults))


def main(argv: Sequence[str] | None = None) -> int:
    """Read the tables, measure and print; returns the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["--run"]:
        return respond(words[1], carry_out)
    made = parser("near", "Sets of near-optimal trees beside those of arborenum.", folder=True)
    made.add_argument("--depths", type=numbers, default=(2, 3), metavar="D,D", help="default: 2,3")
    made.add_argument("--penalty", type=number, default=10, metavar="N", help="errors that a split costs")
    made.add_argument("--tolerance", type=number, default=3, metavar="N", help="errors, fewer than the penalty")
    made.add_argument("--thresholds", type=number, metavar="N", help="a column (default: all)")
    made.add_argument("--time-limit", type=seconds, default=60.0, metavar="S", help="user CPU seconds (default: 60)")
    asked = made.parse_args(words)
    if asked.tolerance >= asked.penalty:
        made.error("the tolerance must be smaller than the penalty")
    settings = {"penalty": asked.penalty, "tolerance": asked.tolerance, "thresholds": asked.thresholds}
    return conclude(
        lambda: measure(data.read(asked.folder, asked.sets), asked.depths, **settings, limit=asked.time_limit),
        asked.out,
    )


if __name__ == "__main__":
    sys.exit(main())
