"""What every input must end in: a result, or a refusal that is written for the person who reads it."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from tests.case_count import case_count

CASES = case_count(250, fewest=80)
"""The number of files that are made; `ESPALIER_CASES=10000` is what a release is tried with."""

PATIENCE = 120
"""Seconds after which a single example counts as hung; the machine may be busy."""

NAMES = ("alpha", "max_depth")
"""Parameters that are written in small letters, also where a sentence begins with them."""

_SENTENCES = re.compile(r"\S.*[.?!]", re.DOTALL)


class Hung(BaseException):
    """An example took longer than `PATIENCE`; no `except` of the program may swallow it."""


def is_said_in_sentences(text: str) -> bool:
    """Whether a refusal reads as one or more sentences: a start that is no small letter, an end, and no traceback."""
    text = text.strip()
    return bool(
        _SENTENCES.fullmatch(text)
        and (not text[0].islower() or text.startswith(NAMES))
        and "Traceback" not in text
        and not re.search(r"\b\w+(Error|Exception)\b: ", text)
    )


@contextmanager
def patience() -> Iterator[None]:
    """End what hangs, with `Hung`."""

    def give_up(number: int, frame: object) -> None:
        raise Hung(f"no answer after {PATIENCE} seconds")

    former = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
