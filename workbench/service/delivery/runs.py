"""Running alerts that are due: match, fill the outbox and plan the next time, all or nothing (interface 6.3).

An alert is matched in one moment of the data. What follows is one transaction, and it is given up where the alert was
changed or run by another process meanwhile; the next round then looks again. A delivery belongs to a moment of the
schedule and there is one of them at most, so neither a crash nor a clock that is set back sends anything twice. After
a time in which nothing ran each alert runs once.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import uuid4

from sqlalchemy import Connection, Row, delete, func, insert, select, update
from sqlalchemy.dialects.sqlite import insert as insert_unless_there

from workbench.contract.record import JsonObject
from workbench.service.alerts import platform_url
from workbench.service.delivery.gathering import Gathered, Watch, gather
from workbench.service.delivery.post import is_address
from workbench.service.delivery.schedule import DEFAULT_ZONE, latest_run, next_run, period_before, schedule_of
from workbench.service.store.access_tables import account, account_user
from workbench.service.store.database import Database, driver
from workbench.service.store.delivery_tables import (
    alert_state,
    deadline_told,
    delivery,
    delivery_item,
    delivery_recipient,
    tender_event,
)
from workbench.service.store.failures import StoreError
from workbench.service.store.workspace_tables import alert

KEPT_SECONDS: Final = 90 * 86_400
"""How long the outbox remembers what was sent."""

log = logging.getLogger("workbench.service.alerts")


@dataclass(frozen=True, slots=True)
class Run:
    """What became of one run: how many tenders set the alert off, and the delivery where there is one to send."""

    alert_id: str
    title: str
    total: int
    delivery_id: str | None
    recipients: int
    next_run_at: datetime | None


class AlertRuns:
    """The alerts of all accounts of one database, for whoever delivers them; safe beside others who do the same."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def plan(self) -> None:
        """Plan each running alert that is not planned yet, and anew each that is planned later than its schedule says.

        The first are those that a sample or an older release left; the second come from a clock that was wrong.
        """
        now = self._database.clock()
        running = select(alert).where(alert.c.is_active, ~alert.c.is_archived)
        with self._database.reader() as connection:
            rows = connection.execute(running).all()
        for row in rows:
            schedule = schedule_of(row.notification_config)
            planned = int(next_run(schedule, now).timestamp())
            if row.next_run_at is not None and row.next_run_at <= planned:
                continue
            with self._database.writer() as connection:
                same = (alert.c.id == row.id) & alert.c.next_run_at.is_(row.next_run_at) & alert.c.is_active
                if connection.execute(update(alert).where(same).values(next_run_at=planned)).rowcount:
                    since = int((now - period_before(schedule, now)).timestamp())
                    begun = {"id": row.id, "account_id": row.account_id, "position": None, "since": since}
                    connection.execute(insert_unless_there(alert_state).values(**begun).on_conflict_do_nothing())

    def run_due(self) -> list[Run]:
        """Run each alert whose time has come. One that fails is left for the next round and does not stop the others."""
        now = int(self._database.clock().timestamp())
        due = select(alert.c.id).where(alert.c.next_run_at <= now).order_by(alert.c.next_run_at, alert.c.id)
        with self._database.reader() as connection:
            ids = connection.execute(due).scalars().all()
        return self._run_each(ids, due_only=True)

    def run_now(self, ids: Sequence[str] | None = None) -> list[Run]:
        """Run the alerts with these ids, or all that are running, whether their time has come or not."""
        with self._database.reader() as connection:
            running = connection.execute(select(alert.c.id).where(alert.c.next_run_at.is_not(None)).order_by(alert.c.id))
            wanted = [id_ for id_ in running.scalars() if ids is None or id_ in ids]
        return self._run_each(wanted, due_only=False)

    def _run_each(self, ids: Sequence[str], *, due_only: bool) -> list[Run]:
        done: list[Run] = []
        for alert_id in ids:
            try:
                run = self._run(alert_id, due_only=due_only)
            except StoreError as trouble:
                log.warning("alert %s could not be run and is tried again: %s", alert_id, trouble)
                continue
            if run is not None:
                done.append(run)
        if done:
            self._tidy()
        return done

    def _run(self, alert_id: str, *, due_only: bool) -> Run | None:
        now = self._database.clock()
        with self._database.reader() as connection:
            row = connection.execute(_JOINED.where(alert.c.id == alert_id)).first()
            if row is None or (due_only and row.next_run_at > now.timestamp()):
                return None
            gathered = gather(driver(connection), _watch(row), now)
        schedule = schedule_of(row.notification_config)
        # After a time in which nothing ran the delivery is that of the last moment that was missed.
        moment = max(int(latest_run(schedule, now).timestamp()), row.next_run_at) if due_only else int(now.timestamp())
        with self._database.writer() as connection:
            again = connection.execute(_JOINED.where(alert.c.id == alert_id)).first()
            if again is None or _mark(again) != _mark(row):
                return None
            return self._write(connection, row, gathered, moment, now)

    def _write(self, connection: Connection, row: Row[Any], gathered: Gathered, moment: int, now: datetime) -> Run:
        seconds = int(now.timestamp())
        planned = int(
            next_run(schedule_of(row.notification_config), datetime.fromtimestamp(max(seconds, moment), UTC)).timestamp()
        )
        connection.execute(update(alert).where(alert.c.id == row.id).values(next_run_at=planned))
        delivery_id, recipients = None, list[JsonObject]()
        if gathered.items or row.notification_config.get("sendWithoutItems") is True:
            recipients = _recipients(connection, row)
            delivery_id = _fill_outbox(connection, row, gathered, recipients, moment, seconds)
            if delivery_id is None:
                # This moment of the schedule was delivered before a clock was set back: what came since waits for the next.
                return Run(row.id, row.title, 0, None, 0, datetime.fromtimestamp(planned, UTC))
        progress = {"position": gathered.position, "since": None}
        connection.execute(update(alert_state).where(alert_state.c.id == row.id).values(**progress))
        if gathered.items:
            connection.execute(update(alert).where(alert.c.id == row.id).values(last_notified_at=seconds))
        if gathered.told:
            told = [{"alert_id": row.id, "tender_id": id_, "due": due, "days": days} for id_, due, days in gathered.told]
            connection.execute(insert_unless_there(deadline_told).on_conflict_do_nothing(), told)
        reached = sum(one["state"] == "waiting" for one in recipients)
        return Run(row.id, row.title, gathered.total, delivery_id, reached, datetime.fromtimestamp(planned, UTC))

    def _tidy(self) -> None:
        """Forget what every alert has seen, deadlines that have passed, and what was sent long ago."""
        now = int(self._database.clock().timestamp())
        seen = (
            select(func.min(alert_state.c.position))
            .join(alert, alert.c.id == alert_state.c.id)
            .where(alert.c.next_run_at.is_not(None))
        )
        with self._database.writer() as connection:
            position = connection.execute(seen).scalar()
            passed = tender_event.c.seq <= position if position is not None else tender_event.c.seq.is_not(None)
            connection.execute(delete(tender_event).where(passed))
            connection.execute(delete(deadline_told).where(deadline_told.c.due < now - 86_400))
            old = (delivery.c.created_at < now - KEPT_SECONDS) & (delivery.c.state != "waiting")
            connection.execute(delete(delivery).where(old))


_JOINED: Final = (
    select(alert, alert_state.c.position, alert_state.c.since, account.c.name.label("account_name"))
    .join(alert_state, alert_state.c.id == alert.c.id)
    .join(account, account.c.id == alert.c.account_id)
    .where(alert.c.next_run_at.is_not(None))
)


def _mark(row: Row[Any]) -> tuple[Any, ...]:
    """What differs once anybody has changed or run the alert."""
    return row.next_run_at, row.position, row.since, row.updated_at, row.notification_config, row.criteria


def _watch(row: Row[Any]) -> Watch:
    wants_changes = row.notification_config.get("includeModifications") is True
    return Watch(row.id, row.criteria, row.windows_search, wants_changes, row.position, row.since)


def _recipients(connection: Connection, row: Row[Any]) -> list[JsonObject]:
    """The responsibles with receiveEmails, each with the address that they have now."""
    wanted = [one["id"] for one in row.responsibles if one.get("receiveEmails") is True]
    if not wanted:
        return []
    known = account_user.c
    users = connection.execute(
        select(known.id, known.name, known.email).where(known.account_id == row.account_id, known.id.in_(wanted))
    ).all()
    found: list[JsonObject] = []
    for user in sorted(users, key=lambda user: wanted.index(user.id)):
        error = None if user.email and is_address(user.email) else "This user has no e-mail address that mail could be sent to."
        state = "waiting" if error is None else "refused"
        found.append({"user_id": user.id, "name": user.name, "email": user.email, "state": state, "error": error})
    return found


def _fill_outbox(
    connection: Connection, row: Row[Any], gathered: Gathered, recipients: Sequence[JsonObject], moment: int, now: int
) -> str | None:
    """Write one delivery and give its id; ``None`` where this moment of the schedule has one already."""
    identity = str(uuid4())
    is_addressed = any(one["state"] == "waiting" for one in recipients)
    values = {
        "id": identity,
        "account_id": row.account_id,
        "alert_id": row.id,
        "window_end": moment,
        "created_at": now,
        "total": gathered.total,
        "digest": _digest(row),
        "state": "waiting" if is_addressed else "unaddressed",
        "attempts": 0,
        "next_attempt_at": now if is_addressed else None,
    }
    if not connection.execute(insert_unless_there(delivery).values(**values).on_conflict_do_nothing()).rowcount:
        return None
    if gathered.items:
        items = [
            {
                "delivery_id": identity,
                "position": position,
                "tender_id": item.tender_id,
                "reasons": list(item.reasons),
                "changes": [change.to_json() for change in item.changes],
                "record": item.record,
            }
            for position, item in enumerate(gathered.items)
        ]
        connection.execute(insert(delivery_item), items)
    if recipients:
        connection.execute(insert(delivery_recipient), [{"delivery_id": identity, **one} for one in recipients])
    return identity


def _digest(row: Row[Any]) -> JsonObject:
    """What the e-mail says beside its tenders, as the alert was when it ran."""
    config: JsonObject = row.notification_config
    return {
        "title": row.title,
        "description": row.description,
        "account": row.account_name,
        "criteria": row.criteria,
        "timezone": config.get("timezone", DEFAULT_ZONE),
        "attachments": config.get("attachments", {}),
        "platformUrl": platform_url(row.id),
    }
