"""Whether a model has the shape that was asked for, as the independent check reads it."""

from ..diagram import Diagram, Leaf, Split
from ..problem import LinearPredicate, Predicate, Shape, ShapeKind


def depths(diagram: Diagram) -> list[int]:
    """The length of the longest way to each node."""
    depth = [0] * len(diagram.nodes)
    for i, node in enumerate(diagram.nodes):
        if isinstance(node, Split):
            for child in (node.yes, node.no):
                depth[child] = max(depth[child], depth[i] + 1)
    return depth


def shape_fault(size: Shape, diagram: Diagram) -> str:
    """What of a shape a model does not keep; '' where it keeps all."""
    nodes, depth = diagram.nodes, depths(diagram)
    parents = [0] * len(nodes)
    for node in nodes:
        if isinstance(node, Split):
            parents[node.yes] += 1
            parents[node.no] += 1
    leaves = sum(isinstance(node, Leaf) for node in nodes)
    if diagram.kind != size.kind:
        return f"A {size.kind} was asked for, this is a {diagram.kind}."
    if max(depth) > size.max_depth:
        return f"The depth is {max(depth)}; at most {size.max_depth} was asked for."
    if size.max_leaf_nodes is not None and leaves > size.max_leaf_nodes:
        return f"There are {leaves} leaves; at most {size.max_leaf_nodes} were asked for."
    if size.max_splits is not None and len(nodes) - leaves > size.max_splits:
        return f"There are {len(nodes) - leaves} questions; at most {size.max_splits} were asked for."
    if size.kind is ShapeKind.TREE and max(parents) > 1:
        return f"Node {parents.index(max(parents))} of a tree has {max(parents)} parents."
    if size.kind is ShapeKind.BDD:
        return _bdd_fault(diagram)
    return _skeleton_fault(size, diagram, depth) if size.kind is ShapeKind.DIAGRAM else ""


def _skeleton_fault(size: Shape, diagram: Diagram, depth: list[int]) -> str:
    """Why the diagram does not fit the skeleton (Florio et al. 2023, section 3); '' where it does."""
    splits = {i: node for i, node in enumerate(diagram.nodes) if isinstance(node, Split)}
    for i, node in splits.items():
        if any(child in splits and depth[child] != depth[i] + 1 for child in (node.yes, node.no)):
            return f"Node {i} leads past the layer after its own."
        if size.split_features is not None and len(set(node.predicate.columns)) > size.split_features:
            return f"Node {i} combines {len(set(node.predicate.columns))} columns; {size.split_features} are allowed."
    most = 1
    for layer in range(size.max_depth):
        most = 2 * most if layer and size.widths is None else most if size.widths is None else size.widths[layer]
        found = sum(depth[i] == layer for i in splits)
        if found > most:
            return f"Layer {layer + 1} has {found} questions; at most {most} were asked for."
    labels = [node.label for node in diagram.nodes if isinstance(node, Leaf)]
    return "Two leaves give the same answer." if len(set(labels)) < len(labels) else ""


def _bdd_fault(diagram: Diagram) -> str:
    """Why the diagram is not ordered and reduced; '' where it is (Bryant 1986, sections 2 and 4)."""
    seen: dict[tuple[object, ...], int] = {}
    for i, node in enumerate(diagram.nodes):
        if isinstance(node, Split) and node.yes == node.no:
            return f"Node {i} asks a question whose answer does not matter."
        key = (node.predicate, node.yes, node.no) if isinstance(node, Split) else ("leaf", node.label)
        if seen.setdefault(key, i) != i:
            return f"The nodes {seen[key]} and {i} are equal."
    after: dict[Predicate | LinearPredicate, set[Predicate | LinearPredicate]] = {}
    for node in diagram.nodes:
        if isinstance(node, Split):
            below = [diagram.nodes[child] for child in (node.yes, node.no)]
            after.setdefault(node.predicate, set()).update(b.predicate for b in below if isinstance(b, Split))
    while after:
        # an order exists where again and again some question has no other left after it
        last = next((p for p, later in after.items() if not later & after.keys()), None)
        if last is None:
            return "The questions do not follow one order on all paths."
        del after[last]
    return ""
