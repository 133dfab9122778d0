"""Numbers, moments and statuses: what holds for every value, not only for those that were thought of."""

from __future__ import annotations

import calendar
from datetime import UTC, date, datetime, time, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.feeds import moments
from workbench.feeds.amounts import amount, count
from workbench.feeds.moments import MADRID
from workbench.feeds.placsp_codes import RANKS, status_of
from workbench.feeds.placsp_entry import source_of
from workbench.feeds.placsp_project import period_in_words

CENTS = st.integers(min_value=0, max_value=10**13)
EARLIEST, LATEST = datetime.fromisoformat("1990-01-01"), datetime.fromisoformat("2090-01-01")
DAYS = st.dates(min_value=date(1990, 1, 1), max_value=date(2090, 1, 1))
CODES = st.sampled_from(["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "999"])


@given(CENTS, st.booleans())
def test_an_amount_is_the_same_with_a_point_and_with_a_comma(cents: int, negative: bool) -> None:
    sign = "-" if negative else ""
    whole, rest = divmod(cents, 100)
    wanted = float(f"{sign}{whole}.{rest:02}")
    assert amount(f"{sign}{whole}.{rest:02}") == wanted
    assert amount(f"{sign}{whole},{rest:02}") == wanted
    assert amount(f"  {sign}{whole}.{rest:02}\n") == wanted


@given(CENTS.filter(lambda cents: cents >= 100_000_00))
def test_thousands_in_groups_are_understood(cents: int) -> None:
    whole, rest = divmod(cents, 100)
    spanish = f"{whole:,}".replace(",", ".") + f",{rest:02}"
    assert amount(spanish) == amount(f"{whole:,}.{rest:02}") == float(f"{whole}.{rest:02}")


@given(st.text(max_size=40))
def test_an_amount_is_finite_or_not_there(text: str) -> None:
    number = amount(text) if text else None
    assert number is None or abs(number) < 1e19


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "abc",
        "1.2.3",
        "1,2,3",
        "nan",
        "inf",
        "1e5",
        "1_000",
        "１２",
        "--1",
        "1-",
        ".",
        "5.",
        ".5",
        "12 EUR",
        "0x10",
        "1" * 40,
    ],
)
def test_what_is_no_number_is_not_guessed(text: str) -> None:
    assert amount(text) is None


@pytest.mark.parametrize(
    ("text", "number"), [("4", 4), ("0", 0), ("4.0", 4), ("4,00", 4), ("4.5", None), ("-1", None), ("many", None), ("", None)]
)
def test_counts_are_whole(text: str, number: int | None) -> None:
    assert count(text) == number


@given(st.datetimes(min_value=EARLIEST, max_value=LATEST), st.integers(-14 * 60, 14 * 60))
def test_a_time_stamp_keeps_its_moment(local: datetime, minutes: int) -> None:
    stamped = local.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    read = moments.stamp(stamped.isoformat())
    assert read == stamped
    assert read is not None
    assert read.utcoffset() == timedelta()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2024-01-01",
        "2024-13-01T00:00:00Z",
        "2024-01-01T25:00:00Z",
        "2024-W01-1T00:00:00Z",
        "20240101T000000Z",
        "0001-01-01T00:00:00+05:00",
        "2024-01-01T00:00:00+99:99",
    ],
)
def test_what_is_no_time_stamp_is_not_guessed(text: str) -> None:
    assert moments.stamp(text) is None


def test_a_time_stamp_without_zone_is_spanish_time() -> None:
    assert moments.stamp("2024-07-01T10:00:00") == datetime(2024, 7, 1, 8, tzinfo=UTC)


@given(DAYS)
def test_a_day_begins_at_midnight_in_spain(day: date) -> None:
    read = moments.day(day.isoformat())
    assert read is not None
    assert read.astimezone(MADRID).replace(tzinfo=None) == datetime.combine(day, time())


@given(DAYS, st.times(timezones=st.none()))
def test_a_deadline_is_local_time_in_spain(day: date, clock: time) -> None:
    clock = clock.replace(microsecond=0)
    read = moments.deadline(day.isoformat(), clock.isoformat())
    assert read is not None
    local = datetime.combine(day, clock)
    shown = read.astimezone(MADRID).replace(tzinfo=None)
    # Only the hour that summer time skips is shown an hour later than it was written.
    assert shown == local or (shown == local + timedelta(hours=1) and local.month == 3 and local.hour == 2)


def test_a_deadline_in_the_hour_that_is_skipped() -> None:
    assert moments.deadline("2024-03-31", "02:30:00") == datetime(2024, 3, 31, 1, 30, tzinfo=UTC)
    assert moments.deadline("2024-03-31", "01:59:59") == datetime(2024, 3, 31, 0, 59, 59, tzinfo=UTC)
    assert moments.deadline("2024-03-31", "03:00:00") == datetime(2024, 3, 31, 1, 0, tzinfo=UTC)


def test_a_deadline_in_the_hour_that_comes_twice_is_the_first_of_the_two() -> None:
    assert moments.deadline("2024-10-27", "02:30:00") == datetime(2024, 10, 27, 0, 30, tzinfo=UTC)
    assert moments.deadline("2024-10-27", "03:00:00") == datetime(2024, 10, 27, 2, 0, tzinfo=UTC)


def test_deadlines_written_in_other_ways() -> None:
    assert moments.deadline("2024-01-24", "24:00:00") == datetime(2024, 1, 24, 23, tzinfo=UTC)
    assert moments.deadline("2024-01-24", "14:00") == datetime(2024, 1, 24, 13, tzinfo=UTC)
    assert moments.deadline("2024-01-24", "14:00:00Z") == datetime(2024, 1, 24, 14, tzinfo=UTC)
    assert moments.deadline("2024-01-24+01:00", "14:00:00.000") == datetime(2024, 1, 24, 13, tzinfo=UTC)
    assert moments.deadline("2024-01-24", None) == datetime(2024, 1, 24, 22, 59, 59, tzinfo=UTC)
    assert moments.deadline("2024-01-24", "noon") is None
    assert moments.deadline("soon", "14:00:00") is None
    assert moments.deadline("9999-12-31", "24:00:00") is None


@given(DAYS, st.integers(0, 600))
def test_months_are_counted_by_the_calendar(day: date, months: int) -> None:
    start = moments.day(day.isoformat())
    assert start is not None
    end = moments.after(start, months=months)
    assert end is not None
    local = end.astimezone(MADRID)
    assert (local.year * 12 + local.month) - (day.year * 12 + day.month) == months
    assert local.day == min(day.day, calendar.monthrange(local.year, local.month)[1])
    assert (local.hour, local.minute) == (0, 0)


def test_durations_beyond_the_calendar_have_no_end() -> None:
    start = datetime(9990, 1, 1, tzinfo=UTC)
    assert moments.after(start, months=600) is None
    assert moments.after(start, days=10**9) is None


@given(
    st.none() | st.sampled_from([*RANKS, "XYZ"]),
    st.sets(CODES),
    st.sets(st.sampled_from(["DOC_CN", "DOC_FORM", "DESISTIMIENTO"])),
    st.booleans(),
)
def test_every_status_follows_the_table(code: str | None, results: set[str], notices: set[str], has_contract: bool) -> None:
    formalized = has_contract or bool(results & {"9", "11"}) or "DOC_FORM" in notices
    expected = {
        None: "Desconocida",
        "PRE": "Publicada",
        "PUB": "Publicada",
        "EV": "Publicada",
        "ADJ": "Adjudicada",
        "RES": "Formalizada" if formalized else "Resuelta",
        "ANUL": "Cerrada",
        "XYZ": "XYZ",
    }[code]
    assert status_of(code, results, notices, has_contract=has_contract) == expected


def test_a_later_stage_has_a_higher_rank() -> None:
    assert sorted(RANKS, key=RANKS.__getitem__) == ["PRE", "PUB", "EV", "ADJ", "RES", "ANUL"]


@pytest.mark.parametrize(
    ("source_id", "source"),
    [
        (
            "https://contrataciondelestado.es/sindicacion/PlataformasAgregadasSinMenores/1868692",
            "PlataformasAgregadasSinMenores",
        ),
        (
            "https://contrataciondelsectorpublico.gob.es/sindicacion/licitacionesPerfilContratante/1",
            "licitacionesPerfilContratante",
        ),
        ("https://host/1", "placsp"),
        ("urn:uuid:1", "placsp"),
        ("", "placsp"),
    ],
)
def test_a_source_is_named_by_the_id_alone(source_id: str, source: str) -> None:
    assert source_of(source_id) == source


@pytest.mark.parametrize(
    ("words", "period"),
    [
        ("12 meses", (12.0, "MON")),
        ("Prórroga de 1 mes", (1.0, "MON")),
        ("2 (dos) años más", (2.0, "ANN")),
        ("2 anys", (2.0, "ANN")),
        ("30 días", (30.0, "DAY")),
        ("12 meses, es decir 12 meses", (12.0, "MON")),
        ("12 meses y luego 6 meses", None),
        ("según pliego", None),
        ("2 mesas", None),
    ],
)
def test_a_period_in_words_is_read_where_there_is_one(words: str, period: tuple[float, str] | None) -> None:
    assert period_in_words(words) == period
