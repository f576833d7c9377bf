"""Count the rows at the nodes of a diagram: class counts of nodes, risks of leaves."""

from dataclasses import dataclass

import numpy as np

from ..diagram import Diagram, NodeId
from ..errors import DataError
from ..problem import Dataset
from .intervals import Rate, rate, rate_of_counts
from .words import count, percent, percents


@dataclass(frozen=True, slots=True)
class LeafRisk:
    """The prediction of a leaf, and the observed outcomes of the rows that reach it.

    Attributes
    ----------
    node : the number of the leaf.
    label : the index of the predicted class.
    counts : the number of rows of each class, unweighted.
    of_class : the index of the class of the risk: the positive one, or the leaf's own if there is none.
    predicted : the predicted risk: the proportion of that class among the training rows of the leaf, for any dataset.
    observed : the observed frequency of that class in the given rows.
    """

    node: NodeId
    label: int
    counts: tuple[int, ...]
    of_class: int
    predicted: float
    observed: Rate


def missing_in_leaves(diagram: Diagram, data: Dataset) -> dict[NodeId, dict[str, int]]:
    """The number of missing values per leaf and column, for columns that the model uses and that may be missing."""
    ends, X = diagram.apply(data), np.isnan(diagram.encode(data))
    names = [name for name in diagram.features if diagram.schema[name].has_missing]
    return {i: {name: int(X[ends == i, diagram.schema.index(name)].sum()) for name in names} for i, _ in diagram.leaves}


def node_counts(diagram: Diagram, dataset: Dataset, *, weighted: bool = True) -> np.ndarray:
    """Count the rows of each class that pass through each node.

    Parameters
    ----------
    diagram : the model.
    dataset : the rows, for instance held-out ones.
    weighted : whether rows count by weight, if they have weights, or once each.

    Returns
    -------
    float64 (n_nodes, n_classes), in the order of the diagram's classes.

    Raises
    ------
    DataError
        The dataset has an outcome that the diagram does not have.
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


def answer_counts(diagram: Diagram, dataset: Dataset) -> np.ndarray:
    """The weight of the rows on the yes and no side of each node, float64 (n_nodes, 2), yes first; zeros for leaves."""
    X = diagram.encode(dataset)
    weight = dataset.row_weights
    at, counts = np.zeros(len(X), np.int64), np.zeros((diagram.n_nodes, 2))
    for i, split in diagram.splits:
        here = np.flatnonzero(at == i)
        yes = split.predicate.holds(diagram.schema, X[here])
        counts[i] = weight[here[yes]].sum(), weight[here[~yes]].sum()
        at[here] = np.where(yes, split.yes, split.no)
    return counts


def leaf_risks(diagram: Diagram, dataset: Dataset | None = None) -> tuple[LeafRisk, ...]:
    """The predicted risk of each leaf, and the observed frequency with its interval among the rows of `dataset`.

    Without a dataset, the observed frequency is that of the training rows, whose counts the leaves hold. It has no
    value if no row reaches the leaf, or if the leaves hold weights instead of counts. Raises the errors of
    `node_counts`.
    """
    at = None if dataset is None else diagram.apply(dataset)
    labels = None if dataset is None else labels_of(diagram, dataset)
    out = []
    for i, leaf in diagram.leaves:
        of_class = leaf.label if diagram.positive is None else diagram.positive
        if dataset is None or at is None or labels is None:
            counts = tuple(int(n) for n in leaf.counts)
            whole = counts == tuple(leaf.counts)
            observed = rate_of_counts(counts[of_class], sum(counts)) if whole else rate_of_counts(0, 0)
        else:
            counts = tuple(np.bincount(labels[at == i], minlength=len(diagram.classes)).tolist())
            observed = rate(labels == of_class, dataset.weight, at == i)
        out.append(LeafRisk(i, int(leaf.label), counts, of_class, leaf.shares[of_class], observed))
    return tuple(out)


def labels_of(diagram: Diagram, dataset: Dataset) -> np.ndarray:
    """The true class of each row as an index into the diagram's classes, int64 (n_samples,).

    A dataset that was read separately from the training rows may list its classes in another order.

    Raises
    ------
    DataError
        A row has a class that the diagram does not have.
    """
    if dataset.classes == diagram.classes:
        return dataset.y.astype(np.int64)
    index = {name: k for k, name in enumerate(diagram.classes)}
    unknown = [name for k, name in enumerate(dataset.classes) if name not in index and (dataset.y == k).any()]
    if unknown:
        raise DataError(
            f"The outcome '{dataset.outcome}' of '{dataset.name}' has the class '{unknown[0]}', which the model does "
            f"not know (known classes: {', '.join(diagram.classes[:8])}). Correct or remove these rows."
        )
    labels: np.ndarray = np.array([index.get(name, -1) for name in dataset.classes], np.int64)[dataset.y]
    return labels


def describe_risk(diagram: Diagram, found: LeafRisk, which: str) -> str:
    """The predicted risk of a leaf and the observed frequency in the rows called `which`, in two sentences."""
    observed, name = found.observed, f"{diagram.outcome} {diagram.classes[found.of_class]}"
    predicted = f"Predicted risk of {name}: {percent(found.predicted)}, from the training rows in this leaf."
    if observed.value is None or observed.low is None or observed.high is None:
        return f"{predicted} No {which} row is in this leaf."
    return (
        f"{predicted} Observed: {count(observed.k)} of {count(observed.n, f'{which} row')} "
        f"({percents(observed.low, observed.high)})."
    )


def describe_shared(name: str, missing: int, n: int, which: str) -> str:
    """How many of the n rows of a leaf, called `which`, lack a value that the given row also lacks."""
    if not missing:
        return f"{name} is missing in no {which} row of this leaf: no data support this prediction for such a patient."
    return f"{name} is missing in {count(missing)} of {count(n, f'{which} row')} in this leaf."
