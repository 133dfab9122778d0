"""Schedules: right on the days on which clocks change, in every zone (interface 2, notification configuration)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.service.delivery.schedule import Schedule, latest_run, next_run, period_before, schedule_of

EVERY_DAY = frozenset(range(1, 8))


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def runs(schedule: Schedule, after: str, count: int) -> list[str]:
    found: list[str] = []
    at = moment(after)
    for _ in range(count):
        at = next_run(schedule, at)
        found.append(at.isoformat(timespec="minutes").replace("+00:00", "Z"))
    return found


@pytest.mark.requirement("ALR-7")
@pytest.mark.parametrize(
    ("zone", "hour", "after", "expected"),
    [
        # The hour from 1 to 2 does not exist in the Canaries on 29 March 2026, and comes twice on 25 October.
        ("Atlantic/Canary", 8, "2026-03-28T00:00Z", ["2026-03-28T08:00Z", "2026-03-29T07:00Z", "2026-03-30T07:00Z"]),
        ("Atlantic/Canary", 1, "2026-03-28T02:00Z", ["2026-03-29T01:00Z", "2026-03-30T00:00Z"]),
        ("Atlantic/Canary", 1, "2026-10-24T12:00Z", ["2026-10-25T00:00Z", "2026-10-26T01:00Z"]),
        ("Europe/Madrid", 2, "2026-03-28T12:00Z", ["2026-03-29T01:00Z", "2026-03-30T00:00Z"]),
        ("Europe/Madrid", 2, "2026-10-24T12:00Z", ["2026-10-25T00:00Z", "2026-10-26T01:00Z"]),
        ("Europe/Madrid", 3, "2026-10-24T12:00Z", ["2026-10-25T02:00Z", "2026-10-26T02:00Z"]),
        # Lord Howe Island moves by half an hour, Apia left out 30 December 2011.
        ("Australia/Lord_Howe", 2, "2026-10-02T20:00Z", ["2026-10-03T15:30Z", "2026-10-04T15:00Z"]),
        ("Pacific/Apia", 8, "2011-12-29T00:00Z", ["2011-12-29T18:00Z", "2011-12-30T18:00Z"]),
        ("Asia/Kathmandu", 0, "2026-01-01T00:00Z", ["2026-01-01T18:15Z"]),
    ],
)
def test_days_on_which_clocks_change(zone: str, hour: int, after: str, expected: list[str]) -> None:
    assert runs(Schedule(EVERY_DAY, hour, ZoneInfo(zone)), after, len(expected)) == expected


@pytest.mark.requirement("ALR-7")
@pytest.mark.parametrize(
    ("config", "weekdays", "hour", "zone"),
    [
        ({}, {1, 2, 3, 4, 5}, 8, "Europe/Madrid"),
        ({"frequency": {"type": "weekly", "dayOfWeek": 7}, "hour": 0}, {7}, 0, "Europe/Madrid"),
        (
            {"frequency": {"type": "daily", "weekdays": [1, 7]}, "hour": 23, "timezone": "Atlantic/Canary"},
            {1, 7},
            23,
            "Atlantic/Canary",
        ),
    ],
)
def test_a_configuration_is_a_schedule(config: dict[str, Any], weekdays: set[int], hour: int, zone: str) -> None:
    assert schedule_of(config) == Schedule(frozenset(weekdays), hour, ZoneInfo(zone))


SCHEDULES = st.builds(
    Schedule,
    st.sets(st.integers(1, 7), min_size=1).map(frozenset),
    st.integers(0, 23),
    st.sampled_from(sorted(available_timezones())).map(ZoneInfo),
)
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1)).map(lambda naive: naive.replace(tzinfo=UTC))  # noqa: DTZ001


@settings(max_examples=400, deadline=None)
@given(schedule=SCHEDULES, at=MOMENTS)
def test_runs_follow_each_other_without_end_or_gap(schedule: Schedule, at: datetime) -> None:
    following = next_run(schedule, at)
    assert following > at
    assert following - at <= timedelta(days=16)
    # What came last before the next one is the next one of everything in between.
    latest = latest_run(schedule, at)
    assert latest <= at
    assert next_run(schedule, latest) == following
    assert latest_run(schedule, following) == following
    assert period_before(schedule, at) >= timedelta(days=1)
    # On the wall clock it is the day and the hour that were asked for, or the hour does not exist that day.
    local = following.astimezone(schedule.zone)
    if local.hour != schedule.hour:
        wanted = local.replace(hour=schedule.hour, minute=0, fold=0)
        assert wanted.astimezone(UTC).astimezone(schedule.zone).hour != schedule.hour or local.day != wanted.day
    else:
        assert local.isoweekday() in schedule.weekdays
