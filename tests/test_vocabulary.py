"""Words that were given up for the field's own stay out of the program and its pages, see docs/vocabulary.md."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("solvers", "components", "pages", "docs")

DROPPED = {
    "leash": "worker process",
    "warden": "watchdog",
    "pulse": "heartbeat, or progress",
    "shelf": "list of sweeps",
    "shelves": "lists of sweeps",
    "wish": "constraint",
    "wishes": "constraints",
    "wished": "constrained",
    "mend": "correct, or recover",
    "mends": "corrects, or recovers",
    "mended": "corrected, or recovered",
    "mending": "recovery",
}
"""Words that occur nowhere, and what is said instead."""

DROPPED_NAMES = {
    "bin": "trash",
    "binned": "trashed",
    "book": "sweep folder",
    "silence": "timeout",
    "silent": "unresponsive",
    "told": "payload, or what it holds",
    "said": "message, or what it holds",
}
"""Words that nothing in the code is called, though a sentence may use them."""

DROPPED_MODULES = {
    "gathering": "synchronization",
    "keeping": "trash",
    "marking": "marks",
    "spreading": "executors",
    "following": "followed_job",
    "signs": "job_heartbeat",
}
"""Files of the rooms of runs and sweeps are called after what they hold."""


class Exempt(NamedTuple):
    """Where a dropped word may still occur, and why."""

    files: str
    word: str
    reason: str


EXEMPT = (
    Exempt("solvers/run/json_types.py", "wish", "a key of stored answers"),
    Exempt("docs/explaining.md", "wish", "tells of that key"),
    Exempt("solvers/sweeps/stored_sweeps.py", "wished", "a key of stored sweeps"),
    Exempt("solvers/sweeps/plan.py", "wishes", "a column of stored tables of sweeps"),
    Exempt("components/sweep/facts.py", "wishes", "reads that column"),
    Exempt("solvers/store/*", "wishes", "a column of the index"),
    Exempt("solvers/cli/sweep_arguments.py", "wishes", "the older name of an option, still taken"),
    Exempt("solvers/store/index_recovery.py", "mending", "the file of a lock, which other versions look for, too"),
    Exempt("docs/vocabulary.md", "mending", "names that file"),
)


def parts_of(text: str) -> Iterator[str]:
    """The words of a text in lower case, those inside of names, too: `SweepList` is 'sweep' and 'list'."""
    for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", text):
        yield word.lower()


def names_of(text: str) -> str:
    """The names in a piece of Python, without its comments and texts."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return " ".join(token.string for token in tokens if token.type == tokenize.NAME)


def dropped_in(path: Path, text: str) -> Iterator[str]:
    """The dropped words in a file and in its name."""
    words = set(parts_of(text)) | set(parts_of(path.stem))
    yield from sorted(words & DROPPED.keys())
    if path.suffix == ".py":
        names = set(parts_of(names_of(text))) | set(parts_of(path.stem))
        yield from sorted(names & DROPPED_NAMES.keys())


@cache
def found() -> tuple[tuple[str, str], ...]:
    """Each file with each dropped word in it."""
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".md")]
    return tuple(
        (path.relative_to(ROOT).as_posix(), word)
        for path in sorted([*files, ROOT / "app.py"])
        for word in dropped_in(path, path.read_text("utf-8"))
    )


def is_exempt(file: str, word: str, exempt: Exempt) -> bool:
    """Whether an exception is about this word in this file."""
    return word == exempt.word and fnmatchcase(file, exempt.files)


def test_dropped_words_stay_out() -> None:
    """One idea has one word; the exceptions say why."""
    instead = DROPPED | DROPPED_NAMES
    left = [pair for pair in found() if not any(is_exempt(*pair, exempt) for exempt in EXEMPT)]
    assert left == [], {word: instead[word] for _, word in left}


@pytest.mark.parametrize("exempt", EXEMPT, ids=lambda exempt: f"{exempt.files} {exempt.word}")
def test_exceptions_are_needed(exempt: Exempt) -> None:
    """One whose word is gone is taken off the list."""
    assert any(is_exempt(*pair, exempt) for pair in found())


@pytest.mark.parametrize("room", ["sweeps", "store", "run"])
def test_files_are_called_after_what_they_hold(room: str) -> None:
    """Not after what is done in them."""
    assert not {path.stem for path in (ROOT / "solvers" / room).glob("*.py")} & DROPPED_MODULES.keys()


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("x.py", "class SweepShelf: pass", ["shelf"]),
        ("x.py", "PULSE = 0.2  # a text", ["pulse"]),
        ("x.py", "# the leash of a worker", ["leash"]),
        ("x.py", "book = 1", ["book"]),
        ("x.py", "# in silence, by the book", []),
        ("x.py", "bins, amendment, shelter = 1, 2, 3", []),
        ("silence.py", "", ["silence"]),
        ("page.md", "It was mended in silence.", ["mended"]),
    ],
)
def test_words_are_found_inside_of_names(name: str, text: str, words: list[str]) -> None:
    """In names, sentences and names of files, but not inside of other words."""
    assert list(dropped_in(Path(name), text)) == words
