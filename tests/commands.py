"""Calls of the command line in the process of the test."""

from __future__ import annotations

import json
from typing import Any

import pytest

from solvers.__main__ import main


def call(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    """Exit status, stdout and stderr of a command in this process."""
    return main([str(word) for word in words]), *capsys.readouterr()


def fit(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, Any]:
    """The JSON output of a successful `fit`."""
    status, out, err = call(capsys, "fit", *words, "--json")
    assert status == 0, err
    return json.loads(out.splitlines()[-1])
