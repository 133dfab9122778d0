"""An alert's whole life: made over REST, delivered by a real mail server on the day on which clocks change (interface 6.3)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from alert_world import ALL_FILES, SATURDAY, AlertWorld, alert_world, tender, tenders, text_of_pdf
from mail_server import attachments, body, csv_rows, xlsx_rows

from workbench.feeds.notice import Location
from workbench.service.store.importer import import_paths

MORNING = datetime(2026, 3, 29, 7, tzinfo=UTC)
"""8 o'clock in the Canaries, which is an hour earlier in UTC than it was the day before."""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[AlertWorld]:
    with alert_world(tmp_path) as made:
        yield made


@pytest.mark.requirement("ALR-11", "ALR-12")
def test_an_alert_lives(world: AlertWorld, tmp_path: Path) -> None:
    world.apply(
        *tenders(range(1, 6)), tender(6, locations=(Location("ES", "08", "Sabadell"),)), tender(7, cpvs=("72000000-5",))
    )
    world.clock.move(minutes=10)
    alert = world.alert(
        title="Obras en Canarias <=1+1>",
        criteria={"cpvCodes": {"include": ["45000000-7"]}, "locations": {"province": {"include": ["35", "38"]}}},
        notificationConfig={"attachments": ALL_FILES},
        responsibles=[{"id": world.users[0], "receiveEmails": True}, {"id": world.users[1], "receiveEmails": False}],
    )
    assert (alert["lastNotifiedAt"], alert["lastNotificationSentAt"]) == (None, None)
    matching = world.results(alert)
    assert len(matching) == 5

    assert world.rounds() == 0
    world.clock.now = MORNING - timedelta(seconds=1)
    assert world.rounds() == 0
    world.clock.now = MORNING + timedelta(seconds=30)
    assert world.rounds() == 1

    ((receivers, _),) = world.mailbox.taken
    (message,) = world.mailbox.messages
    assert receivers == ("ana@example.org",)
    assert message["Subject"] == "Obras en Canarias <=1+1>: 5 new"
    assert message["To"] == "Ana <ana@example.org>"
    assert "berta" not in str(message).lower()
    for kind in ("plain", "html"):
        text = body(message, kind)
        for record in matching:
            assert record["name"] in text
            assert record["platformUrl"] in text
    files = attachments(message)
    assert set(files) == {"pdf", "csv", "xlsx"}
    ids = {record["id"] for record in matching}
    rows = csv_rows(files["csv"])
    assert {row["id"] for row in rows} == ids
    assert {row["reason"] for row in rows} == {"new"}
    header, *lines = xlsx_rows(files["xlsx"])
    assert {line[header.index("id")] for line in lines} == ids
    assert files["pdf"].startswith(b"%PDF-")
    text_in_pdf = text_of_pdf(files["pdf"], tmp_path)
    if text_in_pdf is not None:
        assert all(record["name"] in text_in_pdf for record in matching)

    sent = world.get(alert)
    assert sent["lastNotifiedAt"] == sent["lastNotificationSentAt"] == "2026-03-29T07:00:30Z"
    assert sent["updatedAt"] == alert["updatedAt"]

    # The second run sends nothing, that day and the next.
    assert world.rounds(60, hours=1) == 0

    # A modified tender comes only if it is asked for.
    later = world.clock.now
    world.apply(tender(1, later, budget_no_taxes=250_000.0))
    assert world.rounds(30, hours=1) == 0
    world.call("PATCH", f"/v1/alerts/{alert['id']}", notificationConfig={"includeModifications": True})
    later = world.clock.now
    world.apply(tender(2, later, budget_no_taxes=300_000.0, deadline_at=SATURDAY + timedelta(days=30)))
    assert world.rounds(30, hours=1) == 1
    modified = world.mailbox.messages[-1]
    assert modified["Subject"].endswith(": 1 modified")
    told = " ".join(body(modified, "plain").split())
    assert "100,002 € -> 300,000 €" in told
    assert "Fri 17 Apr 2026 16:00 -> Mon 27 Apr 2026 16:00" in told
    assert {row["id"] for row in csv_rows(attachments(modified)["csv"])} == {
        record["id"] for record in world.results(alert) if record["expedient"] == "OB 2"
    }


@pytest.mark.requirement("ALR-9", "ALR-12")
def test_real_notices_are_delivered_as_results_shows_them(world: AlertWorld, shared_data: Path, tmp_path: Path) -> None:
    world.clock.now = datetime(2018, 2, 20, 12, tzinfo=UTC)
    criteria = {
        "keywords": {"include": ["mantenimiento", "obra*"], "exclude": ["limpieza"]},
        "cpvCodes": {"include": ["72000000-5"], "exclude": ["45210000-2"]},
        "budget": {"min": 20_000, "max": 2_000_000},
        "locations": {"province": {"include": ["28", "08", "46"]}},
    }
    files = {"attachments": {"hasCsv": True}}
    import_paths(world.service.database, sorted((shared_data / "placsp").glob("*.atom"))[:1])
    alert = world.alert(criteria=criteria, notificationConfig=files)
    everything = world.alert(title="Todo", notificationConfig=files)
    world.rounds(1, days=1)
    by_subject = {str(message["Subject"]).partition(":")[0]: message for message in world.mailbox.messages}
    assert set(by_subject) == {"Obras en Canarias", "Todo"}
    for one in (alert, everything):
        found: set[str] = set()
        page = 1
        while True:
            answer = world.call("POST", f"/v1/alerts/{one['id']}/results", pageSize=100, page=page)
            found |= {record["id"] for record in answer["data"]}
            if not answer["pagination"]["hasNextPage"]:
                break
            page += 1
        rows = csv_rows(attachments(by_subject[one["title"]])["csv"])
        assert found
        assert {row["id"] for row in rows} == found
    assert quote(alert["id"]) in str(by_subject["Obras en Canarias"]["List-Id"])
