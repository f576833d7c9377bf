"""Commands with settings and constraints of every kind: each ends in a correct result, or in a message and status 2."""

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
"""The minimum share of commands that lead to a model or to a proof of infeasibility."""


class Ended(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str


def call(words: tuple[str, ...]) -> Ended:
    """Run a command in this process."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(list(words))
    out.flush()
    return Ended(status, out.buffer.getvalue().decode(), err.getvalue())


def test_every_command_succeeds_or_gives_its_reason(tmp_path, monkeypatch):
    """Status 0 or 1 has a verified result, status 2 a sentence; nothing else happens."""
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
            # notes on the table precede the error
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
    # few commands reach few kinds
    assert len(kinds) > min(len(KINDS) / 3, COMBINATIONS / 10)
