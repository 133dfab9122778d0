"""Text from outside made safe to show: nothing in it can style, move, hide or reorder what is on the screen.

Whatever the service sends passes through :func:`plain`, :func:`block` or :func:`fit` before a widget sees it, and reaches
Textual as ``Content`` or as segments, never as a string that could be read as markup. Characters that act on a terminal or
on the reading order are replaced by a visible stand-in, so that a title that carries them is read for what it is.
"""

from __future__ import annotations

import re
from typing import Final

from rich.cells import cell_len
from textual.content import Content

from workbench.wording.acting import CONTROLS, HIDDEN

LINE_LIMIT: Final = 2_000
"""Most characters of one line that are ever handed to a widget."""

BLOCK_LIMIT: Final = 60_000
"""Most characters of a text of several lines."""

ELLIPSIS: Final = "…"

_ACTING: Final = re.compile(f"[{CONTROLS}{HIDDEN}]")
# Two marks on a letter occur in real languages; a tower of them paints over the lines above and below.
_TOWER: Final = re.compile(
    "([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{2})"
    "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)
_JOINERS: Final = "\u200c\u200d"
_ZERO_WIDTH: Final = re.compile("[\u200c\u200d\ufe0e\ufe0f]")
_BREAKS: Final = {"\n", "\r", "\t", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"}
_NAMES: Final = {
    "\u200e": "⟨LRM⟩", "\u200f": "⟨RLM⟩", "\u061c": "⟨ALM⟩", "\u202a": "⟨LRE⟩", "\u202b": "⟨RLE⟩", "\u202c": "⟨PDF⟩",
    "\u202d": "⟨LRO⟩", "\u202e": "⟨RLO⟩", "\u2066": "⟨LRI⟩", "\u2067": "⟨RLI⟩", "\u2068": "⟨FSI⟩", "\u2069": "⟨PDI⟩",
    "\u200b": "", "\ufeff": "", "\u00ad": "", "\u2060": "", "\x7f": "␡",
}  # fmt: skip


def _stand_in(found: re.Match[str]) -> str:
    character = found[0]
    if character in _NAMES:
        return _NAMES[character]
    if character in _JOINERS:
        return character  # parts of emoji and of several scripts; they neither reorder nor hide
    number = ord(character)
    if number < 0x20:
        return chr(0x2400 + number)  # the control pictures: ␀ ␛ …
    if 0xD800 <= number <= 0xDFFF:
        return "\N{REPLACEMENT CHARACTER}"
    return f"⟨{number:X}⟩"


def _words(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else str(value)


def _neutral(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return _TOWER.sub(r"\1", _ACTING.sub(_stand_in, text))


def plain(value: object, limit: int = LINE_LIMIT) -> str:
    """One line of safe text: any value as words, breaks as spaces, acting characters visible, cut with ``…``.

    ``None`` is the empty string. ``limit`` counts characters.
    """
    text = _words(value)
    cut = len(text) > limit
    if cut:
        text = text[:limit]
    if not (text.isascii() and text.isprintable()):
        text = "".join(" " if character in _BREAKS else character for character in text.replace("\r\n", "\n"))
        text = _neutral(text)
    return text.rstrip() + ELLIPSIS if cut else text.strip()


def block(value: object, limit: int = BLOCK_LIMIT) -> str:
    """Safe text that keeps its line breaks; tabs become spaces, long runs of empty lines become one."""
    text = _words(value)
    cut = len(text) > limit
    lines = re.split("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]", text[:limit])
    safe = "\n".join(_neutral(line.replace("\t", "    ")).rstrip() for line in lines)
    safe = re.sub(r"\n{3,}", "\n\n", safe).strip("\n")
    return f"{safe}{ELLIPSIS}" if cut else safe


def content(value: object, style: str = "", limit: int = LINE_LIMIT) -> Content:
    """One safe line as ``Content`` in one style; markup in it is shown as it stands."""
    return Content.styled(plain(value, limit), style) if style else Content(plain(value, limit))


def cut(text: str, cells: int) -> str:
    """Safe text shortened to so many terminal cells, with ``…`` where something was left out.

    Wide characters count two; a character that would be halved is left out.
    """
    if cells <= 0:
        return ""
    if len(text) <= cells and text.isascii():
        return text
    text = _ZERO_WIDTH.sub("", text[: cells * 4])  # terminals disagree about joined emoji; single ones keep columns straight
    if cell_len(text) <= cells:
        return text
    width = 0
    for at, character in enumerate(text):
        width += cell_len(character)
        if width > cells - 1:
            return text[:at].rstrip() + ELLIPSIS
    return text


def fit(text: str, cells: int, right: bool = False) -> str:
    """Safe text in exactly so many cells: shortened by :func:`cut` or padded, to the right edge if asked."""
    short = cut(text, cells)
    padding = " " * (cells - cell_len(short))
    return padding + short if right else short + padding


def shown_link(value: object) -> str | None:
    """The address if a browser may be sent there (http or https, with a host, no spaces), else ``None``."""
    text = _words(value).strip()
    if len(text) > LINE_LIMIT or not re.fullmatch(r"https?://[^\s/?#\\@]+(?:[/?#]\S*)?", text, re.IGNORECASE):
        return None
    return None if _ACTING.search(text) else text
