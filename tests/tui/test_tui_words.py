"""Amounts and moments as people write and read them."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.tui.amounts import NotAnAmount, counted, file_size, money, parse_amount, short_money
from workbench.tui.moments import NotADate, Span, countdown, day, days_left, duration, near_day, parse_span

TODAY = date(2026, 11, 20)  # a Friday
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("", None), ("250000", 250_000), ("250.000", 250_000), ("250,000", 250_000), ("250 000 €", 250_000),
        ("1.500,50", 1500.5),
        ("1,500.50", 1500.5), ("1.5", 1.5), ("0,75", 0.75), ("1,5m", 1_500_000), ("250k", 250_000), ("2 M €", 2_000_000),
        ("1.234.567", 1_234_567), ("1'234'567", 1_234_567), ("0.500", 0.5), ("€ 300", 300), ("12 euros", 12),
        ("1b", 1_000_000_000),
    ],
)  # fmt: skip
def test_amounts_are_read_as_they_are_written(text: str, amount: float | None) -> None:
    assert parse_amount(text) == amount


@pytest.mark.parametrize("text", ["abc", "12.34.5", "1,2,3", "-5", "1..2", "k", "1.500.00", "٣"])
def test_what_is_no_amount_is_refused_with_the_forms_that_are(text: str) -> None:
    with pytest.raises(NotAnAmount, match="250k"):
        parse_amount(text)


@given(st.integers(0, 10**12))
def test_every_whole_amount_is_read_back_however_its_thousands_are_parted(amount: int) -> None:
    for separator in ",. '":
        assert parse_amount(f"{amount:,}".replace(",", separator)) == amount


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    with suppress(NotAnAmount):
        amount = parse_amount(text)
        assert amount is None or amount >= 0


def test_money_is_shown_with_thousands_and_missing_is_not_zero() -> None:
    assert money(1234567.5) == "1,234,568 €"
    assert money(1234.5, exact=True) == "1,234.50 €"
    assert money(0.0) == "0 €"
    assert money(None) == ""
    assert money(float("nan")) == ""
    assert money(5.0, "PLN") == "5 PLN"
    assert short_money(1_500_000.0) == "1.5 M €"
    assert file_size(None) == ""
    assert file_size(1_400_000) == "1.4 MB"


def test_counts_claim_no_more_than_is_known() -> None:
    assert counted(60, more=True, total=None) == "60 of more than 60 tenders"
    assert counted(60, more=True, total=1204) == "60 of 1,204 tenders"
    assert counted(7, more=False, total=None) == "7 tenders"
    assert counted(1, more=False, total=1) == "1 tender"


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-03-31", "2026-03-31", "2026-03-31"), ("31/12/2026", "2026-12-31", "2026-12-31"),
        ("3 nov 2026", "2026-11-03", "2026-11-03"),
        ("2026", "2026-01-01", "2026-12-31"), ("2026-02", "2026-02-01", "2026-02-28"),
        ("March 2026", "2026-03-01", "2026-03-31"),
        ("2026-01-01 .. 2026-03-31", "2026-01-01", "2026-03-31"), ("2026-01-01 to 2026-02", "2026-01-01", "2026-02-28"),
        ("from 2026-01-01 to 2026-02", "2026-01-01", "2026-02-28"), ("since 2026-01-01", "2026-01-01", None),
        (">= 2026-01-01", "2026-01-01", None),
        ("2026-01-01..", "2026-01-01", None), ("until tomorrow", None, "2026-11-21"), ("..2026-01-01", None, "2026-01-01"),
        ("today", "2026-11-20", "2026-11-20"), ("Yesterday", "2026-11-19", "2026-11-19"),
        ("mañana", "2026-11-21", "2026-11-21"),
        ("next 30 days", "2026-11-20", "2026-12-20"), ("last 2 weeks", "2026-11-06", "2026-11-20"),
        ("+7d", "2026-11-20", "2026-11-27"),
        ("-30d", "2026-10-21", "2026-11-20"), ("this week", "2026-11-16", "2026-11-22"),
        ("last week", "2026-11-09", "2026-11-15"),
        ("next month", "2026-12-01", "2026-12-31"), ("this quarter", "2026-10-01", "2026-12-31"),
        ("last quarter", "2026-07-01", "2026-09-30"),
        ("last year", "2025-01-01", "2025-12-31"),
    ],
)  # fmt: skip
def test_spans_of_days_are_read_as_people_say_them(text: str, first: str | None, last: str | None) -> None:
    expected = Span(date.fromisoformat(first) if first else None, date.fromisoformat(last) if last else None)
    assert parse_span(text, TODAY) == expected


@pytest.mark.parametrize(
    "text", ["x", "2026-13-01", "31/02/2026", "next", "next 30 moons", "2026-01-01 .. x", "..", "next 9999 years"]
)
def test_what_is_no_date_is_refused_with_the_forms_that_are(text: str) -> None:
    with pytest.raises(NotADate, match="next 30 days"):
        parse_span(text, TODAY)


def test_a_span_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(NotADate, match="ends before it starts"):
        parse_span("2026-03-01 .. 2026-01-01", TODAY)


@given(st.text(max_size=40))
def test_any_text_is_a_span_or_refused_in_words(text: str) -> None:
    with suppress(NotADate):
        parse_span(text, TODAY).bounds(NOW)


@given(st.dates(), st.dates())
def test_two_iso_dates_are_read_back(one: date, other: date) -> None:
    first, last = sorted((one, other))
    assert parse_span(f"{first} .. {last}", TODAY) == Span(first, last)


def test_a_span_holds_both_its_ends() -> None:
    first, last = parse_span("2026-01-01 .. 2026-01-31", TODAY).bounds(NOW)
    assert (first, last) == (datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 31, 23, 59, 59, tzinfo=UTC))


def test_time_left_is_said_in_its_useful_units() -> None:
    assert countdown(NOW + timedelta(days=12), NOW) == "12 d left"
    assert countdown(NOW + timedelta(hours=5, minutes=20), NOW) == "5 h 20 min left"
    assert countdown(NOW - timedelta(days=3), NOW) == "closed 3 d ago"
    assert countdown(None, NOW) == ""
    assert days_left(NOW + timedelta(hours=30), NOW) == "30h"
    assert days_left(NOW - timedelta(hours=30), NOW) == ""
    assert duration(40) == "40 s"
    assert duration(60 * 60 * 24 * 800) == "2 y"
    assert near_day(NOW, NOW) == "20 Nov"
    assert near_day(NOW + timedelta(days=400), NOW) == "2027-12-25"


@given(st.datetimes(timezones=st.just(UTC)))
def test_any_moment_can_be_shown(moment: datetime) -> None:
    for show in (day, near_day, countdown, days_left):
        assert isinstance(show(moment, NOW), str)
