"""The letters of a PDF: Source Sans Pro, embedded, for Latin, Greek and Cyrillic, and what is shown for letters it lacks.

The fonts that every reader has know Western Europe only. Source Sans Pro (SIL Open Font License 1.1) comes as a package; its
upright faces have Greek and Cyrillic, its italics have not, so such words stay upright. Nothing is ever transliterated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib.resources import as_file, files
from itertools import groupby
from typing import Any, Final

REGULAR: Final = "SourceSansPro"
SEMIBOLD: Final = "SourceSansPro-Semibold"
ITALIC: Final = "SourceSansPro-It"
SEMIBOLD_ITALIC: Final = "SourceSansPro-SemiboldIt"
MISSING: Final = "\N{BLACK SQUARE}"
"""What is shown for a letter that the typeface lacks."""

_FILES: Final = {
    REGULAR: "Regular",
    SEMIBOLD: "Semibold",
    ITALIC: "It",
    SEMIBOLD_ITALIC: "SemiboldIt",
}
_FACES: Final = {
    (False, False): (REGULAR,),
    (True, False): (SEMIBOLD,),
    (False, True): (ITALIC, REGULAR),
    (True, True): (SEMIBOLD_ITALIC, SEMIBOLD),
}
_NAMED_MAX: Final = 12


@cache
def faces() -> dict[str, frozenset[int]]:
    """The four faces, registered with reportlab, each with the code points that it has."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    folder = files("font_source_sans_pro") / "files"
    register: Any = pdfmetrics
    known: dict[str, frozenset[int]] = {}
    for name, file in _FILES.items():
        with as_file(folder / f"SourceSansPro-{file}.ttf") as path:
            font: Any = TTFont(name, str(path))
        register.registerFont(font)
        known[name] = frozenset(font.face.charToGlyph)
    register.registerFontFamily(REGULAR, normal=REGULAR, bold=SEMIBOLD, italic=ITALIC, boldItalic=SEMIBOLD_ITALIC)
    return known


@dataclass(slots=True)
class Letters:
    """Turns outside text into the markup of reportlab's paragraphs, and keeps which letters had to be replaced."""

    missing: Counter[str] = field(default_factory=Counter[str])

    def markup(self, text: str, *, bold: bool = False, italic: bool = False) -> str:
        """The text as markup that shows just this text: nothing in it is read as a tag or an entity."""
        return "".join(
            f'<font face="{face}">{escape(part, quote=False)}</font>'
            for face, part in self._runs(text, bold=bold, italic=italic)
        )

    def note(self) -> str | None:
        """A sentence on the letters that were replaced, or ``None``."""
        if not self.missing:
            return None
        named = ", ".join(f"U+{ord(letter):04X}" for letter, _ in self.missing.most_common(_NAMED_MAX))
        more = f" and {len(self.missing) - _NAMED_MAX} others" if len(self.missing) > _NAMED_MAX else ""
        count = self.missing.total()
        said, them = ("1 letter of this text is", "it") if count == 1 else (f"{count:,} letters of this text are", "them")
        return (
            f"{said} not in this document's typeface and shown as {MISSING}: {named}{more}. "
            f"The service's answer in JSON has {them}."
        )

    def _runs(self, text: str, *, bold: bool, italic: bool) -> Iterator[tuple[str, str]]:
        chosen = _FACES[bold, italic]
        for face, run in groupby(text, key=lambda letter: _face_of(letter, chosen)):
            part = "".join(run)
            if face is not None:
                yield face, part
                continue
            self.missing.update(part)
            yield _FACES[bold, False][0], MISSING * len(part)


@cache
def _face_of(letter: str, chosen: tuple[str, ...]) -> str | None:
    known = faces()
    return next((name for name in chosen if ord(letter) in known[name]), None)
