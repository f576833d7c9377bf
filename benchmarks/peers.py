"""Write results/peers.md, Espalier beside other programs: `python -m benchmarks.peers FOLDER`.

One section per question, each measured on the tables of its list that the folder contains. Programs that are not
installed are left out, and the first section names them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import anytime, near, prices, report, trees
from benchmarks.cli import Findings
from benchmarks.tables import Table, versions
from solvers.constraints.kinds import KINDS
from solvers.errors import MissingPackageError

PAGE = Path(__file__).resolve().parent / "results" / "peers.md"

TABLES = ("bank", "raisin", "wilt", "rice", "segment", "bidding", "fault", "page", "occupancy", "room")
FOURTH = ("bank", "wilt", "bidding", "room")
"""Tables of depth four on which some other program ends within two minutes."""
SPARSE = (*prices.SHIPPED[:3], "bank", "raisin", "wilt", "bidding")


class Program(NamedTuple):
    """What a program can express, by its documented arguments.

    `distribution` is its name in the package registry, '' for this program.
    """

    name: str
    distribution: str
    thresholds: str
    classes: str
    size: str
    proof: str
    near: str
    constraints: str


PROGRAMS = (
    Program("Espalier", "", "all", "any", "depth, leaves, penalty", "yes, with a certificate", "yes",
            f"{len(KINDS)} kinds, see the docs"),
    Program("pycontree", "pycontree", "all", "any", "depth", "yes", "no", "none"),
    Program("pytrees: ConTree", "pytrees-rs", "all", "any", "depth", "yes", "no", "rows per leaf"),
    Program("pytrees: DL8.5", "pytrees-rs", "yes/no columns", "any", "depth", "yes", "no",
            "rows per leaf, own error function"),
    Program("arborenum", "arborenum", "all", "two", "depth, penalty", "yes, in its exact mode", "yes",
            "none; may defer a prediction"),
    Program("pystreed", "pystreed", "yes/no columns", "any", "depth, splits, penalty", "yes", "no",
            "rows per leaf, group fairness, costs of columns and errors"),
    Program("gosdt", "gosdt", "yes/no columns", "any", "penalty, depth", "yes", "equal optima",
            "rule lists, costs of errors"),
    Program("imodels: FastSmallTree", "imodels", "all", "any", "penalty", "yes", "no", "costs of errors"),
    Program("licketysplit", "licketysplit", "yes/no columns", "any", "depth, penalty", "no", "no", "none"),
    Program("CART", "scikit-learn", "all", "any", "depth, leaves, penalty", "no", "no",
            "rows per leaf, directions of columns"),
)  # fmt: skip


def programs(folder: Path) -> Findings:
    """What each program can express, and its version."""
    rows = [
        (one.name, "this one" if not one.distribution else versions([one.distribution]) or "not installed", *one[2:])
        for one in PROGRAMS
    ]
    headers = ("program", "version", "thresholds", "classes", "limits of size", "proof", "near-optimal sets")
    return Findings((Table("What each program takes:", (*headers, "constraints and costs"), tuple(rows)),))


def _depth(folder: Path, sets: Sequence[str], depth: int, limit: float) -> Findings:
    peers = trees.installed(("method", "pycontree", "ca-contree", "arborenum", "cart"))
    return trees.measure(report.of(folder, sets), depth, peers, limit=limit)


def _binary(folder: Path) -> Findings:
    peers = trees.installed(("pystreed", "dl8.5"))
    if not peers:
        raise MissingPackageError("Neither 'pystreed' nor 'pytrees-rs' is installed.")
    return trees.measure(report.of(folder, TABLES), 3, peers, limit=30.0)


def _anytime(folder: Path) -> Findings:
    peers = trees.installed(("ca-contree", "licketysplit"))
    return anytime.measure(report.of(folder, TABLES), (5,), limit=10.0, peers=peers)


def _sparse(folder: Path) -> Findings:
    peers = [peer for peer, package in prices.PACKAGES.items() if versions([package])]
    return prices.measure(prices.tasks(folder, SPARSE), (0.05, 0.02, 0.01), peers, limit=8.0)


PARTS: dict[str, Callable[[Path], Findings]] = {
    "programs": programs,
    "depth2": lambda folder: _depth(folder, TABLES, 2, 30.0),
    "depth3": lambda folder: _depth(folder, TABLES, 3, 30.0),
    "depth4": lambda folder: _depth(folder, FOURTH, 4, 60.0),
    "binary": _binary,
    "anytime": _anytime,
    "near": lambda folder: near.measure(report.of(folder, TABLES), (2, 3), limit=30.0),
    "sparse": _sparse,
}
"""The sections of the page and their measurements."""


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the chosen sections of results/peers.md and write them; returns the exit status."""
    return report.write("peers", PAGE, PARTS, tuple(PARTS), sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
