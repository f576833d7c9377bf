"""The size of a model in words: its limits, and what was found."""

from ..diagram import Diagram
from ..metrics.words import amount, count
from ..problem import MAX_DEPTH, Shape, ShapeKind
from ..problem.skeleton import PRESETS


def describe_widths(widths: tuple[int, ...]) -> str:
    """A skeleton by its preset's name or by its widths, for instance 'I (1 2 4 8)' or '(1 2 3)'."""
    listed = f"({' '.join(map(str, widths))})"
    name = next((name for name, preset in PRESETS.items() if preset.widths == widths), None)
    return listed if name is None else f"{name} {listed}"


def describe_shape(shape: Shape) -> list[str]:
    """The size limits, one text each, for instance 'tree of depth 3', 'at most 6 leaves'."""
    if shape.kind is ShapeKind.TREE:
        parts = ["tree of any depth" if shape.max_depth == MAX_DEPTH else f"tree of depth {shape.max_depth}"]
    elif shape.kind is ShapeKind.BDD:
        parts = [f"BDD of at most {count(shape.max_depth, 'level')}"]
    else:
        parts = [f"diagram within the skeleton {describe_widths(shape.layer_widths)}"]
        if shape.split_features != 1:
            parts.append(f"splits may combine {shape.split_features or 'all'} features")
    return parts + size_limits(shape)


def size_limits(shape: Shape) -> list[str]:
    """The limits other than depth and skeleton, one text each."""
    parts = []
    if shape.max_splits is not None:
        parts.append(f"at most {count(shape.max_splits, 'split')} in all")
    if shape.max_leaf_nodes is not None:
        parts.append(f"at most {count(shape.max_leaf_nodes, 'leaf', 'leaves')}")
    if shape.min_samples_leaf > 1:
        parts.append(f"at least {count(shape.min_samples_leaf)} rows per leaf")
    if shape.min_weight_leaf:
        parts.append(f"a weight of at least {amount(shape.min_weight_leaf)} per leaf")
    return parts


def size_title(shape: Shape) -> str:
    """The size in a run's title, for instance 'depth 3', 'BDD of 4 levels' or 'diagram (1 2 4 8)'."""
    if shape.kind is ShapeKind.TREE:
        return "any depth" if shape.max_depth == MAX_DEPTH else f"depth {shape.max_depth}"
    if shape.kind is ShapeKind.BDD:
        return f"BDD of {count(shape.max_depth, 'level')}"
    return f"diagram {describe_widths(shape.layer_widths)}"


def size_after_noun(shape: Shape) -> str:
    """The size limits, in words that follow 'no tree'."""
    if shape.kind is ShapeKind.TREE:
        words = f"of any depth up to {MAX_DEPTH}" if shape.max_depth == MAX_DEPTH else f"of depth {shape.max_depth}"
    elif shape.kind is ShapeKind.BDD:
        words = f"of at most {count(shape.max_depth, 'level')}"
    else:
        words = f"within the skeleton {' '.join(map(str, shape.layer_widths))}"
    limits = size_limits(shape)
    return words + (f" with {' and '.join(limits)}" if limits else "")


def size_found(diagram: Diagram) -> str:
    """The size of a model, for instance '7 splits, 8 leaves, depth 3', or '5 splits in 4 layers'."""
    splits = count(diagram.n_splits, "split")
    if diagram.kind is ShapeKind.TREE:
        return f"{splits}, {count(diagram.n_leaves, 'leaf', 'leaves')}, depth {diagram.depth}"
    return f"{splits} in {count(diagram.depth, 'level' if diagram.kind is ShapeKind.BDD else 'layer')}"
