"""What the site makes of the pages: formulas become MathML, which needs no script, notebooks become pages.

The navigation lists all pages of methods.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.structure.files import File, Files

_BLOCK = re.compile(r"^```math\n(.*?)^```|^\$\$\n?(.*?)\$\$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"\$`([^`]+)`\$")


def on_config(config: Any) -> Any:
    """Add the page of each method to the navigation."""
    (methods,) = (section["Methods"] for section in config.nav if "Methods" in section)
    pages = sorted(Path(config.docs_dir, "methods").glob("*.md"))
    methods += [{page.stem: f"methods/{page.name}"} for page in pages if page.stem != "README"]
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add a page for each notebook."""
    for file in [file for file in files if file.src_uri.endswith(".ipynb")]:
        cells = json.loads(Path(file.abs_src_path).read_text("utf-8"))["cells"]
        parts = ("".join(cell["source"]) if cell["cell_type"] == "markdown" else _code(cell) for cell in cells)
        files.append(File.generated(config, file.src_uri.replace(".ipynb", ".md"), content="\n\n".join(parts)))
    return files


def _code(cell: dict[str, Any]) -> str:
    return "```python\n" + "".join(cell["source"]) + "\n```"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The text of a page with its formulas written out, and links to the pages of notebooks."""
    markdown = _BLOCK.sub(lambda found: convert(found[1] or found[2], display="block"), markdown)
    return _INLINE.sub(lambda found: convert(found[1]), markdown).replace(".ipynb)", ".md)")
