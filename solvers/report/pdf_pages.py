"""A report as a PDF, set by fpdf2 with bundled fonts that cover the names of most alphabets.

A character that the fonts lack is shown as the replacement character, and the last lines list all such characters;
nothing in a name can end the document.
"""

import io
import re
import unicodedata
from collections.abc import Collection, Sequence
from datetime import datetime
from pathlib import Path

from ..diagram.dot import SVG_FONT
from ..diagram.labels import cut
from ..errors import MissingPackageError
from .blocks import BLANK, Block, Facts, Picture, Preformatted, Report, TableBlock, Words, reason
from .fonts import visual

_FONTS = Path(__file__).with_name("fonts")
_FACES = {"": "DejaVuSans.ttf", "B": "DejaVuSans-Bold.ttf"}
_FAMILY = "DejaVu"
_MARGIN, _GAP = 16, 2.5
_INK, _MUTED, _BLANK, _LINE = (29, 36, 51), (91, 100, 117), (138, 90, 0), (215, 220, 229)
_LONGEST = 2000
"""Maximum characters of a cell in a table of two or three columns."""

_NAMED = 12
"""Maximum number of missing characters that are listed."""

_NOTE = 18
"""Millimetres below the picture of a card, for the list of missing characters."""

_TALLEST = 150
"""Maximum height of the model's picture, in millimetres."""
_PADDING = 1
"""Padding of a cell, in millimetres."""

_MILLIMETRES = 25.4 / 72
_SIZE = re.compile(r'viewBox="\S+ \S+ (\S+) (\S+)"')
_TEXTS = re.compile(r"(?<=>)[^<>]+(?=<)")
_TITLES = re.compile(r"<(title|desc)>.*?</\1>", re.DOTALL)


def to_pdf(report: Report, made: datetime, paper: str = "A4", *, card: bool = False) -> bytes:
    """The report as a PDF, on paper of the size 'A4' or 'Letter'.

    `made` is the date in the document's properties, so that the same report gives the same file. A `card` is one page
    in landscape that ends with the picture. Raises `MissingPackageError` if fpdf2 is not installed.
    """
    try:
        import fpdf  # noqa: F401
    except ImportError as error:
        raise MissingPackageError(f"A PDF report needs the package fpdf2 ({error}). Install it with pip.") from None
    return _Setter(report, made, paper, card).set()


class _Setter:
    """The document during layout."""

    def __init__(self, report: Report, made: datetime, paper: str, card: bool) -> None:
        from fpdf import FPDF
        from fpdf.fonts import TTFFont

        self.report, self.card = report, card
        self.pdf = pdf = FPDF("landscape" if card else "portrait", format=paper)
        pdf.set_margins(_MARGIN, _MARGIN)
        pdf.set_auto_page_break(True, margin=_MARGIN)
        for style, file in _FACES.items():
            pdf.add_font(_FAMILY, style, _FONTS / file)
        faces = (font for font in pdf.fonts.values() if isinstance(font, TTFFont))
        self.characters = frozenset.intersection(*(frozenset(font.cmap) for font in faces))
        self.unknown: set[str] = set()
        pdf.set_title(self._known(report.title))
        pdf.set_producer("Espalier")
        pdf.set_creation_date(made)
        pdf.set_lang("en")

    def set(self) -> bytes:
        """Lay out all pages."""
        pdf = self.pdf
        pdf.add_page()
        self._write(self.report.title, 18, bold=True)
        for line in self.report.byline:
            self._write(line, 9, colour=_MUTED)
        for section in self.report.sections:
            pdf.ln(_GAP * 2)
            # no title alone at the foot of a page
            if pdf.will_page_break(30):
                pdf.add_page()
            pdf.start_section(self._known(section.title))
            self._write(section.title, 13, bold=True)
            try:
                for block in section.blocks:
                    self._block(block)
            except Exception as error:
                self._block(reason(error))
        if self.unknown:
            self._write(_describe_unknown(self.unknown), 8, colour=_BLANK)
        return bytes(pdf.output())

    def _known(self, text: str) -> str:
        """A text restricted to characters that the fonts have, in visual order."""
        text = "\n".join(visual(line) for line in text.split("\n"))
        self.unknown |= {char for char in text if ord(char) not in self.characters and char.isprintable()}
        return "".join(char if ord(char) in self.characters else "\ufffd" for char in text)

    def _block(self, block: Block) -> None:
        match block:
            case Words(text, strong):
                self._write(text, 9.5, bold=strong)
            case Facts(rows):
                self._grid(TableBlock("", (), rows, wide=(1,)), widths=(1, 3))
            case TableBlock():
                self._grid(block, widths=_widths(block))
            case Picture():
                self._picture(block)
            case Preformatted(text):
                for line in text.split("\n"):
                    indent = (len(line) - len(line.lstrip())) * 0.9
                    self._write(line.strip() or " ", 7.5, indent=indent, space=0.2)
        self.pdf.ln(_GAP)

    def _write(
        self,
        text: str,
        size: float,
        *,
        bold: bool = False,
        colour: tuple[int, int, int] = _INK,
        indent: float = 0,
        space: float = 1,
    ) -> None:
        from fpdf.enums import WrapMode

        pdf = self.pdf
        pdf.set_font(_FAMILY, "B" if bold else "", size)
        pdf.set_text_color(*colour)
        pdf.set_x(_MARGIN + min(indent, 90))
        pdf.multi_cell(
            0,
            size * 0.5,
            self._known(text),
            align="L",
            new_x="LMARGIN",
            new_y="NEXT",
            wrapmode=WrapMode.CHAR if _is_long(text) else WrapMode.WORD,
        )
        pdf.ln(space)

    def _picture(self, picture: Picture) -> None:
        from fpdf.enums import Align

        pdf = self.pdf
        # screen readers use the alternative text; the font is that of this document
        drawn = _TITLES.sub("", picture.svg.decode()).replace(f'"{SVG_FONT}"', f'"{_FAMILY}"')
        drawn = _TEXTS.sub(lambda found: self._known(found[0]), drawn)
        size = _SIZE.search(drawn)
        assert size is not None
        width, height = float(size[1]), float(size[2])
        note = _NOTE if self.unknown else 0
        tallest = pdf.h - _MARGIN - pdf.get_y() - 1 - note if self.card else _TALLEST
        most = min(pdf.epw, tallest * width / height, width * _MILLIMETRES)
        pdf.image(io.BytesIO(drawn.encode()), x=Align.C, w=most, alt_text=self._known(picture.words))

    def _grid(self, grid: TableBlock, widths: tuple[float, ...]) -> None:
        from fpdf.enums import TableBordersLayout
        from fpdf.fonts import FontFace

        pdf = self.pdf
        if grid.caption:
            self._write(grid.caption, 9, bold=True, space=0.5)
        rows = ((grid.head,) if grid.head else ()) + grid.rows
        widths = self._fitting(rows, widths)
        pdf.set_font(_FAMILY, "")
        pdf.set_text_color(*_INK)
        pdf.set_draw_color(*_LINE)
        left = {0, *grid.wide}
        # a row must fit on a page
        longest = _LONGEST if len(widths) <= 3 else _LONGEST // 3
        with pdf.table(
            col_widths=widths,
            text_align=tuple("LEFT" if j in left else "RIGHT" for j in range(len(widths))),
            borders_layout=TableBordersLayout.HORIZONTAL_LINES,
            first_row_as_headings=bool(grid.head),
            headings_style=FontFace(emphasis="BOLD", color=_MUTED),
            line_height=4.2,
            padding=(0.6, _PADDING),
            v_align="TOP",
        ) as table:
            for row in rows:
                line = table.row()
                for cell in row:
                    style = FontFace(emphasis="BOLD", color=_BLANK) if cell == BLANK else None
                    line.cell(self._known(cut(cell, longest)), style=style)
        pdf.ln(_GAP)

    def _fitting(self, rows: Sequence[tuple[str, ...]], widths: tuple[float, ...]) -> tuple[float, ...]:
        """Column widths in millimetres in which no usual word breaks; sets the font size that this requires.

        The remaining width is shared in proportion to `widths`.
        """
        pdf = self.pdf
        columns = (
            {self._known(word) for cell in column for word in cell.split()} for column in zip(*rows, strict=True)
        )
        words = [sorted((word for word in column if not _is_long(word)), key=len)[-3:] for column in columns]
        for size in (7.5, 6.5, 5.5) if len(widths) < 7 else (6.5, 5.5):
            pdf.set_font(_FAMILY, "B", size)
            least = [2 * _PADDING + 1 + max(map(pdf.get_string_width, column), default=0.0) for column in words]
            spare = pdf.epw - sum(least)
            if spare >= 0:
                break
        shares = (width / sum(widths) for width in widths)
        return tuple(one + max(spare, 0.0) * share for one, share in zip(least, shares, strict=True))


def _describe_unknown(characters: Collection[str]) -> str:
    """The characters that the document could not show, by their code points and names."""
    named = [f"U+{ord(char):04X} {unicodedata.name(char, '').lower()}".rstrip() for char in sorted(characters)]
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    listed = ", ".join(named[:_NAMED])
    return f"The fonts of this document lack {listed}{more}; \ufffd replaces each. The HTML report shows them."


def _widths(grid: TableBlock) -> tuple[float, ...]:
    """Relative column widths: those of their longest cells, within limits."""
    rows = (grid.head, *grid.rows)
    longest = [max(len(row[j]) for row in rows) for j in range(len(grid.head))]
    return tuple(float(min(max(n, 5), 60 if j in {0, *grid.wide} else 26)) for j, n in enumerate(longest))


def _is_long(text: str) -> bool:
    """Whether a word is too long for a line of a narrow column, so that it may be broken anywhere."""
    return any(len(word) > 24 for word in text.split())
