"""What a model must be like, on the command line. Nothing heavy is imported here."""

import argparse


def add_model(command: argparse.ArgumentParser) -> None:
    """Shape, size, costs and constraints."""
    model = command.add_argument_group("the model")
    model.add_argument(
        "--method", metavar="M", help="see 'methods' (default: contree, bdd-search or odd-search, by the shape)"
    )
    model.add_argument(
        "--shape", choices=("tree", "bdd", "diagram"), help="the shape (default: what the method makes, or a tree)"
    )
    model.add_argument(
        "--max-depth",
        type=_depth,
        metavar="D",
        help="questions on a path, the levels of a BDD; 'any' for no limit, which a --split-cost can do without "
        "(default: 3; any for the smallest tree)",
    )
    model.add_argument(
        "--max-leaf-nodes", type=int, metavar="N", help="the largest number of leaves (default: no limit)"
    )
    model.add_argument(
        "--max-splits", type=int, metavar="N", help="the most questions of the whole model (default: no limit)"
    )
    model.add_argument(
        "--min-samples-leaf", type=int, default=1, metavar="N", help="the least rows of a leaf (default: 1)"
    )
    model.add_argument(
        "--min-weight-leaf", type=float, default=0.0, metavar="W", help="the least weight of a leaf (default: 0)"
    )
    model.add_argument(
        "--split-cost", type=float, default=0.0, metavar="C", help="what a question must save, in errors (default: 0)"
    )
    _add_diagram(command)
    model.add_argument(
        "--class-costs",
        metavar="FILE_OR_JSON",
        help="what errors cost, as true class -> predicted class -> cost (default: 1), for instance "
        '\'{"ill": {"well": 5}}\'',
    )
    model.add_argument(
        "--constraints",
        metavar="FILE_OR_JSON",
        help="what the model must satisfy, as a JSON list; 'constraints' lists the kinds",
    )
    model.add_argument(
        "--round-thresholds",
        action="store_true",
        help="compare numbers with round ones only, such as 50, 55, 60 for an age; 'explain --prices' tells the cost",
    )
    model.add_argument("--preset", metavar="TITLE", help="which preset of the file of constraints, by title or number")


def _add_diagram(command: argparse.ArgumentParser) -> None:
    """The options of decision diagrams."""
    diagram = command.add_argument_group("a decision diagram")
    diagram.add_argument(
        "--skeleton",
        metavar="W",
        help="the most questions in each layer, such as 1,2,4,8, or a preset, I to IV (default: I without --max-depth)",
    )
    diagram.add_argument(
        "--alpha", type=float, metavar="A", help="what questions cost: 15 of them as much as A errors in every row"
    )
    diagram.add_argument(
        "--min-question-rows", type=int, default=1, metavar="N", help="the least rows of a question (default: 1)"
    )
    diagram.add_argument(
        "--split",
        choices=("univariate", "multivariate"),
        help="whether a question is about one column or a weighted sum of several (default: univariate)",
    )
    diagram.add_argument(
        "--split-features", type=int, metavar="N", help="the most columns in a weighted sum (default: no limit)"
    )


def _depth(text: str) -> int | str:
    try:
        return text if text == "any" else int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"a whole number or 'any' is needed, not '{text}'") from None
