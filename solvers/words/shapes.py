"""The size of a model in words: what was asked for, and what was found."""

from solvers.diagram import Diagram
from solvers.language import tr
from solvers.metrics.words import amount, count
from solvers.problem import MAX_DEPTH, Shape, ShapeKind
from solvers.problem.skeleton import PRESETS


def widths_words(widths: tuple[int, ...]) -> str:
    """A skeleton by its preset's name or by its widths, for instance 'I (1 2 4 8)' or '(1 2 3)'."""
    listed = f"({' '.join(map(str, widths))})"
    name = next((name for name, preset in PRESETS.items() if preset.widths == widths), None)
    return listed if name is None else f"{name} {listed}"


def shape_words(shape: Shape) -> list[str]:
    """What is asked of the size, a piece for each demand, for instance 'tree of depth 3', 'at most 6 leaves'."""
    if shape.kind is ShapeKind.TREE:
        parts = [
            tr("tree of any depth")
            if shape.max_depth == MAX_DEPTH
            else tr("tree of depth {max_depth}", max_depth=shape.max_depth)
        ]
    elif shape.kind is ShapeKind.BDD:
        parts = [tr("BDD of at most {levels}", levels=count(shape.max_depth, "level"))]
    else:
        parts = [tr("diagram within the skeleton {widths_words}", widths_words=widths_words(shape.layer_widths))]
        parts += [combining_words(shape)] if shape.split_features != 1 else []
    return parts + size_limits(shape)


def combining_words(shape: Shape) -> str:
    """How many columns a question may combine."""
    if shape.split_features is None:
        return tr("questions may combine all columns")
    return tr("questions may combine {split_features} columns", split_features=shape.split_features)


def size_limits(shape: Shape) -> list[str]:
    """The limits besides depth and skeleton, a piece for each."""
    parts = []
    if shape.max_splits is not None:
        parts.append(tr("at most {questions} in all", questions=count(shape.max_splits, "question")))
    if shape.max_leaf_nodes is not None:
        parts.append(tr("at most {leafs}", leafs=count(shape.max_leaf_nodes, "leaf", "leaves")))
    if shape.min_samples_leaf > 1:
        parts.append(tr("at least {count} rows per leaf", count=count(shape.min_samples_leaf)))
    if shape.min_weight_leaf:
        parts.append(tr("a weight of at least {min_weight_leaf} a leaf", min_weight_leaf=amount(shape.min_weight_leaf)))
    return parts


def size_title(shape: Shape) -> str:
    """The size in a run's title, for instance 'depth 3', 'BDD of 4 levels' or 'diagram (1 2 4 8)'."""
    if shape.kind is ShapeKind.TREE:
        return tr("any depth") if shape.max_depth == MAX_DEPTH else tr("depth {max_depth}", max_depth=shape.max_depth)
    if shape.kind is ShapeKind.BDD:
        return tr("BDD of {levels}", levels=count(shape.max_depth, "level"))
    return tr("diagram {widths_words}", widths_words=widths_words(shape.layer_widths))


def size_after_noun(shape: Shape) -> str:
    """What is asked of the size, in words that follow 'no tree'."""
    if shape.kind is ShapeKind.TREE:
        words = (
            tr("of any depth up to {MAX_DEPTH}", MAX_DEPTH=MAX_DEPTH)
            if shape.max_depth == MAX_DEPTH
            else tr("of depth {max_depth}", max_depth=shape.max_depth)
        )
    elif shape.kind is ShapeKind.BDD:
        words = tr("of at most {levels}", levels=count(shape.max_depth, "level"))
    else:
        words = tr("within the skeleton {map}", map=" ".join(map(str, shape.layer_widths)))
    limits = size_limits(shape)
    return words + (tr(" with {limits}", limits=f" {tr('and')} ".join(limits)) if limits else "")


def size_found(diagram: Diagram) -> str:
    """How large a model is, for instance '7 questions, 8 leaves, depth 3', or '5 questions in 4 layers'."""
    splits = count(diagram.n_splits, "question")
    if diagram.kind is ShapeKind.TREE:
        return tr(
            "{splits}, {leafs}, depth {depth}",
            splits=splits,
            leafs=count(diagram.n_leaves, "leaf", "leaves"),
            depth=diagram.depth,
        )
    return tr(
        "{splits} in {count}",
        splits=splits,
        count=count(diagram.depth, "level" if diagram.kind is ShapeKind.BDD else "layer"),
    )
