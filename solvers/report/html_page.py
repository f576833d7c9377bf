"""A report as one self-contained HTML file: no script, no loaded address, pictures are inline SVG.

All texts are escaped here, once; in addition, a policy in the head forbids the page to run or load anything.
"""

from html import escape
from pathlib import Path

from .blocks import (
    BLANK,
    Block,
    Facts,
    Picture,
    Preformatted,
    Report,
    Section,
    TableBlock,
    Words,
    reason,
)

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

_STYLE = (Path(__file__).parent / "page.css").read_text("utf-8")


def to_html(report: Report) -> bytes:
    """The report as a page in UTF-8."""
    title = escape(report.title)
    links = "".join(f'<a href="#s{i}">{escape(s.title)}</a>' for i, s in enumerate(report.sections))
    parts = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{title}</title><style>{_STYLE}</style></head><body><header><h1>{title}</h1>",
        *(f'<p class="byline">{escape(line)}</p>' for line in report.byline),
        f'</header><nav aria-label="Sections">{links}</nav><main>',
        *(_section(i, section) for i, section in enumerate(report.sections)),
        "</main></body></html>\n",
    )
    return "\n".join(parts).encode("utf-8", "replace")


def _section(number: int, section: Section) -> str:
    try:
        inside = "\n".join(_block(block) for block in section.blocks)
    except Exception as error:
        inside = _block(reason(error))
    return f'<section id="s{number}"><h2>{escape(section.title)}</h2>\n{inside}</section>'


def _block(block: Block) -> str:
    match block:
        case Words(text, strong):
            return f"<p{' class=strong' if strong else ''}>{escape(text)}</p>"
        case TableBlock():
            return _grid(block)
        case Facts(rows):
            pairs = "".join(f"<dt>{escape(name)}</dt><dd>{_fill_template(value)}</dd>" for name, value in rows)
            return f"<dl>{pairs}</dl>"
        case Picture(svg):
            return f"<figure>{svg.decode()}</figure>"
        case Preformatted(text):
            return f"<pre>{escape(text)}</pre>"


def _grid(grid: TableBlock) -> str:
    def cells(tag: str, row: tuple[str, ...]) -> str:
        kinds = (" class=w" if j in grid.wide else "" for j in range(len(row)))
        # the column of row names has no heading
        tags = (tag if cell else "td" for cell in row)
        return "".join(
            f"<{t}{kind}>{_fill_template(cell)}</{t}>" for t, kind, cell in zip(tags, kinds, row, strict=True)
        )

    caption = f"<caption>{escape(grid.caption)}</caption>" if grid.caption else ""
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in grid.rows)
    head = f"<thead><tr>{cells('th', grid.head)}</tr></thead>"
    return f'<div class="wide"><table>{caption}{head}<tbody>{body}</tbody></table></div>'


def _fill_template(text: str) -> str:
    return f'<span class="blank">{escape(text)}</span>' if text == BLANK else escape(text)
