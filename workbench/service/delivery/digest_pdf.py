"""An e-mail's tenders as a PDF to print or to pass on: a table for each section, on A4 across."""

from __future__ import annotations

import io
from typing import Any, Final
from xml.sax.saxutils import quoteattr

from workbench.service.delivery import wording
from workbench.service.delivery.digest import Digest, Entry, Section
from workbench.service.delivery.gathering import Reason
from workbench.service.pdf_layout import INK, LINK, styles
from workbench.service.pdf_letters import REGULAR, Letters

_WIDTH, _HEIGHT = 841.89, 595.28
_MARGIN, _TOP, _BOTTOM, _FOOT = 42.0, 44.0, 46.0, 26.0
_TEXT_WIDTH: Final = _WIDTH - 2 * _MARGIN
_BAND: Final = "#eaf0f6"
_LINE: Final = "#c3cedb"
_TITLE_MAX: Final = 300
_SMALL: Final = 8.0
_HEADING_ROOM: Final = 110.0


def pdf_bytes(digest: Digest) -> bytes:
    """The PDF; the same digest gives the same bytes."""
    # How many pages there are is known once they were set, so they are set twice.
    _, pages = _built(digest, None)
    return _built(digest, pages)[0]


def _built(digest: Digest, pages: int | None) -> tuple[bytes, int]:
    from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate

    setter = _Setter(digest)
    story = setter.story()
    foot = setter.letters.markup(f"{wording.shortened(digest.title, 90)}, {wording.when(digest.created_at, digest.zone)}")

    def decorate(canvas: Any, document: Any) -> None:
        from reportlab.platypus import Paragraph

        canvas.saveState()
        line = Paragraph(foot, setter.styles["note"])
        _, taken = line.wrap(_TEXT_WIDTH - 60, 40)
        line.drawOn(canvas, _MARGIN, _FOOT - taken + 8.5)
        canvas.setFont(REGULAR, 8.5)
        canvas.setFillColor(INK)
        canvas.drawRightString(_WIDTH - _MARGIN, _FOOT, f"{document.page} / {pages or document.page}")
        canvas.restoreState()

    buffer = io.BytesIO()
    frame = Frame(_MARGIN, _BOTTOM, _TEXT_WIDTH, _HEIGHT - _TOP - _BOTTOM, 0, 0, 0, 0)
    document: Any = BaseDocTemplate(
        buffer,
        pagesize=(_WIDTH, _HEIGHT),
        title=digest.subject,
        author="Tender workbench",
        # Leaves the time of drawing out, so that the same digest is the same file.
        invariant=1,
        pageTemplates=[PageTemplate("page", [frame], onPage=decorate)],
    )
    document.build(story)
    return buffer.getvalue(), document.page


class _Setter:
    """Turns a digest into flowables; ``letters`` keeps what the typeface lacks."""

    def __init__(self, digest: Digest) -> None:
        from reportlab.lib.colors import HexColor
        from reportlab.lib.styles import ParagraphStyle

        self.letters = Letters()
        heading = ParagraphStyle("digest-heading", parent=styles()["heading2"], keepWithNext=0)
        self.styles = {**styles(), heading.name: heading}
        self._digest = digest
        cell: dict[str, Any] = {"parent": self.styles["body"], "fontSize": 8.8, "leading": 11.6, "spaceAfter": 0}
        self._cell = ParagraphStyle("digest-cell", **cell)
        self._right = ParagraphStyle("digest-right", alignment=2, **cell)
        self._lines = HexColor(_LINE)
        self._band = HexColor(_BAND)

    def story(self) -> list[Any]:
        """What to set, in order."""
        from reportlab.platypus import CondPageBreak

        digest = self._digest
        story = [self._paragraph(digest.title, "heading1")]
        story.append(
            self._paragraph(f"{digest.account}, {wording.when(digest.created_at, digest.zone)}: {digest.counts}", "body")
        )
        if digest.description:
            story.append(self._paragraph(digest.description, "body"))
        for section in digest.sections:
            # Kept with the table a heading would take it to a page of its own: a table counts as one piece.
            story.append(CondPageBreak(_HEADING_ROOM))
            story.append(self._paragraph(f"{section.heading} ({len(section.entries):,})", "digest-heading"))
            story.append(self._table(section))
        if digest.total > len(digest.entries):
            story.append(self._paragraph(f"The newest {len(digest.entries):,} of {digest.total:,} tenders.", "body"))
        criteria = "; ".join(f"{label}: {value}" for label, value in wording.criteria(digest.criteria))
        said = (
            f"This alert looks for {criteria or 'every tender'}. Moments are those of {digest.zone.key}, amounts without taxes."
        )
        story.append(self._paragraph(said, "note"))
        if (note := self.letters.note()) is not None:
            story.append(self._paragraph(note, "note"))
        return story

    def _paragraph(self, text: str, style: str) -> Any:
        from reportlab.platypus import Paragraph

        return Paragraph(self.letters.markup(text, bold="heading" in style), self.styles[style])

    def _table(self, section: Section) -> Any:
        from reportlab.platypus import Table

        awarded = section.reason is Reason.AWARDED
        changed = any(entry.changes for entry in section.entries)
        heads = ["Tender", "Place", "Budget", "Award" if awarded else "Deadline", "Status", *(["Changed"] if changed else [])]
        widths = [0.0, 105.0, 88.0, 122.0 if awarded else 110.0, 62.0, *([190.0] if changed else [])]
        widths[0] = _TEXT_WIDTH - sum(widths)
        rows = [[self._words(head, bold=True, right=head == "Budget") for head in heads]]
        rows += [self._row(entry, awarded=awarded, changed=changed) for entry in section.entries]
        return Table(
            rows,
            colWidths=widths,
            repeatRows=1,
            splitInRow=1,
            spaceBefore=2,
            spaceAfter=6,
            hAlign="LEFT",
            style=[
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("BACKGROUND", (0, 0), (-1, 0), self._band),
                ("LINEBELOW", (0, 0), (-1, -1), 0.4, self._lines),
                ("LEFTPADDING", (0, 0), (-1, -1), 5),
                ("RIGHTPADDING", (0, 0), (-1, -1), 5),
                ("TOPPADDING", (0, 0), (-1, -1), 3),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
            ],
        )

    def _row(self, entry: Entry, *, awarded: bool, changed: bool) -> list[Any]:
        record, zone = entry.record, self._digest.zone
        currency = record.get("currency")
        cells = [
            self._tender(entry),
            self._words(wording.place(record)),
            self._words(wording.money(record.get("budgetNoTaxes"), currency), right=True),
            self._award(entry) if awarded else self._words(wording.day(record, zone)),
            self._words(wording.clean(record.get("status") or "")),
        ]
        return [*cells, self._changes(entry)] if changed else cells

    def _tender(self, entry: Entry) -> Any:
        name = self.letters.markup(wording.shortened(wording.title(entry.record), _TITLE_MAX), bold=True)
        if entry.link:
            name = f"<a href={quoteattr(entry.link)} color={quoteattr(LINK)}>{name}</a>"
        return self._lines_of([name, self._small(wording.shortened(wording.buyer(entry.record), 160))])

    def _award(self, entry: Entry) -> Any:
        record = entry.record
        amount = self.letters.markup(wording.money(record.get("awardAmount"), record.get("currency")))
        day = wording.moment(record.get("expedientAdjudicationDate"), self._digest.zone, hour=False)
        return self._lines_of([amount, self._small(wording.shortened(wording.suppliers(record), 160)), self._small(day)])

    def _changes(self, entry: Entry) -> Any:
        lines: list[str] = []
        for change in entry.changes:
            label, before, after = wording.change(change, entry.record, self._digest.zone)
            said = f"{before} → {after}" if before else after
            lines.append(f"{self._small(f'{label}: ')}{self.letters.markup(wording.shortened(said, 300))}")
        return self._lines_of(lines)

    def _small(self, text: str) -> str:
        return f'<font size="{_SMALL}" color="{INK}">{self.letters.markup(text)}</font>' if text else ""

    def _words(self, text: str, *, bold: bool = False, right: bool = False) -> Any:
        from reportlab.platypus import Paragraph

        return Paragraph(self.letters.markup(text, bold=bold), self._right if right else self._cell)

    def _lines_of(self, markups: list[str]) -> Any:
        from reportlab.platypus import Paragraph

        return Paragraph("<br/>".join(markup for markup in markups if markup), self._cell)
