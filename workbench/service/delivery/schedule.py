"""When an alert is delivered: pure, and right on the days on which clocks change (interface 2, notification configuration).

A schedule is an hour on the wall clock of a zone, on some days of the week. On the day on which clocks go forward an hour
that does not exist is delivered when it would have been, which the wall clock then shows one hour later; on the day on
which they go back an hour that comes twice is delivered at its first coming. A day that a zone leaves out has no delivery.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from workbench.contract.record import JsonObject
from workbench.contract.vocabulary import FrequencyType

DEFAULT_WEEKDAYS: Final = frozenset({1, 2, 3, 4, 5})
DEFAULT_HOUR: Final = 8
DEFAULT_ZONE: Final = "Europe/Madrid"

_A_DAY: Final = timedelta(days=1)
_DAYS_LOOKED_AT: Final = 16
"""Enough to meet any day of the week twice, and so also where a zone leaves one out."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """An hour of the day in ``zone`` on ``weekdays`` (1 is Monday, 7 is Sunday; at least one)."""

    weekdays: frozenset[int]
    hour: int
    zone: ZoneInfo


def schedule_of(config: JsonObject) -> Schedule:
    """The schedule of a notification configuration, as it is on the wire.

    What it leaves out is Monday to Friday at 8 in Madrid.
    """
    frequency: JsonObject | None = config.get("frequency")
    if frequency is None:
        weekdays = DEFAULT_WEEKDAYS
    elif frequency["type"] == FrequencyType.WEEKLY:
        weekdays = frozenset({frequency["dayOfWeek"]})
    else:
        weekdays = frozenset(frequency["weekdays"])
    return Schedule(weekdays, config.get("hour", DEFAULT_HOUR), ZoneInfo(config.get("timezone", DEFAULT_ZONE)))


def next_run(schedule: Schedule, after: datetime) -> datetime:
    """The first moment of the schedule after ``after`` (aware), in UTC."""
    start = after.astimezone(schedule.zone).date() - _A_DAY
    return next(moment for moment in _moments(schedule, start, _A_DAY) if moment > after)


def latest_run(schedule: Schedule, at: datetime) -> datetime:
    """The last moment of the schedule at or before ``at`` (aware), in UTC."""
    start = at.astimezone(schedule.zone).date() + _A_DAY
    return next(moment for moment in _moments(schedule, start, -_A_DAY) if moment <= at)


def period_before(schedule: Schedule, at: datetime) -> timedelta:
    """How long the schedule lets pass around ``at`` from one delivery to the next, and never less than a day."""
    return max(next_run(schedule, at) - latest_run(schedule, at), _A_DAY)


def _moments(schedule: Schedule, start: date, step: timedelta) -> Iterator[datetime]:
    for number in range(_DAYS_LOOKED_AT):
        day = start + number * step
        if day.isoweekday() in schedule.weekdays and _exists(day, schedule.zone):
            yield datetime.combine(day, time(schedule.hour), schedule.zone).astimezone(UTC)


def _exists(day: date, zone: ZoneInfo) -> bool:
    noon = datetime.combine(day, time(12), zone)
    return noon.astimezone(UTC).astimezone(zone).date() == day
