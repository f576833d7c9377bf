"""A report as one HTML file that needs nothing else: no script, no address is loaded, pictures stand in it as SVG.

All texts are escaped here, once; a policy in the head forbids the page to run or load anything whatever they say.
"""

from html import escape

from solvers.report.blocks import Block, Checklist, Facts, Picture, Preformatted, Report, Section, TableBlock, Words
from solvers.report.sections import BLANK

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

_STYLE = """
:root { color-scheme: light; --ink: #1d2433; --muted: #5b6475; --line: #d7dce5; --blank: #8a5a00; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: var(--ink); background: #fff;
  max-width: 60rem; margin: 0 auto; padding: 2rem 1.2rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; padding-top: .6rem; break-after: avoid;
  border-top: 1px solid var(--line); }
p { margin: .5rem 0; }
.byline { color: var(--muted); margin: 0; }
.strong { border-left: 3px solid var(--blank); padding-left: .7rem; }
figure { margin: 1rem 0; overflow-x: auto; text-align: center; }
figure svg { max-width: 100%; height: auto; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .87rem; font-variant-numeric: tabular-nums;
  margin: .8rem 0; }
caption { text-align: left; font-weight: 600; padding: .2rem 0 .4rem; }
th, td { padding: .3rem .55rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
th { font-weight: 600; color: var(--muted); vertical-align: bottom; }
th:first-child, td:first-child, th.w, td.w { text-align: left; overflow-wrap: break-word; }
tr { break-inside: avoid; }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .25rem 1.2rem; margin: .8rem 0; }
dt { color: var(--muted); } dd { margin: 0; overflow-wrap: anywhere; }
pre { font: 12.5px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; background: #f5f7fa; padding: .8rem 1rem;
  border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; }
.blank { color: var(--blank); font-weight: 600; }
nav { font-size: .87rem; margin: 1rem 0; display: flex; flex-wrap: wrap; gap: .2rem .9rem; } nav a { color: inherit; }
.w { max-width: 22rem; }
@media print { body { max-width: none; padding: 0; font-size: 10.5pt; } nav { display: none; }
  .wide, figure { overflow: visible; } @page { margin: 18mm 16mm; } }
@media (max-width: 34rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; }
  body { padding: 1.2rem .8rem; } }
"""


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
    inside = "\n".join(_block(block) for block in section.blocks)
    return f'<section id="s{number}"><h2>{escape(section.title)}</h2>\n{inside}</section>'


def _block(block: Block) -> str:
    match block:
        case Words(text, strong):
            return f"<p{' class=strong' if strong else ''}>{escape(text)}</p>"
        case TableBlock():
            return _grid(block)
        case Facts(rows):
            pairs = "".join(f"<dt>{escape(name)}</dt><dd>{_filled(value)}</dd>" for name, value in rows)
            return f"<dl>{pairs}</dl>"
        case Picture(svg):
            return f"<figure>{svg.decode()}</figure>"
        case Preformatted(text):
            return f"<pre>{escape(text)}</pre>"
        case Checklist(items):
            head = ("Item", "What to tell", "Known here")
            lines = tuple((item.number, item.words, item.known or BLANK) for item in items)
            return _grid(TableBlock("", head, lines, wide=(1, 2)))


def _grid(grid: TableBlock) -> str:
    def cells(tag: str, row: tuple[str, ...]) -> str:
        kinds = (" class=w" if j in grid.wide else "" for j in range(len(row)))
        return "".join(f"<{tag}{kind}>{_filled(cell)}</{tag}>" for kind, cell in zip(kinds, row, strict=True))

    caption = f"<caption>{escape(grid.caption)}</caption>" if grid.caption else ""
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in grid.rows)
    head = f"<thead><tr>{cells('th', grid.head)}</tr></thead>"
    return f'<div class="wide"><table>{caption}{head}<tbody>{body}</tbody></table></div>'


def _filled(text: str) -> str:
    return f'<span class="blank">{escape(text)}</span>' if text == BLANK else escape(text)
