"""Dates as people write and read them: in their own time zone."""

from __future__ import annotations

from datetime import UTC, datetime, time, tzinfo
from enum import Enum

import typer


class Bound(Enum):
    """Which end of a range a moment is: a date alone means the start of the day for the lower one, its end for the upper."""

    LOWER = time.min
    UPPER = time.max


def read_moment(text: str, bound: Bound) -> datetime:
    """An aware moment in UTC from ISO 8601 text; without a zone it is in the zone of this machine.

    Raises ``typer.BadParameter`` with the accepted forms for anything else.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
        if "T" not in text.upper() and ":" not in text:
            moment = datetime.combine(moment.date(), bound.value)
        return moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        raise typer.BadParameter(
            f"{text!r} is no date; write 2026-03-01, or 2026-03-01T09:30, or 2026-03-01T09:30+01:00."
        ) from None


def here(moment: datetime) -> datetime:
    """The moment in the zone of this machine; one at the edge of the calendar, which no zone can move, stays as it is."""
    return _moved(moment, None)


def in_utc(moment: datetime) -> datetime:
    """The moment in UTC; one at the edge of the calendar, which cannot be moved, is taken as if it were."""
    return _moved(moment, UTC).replace(tzinfo=UTC)


def _moved(moment: datetime, zone: tzinfo | None) -> datetime:
    try:
        return moment.astimezone(zone)
    except (OverflowError, ValueError, OSError):
        return moment


def local_day(moment: datetime | None) -> str:
    """The day here, as 2026-03-01; a dash where there is none."""
    return here(moment).strftime("%Y-%m-%d") if moment else "–"


def local_minute(moment: datetime | None) -> str:
    """Day, time and zone here, as 2026-03-01 09:30 CET; a dash where there is none."""
    return here(moment).strftime("%Y-%m-%d %H:%M %Z").strip() if moment else "–"


def time_left(deadline: datetime | None, now: datetime) -> str:
    """How long a deadline leaves: ``12 days left``, ``5 h left``, ``past``; empty where there is no deadline."""
    if deadline is None:
        return ""
    seconds = (deadline - now).total_seconds()
    if seconds <= 0:
        return "past"
    if seconds < 3600:
        return f"{int(seconds // 60)} min left"
    if seconds < 48 * 3600:
        return f"{int(seconds // 3600)} h left"
    return f"{int(seconds // 86400)} days left"


def utc_text(moment: datetime) -> str:
    """ISO 8601 in UTC, to the second: 2026-03-01T08:30:00Z."""
    return in_utc(moment).strftime("%Y-%m-%dT%H:%M:%SZ")
