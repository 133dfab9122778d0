"""The Common Procurement Vocabulary (CPV 2008): codes, check digits, names and the tree they form (interface 2 and 4.1).

A code is eight digits; the hyphen and a ninth, ``45233120-6``, carry the check digit. Filters of the interface take the
long form, the look-up takes the short one (TND-6). The table decides which check digit is right: 532 official codes
deviate from the formula that fits the others.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import Literal, NamedTuple

from workbench.reference import package_data
from workbench.reference.text import fold, words

Level = Literal["division", "group", "class", "category"]

LANGUAGES = ("en", "es", "fr", "de", "it", "pt", "ca")
"""The interface's seven languages. ``ca`` has the 45 divisions only, since CPV has no official Catalan version."""

_TYPES: dict[int, Level] = {2: "division", 3: "group", 4: "class"}
_CODE = re.compile(r"([0-9]{8})(?:-([0-9]))?")
_BETWEEN_WORDS = re.compile(r"[^\w\n]+")
_CODE_START = re.compile(r"([0-9]{1,8})(?:-[0-9]?)?")


class UnknownCpv(ValueError):
    """A text that names no CPV code. Its message says what was expected.

    Attributes:
        given: the text, without blanks around it.
        expected: the long form with the right check digit, where only that digit is wrong; otherwise ``None``.
    """

    def __init__(self, given: str, expected: str | None = None) -> None:
        """Keep the facts; the sentence is made from them when it is read."""
        super().__init__(given, expected)
        self.given = given
        self.expected = expected

    def __str__(self) -> str:
        """One sentence with the remedy."""
        if self.expected is not None:
            return f"{self.given} has the wrong check digit: expected {self.expected}."
        if _CODE.fullmatch(self.given):
            return f"{self.given} is not among the codes of CPV 2008: expected one of its {len(_table().codes):,} codes."
        return f"{self.given!r} is not a CPV code: expected eight digits, with or without the check digit, as in 45233120-6."


@dataclass(frozen=True, slots=True)
class CpvCode:
    """One code of CPV 2008 (interface 2, CPV code).

    Attributes:
        code: eight digits, without the check digit.
        check_digit: one digit, from the official table.
        type: ``division``, ``group``, ``class`` or ``category``, by how many digits count (2, 3, 4, more).
        parent: code of the level above, ``None`` for a division. Where a level has no code of its own the next one
            above stands in; a category below the fifth digit hangs on its five-digit category.
        names: name by language of ``LANGUAGES``, ``None`` where there is none; read from the data when it is asked.
    """

    code: str
    check_digit: str
    type: Level
    parent: str | None
    names: Mapping[str, str | None] = field(compare=False, repr=False)

    @property
    def full(self) -> str:
        """The long form with the check digit, ``45233120-6``, which filters take."""
        return f"{self.code}-{self.check_digit}"

    @property
    def division(self) -> str:
        """The two digits of the division, ``45``."""
        return self.code[:2]

    @property
    def emoji(self) -> str:
        """The emoji of the division."""
        return _divisions()[self.division].emoji

    @property
    def icon(self) -> str:
        """The division's icon by its name in Font Awesome 6 Free Solid, ``helmet-safety`` (``fontAwesomeIcon``)."""
        return _divisions()[self.division].icon

    def name(self, language: str, fallback: str = "en") -> str:
        """The name in a language, else in the fallback language, else in English, which every code has."""
        return self.names.get(language) or self.names.get(fallback) or self.names["en"] or self.full


class _Names(Mapping[str, str | None]):
    """Names of one code that read a language's column only when it is asked for."""

    __slots__ = ("_code",)

    def __init__(self, code: str) -> None:
        self._code = code

    def __getitem__(self, language: str) -> str | None:
        if language not in LANGUAGES:
            raise KeyError(language)
        return _names(language)[_table().row[self._code]] or None

    def __iter__(self) -> Iterator[str]:
        return iter(LANGUAGES)

    def __len__(self) -> int:
        return len(LANGUAGES)


class _Table(NamedTuple):
    codes: list[str]
    digits: list[str]
    row: dict[str, int]


class _Division(NamedTuple):
    emoji: str
    icon: str
    catalan: str


@cache
def _table() -> _Table:
    rows = package_data.lines("codes.txt.gz")
    codes = [row[:8] for row in rows]
    return _Table(codes, [row[9] for row in rows], {code: at for at, code in enumerate(codes)})


@cache
def _divisions() -> dict[str, _Division]:
    rows = (line.split("\t") for line in package_data.lines("divisions.tsv"))
    return {digits: _Division(emoji, icon, catalan) for digits, emoji, icon, catalan in rows}


@cache
def _names(language: str) -> list[str]:
    """The names of a language in the order of the table, empty where there is none."""
    if language == "ca":
        return [_divisions()[code[:2]].catalan if code.endswith("000000") else "" for code in _table().codes]
    return package_data.lines(f"names.{language}.txt.gz")


@cache
def _folded(language: str) -> list[str]:
    """The names of a language as `text.spaced` gives them, made by the column: faster than name by name."""
    column = _BETWEEN_WORDS.sub(" ", fold("\n".join(_names(language))).replace("_", " "))
    return [f" {line.strip()} " for line in column.split("\n")]


def _record(at: int) -> CpvCode:
    table = _table()
    code = table.codes[at]
    return CpvCode(code, table.digits[at], _TYPES.get(len(_stem(code)), "category"), _parent(code), _Names(code))


def _parent(code: str) -> str | None:
    length = len(_stem(code))
    above = (code[:digits].ljust(8, "0") for digits in (5, 4, 3, 2) if digits < length)
    return next((candidate for candidate in above if candidate in _table().row), None)


def _stem(code: str) -> str:
    return code.rstrip("0").ljust(2, "0")


def _starting(prefix: str) -> range:
    codes = _table().codes
    return range(bisect_left(codes, prefix), bisect_left(codes, prefix + ":"))  # ":" sorts right after "9"


@cache
def _children() -> dict[str | None, list[int]]:
    below: dict[str | None, list[int]] = {}
    for at, code in enumerate(_table().codes):
        below.setdefault(_parent(code), []).append(at)
    return below


def normalize(code: str) -> str:
    """The eight digits of a code given with or without its check digit; blanks around it are dropped.

    Raises:
        UnknownCpv: it does not look like a code, the table has no such code, or the check digit is not the table's;
            the message names what was expected.
    """
    given = code.strip()
    found = _CODE.fullmatch(given)
    at = _table().row.get(found[1]) if found else None
    if found is None or at is None:
        raise UnknownCpv(given)
    right = _table().digits[at]
    if found[2] not in (None, right):
        raise UnknownCpv(given, f"{found[1]}-{right}")
    return found[1]


def get(code: str) -> CpvCode | None:
    """The code given with or without its check digit, or ``None`` where `normalize` would refuse it (CPV-1)."""
    try:
        return _record(_table().row[normalize(code)])
    except UnknownCpv:
        return None


def stem(code: str) -> str:
    """The digits that count when a filter takes in what lies below: ``452`` of ``45200000``, at least two digits.

    It goes by the form alone, so that a code of an older CPV in a notice has its stem too; a check digit is not judged.

    Raises:
        UnknownCpv: not eight digits, with or without a check digit.
    """
    found = _CODE.fullmatch(code.strip())
    if found is None:
        raise UnknownCpv(code.strip())
    return _stem(found[1])


def under(prefix_or_code: str) -> tuple[CpvCode, ...]:
    """The codes of a subtree in their order: of a code (itself first), or of a prefix of one to seven digits.

    Raises:
        UnknownCpv: neither a prefix nor a code of the table. A prefix without codes gives an empty tuple.
    """
    given = prefix_or_code.strip()
    prefix = given if re.fullmatch(r"[0-9]{1,7}", given) else _stem(normalize(given))
    return tuple(_record(at) for at in _starting(prefix))


def children(code: str) -> tuple[CpvCode, ...]:
    """The codes whose parent this is, in their order.

    Raises:
        UnknownCpv: as `normalize`.
    """
    return tuple(_record(at) for at in _children().get(normalize(code), ()))


def ancestors(code: str) -> tuple[CpvCode, ...]:
    """The codes above, from the division down to the parent; empty for a division.

    Raises:
        UnknownCpv: as `normalize`.
    """
    above: list[CpvCode] = []
    parent = _parent(normalize(code))
    while parent is not None:
        above.append(_record(_table().row[parent]))
        parent = _parent(parent)
    return tuple(reversed(above))


def divisions() -> tuple[CpvCode, ...]:
    """The 45 divisions in their order."""
    return tuple(_record(at) for at in _children()[None])


@cache
def all_codes() -> tuple[CpvCode, ...]:
    """All 9,454 codes in their order."""
    return tuple(_record(at) for at in range(len(_table().codes)))


def search(text: str, language: str | None = None, limit: int = 20) -> tuple[CpvCode, ...]:
    """Codes that a person may mean, best first: by code, by its first digits, or by words of a name.

    Digits find the codes that start with them; a whole code comes first and its subtree after it, whatever check digit
    was typed. Words must all begin a word of one name, in any order; accents and case do not count. Names that are the
    text come first, then names that start with it; among equals the higher level, then the shorter name.

    Args:
        text: what was typed; blank text finds nothing.
        language: one of ``LANGUAGES`` to look in; ``None`` looks in all.
        limit: most codes to return.

    Raises:
        ValueError: the language is not one of ``LANGUAGES``.
    """
    if language is not None and language not in LANGUAGES:
        raise ValueError(f"{language!r} is not a language of CPV names: expected one of {', '.join(LANGUAGES)}.")
    digits = _CODE_START.fullmatch(text.strip())
    found = _by_digits(digits[1]) if digits else []
    if not found:
        found = _by_words(words(text), LANGUAGES if language is None else (language,))
    return tuple(_record(at) for at in islice(found, max(limit, 0)))


def _by_digits(digits: str) -> list[int]:
    table = _table()
    if len(digits) == 8:
        if digits not in table.row:
            return []
        digits = _stem(digits)
    return sorted(_starting(digits), key=lambda at: (len(_stem(table.codes[at])), at))


def _by_words(wanted: list[str], languages: tuple[str, ...]) -> list[int]:
    if not wanted:
        return []
    first, *others = (f" {word}" for word in wanted)
    whole = f" {' '.join(wanted)}"
    best: dict[int, tuple[int, int, int]] = {}
    for language in languages:
        for at, name in enumerate(_folded(language)):
            if first in name and all(word in name for word in others):
                closeness = 0 if name == f"{whole} " else 1 if name.startswith(whole) else 2
                rank = (closeness, len(_stem(_table().codes[at])), len(name))
                best[at] = min(rank, best.get(at, rank))
    return sorted(best, key=lambda at: (best[at], at))
