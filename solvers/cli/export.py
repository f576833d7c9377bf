"""`export`: a model as a drawing, as text, or as a program in another language."""

import sys

from solvers.cli.app import Export
from solvers.cli.model import read_model, write
from solvers.diagram.dialects import Dialect
from solvers.problem import Unknown
from solvers.report.drawing import Detail
from solvers.report.exports import EXPORTS, Material, export
from solvers.run import load_run


def run(asked: Export) -> int:
    """Carry out `export`."""
    form = next(one for one in EXPORTS if one.key == asked.format)
    diagram, data = read_model(asked.model), None
    if (asked.model / "problem.json").exists():
        data = load_run(asked.model).problem.dataset
    material = Material(
        diagram,
        data,
        asked.suppress,
        asked.table,
        Dialect(asked.dialect),
        Unknown(asked.handle_unknown),
        Detail(asked.detail),
    )
    content = export(material, form.key)
    write(content, asked.out, binary=not form.is_text)
    if form.note and diagram.preparation:
        print(form.note, file=sys.stderr)
    return 0
