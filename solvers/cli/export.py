"""`export`: a model as a drawing, as text, or as a program in another language."""

import sys

from ..diagram.dialects import Dialect
from ..problem import Unknown
from ..report.drawing import Detail
from ..report.exports import EXPORTS, Material, export
from ..run import load_run
from .app import Export
from .inputs import read_model, write


def run(asked: Export) -> int:
    """Run `export`."""
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
