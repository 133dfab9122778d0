"""Moments as people write and read them: ranges in words, countdowns, ages. Pure functions; ``now`` is always given."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

Clock = Callable[[], datetime]
"""Gives the present as an aware datetime in the person's time zone."""


def local_clock() -> datetime:
    """The present in the machine's time zone."""
    return datetime.now(UTC).astimezone()


class NotADate(ValueError):
    """A text that is no date or span of dates; the message names the forms that are."""


@dataclass(frozen=True, slots=True)
class Span:
    """A span of whole days, both ends included; ``None`` is open."""

    first: date | None = None
    last: date | None = None

    def __bool__(self) -> bool:
        return self.first is not None or self.last is not None

    def bounds(self, now: datetime) -> tuple[datetime | None, datetime | None]:
        """The first and the last moment, in the zone of ``now``."""
        start = datetime.combine(self.first, time.min, now.tzinfo) if self.first else None
        end = datetime.combine(self.last, time(23, 59, 59), now.tzinfo) if self.last else None
        return start, end

    def __str__(self) -> str:
        if self.first and self.last:
            return f"{self.first:%d %b %Y}" if self.first == self.last else _both(self.first, self.last)
        if self.first:
            return f"from {self.first:%d %b %Y}"
        return f"to {self.last:%d %b %Y}" if self.last else ""


def _both(first: date, last: date) -> str:
    left = "%d %b" if first.year == last.year else "%d %b %Y"
    return f"{first.strftime(left)} to {last:%d %b %Y}"


_UNITS: Final = {"day": 1, "d": 1, "week": 7, "w": 7, "month": 30, "m": 30, "year": 365, "y": 365}
_ROLLING: Final = re.compile(r"(next|last|past|coming)\s+(\d{1,4})\s*(day|d|week|w|month|m|year|y)s?")
_SHORT: Final = re.compile(r"([+-])\s*(\d{1,4})\s*(d|w|m|y)?")
_SEPARATORS: Final = re.compile(r"\s*(?:\.\.+|…|\bto\b|\buntil\b|\bhasta\b|\ba\b(?=\s*\d))\s*")
_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        ("jan january ene enero", "feb february febrero", "mar march marzo", "apr april abr abril", "may mayo",
         "jun june junio", "jul july julio", "aug august ago agosto", "sep sept september septiembre",
         "oct october octubre", "nov november noviembre", "dec december dic diciembre"), 1)
    for name in names.split()
}  # fmt: skip
_FORMS: Final = "write 2026-03-31, 2026-01-01 .. 2026-03-31, next 30 days, last week, this month, 2026 or since 2026-01-01"


def parse_span(text: str, today: date) -> Span:
    """The span of days a person typed; an empty span for blank text.

    Understands ISO dates, ``dd/mm/yyyy``, years, months (``2026-03``, ``march 2026``), ``a .. b``, ``since a``, ``until b``,
    ``>= a``, ``today``, ``yesterday``, ``tomorrow``, ``this|next|last week|month|quarter|year``, ``next 30 days``,
    ``last 2 weeks``, ``+7d`` and ``-30d``.

    Raises:
        NotADate: it cannot be read, or it ends before it starts.
    """
    given = " ".join(text.lower().split())
    if not given:
        return Span()
    span = _rolling(given, today) or _open_ended(given, today) or _between(given, today) or _whole(given, today)
    if span is None:
        raise NotADate(f"{text.strip()!r} is not a date: {_FORMS}.")
    if span.first and span.last and span.first > span.last:
        raise NotADate(f"{text.strip()!r} ends before it starts: put the earlier date first.")
    return span


def _rolling(text: str, today: date) -> Span | None:
    if found := _ROLLING.fullmatch(text):
        days = int(found[2]) * _UNITS[found[3]]
        forward = found[1] in ("next", "coming")
    elif found := _SHORT.fullmatch(text):
        days, forward = int(found[2]) * _UNITS[found[3] or "d"], found[1] == "+"
    else:
        return None
    try:
        return Span(today, today + timedelta(days)) if forward else Span(today - timedelta(days), today)
    except OverflowError:
        return None


def _open_ended(text: str, today: date) -> Span | None:
    for words, end in (((">=", "since ", "from ", "desde "), False), (("<=", "until ", "to ", "hasta "), True)):
        for word in words:
            if text.startswith(word):
                rest = text[len(word) :].strip()
                if not end and len(_SEPARATORS.split(rest)) == 2:  # "from a to b"
                    return _between(rest, today)
                span = _whole(rest, today)
                return None if span is None else Span(None, span.last) if end else Span(span.first, None)
    return None


def _between(text: str, today: date) -> Span | None:
    parts = _SEPARATORS.split(text)
    if len(parts) != 2:
        return None
    left, right = (_whole(part, today) if part else Span() for part in parts)
    if left is None or right is None or not (left or right):
        return None
    return Span(left.first, right.last)


def _whole(text: str, today: date) -> Span | None:
    return _named(text, today) or _calendar(text)


def _named(text: str, today: date) -> Span | None:
    days = {"today": 0, "hoy": 0, "yesterday": -1, "ayer": -1, "tomorrow": 1, "mañana": 1}
    if text in days:
        day = today + timedelta(days[text])
        return Span(day, day)
    found = re.fullmatch(r"(this|next|last)\s+(week|month|quarter|year)", text)
    if not found:
        return None
    step = {"this": 0, "next": 1, "last": -1}[found[1]]
    if found[2] == "week":
        monday = today - timedelta(today.weekday()) + timedelta(7 * step)
        return Span(monday, monday + timedelta(6))
    if found[2] == "year":
        return Span(date(today.year + step, 1, 1), date(today.year + step, 12, 31))
    months = 1 if found[2] == "month" else 3
    first_month = today.year * 12 + (today.month - 1) // months * months + step * months
    return Span(_month_start(first_month), _month_start(first_month + months) - timedelta(1))


def _month_start(months: int) -> date:
    return date(months // 12, months % 12 + 1, 1)


def _calendar(text: str) -> Span | None:
    try:
        if found := re.fullmatch(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:t[\d:.]+z?)?", text):
            day = date(int(found[1]), int(found[2]), int(found[3]))
        elif found := re.fullmatch(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})", text):
            day = date(int(found[3]), int(found[2]), int(found[1]))
        elif found := re.fullmatch(r"(\d{4})-(\d{1,2})", text):
            return _month(int(found[1]), int(found[2]))
        elif re.fullmatch(r"\d{4}", text):
            return Span(date(int(text), 1, 1), date(int(text), 12, 31))
        elif (found := re.fullmatch(r"([a-z]+)\.?\s+(\d{4})", text)) and found[1] in _MONTHS:
            return _month(int(found[2]), _MONTHS[found[1]])
        elif (found := re.fullmatch(r"(\d{1,2})\s+([a-z]+)\.?\s+(\d{4})", text)) and found[2] in _MONTHS:
            day = date(int(found[3]), _MONTHS[found[2]], int(found[1]))
        else:
            return None
    except ValueError:
        return None
    return Span(day, day)


def _month(year: int, month: int) -> Span:
    first = date(year, month, 1)
    return Span(first, (first + timedelta(31)).replace(day=1) - timedelta(1))


def day(moment: datetime | None, now: datetime) -> str:
    """The day of a moment in the zone of ``now``, ``2026-11-30``; empty where there is none."""
    return "" if moment is None else _near(moment, now).strftime("%Y-%m-%d")


def near_day(moment: datetime | None, now: datetime) -> str:
    """The day in few cells: ``07 Dec`` within half a year of now, else ``2027-12-07``; empty where there is none."""
    if moment is None:
        return ""
    return _near(moment, now).strftime("%d %b") if abs(moment - now) < timedelta(183) else day(moment, now)


def moment_text(moment: datetime | None, now: datetime) -> str:
    """Day and minute in the zone of ``now``, ``Mon 30 Nov 2026, 14:00``; empty where there is none."""
    return "" if moment is None else _near(moment, now).strftime("%a %d %b %Y, %H:%M")


def _near(moment: datetime, now: datetime) -> datetime:
    try:
        return moment.astimezone(now.tzinfo)
    except (OverflowError, ValueError):  # the first and last days of the calendar have no other zone
        return moment


def countdown(moment: datetime | None, now: datetime) -> str:
    """Time left until a moment, or since: ``12 d left``, ``5 h 20 min left``, ``closed 3 d ago``; empty where there is none."""
    if moment is None:
        return ""
    seconds = (moment - now).total_seconds()
    return f"{duration(seconds)} left" if seconds >= 0 else f"closed {duration(-seconds)} ago"


def days_left(moment: datetime | None, now: datetime) -> str:
    """The same in a table's cell: ``12d``, ``5h``, ``12m``; empty where it has passed or there is none."""
    if moment is None:
        return ""
    seconds = (moment - now).total_seconds()
    if seconds < 0:
        return ""
    if seconds < 3600:
        return f"{seconds // 60:.0f}m"
    return f"{seconds // 3600:.0f}h" if seconds < 48 * 3600 else f"{seconds // 86400:.0f}d"


def duration(seconds: float) -> str:
    """A length of time in its two largest useful units: ``40 s``, ``12 min``, ``5 h 20 min``, ``12 d``, ``2 y``."""
    minutes = seconds / 60
    if minutes < 1:
        return f"{max(seconds, 0):.0f} s"
    if minutes < 60:
        return f"{int(minutes)} min"
    hours = int(minutes // 60)
    if hours < 48:
        return f"{hours} h {int(minutes % 60)} min" if minutes % 60 >= 1 else f"{hours} h"
    days = hours // 24
    return f"{days} d" if days < 730 else f"{days // 365} y"
