"""The contract for every input: a result, or an error message written for the user."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from tests.case_count import case_count

CASES = case_count(250, fewest=80)
"""The number of random files; releases are tested with `ESPALIER_CASES=10000`."""

PATIENCE = 120
"""Seconds after which a single example counts as hanging; the machine may be busy."""

NAMES = ("alpha", "max_depth")
"""Parameters written in lower case, also at the beginning of a sentence."""

_SENTENCES = re.compile(r"\S.*[.?!]", re.DOTALL)


class Hung(BaseException):
    """An example took longer than `PATIENCE`; no `except` of the program may catch it."""


def is_said_in_sentences(text: str) -> bool:
    """Whether a message consists of sentences: no lower-case start, a full stop, and no traceback."""
    text = text.strip()
    return bool(
        _SENTENCES.fullmatch(text)
        and (not text[0].islower() or text.startswith(NAMES))
        and "Traceback" not in text
        and not re.search(r"\b\w+(Error|Exception)\b: ", text)
    )


@contextmanager
def patience() -> Iterator[None]:
    """Interrupt an example that hangs with `Hung`."""

    def give_up(number: int, frame: object) -> None:
        raise Hung(f"no answer after {PATIENCE} seconds")

    former = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
