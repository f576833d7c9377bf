"""Tables that follow from a rule alone: the monks, tic-tac-toe, the balance scale, XOR and its relatives."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

import numpy as np

SHAPES = ("round", "square", "octagon")
ROBOT = {
    "head_shape": SHAPES,
    "body_shape": SHAPES,
    "is_smiling": ("yes", "no"),
    "holding": ("sword", "balloon", "flag"),
    "jacket_color": ("red", "yellow", "green", "blue"),
    "has_tie": ("yes", "no"),
}
"""The six attributes of a robot, each with its first value first."""

FIELDS = tuple(f"{row}_{column}" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right"))
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def to_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as comma-separated text with plain line ends."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def yes_no(truth: object) -> str:
    """'yes' or 'no'."""
    return "yes" if truth else "no"


def monk1() -> str:
    """Head and body have one shape, or the jacket is red."""
    return _monks(lambda robot: robot[0] == robot[1] or robot[4] == "red")


def monk2() -> str:
    """Exactly two of the six attributes have their first value."""
    first = tuple(values[0] for values in ROBOT.values())
    return _monks(lambda robot: sum(a == b for a, b in zip(robot, first, strict=True)) == 2)


def monk3() -> str:
    """A green jacket and a sword, or a jacket that is not blue and a body that is no octagon."""
    return _monks(
        lambda robot: (robot[4] == "green" and robot[3] == "sword") or (robot[4] != "blue" and robot[1] != "octagon")
    )


def _monks(rule) -> str:
    return to_csv([*ROBOT, "monk"], ((*robot, yes_no(rule(robot))) for robot in product(*ROBOT.values())))


def tic_tac_toe() -> str:
    """Every board at the end of a game that x began, found by playing all games."""
    boards = sorted(set(_endings(("blank",) * 9, "x")))
    return to_csv([*FIELDS, "x_wins"], ((*board, yes_no(_wins(board, "x"))) for board in boards))


def _endings(board: tuple[str, ...], player: str, seen: set | None = None) -> Iterator[tuple[str, ...]]:
    seen = set() if seen is None else seen
    if board in seen:
        return
    seen.add(board)
    if _wins(board, "x") or _wins(board, "o") or "blank" not in board:
        yield board
        return
    for i, field in enumerate(board):
        if field == "blank":
            yield from _endings((*board[:i], player, *board[i + 1 :]), "o" if player == "x" else "x", seen)


def _wins(board: Sequence[str], player: str) -> bool:
    return any(all(board[i] == player for i in line) for line in LINES)


def balance_scale() -> str:
    """The side with the larger product of weight and distance goes down."""
    rows = []
    for left_weight, left_distance, right_weight, right_distance in product(range(1, 6), repeat=4):
        left, right = left_weight * left_distance, right_weight * right_distance
        tips = "left" if left > right else "right" if right > left else "balanced"
        rows.append((left_weight, left_distance, right_weight, right_distance, tips))
    return to_csv(["left_weight", "left_distance", "right_weight", "right_distance", "tips"], rows)


def xor() -> str:
    """Two bits of six differ; each row of bits once."""
    rows = ((*bits, yes_no(bits[0] != bits[1])) for bits in product((0, 1), repeat=6))
    return to_csv(["a", "b", "c", "d", "e", "f", "outcome"], rows)


def parity() -> str:
    """An odd number of ones among the first four bits of six; each row of bits once."""
    rows = ((*bits, yes_no(sum(bits[:4]) % 2)) for bits in product((0, 1), repeat=6))
    return to_csv(["a", "b", "c", "d", "e", "f", "odd"], rows)


def noisy_xor() -> str:
    """XOR of the halves of two measurements, 40 of 400 labels flipped, and four measurements that say nothing."""
    random = np.random.default_rng(1)
    points = random.integers(0, 1000, (400, 6))
    truth = (points[:, 0] >= 500) != (points[:, 1] >= 500)
    truth[random.permutation(400)[:40]] ^= True
    rows = (
        (*(f"{value / 1000:.3f}" for value in point), yes_no(odd)) for point, odd in zip(points, truth, strict=True)
    )
    return to_csv(["a", "b", "c", "d", "e", "f", "outcome"], rows)


def checkerboard() -> str:
    """The colour of the field of a four by four board on which a point lies."""
    points = np.random.default_rng(2).integers(0, 400, (600, 2))
    dark = (points // 100).sum(1) % 2 == 0
    rows = (
        (f"{x / 100:.2f}", f"{y / 100:.2f}", "dark" if one else "light")
        for (x, y), one in zip(points, dark, strict=True)
    )
    return to_csv(["x", "y", "colour"], rows)
