"""Money and counts as people write and read them. Pure functions."""

from __future__ import annotations

import re
from typing import Final

_SUFFIXES: Final = {"": 1, "k": 1_000, "m": 1_000_000, "mm": 1_000_000, "b": 1_000_000_000}
_AMOUNT: Final = re.compile(
    r"(?P<number>[0-9][0-9.,' \u00a0\u202f]*)\s*(?P<suffix>k|mm|m|b)?\s*(?:€|eur|euros?)?", re.IGNORECASE
)
_SYMBOLS: Final = {"EUR": "€", "USD": "$", "GBP": "£"}


class NotAnAmount(ValueError):
    """A text that is no amount of money; the message names the forms that are."""


def parse_amount(text: str) -> float | None:
    """The amount a person typed, ``None`` for blank text.

    Thousands may be parted by dots, commas, apostrophes or spaces; ``250k``, ``1.5m`` and ``2,5 M €`` work. A single
    separator followed by exactly three digits parts thousands (``1.500`` is fifteen hundred).

    Raises:
        NotAnAmount: the text cannot be read, with the forms that can.
    """
    given = text.strip()
    if not given:
        return None
    found = _AMOUNT.fullmatch(given.removeprefix("€").strip())
    number = _number(found["number"]) if found else None
    if found is None or number is None:
        raise NotAnAmount(f"{given!r} is not an amount: write 250000, 250.000, 250k or 1.5m.")
    return number * _SUFFIXES[(found["suffix"] or "").lower()]


def _number(text: str) -> float | None:
    compact = re.sub(r"['\s\u00a0\u202f]", "", text)
    points, commas = compact.count("."), compact.count(",")
    if points and commas:
        decimal = "." if compact.rfind(".") > compact.rfind(",") else ","
        thousands = "," if decimal == "." else "."
        if compact.count(decimal) > 1 or not _grouped(compact.split(decimal)[0], thousands):
            return None
        return float(compact.replace(thousands, "").replace(decimal, "."))
    separator = "." if points else ","
    count = points or commas
    if count > 1 or (count == 1 and re.fullmatch(r"[1-9][0-9]{0,2}[.,][0-9]{3}", compact)):
        return float(compact.replace(separator, "")) if _grouped(compact, separator) else None
    try:
        return float(compact.replace(separator, "."))
    except ValueError:
        return None


def _grouped(text: str, separator: str) -> bool:
    first, *rest = text.split(separator)
    return 0 < len(first) <= 3 and all(len(part) == 3 for part in rest) if rest else text.isdigit()


def money(amount: float | None, currency: str | None = "EUR", exact: bool = False) -> str:
    """An amount with thousands parted and its currency, ``1,234,568 €``; empty where it is not stated.

    ``exact`` keeps the cents when there are any.
    """
    if amount is None or amount != amount or amount in (float("inf"), float("-inf")):
        return ""
    unit = _SYMBOLS.get((currency or "EUR").upper(), currency or "")[:8]
    digits = f"{amount:,.2f}" if exact and round(amount, 2) != round(amount) else f"{amount:,.0f}"
    return f"{digits} {unit}".rstrip()


def short_money(amount: float | None, currency: str | None = "EUR") -> str:
    """An amount in few cells for a chip: ``250 k €``, ``1.5 M €``."""
    if amount is None:
        return ""
    unit = _SYMBOLS.get((currency or "EUR").upper(), currency or "")[:8]
    for size, letter in ((1_000_000_000, "B"), (1_000_000, "M"), (1_000, "k")):
        if abs(amount) >= size:
            return f"{amount / size:.4g} {letter} {unit}".rstrip()
    return f"{amount:g} {unit}".rstrip()


def file_size(size: int | None) -> str:
    """Bytes for people: ``812 B``, ``1.4 MB``; empty where it is not stated."""
    if size is None or size < 0:
        return ""
    amount = float(size)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" or amount >= 100 else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def counted(shown: int, more: bool, total: int | None, noun: str = "tenders") -> str:
    """How many are shown, claiming no more than is known: ``60 of more than 60 tenders``, ``60 of 1,204``, ``7 tenders``."""
    one = noun.removesuffix("s") if shown == 1 and not more else noun
    if total is not None and total >= shown and (more or total > shown):
        return f"{shown:,} of {total:,} {noun}"
    return f"{shown:,} of more than {shown:,} {noun}" if more else f"{shown:,} {one}"
