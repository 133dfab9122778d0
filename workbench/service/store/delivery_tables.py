"""Tables of alerts at work: what came in since they last looked, what they are about to send, and what they sent.

Moments are whole seconds since 1970 in UTC, ids are uuid texts, JSON columns hold texts, as in
:mod:`workbench.service.store.workspace_tables`.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import REAL, CheckConstraint, Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

from workbench.service.store.metadata import METADATA
from workbench.service.store.workspace_tables import JsonText

tender_event = Table(
    "tender_event",
    METADATA,
    Column("seq", Integer, primary_key=True),
    Column("tender_id", Text, nullable=False),
    Column("before", Text),
    Column("documents", Text),
    sqlite_strict=True,
    sqlite_autoincrement=True,
)
"""What an import did to a tender, in the order in which it was committed: ``before`` is ``NULL`` where the tender was first
seen, else its record as it was, and ``documents`` a JSON array of the ids of its documents then.

The order is a number and not a moment: a clock that is set back, or an import that began before an alert looked and ended
after, can neither hide a tender nor show it twice. Numbers are never used again. Nothing is written while no alert is
planned, and what every alert has seen is deleted, so the table stays small."""

alert_state = Table(
    "alert_state",
    METADATA,
    Column("id", Text, ForeignKey("alert.id", ondelete="CASCADE"), primary_key=True),
    Column("account_id", Text, ForeignKey("account.id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer),
    Column("since", Integer),
    sqlite_strict=True,
)
"""How far an alert has come; ``id`` is the alert's. ``position`` is the last ``tender_event.seq`` that it has seen: written as
``NULL`` it becomes the newest there is. Until the alert has run ``since`` is the moment from which on a tender counts as new
to it."""

delivery = Table(
    "delivery",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("account_id", Text, ForeignKey("account.id", ondelete="CASCADE"), nullable=False),
    Column("alert_id", Text, ForeignKey("alert.id", ondelete="CASCADE"), nullable=False),
    Column("window_end", Integer, nullable=False),
    Column("created_at", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("digest", JsonText, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_attempt_at", Integer),
    Column("sent_at", Integer),
    Column("last_error", Text),
    UniqueConstraint("alert_id", "window_end", name="one_delivery_a_window"),
    CheckConstraint("state IN ('waiting', 'sent', 'failed', 'unaddressed')", name="delivery_state_is_known"),
    CheckConstraint("(state = 'waiting') = (next_attempt_at IS NOT NULL)", name="only_waiting_deliveries_are_planned"),
    Index("delivery_due", "state", "next_attempt_at"),
    Index("delivery_of_account", "account_id", "created_at"),
    sqlite_strict=True,
)
"""The outbox: one e-mail of an alert, written together with the alert's new position. ``window_end`` is the moment of the
schedule that it belongs to. ``digest`` is what the e-mail says beside its tenders, ``total`` how many tenders set it off
(``delivery_item`` holds them up to a bound)."""

delivery_item = Table(
    "delivery_item",
    METADATA,
    Column("delivery_id", Text, ForeignKey("delivery.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("tender_id", Text, nullable=False),
    Column("reasons", JsonText, nullable=False),
    Column("changes", JsonText, nullable=False),
    Column("record", Text, nullable=False),
    sqlite_strict=True,
    sqlite_with_rowid=False,
)
"""A tender of an e-mail with its record as it was then, so that a second attempt says the same as the first."""

delivery_recipient = Table(
    "delivery_recipient",
    METADATA,
    Column("delivery_id", Text, ForeignKey("delivery.id", ondelete="CASCADE"), primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("email", Text),
    Column("state", Text, nullable=False),
    Column("error", Text),
    CheckConstraint("state IN ('waiting', 'sent', 'refused')", name="recipient_state_is_known"),
    sqlite_strict=True,
    sqlite_with_rowid=False,
)
"""Who gets an e-mail: each is told once, also where the mail server took some of them and not the others."""

deadline_told = Table(
    "deadline_told",
    METADATA,
    Column("alert_id", Text, ForeignKey("alert.id", ondelete="CASCADE"), primary_key=True),
    Column("tender_id", Text, primary_key=True),
    Column("due", Integer, primary_key=True),
    Column("days", REAL, primary_key=True),
    sqlite_strict=True,
    sqlite_with_rowid=False,
)
"""Deadlines that an alert has told of, ``days`` before by its window; deleted once they have passed."""

TRIGGERS: Final = (
    "CREATE INDEX tender_by_created_at ON tender (created_at)",
    """CREATE TRIGGER tender_arrived AFTER INSERT ON tender WHEN EXISTS (SELECT 1 FROM alert WHERE next_run_at IS NOT NULL)
        BEGIN INSERT INTO tender_event(tender_id) VALUES (new.id); END""",
    """CREATE TRIGGER tender_changed AFTER UPDATE ON tender
        WHEN (old.significant IS NOT new.significant OR old.status IS NOT new.status OR old.awarded IS NOT new.awarded)
            AND EXISTS (SELECT 1 FROM alert WHERE next_run_at IS NOT NULL)
        BEGIN INSERT INTO tender_event(tender_id, before, documents) VALUES (old.id, old.record,
            (SELECT json_group_array(id) FROM document WHERE tender_id = old.id)); END""",
    """CREATE TRIGGER alert_state_begun AFTER INSERT ON alert_state WHEN new.position IS NULL
        BEGIN UPDATE alert_state SET position = coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'tender_event'), 0)
            WHERE id = new.id; END""",
    """CREATE TRIGGER alert_state_begun_again AFTER UPDATE ON alert_state WHEN new.position IS NULL
        BEGIN UPDATE alert_state SET position = coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'tender_event'), 0)
            WHERE id = new.id; END""",
)
"""Statements to run once the tables are there. An import needs to know nothing of alerts: the table of tenders tells them."""
