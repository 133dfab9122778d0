"""A summary as PDF: Markdown read by markdown-it-py, set by reportlab on A4 pages with their numbers.

The Markdown may come from a writer outside, so it is data: raw HTML is shown as text, images are shown by their words and
never fetched, links are kept for ``http``, ``https`` and ``mailto`` only. The same summary gives the same bytes, so that a
download can be resumed.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, Final
from xml.sax.saxutils import quoteattr

from markdown_it import MarkdownIt
from markdown_it.token import Token

from workbench.service.markdown_text import plain, shortened
from workbench.service.pdf_layout import INK, LINK, document_of, note_flowable, styles, table_flowable
from workbench.service.pdf_letters import Letters
from workbench.service.summaries import FinishedSummary

SCHEMES: Final = ("http://", "https://", "mailto:")
LIST_DEPTH_MAX: Final = 6
TABLE_ROWS_MAX: Final = 200


def render(summary: FinishedSummary) -> bytes:
    """The PDF of a completed summary."""
    tokens = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).parse(summary.markdown)
    # How many pages there are is known once they were set, so they are set twice.
    _, pages = _built(summary, tokens, None)
    return _built(summary, tokens, pages)[0]


def _built(summary: FinishedSummary, tokens: Sequence[Token], pages: int | None) -> tuple[bytes, int]:
    setter = _Setter()
    story = setter.flowables(tokens)
    if (note := setter.letters.note()) is not None:
        story.append(note_flowable(setter.letters.markup(note)))
    buffer = io.BytesIO()
    document = document_of(
        buffer,
        title=shortened(f"{summary.name}: {summary.opportunity}", 200),
        head=setter.letters.markup(shortened(summary.opportunity, 90)),
        foot=setter.letters.markup(f"{shortened(summary.name, 60)}, {summary.generated_at:%d %b %Y, %H:%M} UTC"),
        pages=pages,
    )
    document.build(story)
    return buffer.getvalue(), document.page


class _Setter:
    """Turns block tokens into flowables, from first to last."""

    def __init__(self) -> None:
        self.letters = Letters()
        self._styles = styles()
        self._story: list[Any] = []
        self._lists: list[int | None] = []
        self._bullet: str | None = None
        self._quoted = 0

    def flowables(self, tokens: Sequence[Token]) -> list[Any]:
        """What to set, in order; never empty."""
        place = 0
        while place < len(tokens):
            token = tokens[place]
            if token.type == "table_open":
                end = next(at for at in range(place, len(tokens)) if tokens[at].type == "table_close")
                self._table(tokens[place:end])
                place = end
            else:
                self._block(token, tokens[place + 1] if place + 1 < len(tokens) else None)
            place += 1
        if not self._story:
            self._paragraph("Nothing is written in this summary.", "body")
        return self._story

    def _block(self, token: Token, following: Token | None) -> None:
        match token.type:
            case "heading_open":
                level = min(int(token.tag[1:]), 4)
                self._paragraph(self._inline(following, bold=True), f"heading{level}")
            case "paragraph_open":
                self._paragraph(self._inline(following), "quote" if self._quoted else "body")
            case "bullet_list_open":
                self._lists.append(None)
            case "ordered_list_open":
                self._lists.append(int(token.attrGet("start") or 1))
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "list_item_open":
                self._bullet = self._next_bullet()
            case "blockquote_open":
                self._quoted += 1
            case "blockquote_close":
                self._quoted -= 1
            case "fence" | "code_block":
                lines = token.content.rstrip("\n").expandtabs(4).split("\n")
                # Blanks at the start of a line are what shows the structure of code.
                kept = [
                    self.letters.markup(plain(line).rjust(len(plain(line)) + _indent(line), "\N{NO-BREAK SPACE}"))
                    for line in lines
                ]
                self._paragraph("<br/>".join(kept), "code")
            case "hr":
                self._rule()
            case _:
                return

    def _paragraph(self, markup: str, style: str) -> None:
        from reportlab.platypus import Paragraph

        if self._lists:
            depth = min(len(self._lists), LIST_DEPTH_MAX)
            style = f"list{depth}"
        bullet, self._bullet = self._bullet, None
        self._story.append(Paragraph(markup, self._styles[style], bulletText=bullet))

    def _next_bullet(self) -> str:
        number = self._lists[-1]
        if number is None:
            return "\N{BULLET}" if len(self._lists) % 2 else "\N{EN DASH}"
        self._lists[-1] = number + 1
        return f"{number}."

    def _rule(self) -> None:
        from reportlab.platypus import HRFlowable

        self._story.append(HRFlowable(width="100%", thickness=0.5, color=INK, spaceBefore=8, spaceAfter=8))

    def _table(self, tokens: Sequence[Token]) -> None:
        rows: list[list[tuple[str, str]]] = []
        sides: list[str] = []
        for place, token in enumerate(tokens):
            if token.type == "tr_open":
                rows.append([])
            elif token.type in ("th_open", "td_open"):
                inline = tokens[place + 1]
                heads = token.type == "th_open"
                if heads:
                    sides.append(str(token.attrGet("style") or "").rpartition(":")[2])
                rows[-1].append((self._inline(inline, bold=heads), _text_of(inline)))
        known = [side if side in ("right", "center") else "left" for side in sides]
        # A long table is set in pieces: the time that one takes grows with the square of its rows.
        for start in range(1, max(len(rows), 2), TABLE_ROWS_MAX):
            self._story.append(table_flowable([rows[0], *rows[start : start + TABLE_ROWS_MAX]], known))

    def _inline(self, token: Token | None, *, bold: bool = False) -> str:
        parts: list[str] = []
        strong, italic, links = int(bold), 0, 0
        for child in (token.children if token else None) or []:
            match child.type:
                case "strong_open" | "strong_close":
                    strong += child.nesting
                case "em_open" | "em_close":
                    italic += child.nesting
                case "s_open" | "s_close":
                    parts.append("<strike>" if child.nesting > 0 else "</strike>")
                case "softbreak":
                    parts.append(" ")
                case "hardbreak":
                    parts.append("<br/>")
                case "link_open" if _is_kept(str(child.attrGet("href") or "")):
                    links += 1
                    parts.append(f'<a href={quoteattr(str(child.attrGet("href")))} color="{LINK}">')
                case "link_open":
                    links += 0
                case "link_close":
                    if links:
                        links -= 1
                        parts.append("</a>")
                case _:
                    said = f"[{_text_of(child)}]" if child.type == "image" else child.content
                    parts.append(self.letters.markup(_kept_blanks(said), bold=strong > 0, italic=italic > 0))
        return "".join(parts)


def _is_kept(address: str) -> bool:
    return address.lower().startswith(SCHEMES)


def _kept_blanks(text: str) -> str:
    """As :func:`plain`, with one blank at either end where there was one: it parts words of different faces."""
    inner = plain(text)
    if not inner:
        return " " if text else ""
    return f"{' ' if text[0].isspace() else ''}{inner}{' ' if text[-1].isspace() else ''}"


def _text_of(token: Token) -> str:
    return "".join(child.content or _text_of(child) for child in token.children or []) or token.content


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
