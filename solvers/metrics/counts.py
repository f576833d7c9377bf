"""Which rows reach which nodes of a diagram: class counts of nodes, risks of leaves."""

from dataclasses import dataclass

import numpy as np

from ..diagram import Diagram, NodeId
from ..errors import DataError
from ..problem import Dataset
from .intervals import Rate, rate
from .words import count, percent, percents


@dataclass(frozen=True, slots=True)
class LeafRisk:
    """What the rows of a leaf say.

    Attributes
    ----------
    node : the number of the leaf.
    label : the index of the class that it predicts.
    counts : the number of rows of each class, unweighted.
    of_class : the index of the class that the risk is about: the positive one, or the leaf's own where there is none.
    risk : the share of that class among the rows of the leaf.
    """

    node: NodeId
    label: int
    counts: tuple[int, ...]
    of_class: int
    risk: Rate


def missing_in_leaves(diagram: Diagram, data: Dataset) -> dict[NodeId, dict[str, int]]:
    """How many rows of each leaf miss the value of each column that is asked about and may be missing."""
    ends, X = diagram.apply(data), np.isnan(diagram.encode(data))
    names = [name for name in diagram.features if diagram.schema[name].has_missing]
    return {i: {name: int(X[ends == i, diagram.schema.index(name)].sum()) for name in names} for i, _ in diagram.leaves}


def node_counts(diagram: Diagram, dataset: Dataset, *, weighted: bool = True) -> np.ndarray:
    """How many rows of each class pass through each node.

    Parameters
    ----------
    diagram : the model.
    dataset : the rows, for instance held-out ones.
    weighted : whether rows count with their weight, where they have one, or once each.

    Returns
    -------
    float64 (n_nodes, n_classes), in the order of the diagram's classes.

    Raises
    ------
    DataError
        The dataset has an outcome that the diagram does not know.
    """
    reach = diagram.reach(dataset)
    labels = labels_of(diagram, dataset)
    weight = dataset.weight if weighted else None
    return np.stack(
        [
            np.bincount(labels[here], None if weight is None else weight[here], len(diagram.classes))
            for here in (np.flatnonzero(reach[:, i]) for i in range(diagram.n_nodes))
        ]
    ).astype(np.float64)


def answer_counts(diagram: Diagram, dataset: Dataset, *, weighted: bool = True) -> np.ndarray:
    """How many rows answer yes and no at each node: what its two arcs carry.

    Parameters
    ----------
    diagram : the model.
    dataset : the rows.
    weighted : whether rows count with their weight, where they have one, or once each.

    Returns
    -------
    float64 (n_nodes, 2), yes first; zeros for leaves.
    """
    X = diagram.encode(dataset)
    weight = dataset.row_weights if weighted else np.ones(len(X))
    at, counts = np.zeros(len(X), np.int64), np.zeros((diagram.n_nodes, 2))
    for i, split in diagram.splits:
        here = np.flatnonzero(at == i)
        yes = split.predicate.holds(diagram.schema, X[here])
        counts[i] = weight[here[yes]].sum(), weight[here[~yes]].sum()
        at[here] = np.where(yes, split.yes, split.no)
    return counts


def leaf_risks(diagram: Diagram, dataset: Dataset) -> tuple[LeafRisk, ...]:
    """The share of the positive class in each leaf, with its interval; a share without rows is `None`.

    Raises as `node_counts`.
    """
    at = diagram.apply(dataset)
    labels = labels_of(diagram, dataset)
    out = []
    for i, leaf in diagram.leaves:
        here = at == i
        of_class = leaf.label if diagram.positive is None else diagram.positive
        counts = np.bincount(labels[here], minlength=len(diagram.classes))
        risk = rate(labels == of_class, dataset.weight, here)
        out.append(LeafRisk(i, int(leaf.label), tuple(counts.tolist()), of_class, risk))
    return tuple(out)


def labels_of(diagram: Diagram, dataset: Dataset) -> np.ndarray:
    """The true class of each row as an index into the diagram's classes, int64 (n_samples,).

    A dataset that was read apart from the training rows may list its classes in another order.

    Raises
    ------
    DataError
        A row has a class that the diagram does not know.
    """
    if dataset.classes == diagram.classes:
        return dataset.y.astype(np.int64)
    index = {name: k for k, name in enumerate(diagram.classes)}
    unknown = [name for k, name in enumerate(dataset.classes) if name not in index and (dataset.y == k).any()]
    if unknown:
        raise DataError(
            f"The outcome '{dataset.outcome}' of '{dataset.name}' has the class '{unknown[0]}', which the model does "
            f"not know (it knows: {', '.join(diagram.classes[:8])}). Correct these rows or leave them out."
        )
    labels: np.ndarray = np.array([index.get(name, -1) for name in dataset.classes], np.int64)[dataset.y]
    return labels


def risk_words(diagram: Diagram, found: LeafRisk, n_samples: int, which: str) -> str:
    """The share of a leaf in a sentence; `which` names the rows, of which there are `n_samples`."""
    risk, name = found.risk, diagram.classes[found.of_class]
    if risk.value is None or risk.low is None or risk.high is None:
        rows = count(n_samples, f"{which} row")
        return f"None of the {rows} ended here, so there is no risk to tell."
    rows, verb = count(risk.n, f"{which} row"), "has" if risk.k == 1 else "have"
    return (
        f"Of {rows} that ended here, {count(risk.k)} {verb} {diagram.outcome} {name}: {percent(risk.value)} "
        f"(95 % interval {percents(risk.low, risk.high)})."
    )


def shared_words(name: str, missing: int, n: int, which: str) -> str:
    """How many of the n rows of a leaf, called `which`, miss a value that a case there misses too."""
    if not missing:
        return f"No {which} row that ended here misses {name} too: nothing stands behind this answer for such a case."
    rows, verb = count(n, f"{which} row"), "misses" if missing == 1 else "miss"
    return f"Of the {rows} that ended here, {count(missing)} {verb} {name} too."
