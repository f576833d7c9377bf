"""Whether a diagram is what was asked for, from the diagram and the table alone."""

import numpy as np

from solvers.diagram import Diagram, Leaf
from solvers.methods.diagrams.draft import DiagramDraft
from solvers.problem import Problem


def allowed(problem: Problem, draft: DiagramDraft, diagram: Diagram) -> bool:
    """Whether a diagram keeps skeleton, sizes and all constraints; `draft` is what it was made from."""
    dataset, size = problem.dataset, problem.size
    if not draft.fits(size.layer_widths) or (size.max_splits is not None and diagram.n_splits > size.max_splits):
        return False
    if size.max_leaf_nodes is not None and diagram.n_leaves > size.max_leaf_nodes:
        return False
    answers = diagram.predict(dataset)
    labels = [node.label for node in diagram.nodes if isinstance(node, Leaf)]
    rows = np.bincount(answers, minlength=dataset.n_classes)[labels]
    weight = np.bincount(answers, problem.weights, dataset.n_classes)[labels]
    if rows.min() < size.min_samples_leaf or weight.min() < problem.min_leaf_weight:
        return False
    return not any(constraint.violations(diagram, dataset) for constraint in problem.constraints)
