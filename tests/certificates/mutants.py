"""Checkers with a fault."""

from __future__ import annotations

import sys
from typing import Any

from solvers.certificates.optimum import checker_text


def mutant(old: str, new: str) -> dict[str, Any]:
    """The names of a checker in whose source one text is replaced."""
    source = checker_text()
    assert source.count(old) == 1
    names: dict[str, Any] = {"__name__": "mutant"}
    # classes look up the module in which they are defined
    sys.modules["mutant"] = sys.modules[__name__]
    exec(compile(source.replace(old, new), "mutant", "exec"), names)
    return names
