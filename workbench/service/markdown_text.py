"""Outside text within Markdown: shown letter by letter, never read as a heading, a link, a table or HTML."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_MARKS: Final = re.compile(r"[\\`*_\[\]<>|~&]")
_LINE_STARTS: Final = re.compile(r"^(?:[#+\-=:]|\d{1,9}(?=[.)]))")
# Marks, embeddings, overrides and isolates of direction (Unicode, UAX 9), and invisible ones that hide what a text says.
_HIDDEN: Final = dict.fromkeys(
    [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF, 0x061C], None
)


def plain(text: str) -> str:
    """The text on one line, without control characters, direction marks and half letters."""
    shown = "".join(" " if unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") else letter for letter in text)
    return " ".join(shown.translate(_HIDDEN).split())


def inline(text: str) -> str:
    """:func:`plain` text as Markdown that shows just this text, wherever in a line or a table cell it stands."""
    escaped = _MARKS.sub(lambda mark: "\\" + mark[0], plain(text))
    start = _LINE_STARTS.match(escaped)
    if start is None:
        return escaped
    # A digit cannot be escaped; the dot or bracket after it can.
    at = start.end() if start[0].isdigit() else 0
    return f"{escaped[:at]}\\{escaped[at:]}"


def shortened(text: str, limit: int) -> str:
    """:func:`plain` text cut at a word where it is longer than ``limit`` letters, with ``…`` at its end."""
    whole = plain(text)
    if len(whole) <= limit:
        return whole
    cut = whole[: limit - 1]
    return (cut.rpartition(" ")[0].rstrip(" ,;.:") or cut) + "…"


def table(heads: list[str], rows: list[list[str]], *, right: frozenset[int] = frozenset()) -> str:
    """A table of cells that are Markdown already; columns of ``right`` are aligned to the right."""
    rule = ["---:" if column in right else "---" for column in range(len(heads))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (heads, rule, *rows))
