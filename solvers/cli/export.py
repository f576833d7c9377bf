"""`export`: a model as a drawing, as rules, as DOT or as JSON."""

from __future__ import annotations

import argparse

from solvers.cli.model import read_model, write
from solvers.diagram import render, to_dot, to_json, to_rules

_TEXTS = {"dot": to_dot, "rules": to_rules, "json": to_json}


def run(options: argparse.Namespace) -> int:
    """Carry out `export`."""
    diagram = read_model(options.model)
    if options.format in _TEXTS:
        write(_TEXTS[options.format](diagram).encode(), options.out)
    else:
        write(render(diagram, options.format), options.out, binary=options.format != "svg")
    return 0
