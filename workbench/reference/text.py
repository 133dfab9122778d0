"""One accent folding for every search: what a person types finds what a notice says."""

from __future__ import annotations

import re
import unicodedata

# The blocks of combining diacritical marks. Vowel signs of Indic scripts are marks too, but carry the word: they stay.
_MARKS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")

# Letters that Unicode does not decompose, as people without that key type them.
_LETTERS = str.maketrans(
    {"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ı": "i", "ŧ": "t", "ŋ": "n"}
)

# The dot of a Catalan l·l parts two letters of one word: «instal·lació» is typed «installacio». U+0140 decomposes to it.
_CATALAN_DOT = re.compile("(?<=l)[\u00b7\u2022\u2027\u2219\u22c5]+(?=l)")

_WORD = re.compile(r"[^\W_]+")


def fold(text: str) -> str:
    """Text as searches compare it: without accents, case or compatibility forms.

    ``Instal·lació`` becomes ``installacio``, ``España`` ``espana``, ``œufs`` ``oeufs`` and ``Straße`` ``strasse``.
    Folding twice changes nothing more. Line breaks and punctuation stay, so that a whole column folds in one call.
    """
    if text.isascii():
        return text.lower()
    plain = _MARKS.sub("", unicodedata.normalize("NFKD", text)).casefold()
    return plain if plain.isascii() else _CATALAN_DOT.sub("", plain.translate(_LETTERS))


def words(text: str) -> list[str]:
    """The words of a text, folded, in their order: ``['camion', 'cisterna']`` of ``Camión-cisterna``."""
    return _WORD.findall(fold(text))


def spaced(text: str) -> str:
    """The words of a text with a space before each and one at the end: ``" cis"`` in it is the start of a word."""
    return f" {' '.join(words(text))} "
