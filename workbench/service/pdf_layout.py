"""The page of a summary's PDF: measures, styles, tables that break over pages, and numbered pages."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from workbench.service.pdf_letters import REGULAR, SEMIBOLD, faces

INK: Final = "#5c6b7a"
LINK: Final = "#1f5c99"
_DARK: Final = "#16324f"
_HEADING: Final = {"fontName": SEMIBOLD, "textColor": _DARK, "keepWithNext": 1}
_BAND: Final = "#eaf0f6"
_LINE: Final = "#c3cedb"
_WIDTH, _HEIGHT = 595.28, 841.89
_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 62.0, 66.0, 64.0
TEXT_WIDTH: Final = _WIDTH - _LEFT - _RIGHT
_ALIGNMENTS: Final[dict[str, Any]] = {"left": 0, "center": 1, "right": 2}
_FOOT: Final = 38.0
_CELL_PADDING: Final = 5.0
_SHORT_CELL: Final = 20
_CELL_SIZE: Final = 8.5
_COLUMNS_OF_FULL_SIZE: Final = 8


@cache
def styles() -> dict[str, Any]:
    """Paragraph styles: ``heading1`` to ``heading4``, ``body``, ``quote``, ``code``, ``note``, ``list1`` to ``list6``."""
    from reportlab.lib.colors import HexColor
    from reportlab.lib.styles import ParagraphStyle

    faces()
    body = ParagraphStyle(
        "body",
        fontName=REGULAR,
        fontSize=10,
        leading=14,
        spaceAfter=6,
        textColor=HexColor("#1c2733"),
        bulletFontName=REGULAR,
        bulletFontSize=10,
        allowOrphans=0,
        allowWidows=0,
        splitLongWords=1,
    )

    def derived(name: str, **changes: Any) -> ParagraphStyle:
        return ParagraphStyle(name, parent=body, **changes)

    made = [
        body,
        derived("quote", leftIndent=16, rightIndent=16, textColor=HexColor(INK)),
        derived("code", fontSize=9, leading=12.5, backColor=HexColor("#f3f5f8"), borderPadding=5, spaceBefore=5, spaceAfter=10),
        derived("note", fontSize=8.5, leading=11.5, textColor=HexColor(INK), spaceBefore=10),
        derived("heading1", fontSize=19, leading=23, spaceAfter=8, **_HEADING),
        derived("heading2", fontSize=13, leading=16, spaceBefore=13, spaceAfter=5, **_HEADING),
        derived("heading3", fontSize=11.5, leading=14, spaceBefore=10, spaceAfter=5, **_HEADING),
        derived("heading4", fontSize=10.5, leading=13, spaceBefore=8, spaceAfter=5, **_HEADING),
        *(derived(f"list{depth}", leftIndent=18 * depth, bulletIndent=18 * depth - 14, spaceAfter=3) for depth in range(1, 7)),
    ]
    return {style.name: style for style in made}


def note_flowable(markup: str) -> Any:
    """A small remark below the text."""
    from reportlab.platypus import Paragraph

    return Paragraph(markup, styles()["note"])


def table_flowable(rows: Sequence[Sequence[tuple[str, str]]], sides: Sequence[str]) -> Any:
    """A table of ``(markup, plain text)`` cells whose first row is its head, repeated on every page that it reaches.

    ``sides`` has ``left``, ``right`` or ``center`` for each column. A row that is higher than a page is split.
    """
    from reportlab.lib.colors import HexColor
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import Paragraph, Table

    columns = max(len(sides), 1)
    size = _CELL_SIZE * min(1.0, _COLUMNS_OF_FULL_SIZE / columns)
    cell_styles = [
        ParagraphStyle(
            f"cell-{side}",
            parent=styles()["body"],
            fontSize=size,
            leading=size * 1.32,
            spaceAfter=0,
            alignment=_ALIGNMENTS[side],
        )
        for side in sides
    ]
    cells = [[Paragraph(markup, cell_styles[place]) for place, (markup, _) in enumerate(row[:columns])] for row in rows]
    widths = _widths([[text for _, text in row[:columns]] for row in rows], size, columns)
    return Table(
        cells,
        colWidths=widths,
        repeatRows=1,
        splitInRow=1,
        spaceBefore=4,
        spaceAfter=10,
        hAlign="LEFT",
        style=[
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("BACKGROUND", (0, 0), (-1, 0), HexColor(_BAND)),
            ("LINEBELOW", (0, 0), (-1, -1), 0.4, HexColor(_LINE)),
            ("LEFTPADDING", (0, 0), (-1, -1), _CELL_PADDING),
            ("RIGHTPADDING", (0, 0), (-1, -1), _CELL_PADDING),
            ("TOPPADDING", (0, 0), (-1, -1), 3),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
        ],
    )


def _widths(texts: Sequence[Sequence[str]], size: float, columns: int) -> list[float]:
    """Column widths: as wide as the content where there is room, else the longest word of each and the rest by need."""
    from reportlab.pdfbase.pdfmetrics import stringWidth

    def measured(text: str) -> float:
        return stringWidth(text[:400], SEMIBOLD, size) + 2 * _CELL_PADDING + 1

    natural = [max((measured(row[at]) for row in texts if at < len(row)), default=0.0) for at in range(columns)]
    if sum(natural) <= TEXT_WIDTH:
        return natural
    least_of = [
        max((measured(word) for row in texts if at < len(row) for word in _unbroken(row[at])), default=0.0)
        for at in range(columns)
    ]
    share = TEXT_WIDTH / columns
    least = [min(width, max(share, TEXT_WIDTH * 0.3)) for width in least_of]
    if sum(least) >= TEXT_WIDTH:
        return [width * TEXT_WIDTH / sum(least) for width in least]
    wanted = [max(0.0, width - low) for width, low in zip(natural, least, strict=True)]
    room = (TEXT_WIDTH - sum(least)) / (sum(wanted) or 1.0)
    return [low + more * room for low, more in zip(least, wanted, strict=True)]


def _unbroken(text: str) -> list[str]:
    """What of a cell stays on one line: a short text as a whole, such as a date or an amount, else each word."""
    return [text] if len(text) <= _SHORT_CELL else text.split()


def document_of(buffer: io.BytesIO, *, title: str, head: str, foot: str, pages: int | None) -> Any:
    """A document to build into ``buffer``. ``head`` is markup on every page but the first, ``foot`` on every page, beside the
    page's number and ``pages``, how many there are.
    """
    from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate

    frame = Frame(_LEFT, _BOTTOM, TEXT_WIDTH, _HEIGHT - _TOP - _BOTTOM, 0, 0, 0, 0)

    def decorate(canvas: Any, document: Any) -> None:
        canvas.saveState()
        if document.page > 1:
            _line_of_text(canvas, head, _HEIGHT - _TOP + 22)
        _line_of_text(canvas, foot, _FOOT)
        canvas.setFont(REGULAR, 8.5)
        canvas.setFillColor(INK)
        canvas.drawRightString(_WIDTH - _RIGHT, _FOOT, f"{document.page} / {pages or document.page}")
        canvas.restoreState()

    # "invariant" leaves the time of drawing out, so that the same summary is the same file.
    return BaseDocTemplate(
        buffer,
        pagesize=(_WIDTH, _HEIGHT),
        title=title,
        author="Tender workbench",
        invariant=1,
        pageTemplates=[PageTemplate("page", [frame], onPage=decorate)],
    )


def _line_of_text(canvas: Any, markup: str, baseline: float) -> None:
    from reportlab.platypus import Paragraph

    line = Paragraph(markup, styles()["note"])
    _, taken = line.wrap(TEXT_WIDTH - 60, 40)
    line.drawOn(canvas, _LEFT, baseline - taken + 8.5)
