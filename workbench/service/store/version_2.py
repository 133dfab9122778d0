"""From version 1 of the database to version 2: alerts at work, attempts at summaries.

The statements are frozen: databases in the field went through exactly these. What comes later is another version.
"""

from __future__ import annotations

import sqlite3
from typing import Final

STATEMENTS: Final = (
    """
    CREATE TABLE tender_event (
        seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        tender_id TEXT NOT NULL,
        "before" TEXT,
        documents TEXT
    ) STRICT
    """,
    """
    CREATE TABLE alert_state (
        id TEXT NOT NULL,
        account_id TEXT NOT NULL,
        position INTEGER,
        since INTEGER,
        PRIMARY KEY (id),
        FOREIGN KEY(id) REFERENCES alert (id) ON DELETE CASCADE,
        FOREIGN KEY(account_id) REFERENCES account (id) ON DELETE CASCADE
    ) STRICT
    """,
    """
    CREATE TABLE deadline_told (
        alert_id TEXT NOT NULL,
        tender_id TEXT NOT NULL,
        due INTEGER NOT NULL,
        days REAL NOT NULL,
        PRIMARY KEY (alert_id, tender_id, due, days),
        FOREIGN KEY(alert_id) REFERENCES alert (id) ON DELETE CASCADE
    ) WITHOUT ROWID, STRICT
    """,
    """
    CREATE TABLE delivery (
        id TEXT NOT NULL,
        account_id TEXT NOT NULL,
        alert_id TEXT NOT NULL,
        window_end INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        total INTEGER NOT NULL,
        digest TEXT NOT NULL,
        state TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        next_attempt_at INTEGER,
        sent_at INTEGER,
        last_error TEXT,
        PRIMARY KEY (id),
        CONSTRAINT one_delivery_a_window UNIQUE (alert_id, window_end),
        CONSTRAINT delivery_state_is_known CHECK (state IN ('waiting', 'sent', 'failed', 'unaddressed')),
        CONSTRAINT only_waiting_deliveries_are_planned CHECK ((state = 'waiting') = (next_attempt_at IS NOT NULL)),
        FOREIGN KEY(account_id) REFERENCES account (id) ON DELETE CASCADE,
        FOREIGN KEY(alert_id) REFERENCES alert (id) ON DELETE CASCADE
    ) STRICT
    """,
    """
    CREATE INDEX delivery_due ON delivery (state, next_attempt_at)
    """,
    """
    CREATE INDEX delivery_of_account ON delivery (account_id, created_at)
    """,
    """
    CREATE TABLE delivery_item (
        delivery_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        tender_id TEXT NOT NULL,
        reasons TEXT NOT NULL,
        changes TEXT NOT NULL,
        record TEXT NOT NULL,
        PRIMARY KEY (delivery_id, position),
        FOREIGN KEY(delivery_id) REFERENCES delivery (id) ON DELETE CASCADE
    ) WITHOUT ROWID, STRICT
    """,
    """
    CREATE TABLE delivery_recipient (
        delivery_id TEXT NOT NULL,
        user_id TEXT NOT NULL,
        name TEXT NOT NULL,
        email TEXT,
        state TEXT NOT NULL,
        error TEXT,
        PRIMARY KEY (delivery_id, user_id),
        CONSTRAINT recipient_state_is_known CHECK (state IN ('waiting', 'sent', 'refused')),
        FOREIGN KEY(delivery_id) REFERENCES delivery (id) ON DELETE CASCADE
    ) WITHOUT ROWID, STRICT
    """,
    """
    CREATE TABLE summary_attempt (
        id TEXT NOT NULL,
        account_id TEXT NOT NULL,
        summary_id TEXT NOT NULL,
        number INTEGER NOT NULL,
        writer TEXT NOT NULL,
        started_at INTEGER NOT NULL,
        finished_at INTEGER,
        failure TEXT,
        PRIMARY KEY (id),
        CONSTRAINT summary_attempt_is_numbered UNIQUE (summary_id, number),
        FOREIGN KEY(account_id) REFERENCES account (id) ON DELETE CASCADE,
        FOREIGN KEY(summary_id) REFERENCES summary (id) ON DELETE CASCADE
    ) STRICT
    """,
    """
    CREATE INDEX summary_attempt_of_account ON summary_attempt (account_id, summary_id)
    """,
    """
    CREATE INDEX tender_by_created_at ON tender (created_at)
    """,
    """
    CREATE TRIGGER tender_arrived AFTER INSERT ON tender WHEN EXISTS (SELECT 1 FROM alert WHERE next_run_at IS NOT NULL)
            BEGIN INSERT INTO tender_event(tender_id) VALUES (new.id); END
    """,
    """
    CREATE TRIGGER tender_changed AFTER UPDATE ON tender
            WHEN (old.significant IS NOT new.significant OR old.status IS NOT new.status OR old.awarded IS NOT new.awarded)
                AND EXISTS (SELECT 1 FROM alert WHERE next_run_at IS NOT NULL)
            BEGIN INSERT INTO tender_event(tender_id, before, documents) VALUES (old.id, old.record,
                (SELECT json_group_array(id) FROM document WHERE tender_id = old.id)); END
    """,
    """
    CREATE TRIGGER alert_state_begun AFTER INSERT ON alert_state WHEN new.position IS NULL
            BEGIN UPDATE alert_state SET position = coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'tender_event'), 0)
                WHERE id = new.id; END
    """,
    """
    CREATE TRIGGER alert_state_begun_again AFTER UPDATE ON alert_state WHEN new.position IS NULL
            BEGIN UPDATE alert_state SET position = coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'tender_event'), 0)
                WHERE id = new.id; END
    """,
)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a database of version 1 to version 2, within the transaction of the caller."""
    for statement in STATEMENTS:
        connection.execute(statement)
