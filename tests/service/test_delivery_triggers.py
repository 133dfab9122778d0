"""What sets an alert off, and what does not (interface 6.2)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from alert_world import AWARD, PUBLICATION, SATURDAY, AlertWorld, alert_world, tender, tenders
from sqlalchemy import func, select

from workbench.feeds.notice import Award, Document, Origin, Party, Withdrawal, WithdrawalReason
from workbench.service.store.delivery_tables import tender_event

DAY = timedelta(days=1)
WINNER = Party("Firmes Ejemplo, S.L.", (("NIF", "B11111112"),), country="ES")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[AlertWorld]:
    with alert_world(tmp_path) as made:
        yield made


def deadline(days: float, **more: Any) -> dict[str, Any]:
    return {"field": "expedientExpirationDate", "expirationOffset": days, **more}


def awarded(number: int, world: AlertWorld, **values: Any) -> Any:
    at = world.clock.now
    award = Award(supplier=WINNER, amount_no_taxes=90_000.0, currency="EUR", awarded_at=at, offers=3)
    return tender(number, at, **{"status": "Adjudicada", "awarded_at": at, "awards": (award,), **values})


@pytest.mark.requirement("ALR-11")
def test_publication_is_when_a_tender_is_first_seen(world: AlertWorld) -> None:
    world.alert()
    world.rounds(1, days=1)
    # Its own date is years back: a feed brought it late, and it is new all the same.
    world.apply(tender(1, published_at=SATURDAY - 900 * DAY), tender(2))
    assert world.rounds(24, hours=1) == 1
    assert world.titles_by_section() == {"new": ["Obras de la carretera 1", "Obras de la carretera 2"]}
    world.apply(tender(1, world.clock.now, budget_no_taxes=5.0), *tenders([2, 3]))
    assert world.rounds(24, hours=1) == 1
    assert world.titles_by_section() == {"new": ["Obras de la carretera 3"]}


@pytest.mark.requirement("ALR-11")
def test_an_award_is_told_when_it_comes(world: AlertWorld) -> None:
    world.apply(*tenders([1, 2]))
    world.alert(windowsSearch=[AWARD])
    assert world.rounds(2, days=1) == 0
    world.apply(awarded(1, world), tender(2, world.clock.now, budget_no_taxes=7.0), awarded(3, world))
    assert world.rounds(1, days=1) == 1
    assert world.titles_by_section() == {"awarded": ["Obras de la carretera 1", "Obras de la carretera 3"]}
    world.apply(awarded(1, world, budget_no_taxes=8.0))
    assert world.rounds(2, days=1) == 0


@pytest.mark.requirement("ALR-11")
def test_a_deadline_is_told_so_many_days_before_and_once(world: AlertWorld) -> None:
    world.apply(
        tender(1, deadline_at=SATURDAY + 10 * DAY), tender(2, deadline_at=SATURDAY + 40 * DAY), tender(3, deadline_at=None)
    )
    world.alert(windowsSearch=[deadline(5)])
    told = [world.rounds(1, days=1) for _ in range(12)]
    assert sum(told) == 1
    # The first morning on which five days or fewer are left.
    assert told.index(1) + 1 == 5
    assert world.titles_by_section() == {"deadline": ["Obras de la carretera 1"]}
    # A deadline that is put off is another deadline.
    world.apply(tender(1, world.clock.now, deadline_at=SATURDAY + 30 * DAY))
    told = [world.rounds(1, days=1) for _ in range(20)]
    assert sum(told) == 1


@pytest.mark.requirement("ALR-11")
def test_a_deadline_that_is_near_when_the_tender_comes_is_told_at_once_and_one_that_passed_never(world: AlertWorld) -> None:
    world.alert(windowsSearch=[deadline(5)])
    world.rounds(1, days=1)
    world.apply(tender(1, deadline_at=world.clock.now + 2 * DAY), tender(2, deadline_at=world.clock.now - DAY))
    assert world.rounds(1, days=1) == 1
    assert world.titles_by_section() == {"deadline": ["Obras de la carretera 1"]}
    assert world.rounds(5, days=1) == 0


@pytest.mark.requirement("ALR-11")
def test_two_windows_remind_twice(world: AlertWorld) -> None:
    world.apply(tender(1, deadline_at=SATURDAY + 20 * DAY))
    world.alert(windowsSearch=[deadline(10), deadline(2)])
    assert sum(world.rounds(1, days=1) for _ in range(21)) == 2


@pytest.mark.requirement("ALR-11")
@pytest.mark.parametrize(("extended", "days"), [(False, 30), (True, 120)])
def test_a_contract_ends_with_or_without_its_extension(world: AlertWorld, extended: bool, days: int) -> None:
    world.apply(
        tender(1, status="Formalizada", expires_at=SATURDAY + 30 * DAY, extended_expires_at=SATURDAY + 120 * DAY),
        tender(2, status="Cerrada", expires_at=SATURDAY + 30 * DAY),
    )
    world.alert(windowsSearch=[deadline(10, withExtension=extended)])
    told = [world.rounds(1, days=1) for _ in range(130)]
    assert sum(told) == 1
    assert days - 11 <= told.index(1) + 1 <= days - 9


@pytest.mark.requirement("ALR-11", "ALR-12")
def test_reasons_add_up_and_a_tender_comes_once(world: AlertWorld) -> None:
    world.apply(*tenders([1, 2, 3]))
    world.alert(
        windowsSearch=[PUBLICATION, AWARD, deadline(60)], notificationConfig={"includeModifications": True}, criteria={}
    )
    assert world.rounds(1, days=1) == 1
    world.apply(
        awarded(1, world), tender(2, world.clock.now, documents=(Document("Aclaraciones.pdf", "https://example.org/a"),))
    )
    assert world.rounds(1, days=1) == 1
    letter = world.outbox.letters(limit=1)[0]
    digest = world.outbox.digest(letter.id)
    assert digest is not None
    by_name = {entry.record["name"][-1]: entry for entry in digest.entries}
    assert by_name["1"].reasons == ("awarded", "modified")
    assert by_name["2"].reasons == ("modified",)
    assert [change.field for change in by_name["2"].changes] == ["documents"]
    assert {"status", "awardAmount", "successBidders"} <= {change.field for change in by_name["1"].changes}
    assert letter.total == 2


@pytest.mark.requirement("ALR-12")
def test_what_changed_and_changed_back_is_no_modification(world: AlertWorld) -> None:
    world.apply(tender(1))
    world.alert(notificationConfig={"includeModifications": True})
    world.rounds(1, days=1)
    now = world.clock.now
    world.apply(tender(1, now, budget_no_taxes=5.0), tender(1, now + timedelta(minutes=1)))
    assert world.rounds(2, days=1) == 0
    world.apply(
        Withdrawal("invented", "https://example.org/tenders/1", world.clock.now, Origin("x"), WithdrawalReason.CANCELLED)
    )
    assert world.rounds(1, days=1) == 1
    assert world.titles_by_section() == {"modified": ["Obras de la carretera 1"]}


@pytest.mark.requirement("ALR-12")
def test_an_empty_email_comes_only_if_it_is_asked_for(world: AlertWorld) -> None:
    silent = world.alert()
    world.alert(title="Siempre", notificationConfig={"sendWithoutItems": True})
    assert world.rounds(3, days=1) == 3
    assert {str(message["Subject"]) for message in world.mailbox.messages} == {"Siempre: nothing new"}
    assert world.get(silent)["lastNotifiedAt"] is None


@pytest.mark.requirement("ALR-10")
@pytest.mark.parametrize("switch", ["isActive", "isArchived"])
def test_a_paused_or_archived_alert_rests_and_later_tells_what_came_since(world: AlertWorld, switch: str) -> None:
    alert = world.alert()
    world.rounds(1, days=1)
    world.call("PATCH", f"/v1/alerts/{alert['id']}", **{switch: switch == "isArchived"})
    world.apply(tender(1))
    assert world.rounds(5, days=1) == 0
    world.call("PATCH", f"/v1/alerts/{alert['id']}", **{switch: switch == "isActive"})
    world.clock.move(minutes=1)
    world.apply(tender(2))
    assert world.rounds(2, days=1) == 1
    assert world.titles_by_section() == {"new": ["Obras de la carretera 2"]}


def test_an_alert_is_made_anew_with_what_came_the_day_before(world: AlertWorld) -> None:
    world.apply(tender(1))
    world.clock.move(days=3)
    world.apply(tender(2))
    world.clock.move(hours=20)
    world.alert()
    assert world.rounds(1, days=1) == 1
    assert world.titles_by_section() == {"new": ["Obras de la carretera 2"]}


def test_the_log_of_events_is_kept_only_while_an_alert_needs_it(world: AlertWorld) -> None:
    def events() -> int:
        with world.service.database.reader() as connection:
            return connection.execute(select(func.count()).select_from(tender_event)).scalar_one()

    world.apply(*tenders(range(5)))
    assert events() == 0
    daily = world.alert()
    weekly = world.alert(notificationConfig={"frequency": {"type": "weekly", "dayOfWeek": 7}})
    world.apply(*tenders(range(5, 10)))
    assert events() == 5
    world.rounds(1, days=1)
    assert events() == 0
    world.apply(tender(20))
    world.rounds(2, days=1)
    assert events() == 1
    for alert in (daily, weekly):
        world.call("PATCH", f"/v1/alerts/{alert['id']}", isActive=False)
    world.apply(tender(21))
    assert events() == 1


def test_more_tenders_than_an_email_holds_are_counted_and_said(world: AlertWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.service.delivery.gathering.ITEMS_MAX", 3)
    world.apply(*tenders(range(8)))
    world.alert()
    assert world.rounds(1, days=1) == 1
    (letter,) = world.outbox.letters()
    assert letter.total == 8
    digest = world.outbox.digest(letter.id)
    assert digest is not None
    assert len(digest.entries) == 3
    assert digest.subject == "Obras en Canarias: 8 tenders"
    from workbench.service.delivery.digest_text import plain

    assert "And 5 more; the results of the alert list all." in plain(digest)
