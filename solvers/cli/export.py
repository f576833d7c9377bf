"""`export`: a model as a drawing, as text, or as a program in another language."""

import argparse
import sys

from solvers.cli.model import read_model, write
from solvers.diagram.dialects import Dialect
from solvers.problem import Unknown
from solvers.report.drawing import Detail
from solvers.report.exports import EXPORTS, Material, export
from solvers.run import load_run


def run(options: argparse.Namespace) -> int:
    """Carry out `export`."""
    form = next(one for one in EXPORTS if one.key == options.format)
    diagram, data = read_model(options.model), None
    if (options.model / "problem.json").exists():
        data = load_run(options.model).problem.dataset
    unknown = Unknown(options.unknown)
    material = Material(
        diagram, data, options.suppress, options.table, Dialect(options.dialect), unknown, Detail(options.detail)
    )
    content = export(material, form.key)
    write(content, options.out, binary=not form.is_text)
    if form.note and diagram.preparation:
        print(form.note, file=sys.stderr)
    return 0
