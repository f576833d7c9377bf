"""Reading a model, and writing output to a file or to stdout."""

import sys
from pathlib import Path

from ..diagram import Diagram, from_json
from ..errors import RunError
from ..run.folder import RunFolder
from ..solution import Cancelled, Failed, Finished


def read_model(path: Path) -> Diagram:
    """The model in a file, in the folder that `fit --out` wrote, or in a run's folder.

    Raises
    ------
    DiagramError
        The file is not a model.
    RunError
        The folder holds no model.
    """
    if not path.is_dir():
        return from_json(path.read_bytes())
    if (path / "model.json").exists():
        return from_json((path / "model.json").read_bytes())
    end = RunFolder(path).outcome()
    solution = end.solution if isinstance(end, Finished) else end.best if isinstance(end, Failed | Cancelled) else None
    if solution is None or solution.diagram is None:
        raise RunError(
            f"The folder '{path}' holds no model. Name a model.json, or the folder of a run that found a model."
        )
    return solution.diagram


def write(content: bytes, out: Path | None, *, binary: bool = False) -> None:
    """Write to a file, or to stdout; binary content is not written to a terminal.

    Raises `RunError` if binary content would go to a terminal.
    """
    if out is not None:
        out.write_bytes(content)
    elif binary and sys.stdout.isatty():
        raise RunError("This format cannot be shown in a terminal. Name a file with --out.")
    else:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
