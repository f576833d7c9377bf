"""How large the model of the paper is when its equations are posted one by one, to compare."""

from math import comb


def literal_constraints(rows: int, questions: int, classes: int, depth: int, branches: int) -> dict[str, int]:
    """The number of constraints of each equation (1) to (19) of Nanfack, Temple and Frénay (2023), section 3.

    Every index set is counted as it is printed, with two values a question; relations between branches are counted once
    for each pair, as the paper's footnote 5 says of its program. Of the binary table there are rows, questions and
    classes; the depth is K, and the branches are L.
    """
    pairs, values = comb(branches, 2), 2
    earlier = comb(depth, 2)  # pairs of depths j1 < j
    return {
        "1": pairs * questions,
        "2": branches * depth,
        "3": branches * questions,
        "4": branches * (depth - 1),
        "5": pairs,
        "6": pairs * depth,
        "7": pairs * (earlier + depth) * questions * values,
        "8": pairs * (depth - 1),
        "9": pairs * earlier,
        "10": branches * depth,
        "11": pairs * earlier * questions * values,
        "12": pairs * depth * questions,
        "13": pairs * depth * questions * values,
        "14": pairs * depth,
        "15": rows,
        "16": rows * branches * depth * questions * values * 2,
        "17": branches,
        "18": branches * classes * (classes - 1),
        "19": rows * classes * branches * 2,
    }
