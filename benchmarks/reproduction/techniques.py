"""What each technique of our engine saves: the search with all of them, and with one left out at a time.

They are constants of the compiled code (`solvers.kernels.techniques`), so each choice has a separate process and a
separate cache of compiled code.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.process import fresh, measure
from benchmarks.reproduction.data import training_part
from benchmarks.reproduction.registry import (
    Case,
    Comparison,
    Extent,
    Line,
    PaperTable,
    Result,
    Results,
    Verdict,
    clean,
    shown,
)
from benchmarks.tables import NOTHING

LEFT_OUT = {
    "": "none: the engine as it is",
    "ends": "bounds of an interval by its two ends",
    "roots": "bounds by the order at the root of a side",
    "ceilings": "ceilings of sides",
    "lanes": "many positions in one pass",
    "depth-two": "the solver of depth two: the general search down to one question",
}
"""Valid values of `ESPALIER_WITHOUT`, as text."""

SMALL = ("bank", "raisin", "room", "wilt")
"""Tables that are proved at depth 3 in less than a second, so that a search that takes far longer still ends."""

COMPILING = 600.0
"""Additional wall seconds that a process may take, mostly for compiling."""


def technique(folder: Path, seconds: float, *, name: str, depth: int, without: str) -> Result:
    """The search alone without these techniques: processor seconds, elements scanned, errors, whether it is proved."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "espalier-without"
    if not os.access(home.parent, os.W_OK):
        home = Path(tempfile.gettempdir()) / home.name
    asked = [str(folder.resolve()), name, str(depth), str(seconds)]
    apart = {"ESPALIER_WITHOUT": without, "NUMBA_CACHE_DIR": str(home / (without or "none"))}
    done = fresh(["-m", __name__, *asked], COMPILING + 10 * seconds, **apart)
    if done.returncode:
        return {"failure": (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def _main(folder: Path, name: str, depth: int, seconds: float) -> None:
    run = measure(training_part(folder, name), "engine", depth, seconds)
    told = {"cpu": run.seconds, "elements": run.scanned, "errors": run.errors, "proved": run.proved}
    print(json.dumps(told))


def _case(name: str, depth: int, without: str, extent: Extent) -> Case:
    return Case("contree.technique", {"name": name, "depth": depth, "without": without}, extent.seconds)


def _cases(extent: Extent) -> list[Case]:
    return [_case(name, depth, without, extent)
            for without in LEFT_OUT for depth in extent.depths for name in extent.sets or SMALL]  # fmt: skip


def _compare(extent: Extent, results: Results) -> Comparison:
    """Times as multiples of the whole engine's, and the geometric mean over what all of them proved."""
    lines, wrong = [], []
    places = [(name, depth) for depth in extent.depths for name in extent.sets or SMALL]
    for without, words in LEFT_OUT.items():
        cells, factors = [], []
        for name, depth in places:
            whole, run = (clean(results(_case(name, depth, left, extent))) for left in ("", without))
            if not whole or not run:
                cells.append(NOTHING)
                continue
            elements = run["elements"] / whole["elements"]
            times = max(run["cpu"], 0.001) / max(whole["cpu"], 0.001)
            sign = "" if run["proved"] else "> "
            cells.append(f"{run['cpu']:.2f} s" if not without else f"{sign}{times:.1f} ({sign}{elements:.1f})")
            factors.append((times, elements, run["proved"]))
            if run["proved"] and whole["proved"] and run["errors"] != whole["errors"]:
                wrong.append(f"{name} without {without}")
        mean = np.exp(np.mean(np.log([factor[:2] for factor in factors]), axis=0)) if factors else (None, None)
        least = "> " if not all(proved for _, _, proved in factors) else ""
        told = (words, *(least + shown(value) for value in mean), *cells)
        lines.append(Line(told, Verdict.OWN if factors else Verdict.OPEN))
    headers = (
        "left out",
        "times as long, mean",
        "elements, mean",
        *(f"{name}, depth {depth}" for name, depth in places),
    )
    remark = f"Other optima were found: {', '.join(wrong)}." if wrong else ""
    return Comparison((*headers, "verdict"), tuple(lines), (remark,) if remark else ())


TABLE = PaperTable(
    "contree-own", "Beyond the paper", "what each technique of our engine saves", "not in the paper",
    Extent(1200, depths=(2, 3)), Extent(120, depths=(3,)), _cases, _compare,
    causes="Seconds of the whole engine, then how many times as long the search takes with a technique left out, in "
    "brackets how many times as many elements it scans; '>' where the limit ended it. Each switch is a constant of the "
    "compiled code (`ESPALIER_WITHOUT`, `solvers/kernels/techniques.py`) and costs nothing where it is on. Techniques "
    "stand in for one another: where one is left out, others do part of its work, so what they save does not add up. "
    "The optimum is the same with every choice.",
)  # fmt: skip

if __name__ == "__main__":
    _main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
