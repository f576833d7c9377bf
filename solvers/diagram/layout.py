"""Render a diagram as SVG, PNG or PDF with the Graphviz of pygraphviz, in a process with limits."""

import subprocess
import sys
from functools import lru_cache
from pathlib import Path

from ..errors import RenderError
from .diagram import Diagram
from .dot import to_dot
from .layout_process import NO_PYGRAPHVIZ, NOT_DOT, TOO_MANY
from .svg import clean_svg

FORMATS = ("svg", "png", "pdf")
MAX_NODES = 600
SECONDS = 20.0
KEPT = 128
"""Number of cached pictures, so that a shared dashboard does not draw the same ones repeatedly."""

_SCRIPT = Path(__file__).with_name("layout_process.py")


def render(drawing: Diagram | str, form: str = "svg", *, max_nodes: int = MAX_NODES, seconds: float = SECONDS) -> bytes:
    """Draw a diagram, or DOT text from `to_dot`.

    Parameters
    ----------
    drawing : the diagram (drawn in the light theme), or DOT text.
    form : 'svg', 'png' or 'pdf'. The SVG has no scripts, links or foreign content, and has a title and a description.
    max_nodes : the maximum number of nodes.
    seconds : the time limit of the layout (wall time).

    Returns
    -------
    The picture. Recent pictures are cached.

    Raises
    ------
    RenderError
        The format is unknown, there are too many nodes, the time limit is reached, or Graphviz cannot draw this.
    """
    if form not in FORMATS:
        raise RenderError(f"The format must be one of {', '.join(FORMATS)}, but is {form!r}.")
    dot = to_dot(drawing, background=form != "svg") if isinstance(drawing, Diagram) else drawing
    return _render(dot, form, max_nodes, seconds)


@lru_cache(maxsize=KEPT)
def _render(dot: str, form: str, max_nodes: int, seconds: float) -> bytes:
    # -P keeps this folder off the child's path, where its modules would hide others of the same name
    command = [sys.executable, "-P", str(_SCRIPT), form, str(max_nodes)]
    try:
        done = subprocess.run(command, input=dot.encode(), capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise RenderError(
            f"The drawing was not ready within {seconds:g} seconds. "
            f"Draw fewer levels, or export the rules or the DOT text."
        ) from None
    stderr = done.stderr.decode(errors="replace").strip().splitlines() or [""]
    if done.returncode == TOO_MANY:
        raise RenderError(
            f"The diagram has {stderr[-1]} nodes; at most {max_nodes} are drawn. "
            f"Draw fewer levels, or export the rules or the DOT text."
        )
    if done.returncode == NO_PYGRAPHVIZ:
        raise RenderError(
            f"Drawing needs the package pygraphviz ({stderr[-1]}). Install pygraphviz with pip, install the system "
            f"libraries listed in docs/administration.md, and start again."
        )
    if done.returncode == NOT_DOT:
        raise RenderError(f"Graphviz cannot read this drawing ({stderr[-1]}). Pass a diagram, or DOT text from to_dot.")
    if done.returncode != 0 or not done.stdout:
        raise RenderError(
            f"Graphviz could not draw this (status {done.returncode}: {stderr[-1]}). "
            f"Export the rules or the DOT text instead."
        )
    return clean_svg(done.stdout) if form == "svg" else done.stdout
