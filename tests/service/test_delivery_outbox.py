"""Nothing twice and nothing lost: crashes, restarts, clocks that are wrong, mail servers that fail (interface 6.3)."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from alert_world import ALL_FILES, PUBLICATION, SATURDAY, AlertWorld, alert_world, tender, tenders
from mail_server import body, parsed

from workbench.service.delivery import runs
from workbench.service.delivery.loop import Delivery
from workbench.service.delivery.outbox import ATTEMPTS_MAX, CLAIM_SECONDS, PAUSES, Outbox
from workbench.service.delivery.post import MailFolder, MailServer
from workbench.service.store.database import Database

DAY = timedelta(days=1)


class PowerCut(BaseException):
    """The process ends here."""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[AlertWorld]:
    with alert_world(tmp_path / "data") as made:
        yield made


def cut(*_: Any, **__: Any) -> Any:
    raise PowerCut


def names(world: AlertWorld) -> list[list[str]]:
    """The names that each e-mail so far told as new, by e-mail."""
    told: list[list[str]] = []
    for message in world.mailbox.messages:
        lines = body(message, "plain").splitlines()
        told.append(sorted(line for line in lines if line.startswith("Obras de la carretera")))
    return told


@pytest.mark.requirement("ALR-12")
@pytest.mark.parametrize("where", ["_recipients", "_fill_outbox", "insert_unless_there"])
def test_a_crash_while_an_alert_runs_leaves_nothing_half_done(
    world: AlertWorld, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    world.apply(*tenders([1, 2]))
    world.alert()
    world.delivery.round()
    world.clock.move(days=1)
    with monkeypatch.context() as broken:
        broken.setattr(runs, where, cut)
        with pytest.raises(PowerCut):
            world.delivery.round()
    world.restart()
    assert world.outbox.letters() == []
    assert world.rounds(2, minutes=1) == 1
    assert names(world) == [["Obras de la carretera 1", "Obras de la carretera 2"]]


@pytest.mark.requirement("ALR-12")
def test_a_crash_before_sending_loses_nothing(world: AlertWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    world.apply(tender(1))
    world.alert()
    world.clock.move(days=1)
    with monkeypatch.context() as broken:
        broken.setattr(MailServer, "send", cut)
        with pytest.raises(PowerCut):
            world.delivery.round()
    world.restart()
    assert [letter.state for letter in world.outbox.letters()] == ["waiting"]
    assert world.rounds(1, seconds=CLAIM_SECONDS - 1) == 0
    assert world.rounds(1, seconds=2) == 1
    assert world.rounds(3, hours=1) == 0


@pytest.mark.requirement("ALR-12")
def test_a_crash_after_sending_repeats_the_same_email_to_the_byte(world: AlertWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    world.apply(*tenders(range(30)))
    world.alert(notificationConfig={"attachments": ALL_FILES})
    world.clock.move(days=1)
    with monkeypatch.context() as broken:
        broken.setattr(Outbox, "_note", cut)
        with pytest.raises(PowerCut):
            world.delivery.round()
    # What the e-mail says is what was found then, whatever became of the tenders since.
    world.apply(tender(1, world.clock.now, name="Otro nombre"))
    world.restart()
    world.rounds(2, seconds=CLAIM_SECONDS + 1)
    first, second = world.mailbox.taken
    assert first == second
    assert parsed(first[1])["Message-ID"].startswith(f"<{world.outbox.letters()[0].id}@")
    assert world.rounds(3, hours=1) == 0


@pytest.mark.requirement("ALR-12")
def test_a_clock_that_is_set_back_sends_nothing_twice_and_loses_nothing(world: AlertWorld) -> None:
    world.apply(tender(1))
    world.alert()
    assert world.rounds(1, days=1) == 1
    world.clock.move(hours=-14)
    world.apply(tender(2))
    assert world.rounds(20, hours=1) == 0
    assert world.rounds(24, hours=1) == 1
    assert names(world) == [["Obras de la carretera 1"], ["Obras de la carretera 2"]]


@pytest.mark.requirement("ALR-12")
def test_a_clock_that_ran_years_ahead_does_not_silence_an_alert(world: AlertWorld) -> None:
    world.clock.move(days=3_000)
    world.alert()
    assert world.rounds() == 0
    world.clock.now = SATURDAY
    world.apply(tender(1))
    assert world.rounds(30, hours=1) == 1


@pytest.mark.requirement("ALR-12")
def test_an_import_that_began_before_an_alert_ran_and_ended_after_is_not_missed(world: AlertWorld) -> None:
    world.alert()
    assert world.rounds(1, days=1) == 0
    now = world.clock.now
    # The rows carry the moment at which their import began.
    world.clock.now = now - timedelta(hours=3)
    world.apply(tender(1))
    world.clock.now = now
    assert world.rounds(1, days=1) == 1


@pytest.mark.requirement("ALR-12")
def test_after_days_without_power_each_alert_runs_once(world: AlertWorld) -> None:
    world.alert(notificationConfig={"sendWithoutItems": True})
    world.rounds(1, days=1)
    for number in range(5):
        world.apply(tender(number))
        world.clock.move(days=1)
    world.restart()
    assert world.rounds(3, minutes=1) == 1
    assert len(names(world)[-1]) == 5


@pytest.mark.requirement("ALR-12")
def test_several_processes_share_the_work(world: AlertWorld) -> None:
    world.apply(*tenders(range(40)))
    for number in range(12):
        world.alert(title=f"Alerta {number}")
    world.clock.move(days=1)
    start = threading.Barrier(4)
    failures: list[BaseException] = []

    def process() -> None:
        database = Database(world.folder, clock=world.clock)
        try:
            delivery = Delivery(database, world.post)
            start.wait(10)
            for _ in range(3):
                delivery.round()
        except BaseException as trouble:
            failures.append(trouble)
        finally:
            database.close()

    threads = [threading.Thread(target=process) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    subjects = sorted(str(message["Subject"]) for message in world.mailbox.messages)
    assert subjects == sorted(f"Alerta {number}: 40 new" for number in range(12))


@pytest.mark.requirement("ALR-12")
def test_a_failing_server_is_tried_again_with_growing_pauses(world: AlertWorld) -> None:
    world.apply(tender(1))
    alert = world.alert()
    world.mailbox.failing = "451 4.3.0 try later"
    assert world.rounds(1, days=1) == 0
    (letter,) = world.outbox.letters()
    assert (letter.state, letter.attempts) == ("waiting", 1)
    assert letter.last_error is not None
    assert "451 4.3.0 try later" in letter.last_error
    sent = world.get(alert)
    assert sent["lastNotifiedAt"] is not None
    assert sent["lastNotificationSentAt"] is None
    for pause in PAUSES:
        planned = world.outbox.letters()[0].next_attempt_at
        assert planned == world.clock.now + timedelta(seconds=pause)
        assert world.rounds(1, seconds=pause) == 0
    world.mailbox.failing = None
    assert world.rounds(1, seconds=PAUSES[-1]) == 1
    assert world.get(alert)["lastNotificationSentAt"] is not None
    assert world.rounds(3, hours=3) == 0


def test_a_server_that_is_not_there_is_waited_for(world: AlertWorld) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    world.apply(tender(1))
    world.alert()
    world.clock.move(days=1)
    Delivery(world.service.database, MailServer("127.0.0.1", port, "alerts@example.org")).round()
    (letter,) = world.outbox.letters()
    assert letter.state == "waiting"
    assert str(letter.last_error).startswith(f"The mail server 127.0.0.1 port {port} cannot be reached: ")
    assert world.rounds(1, hours=1) == 1


@pytest.mark.requirement("ALR-12")
def test_each_responsible_gets_it_once_whatever_happens_to_the_others(world: AlertWorld) -> None:
    people = ["gone@example.org", "later@example.org", "fine@example.org", None, "no address"]
    users = [world.service.access.create_user("local", f"User {at}", email=email).id for at, email in enumerate(people)]
    world.apply(tender(1))
    world.alert(responsibles=[{"id": user, "receiveEmails": True} for user in users])
    world.mailbox.refused.add("gone@example.org")
    world.mailbox.later.add("later@example.org")
    assert world.rounds(1, days=1) == 1
    assert world.mailbox.taken[0][0] == ("fine@example.org",)
    assert world.rounds(1, minutes=2) == 0
    world.mailbox.later.clear()
    assert world.rounds(1, hours=1) == 1
    assert world.mailbox.taken[1][0] == ("later@example.org",)
    assert world.mailbox.taken[0][1] == world.mailbox.taken[1][1]
    assert world.rounds(5, hours=1) == 0
    (letter,) = world.outbox.letters()
    assert letter.state == "sent"
    states = {one.email: one.state for one in letter.recipients}
    assert states == {
        "gone@example.org": "refused",
        "later@example.org": "sent",
        "fine@example.org": "sent",
        None: "refused",
        "no address": "refused",
    }
    world.mailbox.refused.clear()
    assert world.outbox.send_again(letter.id)
    assert world.rounds() == 1
    assert world.mailbox.taken[2][0] == ("gone@example.org",)
    assert not world.outbox.send_again(letter.id)


def test_an_email_that_nobody_takes_is_given_up_and_kept(world: AlertWorld) -> None:
    world.apply(tender(1))
    world.alert()
    world.mailbox.failing = "451 no"
    world.rounds(1, days=1)
    for _ in range(ATTEMPTS_MAX + 2):
        world.rounds(1, hours=6)
    (letter,) = world.outbox.letters()
    assert (letter.state, letter.attempts) == ("failed", ATTEMPTS_MAX)
    world.mailbox.failing = None
    assert world.rounds(2, days=1) == 0
    assert world.outbox.send_again(letter.id)
    assert world.rounds() == 1


def test_an_alert_without_recipients_matches_and_writes_to_nobody(world: AlertWorld) -> None:
    world.apply(tender(1))
    alert = world.alert(responsibles=[{"id": world.users[0], "receiveEmails": False}])
    bare = world.alert(responsibles=[])
    assert world.rounds(2, days=1) == 0
    for one in (alert, bare):
        assert world.get(one)["lastNotifiedAt"] is not None
        assert world.get(one)["lastNotificationSentAt"] is None
    assert {letter.state for letter in world.outbox.letters()} == {"unaddressed"}


def test_without_a_mail_server_emails_become_files(world: AlertWorld, tmp_path: Path) -> None:
    world.apply(tender(1))
    world.alert(title="Obras ../../etc/passwd\r\nBcc: all@example.org", notificationConfig={"attachments": {"hasCsv": True}})
    world.clock.move(days=1)
    folder = tmp_path / "mail"
    Delivery(world.service.database, MailFolder(folder)).round()
    (file,) = folder.iterdir()
    assert file.parent == folder
    assert file.suffix == ".eml"
    assert file.stat().st_mode & 0o077 == 0
    message = parsed(file.read_bytes())
    assert message["Subject"] == "Obras ../../etc/passwd Bcc: all@example.org: 1 new"
    assert message["Bcc"] is None
    (attached,) = message.iter_attachments()
    assert attached.get_filename() == "obras-etc-passwd-bcc-all-example-org-2026-03-29.csv"
    # The same e-mail again is the same file.
    Delivery(world.service.database, MailFolder(folder)).round()
    assert list(folder.iterdir()) == [file]


def test_a_folder_that_cannot_be_written_is_said_and_waited_for(world: AlertWorld, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    world.apply(tender(1))
    world.alert()
    world.clock.move(days=1)
    Delivery(world.service.database, MailFolder(blocked / "mail")).round()
    (letter,) = world.outbox.letters()
    assert letter.state == "waiting"
    assert str(letter.last_error).startswith(f"The e-mail cannot be written into {blocked / 'mail'}: ")


def test_the_loop_works_by_itself_and_stops(world: AlertWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    world.apply(tender(1))
    world.alert()
    world.clock.move(days=1)
    done = threading.Event()
    note = Outbox._note

    def noted(*arguments: Any) -> Any:
        try:
            return note(*arguments)
        finally:
            done.set()

    monkeypatch.setattr(Outbox, "_note", noted)
    world.delivery.start()
    assert done.wait(20)
    world.delivery.stop()
    assert len(world.mailbox.taken) == 1


def test_alerts_of_another_account_write_to_their_own_people(world: AlertWorld) -> None:
    other = world.service.access.create_account("Another").slug
    user = world.service.access.create_user(other, "Otto", email="otto@example.org").id
    world.key = world.service.access.create_key("other", account_slug=other).token.get_secret_value()
    world.apply(tender(1))
    world.alert(title="Von Otto", windowsSearch=[PUBLICATION], responsibles=[{"id": user, "receiveEmails": True}])
    assert world.rounds(1, days=1) == 1
    assert world.mailbox.taken[0][0] == ("otto@example.org",)
    assert "Another" in body(world.mailbox.messages[0], "plain")
