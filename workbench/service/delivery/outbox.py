"""The outbox: e-mails that are to be sent, sent again until they are taken, and kept to look at (interface 6.3).

Whoever sends an e-mail first claims it for some minutes, so that several processes may share the work, and what a crash
interrupts is taken up again. The e-mail is made anew from what the outbox holds and is the same to the byte, Message-ID
included: where a server took it and the crash came before that was noted, mailboxes see that they have it. A person whom a
server took is never sent the same e-mail again because it did not take another.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import Row, func, or_, select, update

from workbench.service.delivery.digest import Digest, Entry, Recipient
from workbench.service.delivery.digest_text import plain
from workbench.service.delivery.message import compose
from workbench.service.delivery.post import MailFolder, Post, Posted, PostUnavailable, Refused, is_address
from workbench.service.store.database import Database
from workbench.service.store.delivery_tables import delivery, delivery_item, delivery_recipient
from workbench.service.store.failures import StoreError
from workbench.service.store.workspace_tables import alert

CLAIM_SECONDS: Final = 600
"""How long an e-mail belongs to whoever began to send it."""

PAUSES: Final = (60, 300, 900, 3_600, 3 * 3_600, 6 * 3_600)
"""Seconds until the next attempt after the first, the second …; the last one stays."""

ATTEMPTS_MAX: Final = 32
"""After so many attempts, some seven days, an e-mail is given up; it stays in the outbox and can be sent again by hand."""

AT_A_TIME: Final = 100

log = logging.getLogger("workbench.service.alerts")


@dataclass(frozen=True, slots=True)
class Attempt:
    """What became of one attempt to send; ``state`` is that of the delivery now, ``error`` what went wrong, if anything."""

    delivery_id: str
    state: str
    error: str | None


@dataclass(frozen=True, slots=True)
class Letter:
    """One line of the outbox."""

    id: str
    alert_id: str
    title: str
    account_id: str
    created_at: datetime
    window_end: datetime
    total: int
    state: str
    attempts: int
    next_attempt_at: datetime | None
    sent_at: datetime | None
    last_error: str | None
    recipients: tuple[Recipient, ...]


class Outbox:
    """The outbox of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def send_due(self, post: Post) -> list[Attempt]:
        """Try each e-mail whose time has come, oldest first. A failure is noted with the e-mail and stops no other."""
        done: list[Attempt] = []
        for delivery_id, planned in self._due():
            try:
                if self._claim(delivery_id, planned):
                    done.append(self._attempt(delivery_id, post))
            except StoreError as trouble:
                log.warning("e-mail %s could not be sent and is tried again: %s", delivery_id, trouble)
        return done

    def letters(self, *, limit: int = 100) -> list[Letter]:
        """The newest e-mails, whatever became of them."""
        wanted = select(delivery).order_by(delivery.c.created_at.desc(), delivery.c.id).limit(limit)
        with self._database.reader() as connection:
            rows = connection.execute(wanted).all()
        return [self._letter(row) for row in rows]

    def letter(self, delivery_id: str) -> Letter | None:
        """The e-mail with this id, or with the only id that begins so; ``None`` where there is none or more than one."""
        wanted = select(delivery).where(func.substr(delivery.c.id, 1, len(delivery_id)) == delivery_id).limit(2)
        with self._database.reader() as connection:
            rows = connection.execute(wanted).all()
        return self._letter(rows[0]) if len(rows) == 1 else None

    def digest(self, delivery_id: str) -> Digest | None:
        """All that an e-mail says, or ``None`` where there is none of this id."""
        items = select(delivery_item).where(delivery_item.c.delivery_id == delivery_id).order_by(delivery_item.c.position)
        with self._database.reader() as connection:
            row = connection.execute(select(delivery).where(delivery.c.id == delivery_id)).first()
            entries = [Entry.read(item.reasons, item.changes, item.record) for item in connection.execute(items)]
        if row is None:
            return None
        return Digest.read(row.id, row.alert_id, _moment(row.created_at), row.total, row.digest, entries)

    def text(self, letter: Letter) -> str:
        """What an e-mail says, in plain text."""
        digest = self.digest(letter.id)
        return "" if digest is None else plain(digest)

    def eml(self, letter: Letter) -> bytes:
        """The whole e-mail, attachments included, as the file that mail programs open."""
        digest = self.digest(letter.id)
        return b"" if digest is None else compose(digest, letter.recipients, MailFolder.DEFAULT_SENDER).as_bytes()

    def recipients(self, delivery_id: str) -> list[Recipient]:
        """Who gets an e-mail, and whether they have it."""
        wanted = select(delivery_recipient).where(delivery_recipient.c.delivery_id == delivery_id)
        with self._database.reader() as connection:
            rows = connection.execute(wanted.order_by(delivery_recipient.c.user_id)).all()
        return [Recipient(row.name, row.email, row.state, row.error) for row in rows]

    def send_again(self, delivery_id: str) -> bool:
        """Put an e-mail back among those to send, for those who did not get it; ``False`` where there is nobody."""
        theirs = (delivery_recipient.c.delivery_id == delivery_id) & (delivery_recipient.c.state == "refused")
        with self._database.writer() as connection:
            refused = connection.execute(select(delivery_recipient).where(theirs)).all()
            reachable = [row.user_id for row in refused if row.email and is_address(row.email)]
            if not reachable:
                return False
            again = theirs & delivery_recipient.c.user_id.in_(reachable)
            connection.execute(update(delivery_recipient).where(again).values(state="waiting", error=None))
            values = {"state": "waiting", "next_attempt_at": self._now(), "attempts": 0}
            connection.execute(update(delivery).where(delivery.c.id == delivery_id).values(**values))
        return True

    def _due(self) -> Sequence[tuple[str, int]]:
        now = self._now()
        # One that is planned later than any pause lasts was planned by a clock that was wrong.
        due = or_(delivery.c.next_attempt_at <= now, delivery.c.next_attempt_at > now + max(*PAUSES, CLAIM_SECONDS))
        wanted = (
            select(delivery.c.id, delivery.c.next_attempt_at)
            .where(delivery.c.state == "waiting", due)
            .order_by(delivery.c.next_attempt_at, delivery.c.id)
            .limit(AT_A_TIME)
        )
        with self._database.reader() as connection:
            return [(row.id, row.next_attempt_at) for row in connection.execute(wanted)]

    def _claim(self, delivery_id: str, planned: int) -> bool:
        unclaimed = (delivery.c.id == delivery_id) & (delivery.c.state == "waiting") & (delivery.c.next_attempt_at == planned)
        values = {"next_attempt_at": self._now() + CLAIM_SECONDS, "attempts": delivery.c.attempts + 1}
        with self._database.writer() as connection:
            return connection.execute(update(delivery).where(unclaimed).values(**values)).rowcount == 1

    def _attempt(self, delivery_id: str, post: Post) -> Attempt:
        digest = self.digest(delivery_id)
        everyone = self.recipients(delivery_id)
        waiting = list(dict.fromkeys(one.email for one in everyone if one.state == "waiting" and one.email))
        if digest is None:
            return Attempt(delivery_id, "failed", "The e-mail is gone from the outbox.")
        try:
            posted = post.send(compose(digest, everyone, post.sender), waiting)
        except PostUnavailable as trouble:
            posted = Posted((), dict.fromkeys(waiting, Refused(str(trouble), for_good=False)))
        except (ValueError, TypeError, LookupError, ArithmeticError) as trouble:
            # A fault of ours must not be repeated every minute, nor be lost without a word.
            log.exception("e-mail %s cannot be made", delivery_id)
            reason = Refused(f"The e-mail cannot be made: {type(trouble).__name__}.", for_good=False)
            posted = Posted((), dict.fromkeys(waiting, reason))
        return self._note(delivery_id, digest.alert_id, posted)

    def _note(self, delivery_id: str, alert_id: str, posted: Posted) -> Attempt:
        now = self._now()
        with self._database.writer() as connection:
            for address, state, error in [
                *((address, "sent", None) for address in posted.accepted),
                *((address, "refused" if why.for_good else "waiting", why.reason) for address, why in posted.refused.items()),
            ]:
                theirs = (delivery_recipient.c.delivery_id == delivery_id) & (delivery_recipient.c.email == address)
                is_waiting = delivery_recipient.c.state == "waiting"
                connection.execute(update(delivery_recipient).where(theirs, is_waiting).values(state=state, error=error))
            attempts: int = connection.execute(select(delivery.c.attempts).where(delivery.c.id == delivery_id)).scalar_one()
            theirs = delivery_recipient.c.delivery_id == delivery_id
            if attempts >= ATTEMPTS_MAX:
                given_up = theirs & (delivery_recipient.c.state == "waiting")
                connection.execute(update(delivery_recipient).where(given_up).values(state="refused"))
            states = set(connection.execute(select(delivery_recipient.c.state).where(theirs)).scalars())
            error = next((why.reason for why in posted.refused.values()), None)
            values: dict[str, Any] = {"last_error": error, "next_attempt_at": None}
            if "waiting" in states:
                pause = PAUSES[min(attempts, len(PAUSES)) - 1]
                values |= {"state": "waiting", "next_attempt_at": now + pause}
            else:
                values["state"] = "sent" if "sent" in states else "failed"
            if posted.accepted:
                values["sent_at"] = now
                connection.execute(update(alert).where(alert.c.id == alert_id).values(last_notification_sent_at=now))
            connection.execute(update(delivery).where(delivery.c.id == delivery_id).values(**values))
        return Attempt(delivery_id, values["state"], error)

    def _letter(self, row: Row[Any]) -> Letter:
        return Letter(
            id=row.id,
            alert_id=row.alert_id,
            title=row.digest["title"],
            account_id=row.account_id,
            created_at=_moment(row.created_at),
            window_end=_moment(row.window_end),
            total=row.total,
            state=row.state,
            attempts=row.attempts,
            next_attempt_at=None if row.next_attempt_at is None else _moment(row.next_attempt_at),
            sent_at=None if row.sent_at is None else _moment(row.sent_at),
            last_error=row.last_error,
            recipients=tuple(self.recipients(row.id)),
        )

    def _now(self) -> int:
        return int(self._database.clock().timestamp())


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
