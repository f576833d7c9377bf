"""`methods`: the solving methods, and their requirements."""

from typing import Any

from ..methods import REGISTRY, get, names
from ..posing import known_method
from ..run import wire
from .app import Methods

_SHOWN = ("title", "exact", "kinds", "summary", "source", "options")


def run(asked: Methods) -> int:
    """Run `methods`."""
    listed = [describe(name) for name in (names() if asked.method is None else (known_method(asked.method),))]
    if asked.json:
        print(wire.dumps(listed))
    else:
        print("\n".join(map(_line, listed)) if asked.method is None else _page(listed[0]))
    return 0


def describe(name: str) -> dict[str, Any]:
    """A method's facts; for one that is not installed, only its name and the missing package."""
    missing = REGISTRY[name].missing
    if missing:
        return {"name": name, "installed": False, "missing": missing}
    method = get(name)
    return {"name": name, "installed": True, "missing": (), **{part: getattr(method, part) for part in _SHOWN}}


def _line(method: dict[str, Any]) -> str:
    if not method["installed"]:
        return f"{method['name']:<16} not installed: needs {', '.join(method['missing'])}"
    proof = "exact" if method["exact"] else "heuristic"
    return f"{method['name']:<16} {proof:<10} {', '.join(method['kinds']):<8} {method['summary']}"


def _page(method: dict[str, Any]) -> str:
    if not method["installed"]:
        return _line(method)
    proof = "proves the optimum" if method["exact"] else "a heuristic, no proof"
    lines = [f"{method['name']}: {method['title']} ({', '.join(method['kinds'])}; {proof})", method["summary"]]
    lines += ["", "Options:"] if method["options"] else []
    for option in method["options"]:
        values = ", ".join(option.values) or "a whole number"
        lines.append(f"  --{option.name.replace('_', '-')} ({values}; default: {option.default})")
        lines.append(f"      {option.label}: {option.help}")
    return "\n".join([*lines, "", f"Source: {method['source']}"])
