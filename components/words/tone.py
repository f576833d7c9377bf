"""How a status is meant, whatever it says: the colours of pills are chosen by it."""

from enum import StrEnum


class Tone(StrEnum):
    """What a pill says at a glance; its words say the same."""

    GOOD = "good"
    OPEN = "open"
    PLAIN = "plain"
    BAD = "bad"
