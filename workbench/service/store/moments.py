"""Moments as the store keeps them (microseconds since 1970, UTC) and as the wire shows them (ISO 8601 with ``Z``)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def micros(moment: datetime) -> int:
    """Microseconds since 1970 of an aware moment; exact, where ``timestamp()`` would round."""
    since = moment - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def moment_of(value: int) -> datetime:
    """The aware moment in UTC of :func:`micros`."""
    return _EPOCH + timedelta(microseconds=value)


@lru_cache(maxsize=4_096)
def wire_micros(value: int) -> str:
    """:func:`wire_moment` of a moment as the store keeps it."""
    return wire_moment(moment_of(value))


def wire_moment(moment: datetime) -> str:
    """``2022-01-03T02:00:13.633Z``: in UTC, with thousandths only where there are any."""
    plain = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    fraction = plain.microsecond
    if fraction and not fraction % 1000:
        return plain.isoformat(timespec="milliseconds")[:-6] + "Z"
    return plain.isoformat()[:-6] + "Z"
