"""Commands with settings and constraints of every kind: each ends in a result that holds, or in words and status 2."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from collections import Counter
from typing import NamedTuple

from hypothesis import HealthCheck, given, settings

from solvers.__main__ import main
from solvers.constraints import KINDS
from tests.fuzz.commands import commands, write_tables
from tests.fuzz.contract import CASES, is_said_in_sentences, patience

COMBINATIONS = max(40, CASES // 5)
LEAST_ACCEPTED = 0.1
"""The share of the commands that must lead to a model or to a proof that there is none."""


class Ended(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str


def call(words: tuple[str, ...]) -> Ended:
    """Carry out a command in this process."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(list(words))
    out.flush()
    return Ended(status, out.buffer.getvalue().decode(), err.getvalue())


def test_every_command_succeeds_or_says_why_not(tmp_path, monkeypatch):
    """Status 0 or 1 comes with a result that was verified, status 2 with a sentence; nothing else happens."""
    monkeypatch.chdir(tmp_path)
    datasets = write_tables(tmp_path)
    ends: Counter[int] = Counter()
    kinds: set[str] = set()

    @given(commands(datasets))
    @settings(max_examples=COMBINATIONS, suppress_health_check=list(HealthCheck))
    def each(words: tuple[str, ...]) -> None:
        if words[0] == "sweep":
            shutil.rmtree("swept", ignore_errors=True)
            words = (*words, "--out", "swept")
        with patience():
            ended = call(words)
        ends[ended.status] += 1
        kinds.update(kind for kind in KINDS if any(f'"{kind}"' in word for word in words))
        if ended.status == 2:
            # notes on the table come before the error
            assert is_said_in_sentences(ended.err.strip().splitlines()[-1]), ended.err
        else:
            assert ended.status in (0, 1), ended
            assert ended.out and "Traceback" not in ended.err
        if words[0] == "fit" and "--json" in words and ended.status in (0, 1):
            facts = json.loads(ended.out.splitlines()[-1])
            assert facts["status"] == "failed" or facts["verified"] is not False

    each()
    assert ends[0] + ends[1] >= LEAST_ACCEPTED * COMBINATIONS, ends
    assert ends[2], ends
    # few commands meet few kinds
    assert len(kinds) > min(len(KINDS) / 3, COMBINATIONS / 10)
