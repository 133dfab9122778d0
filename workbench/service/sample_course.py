"""How a sample procedure runs: when it is published, due, decided and signed, and what became of it by a given day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import Enum
from random import Random
from zoneinfo import ZoneInfo

from workbench.contract.vocabulary import TenderStatus

MADRID = ZoneInfo("Europe/Madrid")
YEARS = 3
OPEN_DAYS_MAX = 60
_MONTH_WEIGHTS = (0.9, 1.0, 1.15, 1.0, 1.15, 1.2, 1.05, 0.45, 0.9, 1.1, 1.15, 0.95)


class Outcome(Enum):
    """What a procedure ends in; the codes of its result are those of the Spanish platform's result list."""

    OPEN = (TenderStatus.PUBLISHED, "PUB", None)
    ANNOUNCED = (TenderStatus.PUBLISHED, "PRE", None)
    EVALUATED = (TenderStatus.PUBLISHED, "EV", None)
    AWARDED = (TenderStatus.AWARDED, "ADJ", "8")
    SIGNED = (TenderStatus.FORMALIZED, "RES", "9")
    UNSIGNED = (TenderStatus.RESOLVED, "RES", "8")
    DESERTED = (TenderStatus.RESOLVED, "RES", "3")
    ABANDONED = (TenderStatus.RESOLVED, "RES", "4")
    CANCELLED = (TenderStatus.CLOSED, "ANUL", None)
    ARCHIVED = (TenderStatus.CLOSED, "RES", "9")

    @property
    def status(self) -> TenderStatus:
        """The interface's word (section 3)."""
        return self.value[0]

    @property
    def source_status(self) -> str:
        """The source's own code."""
        return self.value[1]

    @property
    def result_code(self) -> str | None:
        """The code of the result, ``None`` while there is none."""
        return self.value[2]

    @property
    def has_winner(self) -> bool:
        """Whether somebody was awarded the contract."""
        return self.result_code in {"8", "9"}


RESULTS = {"3": "Desierto", "4": "Desistimiento", "8": "Adjudicado", "9": "Formalizado"}


@dataclass(frozen=True, slots=True)
class Course:
    """The moments of one procedure (aware, in UTC where the clock is concerned) and its outcome by the day of the sample."""

    outcome: Outcome
    published_at: datetime
    updated_at: datetime
    deadline_at: datetime | None = None
    awarded_at: datetime | None = None
    formalized_at: datetime | None = None
    expires_at: datetime | None = None
    extended_expires_at: datetime | None = None


def publication_days(random: Random, today: date, count: int) -> list[date]:
    """``count`` working days of the last three years, in order, with the seasons of a public buyer (August is quiet)."""
    days = [today - timedelta(days=back) for back in range(35, 365 * YEARS)]
    working = [day for day in days if day.weekday() < 5]
    weights = [_MONTH_WEIGHTS[day.month - 1] for day in working]
    return sorted(random.choices(working, weights, k=count))


def open_course(random: Random, today: date) -> Course:
    """A procedure that still takes bids on ``today``: due within sixty days, and soon more often than late."""
    left = min(OPEN_DAYS_MAX - 1, 1 + int(random.expovariate(1 / 17)))
    deadline = _at(_working(today + timedelta(days=left)), random.choice((time(13), time(14), time(19), time(23, 59))))
    published = _at(_working_before(today - timedelta(days=random.randrange(1, 33))), _office_hour(random))
    updated = published + timedelta(days=random.choice((0, 0, 0, 1, 3)), minutes=random.randrange(90))
    return Course(Outcome.OPEN, published, min(updated, _at(today, time(0))), deadline)


def past_course(
    random: Random, day: date, today: date, duration_days: int, decision_days: float, *, extendable: bool
) -> Course:
    """A procedure published on ``day`` as it stands on ``today``; ``decision_days`` is the median from deadline to award."""
    published = _at(day, _office_hour(random))
    deadline_day = _working(day + timedelta(days=random.choice((15, 15, 17, 20, 20, 22, 26, 30, 35))))
    if random.random() < 0.012:
        return Course(Outcome.ANNOUNCED, published, published)
    deadline = _at(min(deadline_day, today - timedelta(days=1)), random.choice((time(13), time(14), time(19), time(23, 59))))
    if random.random() < 0.025:
        return Course(Outcome.CANCELLED, published, deadline - timedelta(days=random.randrange(1, 8)), deadline)
    awarded = _after(random, deadline, decision_days)
    if awarded.date() >= today:
        opened = min(deadline + timedelta(hours=random.randrange(2, 60)), _at(today, time(0)))
        return Course(Outcome.EVALUATED, published, opened, deadline)
    lot = random.random()
    if lot < 0.075:
        outcome = Outcome.DESERTED if lot < 0.052 else Outcome.ABANDONED
        return Course(outcome, published, awarded + timedelta(hours=2), deadline, awarded_at=awarded)
    formalized = _after(random, awarded, 24)
    if formalized.date() >= today or lot < 0.125:
        outcome = Outcome.UNSIGNED if lot < 0.105 else Outcome.AWARDED
        return Course(outcome, published, awarded + timedelta(hours=3), deadline, awarded)
    expires = formalized + timedelta(days=duration_days)
    extended = expires + timedelta(days=min(duration_days, 730)) if extendable else None
    outcome = Outcome.ARCHIVED if expires.date() < today and random.random() < 0.12 else Outcome.SIGNED
    return Course(outcome, published, formalized + timedelta(hours=1), deadline, awarded, formalized, expires, extended)


def _after(random: Random, start: datetime, median_days: float) -> datetime:
    days = max(2, round(median_days * random.lognormvariate(0, 0.55)))
    return _at(_working((start + timedelta(days=days)).date()), _office_hour(random))


def _working(day: date) -> date:
    return day + timedelta(days=7 - day.weekday()) if day.weekday() > 4 else day


def _working_before(day: date) -> date:
    return day - timedelta(days=max(0, day.weekday() - 4))


def _office_hour(random: Random) -> time:
    return time(random.randrange(8, 15), random.randrange(60))


def _at(day: date, hour: time) -> datetime:
    return datetime.combine(day, hour, MADRID)
