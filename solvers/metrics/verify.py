"""Verify a solution by recomputation: nothing is shown as proved without passing.

Everything is recomputed from the diagram's nodes and the table: this module walks the rows through the nodes with its
own code, reads the fields of the splits itself, adds up costs in the user's own units, and shares nothing with the
solvers, with `Diagram.predict` or with `Problem.cost`. It cannot recompute the proof itself: for a claimed bound it
checks only that no known model contradicts it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Integral

import numpy as np

from ..constraints import Constraint
from ..diagram import Diagram, Leaf, Split
from ..problem import Column, Dataset, Kind, LinearPredicate, MissingPolicy, Op, Predicate, Problem, Shape, ShapeKind
from ..problem.decimals import decimal, decimals_of
from ..problem.objective import MAX_DECIMALS
from ..problem.texts import plural
from ..solution import Solution, Status
from .words import in_units


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its name, whether it passes, and the finding in a sentence."""

    name: str
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Verification:
    """All checks of a solution, in order."""

    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether all checks pass."""
        return all(check.ok for check in self.checks)

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that fail."""
        return tuple(check for check in self.checks if not check.ok)


def verified(problem: Problem, solution: Solution) -> Solution:
    """The solution with `verified` set to the outcome of `verify`, and the first failure in its message."""
    verification = verify(problem, solution)
    if verification.ok:
        return replace(solution, verified=True)
    if solution.verified is False:
        return solution
    reason = f"Not verified: {verification.failures[0].detail}"
    return replace(solution, verified=False, message=f"{solution.message} {reason}".strip())


def verify(problem: Problem, solution: Solution) -> Verification:
    """Check a solution against its problem; never raises for a wrong solution.

    Parameters
    ----------
    problem : the problem.
    solution : the claim of a method.

    Returns
    -------
    Verification. Later checks are left out if an earlier failure makes them meaningless.
    """
    return Verification(tuple(_checks(problem, solution)))


def _checks(problem: Problem, solution: Solution) -> Iterator[Check]:
    other = "" if solution.problem_id == problem.id else "another problem"
    yield _check("problem", "The solution belongs to this problem.", other)
    cost, bound = (_claim(problem, value) for value in (solution.cost, solution.bound))
    good = f"The status {solution.status} fits cost {cost} and lower bound {bound}."
    yield _check("status", good, next(_contradictions(problem, solution), ""))
    yield _trace(problem, solution)
    diagram = solution.diagram
    if diagram is None:
        return
    good = f"The {len(diagram.nodes)} nodes form one graph without cycles."
    graph = _check("graph", good, next(_graph_faults(diagram), ""))
    yield graph
    if not graph.ok:
        return
    yield _shape(problem, diagram)
    yield _tables_agree(problem.dataset, diagram)
    questions = _questions(problem.dataset, diagram)
    yield questions
    if not questions.ok:
        return
    leaf = _leaves(problem.dataset, diagram)
    yield _leaf_size(problem, diagram, leaf)
    yield _cost(problem, solution, diagram, leaf)
    yield _counts(problem.dataset, diagram, leaf)
    for constraint in problem.constraints:
        yield _constraint(constraint, diagram, problem.dataset)


def _check(name: str, good: str, bad: str) -> Check:
    """A check that fails if `bad` is not empty; its finding is `bad`, or `good` if it passes."""
    return Check(name, not bad, bad or good)


def _contradictions(problem: Problem, solution: Solution) -> Iterator[str]:
    """Contradictions between status, diagram, cost and bound."""
    status, cost, bound = solution.status, solution.cost, solution.bound
    shown_cost, shown_bound = (_claim(problem, value) for value in (cost, bound))
    for name, value in (("cost", cost), ("lower bound", bound)):
        is_count = isinstance(value, Integral) and not isinstance(value, bool)
        if value is not None and not (is_count and value >= 0):
            yield f"The {name} must be a whole number of at least 0, not {value!r}."
    if (solution.diagram is None) != (cost is None):
        yield "A solution needs both a diagram and its cost, or neither."
    if status in (Status.OPTIMAL, Status.FEASIBLE) and cost is None:
        yield f"The status '{status}' needs a diagram."
    if status in (Status.INFEASIBLE, Status.NO_SOLUTION) and solution.diagram is not None:
        yield f"The status '{status}' must not come with a diagram."
    allowed = _allowed_constants(problem)
    if status is Status.INFEASIBLE and allowed:
        answer = problem.dataset.classes[allowed[0]]
        yield f"This problem is not infeasible: a single leaf that predicts '{answer}' is allowed."
    if status is Status.OPTIMAL and cost != bound:
        yield f"'optimal' needs a lower bound equal to the cost {shown_cost}, but the bound is {shown_bound}."
    if bound is not None and cost is not None and bound > cost:
        yield f"The lower bound {shown_bound} is above the cost {shown_cost}."
    if bound is not None and allowed:
        n = problem.dataset.n_samples
        constant = min(_cost_of(problem, _copy_predictions(problem.dataset, np.full(n, k))) for k in allowed)
        if bound > constant:
            shown = in_units(constant, problem.scale)
            yield f"The lower bound {shown_bound} is above the cost {shown} of a single leaf."


def _allowed_constants(problem: Problem) -> list[int]:
    """The classes that a constant model may predict: known models, whatever the method."""
    dataset = problem.dataset
    if _too_small(problem, np.arange(dataset.n_samples)):
        return []
    counts = tuple(_copy_predictions(dataset, np.zeros_like(dataset.y))[:, 0] / 10**6)
    same = (dataset.schema, dataset.classes, dataset.outcome, dataset.positive)
    leaves = [Diagram(problem.shape.kind, *same, (Leaf(k, counts),)) for k in range(dataset.n_classes)]
    return [k for k, leaf in enumerate(leaves) if all(_constraint(c, leaf, dataset).ok for c in problem.constraints)]


def _claim(problem: Problem, value: object) -> str:
    """A claimed cost or bound in the user's units; unchanged if not an integer."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return in_units(int(value), problem.scale)
    return str(value)


def _trace(problem: Problem, solution: Solution) -> Check:
    """Whether no reported bound exceeds a reported or final cost: one of the two would be false."""
    costs = [cost for cost in (*(p.cost for p in solution.trace), solution.cost) if cost is not None]
    bounds = [bound for bound in (*(p.bound for p in solution.trace), solution.bound) if bound is not None]
    bad = ""
    if costs and bounds and max(bounds) > min(costs):
        bad = (
            f"The search claimed a lower bound of {_claim(problem, max(bounds))}, but a cost of "
            f"{_claim(problem, min(costs))} is known."
        )
    return _check("trace", "No lower bound was ever above a known cost.", bad)


def _graph_faults(diagram: Diagram) -> Iterator[str]:
    """Why the nodes are not an acyclic graph with one root and no unreachable nodes."""
    nodes = diagram.nodes
    if not nodes:
        yield "There are no nodes."
    reached = {0}
    for i, node in enumerate(nodes):
        if i not in reached:
            yield f"Nothing leads to node {i}."
        if isinstance(node, Split):
            if not all(isinstance(child, Integral) and i < child < len(nodes) for child in (node.yes, node.no)):
                yield f"Node {i} leads to a node that is not after it."
            reached |= {node.yes, node.no}
        elif not isinstance(node, Leaf):
            yield f"Node {i} is neither a split nor a leaf."
        elif not (isinstance(node.label, Integral) and 0 <= node.label < len(diagram.classes)):
            yield f"Leaf {i} predicts {node.label}, which is not a class."


def _shape(problem: Problem, diagram: Diagram) -> Check:
    """Whether kind, depth, and numbers of leaves and splits satisfy the shape."""
    leaves = sum(isinstance(node, Leaf) for node in diagram.nodes)
    good = f"The {diagram.kind} has depth {max(depths(diagram))} and {leaves} leaves."
    return _check("shape", good, shape_fault(problem.asked_size, diagram))


def _tables_agree(dataset: Dataset, diagram: Diagram) -> Check:
    """Whether diagram and table have the same columns, classes and missing-value policy."""
    of_diagram, of_table = (
        (data.classes, data.outcome, data.positive, data.schema.missing, data.schema.columns)
        for data in (diagram, dataset)
    )
    differs = "Columns, classes, outcome or missing-value policy of the diagram are not those of the table."
    bad = "" if of_diagram == of_table else differs
    return _check("table", "Columns, classes and missing-value policy are those of the table.", bad)


def _questions(dataset: Dataset, diagram: Diagram) -> Check:
    """Whether every split is valid for the table."""
    faults = (
        f"Node {i} splits on '{', '.join(node.predicate.columns)}', {fault}"
        for i, node in enumerate(diagram.nodes)
        if isinstance(node, Split) and (fault := _fault_of(dataset, node.predicate))
    )
    return _check("questions", "Every split fits its column.", next(faults, ""))


def _fault_of(dataset: Dataset, p: Predicate | LinearPredicate) -> str:
    if not isinstance(p, LinearPredicate):
        return _question_fault(dataset, p)
    names = [column.name for column in dataset.schema.columns]
    for name, level, weight in zip(p.columns, p.levels or [None] * len(p.columns), p.weights, strict=True):
        if name not in names:
            return "one of which is not a column of the table."
        j = names.index(name)
        column = dataset.schema.columns[j]
        if column.kind is Kind.CATEGORICAL and level is None:
            return "one of which has no order and cannot be added."
        if level is not None and not (column.kind.has_levels and level in range(len(column.levels))):
            return "with a level that one of them does not have."
        if not math.isfinite(weight) or not math.isfinite(p.threshold):
            return "without finite weights."
        if dataset.schema.missing is MissingPolicy.COMPLETE and np.isnan(dataset.X[:, j]).any():
            return "one of which has missing values, although only complete rows are allowed."
    return ""


def _question_fault(dataset: Dataset, p: Predicate) -> str:
    names = [column.name for column in dataset.schema.columns]
    if p.column not in names:
        return "which is not a column of the table."
    j = names.index(p.column)
    column, gone = dataset.schema.columns[j], np.isnan(dataset.X[:, j])
    if gone.any() and dataset.schema.missing is MissingPolicy.COMPLETE:
        return f"which is missing in row {dataset.rows[gone.argmax()]}, although only complete rows are allowed."
    if p.op is Op.MISSING:
        return ""
    if p.value is None or not math.isfinite(p.value):
        return "without a value."
    if p.op is Op.IS and not (column.kind.has_levels and p.value in range(len(column.levels))):
        return "with a level that this column does not have."
    if p.op is Op.LE and column.kind is Kind.CATEGORICAL:
        return "whose levels have no order."
    if gone.any() and dataset.schema.missing is MissingPolicy.IMPUTE and p.missing != _filled_answer(column, p):
        return "but does not replace missing values by the fill value."
    return ""


def _filled_answer(column: Column, p: Predicate) -> bool:
    if column.fill is None:
        return p.missing
    return column.fill <= p.operand if p.op is Op.LE else column.fill == p.operand


def _leaves(dataset: Dataset, diagram: Diagram) -> np.ndarray:
    """The leaf of each row, int64 (n_samples,), by a separate walk over groups of rows."""
    position = {column.name: j for j, column in enumerate(dataset.schema.columns)}
    leaf = np.full(dataset.n_samples, -1, np.int64)
    todo = [(0, np.arange(dataset.n_samples))]
    while todo:
        i, rows = todo.pop()
        node = diagram.nodes[i]
        if isinstance(node, Leaf):
            leaf[rows] = i
        elif len(rows):
            if isinstance(node.predicate, LinearPredicate):
                yes = _sum_answers(node.predicate, dataset, rows, position)
            else:
                yes = _answers(node.predicate, dataset.X[rows, position[node.predicate.column]])
            todo += [(node.yes, rows[yes]), (node.no, rows[~yes])]
    return leaf


def _answers(p: Predicate, values: np.ndarray) -> np.ndarray:
    gone: np.ndarray = values != values  # only NaN differs from itself
    if p.op is Op.MISSING:
        return gone
    yes = np.less_equal(values, p.operand) if p.op is Op.LE else np.equal(values, p.operand)
    answers: np.ndarray = (yes & ~gone) | (gone & p.missing)
    return answers


def _sum_answers(p: LinearPredicate, dataset: Dataset, rows: np.ndarray, position: dict[str, int]) -> np.ndarray:
    total, gone = np.zeros(len(rows)), np.zeros(len(rows), bool)
    terms = []
    for name, level, weight in zip(p.columns, p.levels or [None] * len(p.columns), p.weights, strict=True):
        values, fill = dataset.X[rows, position[name]], dataset.schema.columns[position[name]].fill
        if dataset.schema.missing is MissingPolicy.IMPUTE and fill is not None:
            values = np.where(values != values, fill, values)
        gone |= values != values
        terms.append((weight, values if level is None else np.equal(values, level)))
        with np.errstate(over="ignore", invalid="ignore"):
            total = total + weight * terms[-1][1]
    yes = np.less_equal(total, p.threshold)
    for i in np.flatnonzero(~np.isfinite(total) & ~gone).tolist():
        # a term may overflow although the whole sum is finite
        yes[i] = sum(Fraction(weight) * Fraction(float(values[i])) for weight, values in terms) <= Fraction(p.threshold)
    return np.where(gone, p.missing, yes)


def _leaf_size(problem: Problem, diagram: Diagram, leaf: np.ndarray) -> Check:
    """Whether every leaf satisfies the minimum number and weight of rows."""
    rows = {i: np.flatnonzero(leaf == i) for i, node in enumerate(diagram.nodes) if isinstance(node, Leaf)}
    faults = (f"Leaf {i} has {fault}" for i, here in rows.items() if (fault := _too_small(problem, here)))
    good = (
        f"The smallest leaf has {plural(min(map(len, rows.values())), 'row')}; every leaf satisfies the minimum size."
    )
    return _check("leaf size", good, next(faults, ""))


def _too_small(problem: Problem, rows: np.ndarray) -> str:
    """Why these rows (positions) are too few or too light for a leaf; '' if they are not."""
    size = problem.size
    if len(rows) < size.min_samples_leaf:
        return f"{plural(len(rows), 'row')}; the minimum is {size.min_samples_leaf}."
    weight = int(_millionths(problem.dataset, rows).sum())
    if weight < decimal(size.min_weight_leaf) * 10**6:
        return f"the weight {weight / 10**6:g}; the minimum is {size.min_weight_leaf:g}."
    return ""


def _cost(problem: Problem, solution: Solution, diagram: Diagram, leaf: np.ndarray) -> Check:
    """Whether the claimed cost is that of the diagram's predictions and splits."""
    nodes, y = diagram.nodes, problem.dataset.y
    labels = {i: node.label for i, node in enumerate(nodes) if isinstance(node, Leaf)}
    answers = np.array([labels[i] for i in leaf.tolist()])
    n_splits = sum(isinstance(node, Split) for node in nodes)
    dear_splits = n_splits - 1 if problem.objective.free_root and n_splits else n_splits
    cost = _cost_of(problem, _copy_predictions(problem.dataset, answers))
    cost += dear_splits * decimal(problem.objective.split_penalty) * problem.scale
    wrong = int((answers != y).sum())
    shown = in_units(cost, problem.scale)
    good = f"The cost is {shown}, from {wrong} errors in {len(y)} rows."
    if problem.objective.split_penalty:
        good = f"The cost is {shown}, from {wrong} errors in {len(y)} rows and {n_splits} splits."
    bad = "" if cost == solution.cost else f"The cost is {shown}, not {_claim(problem, solution.cost)} as claimed."
    return _check("cost", good, bad)


def _copy_predictions(dataset: Dataset, answers: np.ndarray) -> np.ndarray:
    """The weight, in millionths, by true class (row) and prediction (column), int64 (n_classes, n_classes)."""
    table = np.zeros((dataset.n_classes, dataset.n_classes), np.int64)
    np.add.at(table, (dataset.y, answers), _millionths(dataset, slice(None)))
    return table


def _cost_of(problem: Problem, answered: np.ndarray) -> Fraction:
    """The cost of the weights of `_copy_predictions` by the user's objective, times `Problem.scale`."""
    prices = problem.objective.class_costs
    cost = Fraction(0)
    for true, answered_class in np.argwhere(answered).tolist():
        price = Fraction(true != answered_class) if prices is None else decimal(prices[true][answered_class])
        cost += price * int(answered[true, answered_class])
    return cost * problem.scale / 10**6


def _millionths(dataset: Dataset, rows: np.ndarray | slice) -> np.ndarray:
    """The weights of rows in millionths of the user's unit, which are integers, int64."""
    if dataset.weight is None:
        return np.full(dataset.n_samples, 10**6)[rows]
    scaled = decimals_of(dataset.weight[rows], MAX_DECIMALS)
    assert scaled is not None, "a problem has no weights of more decimals"
    whole, factor = scaled
    return (whole * (10**6 // factor)).astype(np.int64)


def _counts(dataset: Dataset, diagram: Diagram, leaf: np.ndarray) -> Check:
    """Whether the counts stored in the leaves match the rows that reach them."""
    weight = np.ones(dataset.n_samples) if dataset.weight is None else dataset.weight
    for i, node in enumerate(diagram.nodes):
        if isinstance(node, Leaf):
            here = leaf == i
            true = [float(weight[here & (dataset.y == k)].sum()) for k in range(dataset.n_classes)]
            if len(node.counts) != len(true) or not np.allclose(node.counts, true, rtol=1e-9, atol=1e-9):
                return _check("counts", "", f"Leaf {i} claims the class counts {list(node.counts)}; they are {true}.")
    return _check("counts", "The class counts of all leaves are correct.", "")


def _constraint(constraint: Constraint, diagram: Diagram, dataset: Dataset) -> Check:
    """Whether a constraint holds, by its own definition."""
    name = f"constraint {type(constraint).__name__}"
    try:
        words = constraint.words(dataset) if hasattr(constraint, "words") else str(constraint)
        violations = [str(one) for one in constraint.violations(diagram, dataset)]
    except Exception as error:  # a constraint that cannot be checked does not hold
        return Check(name, False, f"The check of {constraint} failed: {error}")
    bad = f"'{words}' is violated: {'; '.join(violations[:3])}." if violations else ""
    return _check(name, f"'{words}' holds.", bad)


def depths(diagram: Diagram) -> list[int]:
    """The length of the longest path to each node."""
    depth = [0] * len(diagram.nodes)
    for i, node in enumerate(diagram.nodes):
        if isinstance(node, Split):
            for child in (node.yes, node.no):
                depth[child] = max(depth[child], depth[i] + 1)
    return depth


def shape_fault(size: Shape, diagram: Diagram) -> str:
    """The first violation of the shape by a model; '' if there is none."""
    nodes, depth = diagram.nodes, depths(diagram)
    parents = [0] * len(nodes)
    for node in nodes:
        if isinstance(node, Split):
            parents[node.yes] += 1
            parents[node.no] += 1
    leaves = sum(isinstance(node, Leaf) for node in nodes)
    if diagram.kind != size.kind:
        return f"The shape must be a {size.kind}, but is a {diagram.kind}."
    if max(depth) > size.max_depth:
        return f"The depth is {max(depth)}; the maximum is {size.max_depth}."
    if size.max_leaf_nodes is not None and leaves > size.max_leaf_nodes:
        return f"There are {leaves} leaves; the maximum is {size.max_leaf_nodes}."
    if size.max_splits is not None and len(nodes) - leaves > size.max_splits:
        return f"There are {len(nodes) - leaves} splits; the maximum is {size.max_splits}."
    if size.kind is ShapeKind.TREE and max(parents) > 1:
        return f"Node {parents.index(max(parents))} of a tree has {max(parents)} parents."
    if size.kind is ShapeKind.BDD:
        return _bdd_fault(diagram)
    return _skeleton_fault(size, diagram, depth) if size.kind is ShapeKind.DIAGRAM else ""


def _skeleton_fault(size: Shape, diagram: Diagram, depth: list[int]) -> str:
    """Why the diagram does not fit the skeleton (Florio et al. 2023, section 3); '' if it does."""
    splits = {i: node for i, node in enumerate(diagram.nodes) if isinstance(node, Split)}
    for i, node in splits.items():
        if any(child in splits and depth[child] != depth[i] + 1 for child in (node.yes, node.no)):
            return f"Node {i} skips a layer."
        if size.split_features is not None and len(set(node.predicate.columns)) > size.split_features:
            return (
                f"Node {i} combines {len(set(node.predicate.columns))} columns; the maximum is {size.split_features}."
            )
    most = 1
    for layer in range(size.max_depth):
        most = 2 * most if layer and size.widths is None else most if size.widths is None else size.widths[layer]
        found = sum(depth[i] == layer for i in splits)
        if found > most:
            return f"Layer {layer + 1} has {found} splits; the maximum is {most}."
    labels = [node.label for node in diagram.nodes if isinstance(node, Leaf)]
    return "Two leaves predict the same class." if len(set(labels)) < len(labels) else ""


def _bdd_fault(diagram: Diagram) -> str:
    """Why the diagram is not ordered and reduced; '' if it is (Bryant 1986, sections 2 and 4)."""
    seen: dict[tuple[object, ...], int] = {}
    for i, node in enumerate(diagram.nodes):
        if isinstance(node, Split) and node.yes == node.no:
            return f"Both branches of node {i} lead to the same node."
        key = (node.predicate, node.yes, node.no) if isinstance(node, Split) else ("leaf", node.label)
        if seen.setdefault(key, i) != i:
            return f"Nodes {seen[key]} and {i} are equal."
    after: dict[Predicate | LinearPredicate, set[Predicate | LinearPredicate]] = {}
    for node in diagram.nodes:
        if isinstance(node, Split):
            below = [diagram.nodes[child] for child in (node.yes, node.no)]
            after.setdefault(node.predicate, set()).update(b.predicate for b in below if isinstance(b, Split))
    while after:
        # an order exists if one can repeatedly remove a split that no remaining split must follow
        last = next((p for p, later in after.items() if not later & after.keys()), None)
        if last is None:
            return "The splits do not follow one order on all paths."
        del after[last]
    return ""
