"""`methods`: what can be asked to solve a problem, and what each needs."""

from __future__ import annotations

import argparse
from typing import Any

from solvers.methods import REGISTRY, get, names
from solvers.run import wire


def run(options: argparse.Namespace) -> int:
    """Carry out `methods`."""
    listed = [describe(name) for name in names()]
    print(wire.dumps(listed) if options.json else "\n".join(_line(method) for method in listed))
    return 0


def describe(name: str) -> dict[str, Any]:
    """A method's facts; of one that is not installed only its name and what it lacks are known."""
    missing = REGISTRY[name].missing
    if missing:
        return {"name": name, "installed": False, "missing": missing}
    method = get(name)
    return {
        "name": name,
        "installed": True,
        "missing": (),
        "title": method.title,
        "exact": method.exact,
        "kinds": method.kinds,
        "summary": method.summary,
        "source": method.source,
    }


def _line(method: dict[str, Any]) -> str:
    if not method["installed"]:
        return f"{method['name']:<10} not installed: needs {', '.join(method['missing'])}"
    proof = "exact" if method["exact"] else "heuristic"
    return f"{method['name']:<10} {proof:<10} {', '.join(method['kinds']):<18} {method['summary']}"
