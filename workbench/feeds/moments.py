"""Dates and times as feeds write them, turned into moments in UTC.

Where a text has no zone it is Spanish peninsular time, ``Europe/Madrid`` (Canary buyers included: so says the PLACSP
specification). An hour that summer time skips is read with the offset before the change, an hour that comes twice is the
first of the two: for a deadline the earlier reading is the one that loses nobody a tender.
"""

from __future__ import annotations

import calendar
import re
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import lru_cache
from zoneinfo import ZoneInfo

MADRID = ZoneInfo("Europe/Madrid")

_STAMP = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})?"
).fullmatch
_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(Z|[+-][0-9]{2}:[0-9]{2})?(T00:00:00(?:\.0+)?)?").fullmatch
_TIME = re.compile(r"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?").fullmatch
_LAST_SECOND = "23:59:59"
_MONTHS_MAX = 12 * 200


def stamp(text: str) -> datetime | None:
    """The moment of an RFC 3339 text such as ``2018-01-09T10:11:47.034+01:00``, in UTC; ``None`` where it is none."""
    if not _STAMP(text):
        return None
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=MADRID)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


@lru_cache(maxsize=8192)
def day(text: str) -> datetime | None:
    """The start of a day (``2018-01-09``) in Spain, in UTC; ``None`` where the text is no date. A zone is respected."""
    found = _DATE(text)
    return _moment(found[1], time(), found[2]) if found else None


@lru_cache(maxsize=8192)
def deadline(day_text: str, time_text: str | None) -> datetime | None:
    """The moment a period ends, from a date and a time of day, in UTC; ``None`` where either is not readable.

    Without a time the whole day counts, to its last second. ``24:00:00`` is the end of the day.
    """
    found_day, found_time = _DATE(day_text), _TIME(time_text or _LAST_SECOND)
    if found_day is None or found_time is None:
        return None
    hour, minute, second = int(found_time[1]), int(found_time[2]), int(found_time[3] or 0)
    ends_day = (hour, minute, second) == (24, 0, 0)
    try:
        clock = time() if ends_day else time(hour, minute, second)
        return _moment(found_day[1], clock, found_time[4] or found_day[2], later=timedelta(days=int(ends_day)))
    except ValueError:
        return None


def _moment(day_text: str, clock: time, zone: str | None, later: timedelta = timedelta()) -> datetime | None:
    try:
        local = datetime.combine(date.fromisoformat(day_text) + later, clock)
        return local.replace(tzinfo=_zone(zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _zone(text: str | None) -> ZoneInfo | timezone:
    if text is None:
        return MADRID
    if text == "Z":
        return UTC
    offset = timedelta(hours=int(text[1:3]), minutes=int(text[4:6]))
    return timezone(-offset if text[0] == "-" else offset)


@lru_cache(maxsize=8192)
def after(start: datetime, *, months: int = 0, days: int = 0) -> datetime | None:
    """The moment so many calendar months and days after a start, on the Spanish calendar, in UTC.

    A month without such a day ends on its last: 31 January and one month is the end of February. ``None`` beyond the
    calendar or 200 years.
    """
    if abs(months) > _MONTHS_MAX or abs(days) > _MONTHS_MAX * 31:
        return None
    try:
        local = start.astimezone(MADRID)
        year, month = divmod(local.year * 12 + local.month - 1 + months, 12)
        last = calendar.monthrange(year, month + 1)[1]
        moved = local.replace(year=year, month=month + 1, day=min(local.day, last)) + timedelta(days=days)
        return moved.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
