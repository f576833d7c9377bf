"""A tree as scikit-learn's own, for what reads only that: plots, SHAP's TreeExplainer, converters."""

from collections.abc import Collection

import numpy as np
import sklearn
from sklearn.tree import DecisionTreeClassifier
from sklearn.tree._tree import Tree

from ..diagram import Diagram, Leaf, Split
from ..errors import UnsupportedError
from ..problem import Kind, MissingPolicy, Op, Predicate

_NO_CHILD, _NO_COLUMN = -1, -2


def sklearn_tree(diagram: Diagram, classes: np.ndarray, truths: Collection[str]) -> DecisionTreeClassifier:
    """The same tree with the same answers as a fitted `DecisionTreeClassifier`; its left side is '<='.

    scikit-learn rounds the values of X to single precision before it compares them; a threshold that would be rounded
    up stands there as it would be, so that values equal to it stay on their side.

    Parameters
    ----------
    diagram : a tree; classes : the class labels, (n_classes,).
    truths : the columns of truth values, which scikit-learn reads as 0 and 1.

    Raises
    ------
    UnsupportedError
        A question is about a level or a date, which scikit-learn's trees cannot ask, or a leaf answers another class
        than the most frequent one.
    """
    n, depth = diagram.n_nodes, np.zeros(diagram.n_nodes, int)
    counts = np.zeros((n, len(classes)))
    shares = np.zeros((n, 1, len(classes)))
    nodes = np.zeros(n, Tree(1, np.array([2]), 1).__getstate__()["nodes"].dtype)
    for i, node in enumerate(diagram.nodes):
        if isinstance(node, Split):
            depth[[node.yes, node.no]] = depth[i] + 1
    for i, node in reversed(list(enumerate(diagram.nodes))):
        if isinstance(node, Leaf):
            counts[i] = node.counts
            question = (_NO_CHILD, _NO_CHILD, _NO_COLUMN, -2.0, False)
        else:
            counts[i] = counts[node.yes] + counts[node.no]
            question = _question(diagram, node, truths)
        total = counts[i].sum()
        shares[i, 0] = counts[i] / total if total else counts[i]
        if isinstance(node, Leaf):
            _answer(diagram, node, shares[i, 0])
        left, right, column, threshold, missing_left = question
        size = (1 - (shares[i, 0] ** 2).sum(), round(total), total)
        nodes[i] = (left, right, column, threshold, *size, missing_left)
    tree = Tree(len(diagram.schema), np.array([len(classes)], np.intp), 1)
    tree.__setstate__({"max_depth": int(depth.max()), "node_count": n, "nodes": nodes, "values": shares})
    made = DecisionTreeClassifier(max_depth=diagram.depth, random_state=0)
    made.classes_, made.n_classes_, made.n_outputs_, made.tree_ = classes, np.int64(len(classes)), 1, tree
    made.n_features_in_ = made.max_features_ = len(diagram.schema)
    # what says by which version it was made goes with it when it is kept
    made._sklearn_version = sklearn.__version__
    return made


def _question(diagram: Diagram, split: Split, truths: Collection[str]) -> tuple[int, int, int, float, bool]:
    """The left and right side, the column, the threshold, and whether missing values go left."""
    predicate, schema = split.predicate, diagram.schema
    if not isinstance(predicate, Predicate):
        raise UnsupportedError("scikit-learn's trees ask about one column at a time.")
    column, at = schema[predicate.column], schema.index(predicate.column)
    if predicate.op is Op.MISSING:
        return split.no, split.yes, at, np.inf, False
    missing = predicate.missing
    if schema.missing is MissingPolicy.IMPUTE and column.fill is not None:
        missing = bool(predicate.answer(np.array([column.fill]))[0])
    if predicate.op is Op.LE and column.kind is Kind.NUMERIC:
        with np.errstate(over="ignore"):
            rounded = float(np.float32(predicate.operand))
        return split.yes, split.no, at, max(predicate.operand, rounded), missing
    if predicate.op is Op.IS and column.name in truths:
        low, high = (split.yes, split.no) if predicate.operand == 0 else (split.no, split.yes)
        return low, high, at, 0.5, missing == (predicate.operand == 0)
    raise UnsupportedError(
        f"scikit-learn's trees cannot ask '{predicate.words(schema)}'. Give fit numbers or truth values only, such as "
        "the columns of a OneHotEncoder."
    )


def _answer(diagram: Diagram, leaf: Leaf, shares: np.ndarray) -> None:
    """See to it that the largest of the shares of a leaf, the first of equals, is that of its answer."""
    largest = shares.max()
    if shares[leaf.label] < largest:
        raise UnsupportedError(
            f"A leaf answers '{diagram.classes[leaf.label]}', which is not its most frequent class, as class costs "
            "or constraints may have it: scikit-learn's trees always answer the most frequent one. Fit without them, "
            "or keep this classifier."
        )
    if (shares[: leaf.label] == largest).any():
        shares[leaf.label] = np.nextafter(largest, 2)
