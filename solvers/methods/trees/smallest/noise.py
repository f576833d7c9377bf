"""Rows that contradict each other: what may be done about them, and what is said of them."""

from enum import StrEnum

from solvers.methods.base import Option

SHOWN_ROWS = 10


class Noise(StrEnum):
    """What is done about rows that contradict each other."""

    FEWEST = "fewest"
    DROP = "drop"
    REFUSE = "refuse"


NOISE = Option(
    "noise",
    "Contradictions",
    "Rows that equal each other but for the class: make the fewest mistakes that they allow; leave the rows of the "
    "costlier classes out and list them; or end and name the rows.",
    tuple(Noise),
    Noise.FEWEST,
    ("Fewest mistakes", "Leave rows out", "Only name them"),
)
