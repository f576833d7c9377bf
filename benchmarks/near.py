"""Sets of near-optimal trees compared with those of arborenum: `python -m benchmarks.near FOLDER`.

Both list every tree whose cost (errors and split penalties) is within a tolerance of the optimum. arborenum counts one
tree per threshold, even if two thresholds divide the rows of a node identically; here such thresholds are one split. So
its trees are read one by one and merged accordingly, and then the two numbers must be equal. The split penalty must be
larger than the tolerance, so that neither set has splits that change no prediction.

Tables with more than two classes use the largest class against the others. Seconds are user CPU seconds of the
enumeration alone; both know the optimum.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import numpy as np

from benchmarks import data
from benchmarks.cli import Findings, conclude, number, numbers, parser, tell
from benchmarks.data import Task, coarse
from benchmarks.learners import dataset
from benchmarks.process import pin, user_seconds
from benchmarks.tables import NOTHING, Table, digits, whole
from solvers.errors import MissingPackageError

MOST = 300_000
"""Maximum number of trees of arborenum that are read one by one; of larger sets only the numbers are reported."""


def of_two_classes(task: Task) -> Task:
    """The largest class against the others."""
    if task.n_classes == 2:
        return task
    largest = np.bincount(task.label).argmax()
    return Task(task.name, task.rank, (task.label == largest).astype(np.int32))


def ours(task: Task, depth: int, penalty: int, tolerance: int) -> tuple[int, int, float]:
    """Cost of the best tree, number of trees within the tolerance, and seconds."""
    from solvers.methods.trees.near_optimal.enumeration import near_trees
    from solvers.problem import Objective, Problem, Shape
    from solvers.run import solve

    problem = Problem(dataset(task), Shape(max_depth=depth), Objective(split_penalty=float(penalty)))
    best = solve(problem, method="contree").cost
    assert best is not None
    near_trees(problem, best, 0)  # compile
    begun = user_seconds()
    found = near_trees(problem, best, tolerance * problem.scale)
    return best // problem.scale, found.n_trees, user_seconds() - begun


def theirs(task: Task, depth: int, penalty: int, tolerance: int) -> tuple[int, int, int | None, float]:
    """The same for arborenum in its exact mode: the cost, the trees, the distinct trees, and the seconds."""
    try:
        from arborenum import ArborEnum
    except ImportError:
        raise MissingPackageError(
            "The package 'arborenum' is needed. Install the peers with 'pip install -r requirements-bench.txt'."
        ) from None

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
    cost = listed(0.0).get_min_objective()
    begun = user_seconds()
    trees = listed((tolerance + 0.1) / cost)
    used = user_seconds() - begun
    count = trees.count_trees()
    different = None
    if count <= MOST:
        different = len({_shape(trees, i, task) for i in range(count)})
    return cost - penalty, count, different, used


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
    penalty: int,
    tolerance: int,
    thresholds: int,
    progress: Callable[[str], None] = tell,
) -> Findings:
    """One line per table and depth; columns have at most `thresholds` thresholds from depth 3 on."""
    rows, faults = [], []
    for task in map(of_two_classes, tasks):
        for depth in depths:
            rowset = coarse(task, thresholds) if depth > 2 else task
            cost, count, seconds = ours(rowset, depth, penalty, tolerance)
            peer_cost, peer_count, different, peer_seconds = theirs(rowset, depth, penalty, tolerance)
            progress(f"{task.name}, depth {depth}: {count} and {peer_count} trees")
            if cost != peer_cost:
                faults.append(f"{task.name}, depth {depth}: the optima differ: {cost} and {peer_cost}")
            if different is not None and different != count:
                faults.append(f"{task.name}, depth {depth}: the sets differ: {count} and {different} trees")
            cells = (task.name, str(depth), whole(cost), whole(count), digits(seconds), whole(peer_count))
            rows.append((*cells, NOTHING if different is None else whole(different), digits(peer_seconds)))
    headers = ("table", "depth", "least cost", "trees", "CPU s", "arborenum: trees", "merged", "CPU s")
    title = (
        f"Trees within {tolerance} errors of the optimum, a split costs {penalty} errors "
        f"(depth 3 and more: at most {thresholds} thresholds a column):"
    )
    return Findings((Table(title, headers, tuple(rows)),), tuple(faults))


def main(argv: Sequence[str] | None = None) -> int:
    """Read the tables, measure and print; returns the exit status."""
    made = parser("near", "Sets of near-optimal trees beside those of arborenum.", folder=True)
    made.add_argument("--depths", type=numbers, default=(2, 3), metavar="D,D", help="default: 2,3")
    made.add_argument("--penalty", type=number, default=10, metavar="N", help="errors that a split costs")
    made.add_argument("--tolerance", type=number, default=3, metavar="N", help="errors, fewer than the penalty")
    made.add_argument("--thresholds", type=number, default=10, metavar="N", help="a column, from depth 3 on")
    asked = made.parse_args(argv)
    if asked.tolerance >= asked.penalty:
        made.error("the tolerance must be smaller than the penalty")
    pin(1)
    settings = {"penalty": asked.penalty, "tolerance": asked.tolerance, "thresholds": asked.thresholds}
    return conclude(lambda: measure(data.read(asked.folder, asked.sets), asked.depths, **settings), asked.out)


if __name__ == "__main__":
    sys.exit(main())
